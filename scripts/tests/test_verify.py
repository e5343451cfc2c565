"""``verify`` and ``doctor`` on real installations: what is sound passes, each fault is found."""

from __future__ import annotations

import json
import shutil
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from installations import (
    CARRIED,
    JAR,
    LINE,
    LINES,
    OTHER,
    damaged_dropin,
    everything_in,
    flink_boost,
    java_environment,
    new_home,
    official_classes,
)

from flink_boost.errors import BrokenData, EnvironmentProblem, NotAFlinkHome, VerificationFailed
from flink_boost.flinkhome import FlinkHome, find_running, open_home
from flink_boost.launch import ROLES, Launch, ask_scripts, deciding
from flink_boost.lines import Line
from flink_boost.minirun import Outcome, compare_job, compare_outcomes
from flink_boost.verify import judge

OFF = "-Dflink.boost.mode=off"
OPENS = "--add-opens=java.base/java.lang=ALL-UNNAMED"
SHIPPED = "--add-opens=java.base/java.text=ALL-UNNAMED"


@pytest.fixture
def line() -> Line:
    return LINE


@pytest.fixture
def home(line: Line, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A private copy of the line's distribution, with our environment made its own."""
    environment = java_environment(line)
    monkeypatch.setattr("os.environ", environment)
    return new_home(tmp_path / "flink", line)


@pytest.fixture
def answer(capsys: pytest.CaptureFixture[str]) -> Callable[..., dict[str, Any]]:
    """Calls a command with ``--json`` and returns its answer."""

    def call(*arguments: str | Path) -> dict[str, Any]:
        capsys.readouterr()
        code = flink_boost(*arguments, "--json")
        found: dict[str, Any] = json.loads(capsys.readouterr().out)
        assert found["exit_code"] == code
        assert found["ok"] == (code == 0)
        return found

    return call


def failed(answer: dict[str, Any]) -> dict[str, str]:
    return {c["name"]: c["detail"] for c in answer["checks"] if not c["passed"]}


def set_options(home: Path, **options: str) -> None:
    """Adds to the configuration file of a new line; dots are underscores."""
    with (home / "conf" / "config.yaml").open("a") as file:
        for key, value in options.items():
            file.write(f'\n{key.replace("_", ".")}: "{value}"\n')


# On 2.3.0 the test of the wheel does the same.
@pytest.mark.parametrize("line", [OTHER], ids=lambda line: line.version)
@pytest.mark.timeout(600)
def test_a_sound_installation_passes_every_check(
    line: Line, home: Path, answer: Callable[..., dict[str, Any]]
) -> None:
    assert answer("install", home)["action"] == "installed"
    before = everything_in(home)

    found = answer("verify", home)

    assert found["ok"], found
    assert found["flink_version"] == line.version
    details = {check["name"]: check["detail"] for check in found["checks"]}
    assert list(details) == ["jar", "version", "classes", "stock", "bytes", "mode"]
    assert f"All {len(line.classes)} patched classes" in details["classes"]
    assert "1,000,000 strings with each of the 65,536 code units" in details["bytes"]
    assert details["mode"].startswith("Mode on; string access opened (self-test passed); JDK ")
    assert everything_in(home) == before


@pytest.mark.parametrize("line", LINES[:1], ids=lambda line: line.version)
@pytest.mark.timeout(900)
def test_a_real_job_writes_the_same_as_without_the_jar(
    line: Line, home: Path, answer: Callable[..., dict[str, Any]]
) -> None:
    assert answer("install", home)["action"] == "installed"
    before = everything_in(home)

    found = answer("verify", home, "--job")

    assert found["ok"], found
    assert found["checks"][-1]["name"] == "job"
    assert " wrote 287 lines with our codec, the same as" in found["checks"][-1]["detail"]
    assert everything_in(home) == before


@pytest.mark.timeout(300)
def test_a_cluster_that_does_not_start_without_our_jar_is_no_fault_of_it(home: Path) -> None:
    assert flink_boost("install", home) == 0
    script = home / "bin" / "taskmanager.sh"
    script.unlink()
    script.write_text("#!/bin/sh\necho no memory left\nexit 1\n")
    script.chmod(0o755)
    environment = java_environment(LINE)
    launch = ask_scripts(open_home(home), environment)

    with pytest.raises(EnvironmentProblem) as raised:
        compare_job(
            open_home(home),
            LINE,
            launch,
            home / "lib" / JAR,
            CARRIED.example(LINE),
            environment,
            open_home(home).dist,
        )

    assert raised.value.message.startswith("Without our jar: A process of ")
    assert "ended at start" in raised.value.message
    assert "no memory left" in raised.value.next_step
    assert find_running(open_home(home)) == []


@pytest.mark.timeout(300)
@pytest.mark.parametrize("how", ["write", "read"])
def test_a_jar_that_changes_one_code_point_fails(
    how: str, home: Path, answer: Callable[..., dict[str, Any]]
) -> None:
    damaged_dropin(home / "lib" / JAR, how)

    found = answer("verify", home)

    assert found["exit_code"] == VerificationFailed.exit_code
    faults = failed(found)
    # The checksum alone would do; that the strings differ is found out without it.
    assert list(faults) == ["jar", "bytes"]
    assert "U+A123" in faults["bytes"]
    assert ("writeString" if how == "write" else "readString") in faults["bytes"]


@pytest.mark.timeout(300)
def test_a_jar_for_another_release_fails(home: Path, answer: Callable[..., dict[str, Any]]) -> None:
    shutil.copy(CARRIED.dropin(OTHER), home / "lib")

    found = answer("verify", home)

    assert found["exit_code"] == VerificationFailed.exit_code
    assert "is built for Flink 1.20.5 but found Flink 2.3.0" in failed(found)["version"]
    diagnosis = answer("doctor", home)
    assert diagnosis["exit_code"] == VerificationFailed.exit_code
    assert any("no process of this Flink 2.3.0 will start" in t for t in texts(diagnosis))


@pytest.mark.timeout(300)
@pytest.mark.parametrize(
    ("missing", "exit_code", "words"),
    [
        (
            "string/VarintEncoder",
            VerificationFailed.exit_code,
            "ClassNotFoundException: org.apache.flink.boost.string.VarintEncoder",
        ),
        ("guard/Verdict", BrokenData.exit_code, "is missing or damaged"),
    ],
)
def test_a_jar_that_is_not_whole_fails(
    missing: str,
    exit_code: int,
    words: str,
    home: Path,
    answer: Callable[..., dict[str, Any]],
) -> None:
    with (
        zipfile.ZipFile(CARRIED.dropin(LINE)) as whole,
        zipfile.ZipFile(home / "lib" / JAR, "w") as jar,
    ):
        for entry in whole.namelist():
            if entry != f"org/apache/flink/boost/{missing}.class":
                jar.writestr(entry, whole.read(entry))

    found = answer("verify", home)

    assert found["exit_code"] == exit_code
    told = found["error"] if "error" in found else failed(found)["bytes"]
    assert words in told


@pytest.mark.timeout(300)
def test_a_class_in_front_and_the_kill_switch_in_the_configuration_file_are_seen(
    home: Path, answer: Callable[..., dict[str, Any]]
) -> None:
    """A user's uber jar brings its own copy of a class; the switch is no fault."""
    assert answer("install", home)["ok"]
    name = "org.apache.flink.types.StringValue"
    with zipfile.ZipFile(home / "lib" / "a-job-with-everything.jar", "w") as jar:
        jar.writestr(name.replace(".", "/") + ".class", official_classes()[name])
    set_options(home, **{"env_java_default-opts_all": OFF})

    found = answer("verify", home)

    assert failed(found) == {"classes": f"{name} comes from {home}/lib/a-job-with-everything.jar."}
    assert found["checks"][-1]["detail"].startswith("Mode off: stock's code runs")
    diagnosis = answer("doctor", home)
    assert diagnosis["ok"]
    assert sum("is switched off" in text for text in texts(diagnosis)) == 3
    assert not any("java.lang is not opened" in text for text in texts(diagnosis))


def test_a_mode_that_means_nothing_is_a_problem(
    home: Path, answer: Callable[..., dict[str, Any]]
) -> None:
    assert answer("install", home)["ok"]
    set_options(home, env_java_opts_taskmanager="-Dflink.boost.mode=of")

    diagnosis = answer("doctor", home)

    problems = [f["text"] for f in diagnosis["findings"] if f["level"] == "problem"]
    assert problems == [
        "-Dflink.boost.mode=of of the taskmanager is neither 'on' nor 'off': it will not start."
    ]


def with_mode(mode: str) -> Launch:
    """What scripts would start with that value of the kill switch, in every role."""
    return Launch("java", (), dict.fromkeys(ROLES, (f"-Dflink.boost.mode={mode}",)))


SEEN = {
    "fits": "true",
    "fits.sentence": "the class files it replaces are those of this version",
    "flink.version": "2.3.0",
    "boost.version": "0.1.0",
    "guard": "true",
    "enabled": "true",
    "access": "string access opened (self-test passed)",
    "jdk": "17.0.15+6",
    "strings": "1000000",
    "seconds": "4.2",
    "mismatch": "",
    **{f"stock.{name}": "/flink/lib/flink-dist-2.3.0.jar" for name in LINE.classes},
    **{f"intact.{name}": "true" for name in LINE.classes},
}
STRING_VALUE = "org.apache.flink.types.StringValue"


@pytest.mark.parametrize(
    ("differing", "mode", "name", "words"),
    [
        ({}, "of", "mode", "-Dflink.boost.mode is 'of' for the jobmanager, 'of' for the task"),
        ({"enabled": "false"}, "on", "mode", "Mode on"),
        ({"guard": "false"}, "on", "version", "Flink will not find the guard"),
        ({"strings": "999999"}, "on", "bytes", "999,999 strings"),
        ({f"intact.{STRING_VALUE}": "false"}, "on", "stock", "Not the official class files"),
        ({f"stock.{STRING_VALUE}": "/x.jar"}, "on", "stock", f"{STRING_VALUE} from /x.jar"),
    ],
)
def test_each_check_can_fail_alone(
    differing: dict[str, str], mode: str, name: str, words: str
) -> None:
    home = FlinkHome(Path("/flink"), Path("/flink/lib/flink-dist-2.3.0.jar"), "2.3.0")
    jar = CARRIED.dropin(LINE)
    seen = SEEN | {f"patched.{patched}": str(jar) for patched in LINE.classes}
    sound = judge(seen, home.dist, LINE, with_mode("on"), jar, jar)
    assert all(check.passed for check in sound), sound
    checks = judge(seen | differing, home.dist, LINE, with_mode(mode), jar, jar)
    assert [(c.name, words in c.detail) for c in checks if not c.passed] == [(name, True)]


def texts(diagnosis: dict[str, Any]) -> list[str]:
    return [finding["text"] for finding in diagnosis["findings"]]


def test_doctor_tells_that_java_lang_is_not_opened(
    home: Path, answer: Callable[..., dict[str, Any]]
) -> None:
    """As it is when ``env.java.opts.all`` is overwritten instead of added to."""
    assert answer("install", home)["ok"]
    assert not any("java.lang" in text for text in texts(answer("doctor", home)))
    conf = home / "conf" / "config.yaml"
    assert conf.read_text().count(OPENS) == 1
    conf.write_text(conf.read_text().replace(OPENS, ""))

    found = answer("doctor", home)

    assert found["ok"]
    warnings = [f for f in found["findings"] if "java.lang is not opened" in f["text"]]
    assert len(warnings) == 3
    assert warnings[0]["next_step"] == f"Add to what env.java.opts.all has in conf/: {OPENS}"


def test_doctor_reports_what_is_wrong_and_ends_with_its_code(
    tmp_path: Path, home: Path, answer: Callable[..., dict[str, Any]]
) -> None:
    assert any("No flink-boost jar is installed" in text for text in texts(answer("doctor", home)))
    assert answer("doctor", tmp_path)["exit_code"] == NotAFlinkHome.exit_code
    (home / "lib" / JAR).touch()
    broken = answer("doctor", home)
    assert broken["exit_code"] == 14
    assert any("was cut off" in text for text in texts(broken))


def test_doctor_takes_the_home_from_the_environment(
    home: Path, monkeypatch: pytest.MonkeyPatch, answer: Callable[..., dict[str, Any]]
) -> None:
    assert texts(answer("doctor"))[-1] == "No installation was named."
    monkeypatch.setenv("FLINK_HOME", str(home))
    assert answer("doctor")["flink_home"] == str(home)


STOCK_RUN = Outcome(("(be,1)", "(to,1)", "(to,2)"), {})
OUR_RUN = Outcome(
    STOCK_RUN.lines,
    {
        "org.apache.flink.types.StringValue": "/flink/lib/boost.jar",
        "org.apache.flink.boost.string.StringReader": "/flink/lib/boost.jar",
        "org.apache.flink.boost.string.StringWriter": "/flink/lib/boost.jar",
    },
)


@pytest.mark.parametrize(
    ("ours", "mode", "passed", "words"),
    [
        (OUR_RUN, "on", True, "wrote 3 lines with our codec, the same as without"),
        (STOCK_RUN, "off", True, "wrote 3 lines with our codec switched off, the same"),
        (STOCK_RUN, "on", False, "but our codec was not used"),
        (OUR_RUN, "off", False, "but our codec ran although it is switched off"),
        (
            Outcome(("(be,1)", "(to,2)", "(to,2)"), OUR_RUN.classes),
            "on",
            False,
            "1 of them not as on stock, 1 are missing",
        ),
        (Outcome((), OUR_RUN.classes), "on", False, "wrote 0 lines"),
        (
            Outcome(
                OUR_RUN.lines,
                {**OUR_RUN.classes, "org.apache.flink.types.StringValue": "/flink/lib/a.jar"},
            ),
            "on",
            False,
            "took org.apache.flink.types.StringValue from /flink/lib/a.jar",
        ),
    ],
)
def test_the_verdict_on_a_job(ours: Outcome, mode: str, passed: bool, words: str) -> None:
    jar = Path("/flink/lib/boost.jar")
    check = compare_outcomes(ours, STOCK_RUN, LINE, with_mode(mode), jar, "WordCount.jar")
    assert check.passed is passed
    assert words in check.detail


def test_only_options_that_matter_to_our_classes_are_taken_over() -> None:
    options = f"-Xmx8g {SHIPPED} --add-opens java.base/java.io=ALL-UNNAMED -Xlog:gc:file=/gc.log"
    more = f"-Dcom.sun.management.jmxremote.port=9 {OFF} '-XX:-CompactStrings' -javaagent:/a.jar"
    assert deciding(f"{options} {more}".split()) == (
        SHIPPED,
        "--add-opens=java.base/java.io=ALL-UNNAMED",
        OFF,
        "-XX:-CompactStrings",
    )
