"""What ``doctor`` and ``verify`` say of options with which Flink does not start, or not as meant.

Flink's own client is started with the same options: it does what is said.
"""

from __future__ import annotations

import os
import socket
import subprocess
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from installations import (
    JAR,
    OFF,
    READS,
    READS_SLOWLY,
    official_classes,
    problems,
    put_jar,
    set_options,
    texts,
)
from java_programs import javac

from flink_boost.base.errors import VerificationFailed
from flink_boost.flink.distribution import ensure_distribution
from flink_boost.flink.jdks import java_home
from flink_boost.flink.lines import load_lines

pytestmark = [
    pytest.mark.needs_jars,
    pytest.mark.usefixtures("fewer_strings"),
]

Answer = Callable[..., dict[str, Any]]
OUTPUT = "org.apache.flink.core.memory.DataOutputSerializer"
BY_ALL = "env_java_default-opts_all"


@pytest.fixture(scope="module")
def agent(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """``TestAgent`` as a jar, and stock's class file beside it."""
    folder = tmp_path_factory.mktemp("agent")
    javac("-d", folder, Path(__file__).parents[1] / "data" / "TestAgent.java")
    jar = folder / "agent.jar"
    with zipfile.ZipFile(jar, "w") as archive:
        archive.writestr("META-INF/MANIFEST.MF", "Premain-Class: TestAgent\n")
        for file in folder.glob("*.class"):
            archive.write(file, file.name)
    (folder / "stock.class").write_bytes(official_classes()[OUTPUT])
    return jar


def client_of(home: Path) -> tuple[int, str]:
    """The code of Flink's own client, and what it printed and logged."""
    done = subprocess.run(
        [str(home / "bin" / "flink"), "--version"],
        env=dict(os.environ),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=100,
        check=False,
    )
    logged = "".join(file.read_text() for file in (home / "log").glob("*-client-*.log"))
    return done.returncode, done.stdout + logged


def details(found: dict[str, Any], passed: object) -> dict[str, str]:
    return {c["name"]: c["detail"] for c in found["checks"] if c["passed"] is passed}


# --- Flink does not start -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("configured", "words"),
    [
        pytest.param(
            *("JDK 25", "Enabling a Security Manager is not supported"),
            marks=pytest.mark.test_all,
        ),
        ("-javaagent:/opt/not-there.jar", "/opt/not-there.jar"),
        ("-XX:+UseSerialGC -XX:+UseParallelGC", "Multiple garbage collectors selected"),
    ],
)
def test_what_no_java_starts_with_is_a_problem(
    configured: str, words: str, home: Path, monkeypatch: pytest.MonkeyPatch, answer: Answer
) -> None:
    put_jar(home)
    if configured == "JDK 25":
        monkeypatch.setenv("JAVA_HOME", str(java_home(25)))
    else:
        set_options(home, **{BY_ALL: configured})

    code, printed = client_of(home)
    diagnosis, found = answer("doctor", home), answer("verify", home)

    assert code != 0
    assert words in printed
    assert diagnosis["exit_code"] == found["exit_code"] == VerificationFailed.exit_code
    (problem,) = problems(diagnosis)
    assert problem.startswith("No jobmanager, taskmanager or client starts: ")
    assert words in problem
    assert found["error"] == problem
    assert found["next_step"].startswith("Look at env.java.opts")


def test_what_one_role_alone_does_not_start_with_is_told_of_that_role(
    home: Path, tmp_path: Path, answer: Answer
) -> None:
    """The quotes that YAML needs around it reach a client: its script does not evaluate options."""
    put_jar(home)
    (tmp_path / "args").write_text("-Dother=1")
    set_options(home, **{BY_ALL: f"@{tmp_path}/args"})

    code, printed = client_of(home)
    diagnosis, found = answer("doctor", home), answer("verify", home)

    assert code != 0
    words = "Could not find or load main class '@."
    assert words in printed
    assert diagnosis["exit_code"] == found["exit_code"] == VerificationFailed.exit_code
    (problem,) = problems(diagnosis)
    assert problem.startswith("No client starts: ")
    assert words in problem
    assert found["error"] == problem


# --- Flink runs other classes ---------------------------------------------------------------------


@pytest.mark.parametrize(
    "key", ["default-opts_all", pytest.param("opts_jobmanager", marks=pytest.mark.test_all)]
)
def test_an_agent_that_hands_back_stocks_class_is_found(
    key: str, agent: Path, home: Path, answer: Answer
) -> None:
    put_jar(home)
    set_options(home, **{f"env_java_{key}": f"-javaagent:{agent}={agent.with_name('stock.class')}"})

    diagnosis, found = answer("doctor", home), answer("verify", home)

    roles = "jobmanager" if "jobmanager" in key else "jobmanager, taskmanager and client"
    (told,) = [text for text in texts(diagnosis) if "An agent starts" in text]
    assert told.startswith(f"An agent starts with the {roles}: -javaagent:{agent}=")
    assert found["exit_code"] == VerificationFailed.exit_code
    said = f"{OUTPUT} is another class than that in {JAR}: an agent, or an archive of classes, puts"
    failed = details(found, passed=False)
    if "jobmanager" in key:
        assert list(failed) == ["options"]
        assert failed["options"].startswith(f"in the jobmanager {said}")
    else:
        assert failed["classes"].startswith(said)


def test_the_one_agent_whose_port_is_in_use_is_left_out_and_named(
    agent: Path, home: Path, monkeypatch: pytest.MonkeyPatch, answer: Answer
) -> None:
    """As while Flink runs. The other one is started and found, but for ``doctor``."""
    put_jar(home)
    with socket.create_server(("", 0)) as taken:
        word = f"-javaagent:{agent}={taken.getsockname()[1]}"
        set_options(home, **{BY_ALL: f"-javaagent:{agent}={agent.with_name('stock.class')}"})
        monkeypatch.setenv("JAVA_TOOL_OPTIONS", word)

        diagnosis, found = answer("doctor", home), answer("verify", home)

    assert diagnosis["ok"]
    (told,) = [text for text in texts(diagnosis) if "An agent starts" in text]
    assert word in told
    assert f"{OUTPUT} is another class" in details(found, passed=False)["classes"]
    options = details(found, None)["options"]
    assert options.startswith(f"Not checked: {word} wants a port that is")
    assert "stock.class" not in options


def test_an_agent_with_a_thread_that_uses_flinks_jars_is_no_fault(
    agent: Path, home: Path, answer: Answer
) -> None:
    """Flink starts with it, and a process that a check started does not run on for its thread."""
    put_jar(home)
    set_options(home, **{BY_ALL: f"-javaagent:{agent}=stay"})

    found = answer("verify", home)

    assert found["ok"], found
    assert details(found, passed=True)["options"].startswith("A JVM starts with the options")


# --- options that no file has ---------------------------------------------------------------------


def test_the_kill_switch_in_a_variable_is_told(
    home: Path, monkeypatch: pytest.MonkeyPatch, answer: Answer
) -> None:
    """As containers are usually given options."""
    put_jar(home)
    monkeypatch.setenv("JAVA_TOOL_OPTIONS", f"-Dother=1 '{OFF}'")

    code, printed = client_of(home)
    found = answer("verify", home)

    assert code == 0
    assert "mode off" in printed
    assert found["ok"]
    told = "by -Dflink.boost.mode=off in JAVA_TOOL_OPTIONS; JDK 17"
    assert told in details(found, passed=True)["mode"]
    for variable in ("JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS"):
        monkeypatch.delenv("JAVA_TOOL_OPTIONS", raising=False)
        monkeypatch.setenv(variable, OFF)
        roles = [text for text in texts(answer("doctor", home)) if "is switched off" in text]
        assert len(roles) == 3
        assert all(f"mode=off in {variable}: it runs stock's code" in text for text in roles)
        monkeypatch.delenv(variable)


def test_what_a_file_of_options_switches_is_told_by_verify(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, answer: Answer
) -> None:
    put_jar(home)
    (tmp_path / "args").write_text(OFF)
    monkeypatch.setenv("JVM_ARGS", f"@{tmp_path}/args")

    found = answer("verify", home)

    assert found["ok"]
    assert details(found, passed=True)["mode"].startswith("Mode off: stock's code runs")


# --- what is left out -----------------------------------------------------------------------------


def test_what_a_second_process_may_not_have_is_left_out_and_named(
    home: Path, tmp_path: Path, answer: Answer
) -> None:
    put_jar(home)
    left = f"-Xms9000g -agentlib:jdwp=transport=dt_socket -Xlog:gc:file={tmp_path}/gc.log"
    set_options(home, **{BY_ALL: f"{left} -XX:-CompactStrings"})

    diagnosis, found = answer("doctor", home), answer("verify", home)

    assert found["ok"], found
    assert not (tmp_path / "gc.log").exists()
    passed = details(found, passed=True)
    assert (
        f"Left out, as a second process may not have them: {left.replace(' ', ', ')}. Only"
        in (passed["options"])
    )
    assert passed["mode"].endswith("to go faster, take -XX:-CompactStrings out of the JVM options.")
    assert sum("has -XX:-CompactStrings" in text for text in texts(diagnosis)) == 3


def test_what_a_running_flink_writes_and_listens_to_is_left_alone(
    agent: Path, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, answer: Answer
) -> None:
    """As inside a container: what it was given is in the environment of each command."""
    put_jar(home)
    names = ("recording", "written", "gc.log", "app.log")
    files = recording, written, collected, logged = [tmp_path / name for name in names]
    for file in files:
        file.write_text("of the Flink that runs\n")
    (tmp_path / "log4j2.properties").write_text(
        f"appender.f.type = File\nappender.f.name = f\nappender.f.fileName = {logged}\n"
        "appender.f.append = false\nappender.f.layout.type = PatternLayout\n"
        "rootLogger.level = info\nrootLogger.appenderRef.f.ref = f\n"
    )
    (tmp_path / "args").write_text("-Xms1100m -XX:+AlwaysPreTouch")
    told = f"-javaagent:{agent}=file={written}"
    set_options(home, **{BY_ALL: told})
    monkeypatch.setenv("JVM_ARGS", f"@{tmp_path}/args")
    monkeypatch.setenv(
        "JDK_JAVA_OPTIONS", f"-Xms2g -Dlog4j2.configurationFile={tmp_path}/log4j2.properties"
    )
    with socket.create_server(("127.0.0.1", 0)) as taken:
        debugger = "-agentlib:jdwp=transport=dt_socket,server=y,suspend=n,address=127.0.0.1"
        monkeypatch.setenv(
            "JAVA_TOOL_OPTIONS",
            f"{debugger}:{taken.getsockname()[1]} -Xlog:gc*:file={collected}"
            f" -XX:StartFlightRecording=filename={recording},dumponexit=true",
        )

        diagnosis, found = answer("doctor", home), answer("verify", home)

    assert diagnosis["ok"], diagnosis
    assert not [text for text in texts(diagnosis) if "not opened" in text or "not known" in text]
    assert found["ok"], found
    assert details(found, None)["options"].startswith(f"Not checked: {told} writes a file")
    assert {file.read_text() for file in files} == {"of the Flink that runs\n"}
    assert not [*tmp_path.glob("gc.log.*")]


def test_options_that_the_scripts_own_java_refuses_are_named(
    home: Path, monkeypatch: pytest.MonkeyPatch, answer: Answer
) -> None:
    """The scripts take what that Java says for the configuration."""
    monkeypatch.setenv("JAVA_TOOL_OPTIONS", "-XX:+NoSuchOption")

    diagnosis = answer("doctor", home)

    (problem,) = problems(diagnosis)
    assert "config.sh failed (Unrecognized VM option 'NoSuchOption')" in problem
    assert not [text for text in texts(diagnosis) if "java.lang is not opened" in text]


WRITTEN = """
a.key: one
 a.key :  last one: of  two \t
a.key.more: 3
# a.other: 4
a.empty: full
a.empty:
a.word
odd: -n
"""


@pytest.mark.parametrize("version", ["1.20.5", "2.3.0"])
def test_the_script_of_these_tests_reads_as_flinks_own(version: str) -> None:
    """It takes a third of the time."""
    script = (ensure_distribution(load_lines()[version]) / "bin" / "config.sh").read_text()
    slow = READS_SLOWLY.search(script)
    assert slow is not None

    def read(function: str) -> str:
        words = ("a.key", "a.key.more", "a.other", "a.empty", "a.word", "odd", "none")
        calls = [f'readFromConfig {word} "by default" "$1"' for word in words]
        program = "\n".join((function, *calls))
        command = ["bash", "-c", program, "bash", WRITTEN]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout

    assert read(slow[0]) == read(READS)
    assert read(READS).splitlines()[:2] == ["last one: of  two \t", "3"]
