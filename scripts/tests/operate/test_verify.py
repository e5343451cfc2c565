"""``verify`` on real installations: what is sound passes, each fault is found."""

from __future__ import annotations

import os
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
    OFF,
    OTHER,
    VERSION,
    damaged_dropin,
    everything_in,
    new_home,
    put_in_front,
    put_jar,
    set_options,
    with_mode,
)

from flink_boost.base.errors import BrokenData, EnvironmentProblem, VerificationFailed
from flink_boost.flink.home import FlinkHome, open_home
from flink_boost.flink.launch import ask_scripts
from flink_boost.flink.lines import Line
from flink_boost.operate.verify import judge, observe

pytestmark = pytest.mark.needs_jars


def failed(answer: dict[str, Any]) -> dict[str, str]:
    return {c["name"]: c["detail"] for c in answer["checks"] if c["passed"] is False}


def unchecked(answer: dict[str, Any]) -> list[str]:
    found = [c for c in answer["checks"] if c["passed"] is None]
    assert all(check["detail"].startswith("Not checked: ") for check in found)
    return [check["name"] for check in found]


# On 2.3.0 the test of the wheel does the same.
@pytest.mark.parametrize("line", [OTHER], ids=lambda line: line.version)
@pytest.mark.test_all
def test_a_sound_installation_passes_every_check(
    line: Line, home: Path, answer: Callable[..., dict[str, Any]]
) -> None:
    assert answer("install", home)["action"] == "installed"
    before = everything_in(home)

    found = answer("verify", home)

    assert found["ok"], found
    assert found["flink_version"] == line.version
    details = {check["name"]: check["detail"] for check in found["checks"]}
    assert list(details) == [
        *("jar", "version", "classes", "stock", "bytes", "mode", "families", "options")
    ]
    families = dict.fromkeys(("strings", *line.family_of.values()))
    assert details["families"].lower() == f"{'; '.join(f'{each} on' for each in families)}."
    assert found["families"] == [{"name": e, "state": "on", "reason": ""} for e in families]
    assert f"All {len(line.classes)} patched classes" in details["classes"]
    assert "1,000,000 strings with each of the 65,536 code units" in details["bytes"]
    assert details["mode"].startswith("Mode on; string access opened (self-test passed); JDK ")
    assert everything_in(home) == before


@pytest.mark.parametrize("how", ["read", pytest.param("write", marks=pytest.mark.test_all)])
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


@pytest.mark.usefixtures("fewer_strings")
def test_a_jar_for_another_release_fails(home: Path, answer: Callable[..., dict[str, Any]]) -> None:
    shutil.copy(CARRIED.dropin(OTHER), home / "lib")

    found = answer("verify", home)

    assert found["exit_code"] == VerificationFailed.exit_code
    assert "is built for Flink 1.20.5 but found Flink 2.3.0" in failed(found)["version"]
    assert failed(found)["mode"].startswith("The guard refuses the jar")
    assert unchecked(found) == ["stock", "bytes", "families"]
    # Stock's strings with stock's would take as long and say nothing.
    dist = home / "lib" / "flink-dist-2.3.0.jar"
    launch = ask_scripts(open_home(home), os.environ)
    assert observe(dist, launch, CARRIED.verifier(LINE), os.environ)["strings"] == "0"


@pytest.mark.usefixtures("fewer_strings")
@pytest.mark.parametrize(
    ("missing", "exit_code", "words"),
    [
        (
            "codec/VarintEncoder",
            VerificationFailed.exit_code,
            "ClassNotFoundException: org.apache.flink.boost.codec.VarintEncoder",
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


@pytest.mark.usefixtures("fewer_strings")
@pytest.mark.parametrize("switched_off", [False, True])
def test_a_class_in_front_is_a_refusal_unless_ours_is_switched_off(
    switched_off: bool, home: Path, answer: Callable[..., dict[str, Any]]
) -> None:
    """Shading leaves such a jar behind: a connector with its own copy of a class."""
    put_jar(home)
    name = "org.apache.flink.core.memory.DataOutputSerializer"
    front = put_in_front(home, [name])
    if switched_off:
        set_options(home, **{"env_java_default-opts_all": OFF})

    found = answer("verify", home)

    faults = failed(found)
    assert f"{front} stands before {home / 'lib' / JAR} on the class path" in faults["version"]
    assert faults["classes"] == f"{name} comes from {front}."
    if switched_off:
        assert list(faults) == ["version", "classes"]
        assert unchecked(found) == []
    else:
        assert list(faults) == ["version", "classes", "mode"]
        assert faults["mode"].startswith("The guard refuses the jar")
        assert unchecked(found) == ["bytes", "families"]


@pytest.mark.usefixtures("fewer_strings")
def test_all_classes_in_front_are_stocks_code_and_nothing_was_compared(
    home: Path, answer: Callable[..., dict[str, Any]]
) -> None:
    put_jar(home)
    front = put_in_front(home, LINE.classes)

    found = answer("verify", home)

    faults = failed(found)
    assert list(faults) == ["classes", "mode"]
    # Of the other families only stock's are expected then.
    assert faults["classes"].count(f"comes from {front}") == len(LINE.strings)
    assert faults["mode"].startswith("Mode off though nobody switched it off: ")
    assert f"{front} stands before {home / 'lib' / JAR}" in faults["mode"]
    assert unchecked(found) == ["bytes"]


@pytest.mark.test_all
@pytest.mark.usefixtures("fewer_strings")
def test_the_kill_switch_in_the_configuration_file_is_no_fault(
    home: Path, answer: Callable[..., dict[str, Any]]
) -> None:
    put_jar(home)
    set_options(home, **{"env_java_default-opts_all": OFF})

    found = answer("verify", home)

    assert found["ok"], found
    details = {check["name"]: check["detail"] for check in found["checks"]}
    assert details["mode"].startswith("Mode off: stock's code runs")
    assert details["bytes"].endswith(
        "; stock's code in our jar did it, because ours is switched off."
    )


def test_jars_from_another_folder_are_told_before_anything_is_started(
    home: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    answer: Callable[..., dict[str, Any]],
) -> None:
    put_jar(home)
    other = new_home(tmp_path / "other") / "lib"
    monkeypatch.setenv("FLINK_LIB_DIR", str(other))

    found = answer("verify", home)

    assert found["exit_code"] == EnvironmentProblem.exit_code
    assert found["error"].startswith(f"FLINK_LIB_DIR is {other}: the scripts of {home} take their")
    assert found["next_step"].startswith("Unset FLINK_LIB_DIR")


@pytest.mark.usefixtures("fewer_strings")
@pytest.mark.parametrize(
    "name", [JAR, pytest.param("flink-dist-2.3.0.jar", marks=pytest.mark.test_all)]
)
def test_a_jar_may_be_a_link(
    name: str, home: Path, tmp_path: Path, answer: Callable[..., dict[str, Any]]
) -> None:
    put_jar(home)
    (home / "lib" / name).rename(tmp_path / name)
    (home / "lib" / name).symlink_to(tmp_path / name)

    found = answer("verify", home)

    assert found["ok"], found


@pytest.mark.test_all
@pytest.mark.usefixtures("fewer_strings")
def test_jars_from_the_same_folder_by_another_name_are_no_fault(
    home: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    answer: Callable[..., dict[str, Any]],
) -> None:
    put_jar(home)
    (tmp_path / "current").symlink_to(home)
    monkeypatch.setenv("FLINK_LIB_DIR", str(tmp_path / "current" / "lib"))

    found = answer("verify", home)

    assert found["ok"], found


SEEN = {
    "fits": "true",
    "fits.switched.off": "true",
    "fits.sentence": "the class files it replaces are those of this version",
    "flink.version": "2.3.0",
    "boost.version": VERSION,
    "guard": "true",
    "report": "\nstrings\ton\t\nrecords\ton\t",
    "enabled": "true",
    "reason": "the class files it replaces are those of this version",
    "access": "string access opened (self-test passed)",
    "jdk": "17.0.15+6",
    "strings": "1000000",
    "seconds": "4.2",
    "mismatch": "",
    **{f"woven.{name}": "true" for name in LINE.classes},
    **{f"stock.{name}": "/flink/lib/flink-dist-2.3.0.jar" for name in LINE.classes},
    **{f"intact.{name}": "true" for name in LINE.classes},
}
STRING_VALUE = "org.apache.flink.types.StringValue"


@pytest.mark.parametrize(
    ("differing", "mode", "name", "words"),
    [
        ({}, "of", "mode", "-Dflink.boost.mode is 'of' for the jobmanager, 'of' for the task"),
        ({"enabled": "false"}, "on", "mode", "Mode off though nobody switched it off: the class"),
        ({}, "off", "mode", "Mode off: stock's code runs"),
        ({"guard": "false"}, "on", "version", "Flink will not find the guard"),
        ({"strings": "999999"}, "on", "bytes", "999,999 strings"),
        ({f"intact.{STRING_VALUE}": "false"}, "on", "stock", "Not the official class files"),
        ({f"woven.{STRING_VALUE}": "false"}, "on", "classes", "is another class than that in"),
        ({"mode": "off"}, "on", "mode", "Mode off: stock's code runs"),
        (
            {"report": "\nstrings\ton\t\nrecords\tmissed\ta.jar is in front"},
            *("on", "families", "Strings on; records off, a.jar is in front."),
        ),
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
    assert [(c.name, words in c.detail) for c in checks if c.failed] == [(name, True)]


@pytest.mark.parametrize(
    ("jdk", "tested"),
    [
        ("17", True),
        ("17-internal", True),
        ("17.0.15+6", True),
        ("21-ea", True),
        ("21-ea+35-vendor", True),
        ("22-ea", False),
        ("unknown", False),
    ],
)
def test_the_jdk_is_known_by_its_first_number(jdk: str, tested: bool) -> None:
    dist = Path("/flink/lib/flink-dist-2.3.0.jar")
    jar = CARRIED.dropin(LINE)
    seen = SEEN | {f"patched.{patched}": str(jar) for patched in LINE.classes} | {"jdk": jdk}
    checks = judge(seen, dist, LINE, with_mode("on"), jar, jar)
    (mode,) = [check for check in checks if check.name == "mode"]
    assert mode.passed
    assert f"JDK {jdk}" in mode.detail
    assert ("is not tested (tested: 17, 21)" in mode.detail) is not tested


def test_a_path_that_the_locale_cannot_spell_is_no_damage(
    home: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    answer: Callable[..., dict[str, Any]],
) -> None:
    put_jar(home)
    moved = home.rename(tmp_path / "größe-漢")
    monkeypatch.setenv("LC_ALL", "C")

    found = answer("verify", moved)

    assert found["exit_code"] == EnvironmentProblem.exit_code
    assert found["error"].startswith(f"A JVM does not find {moved}/lib/")
    assert found["next_step"].startswith("Set LC_ALL=C.UTF-8")
