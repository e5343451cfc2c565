"""A made family beside strings, in a made jar of Flink: what is said of it before Flink starts."""

from __future__ import annotations

import hashlib
import os
import re
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from installations import (
    CARRIED,
    JAR,
    LINE,
    java_environment,
    new_home,
    problems,
    put_in_front,
    set_options,
    texts,
    with_mode,
)
from java_programs import javac
from own_flinks import compiled as compiled_anew
from own_flinks import entries_of, with_entries

from flink_boost.base.errors import BrokenData, VerificationFailed
from flink_boost.base.places import PROJECT_ROOT
from flink_boost.flink.dropin import ASIDE, DOOR, RECORD, read_dropin
from flink_boost.flink.home import open_home
from flink_boost.flink.launch import ROLES, Launch, ask_scripts
from flink_boost.flink.switches import FAMILIES, MODE, STRICT, Switch, property_of
from flink_boost.operate.families import Family, FamilyState, Report, read_report
from flink_boost.operate.guard import require_start
from flink_boost.operate.own_build import unpack_patches
from flink_boost.operate.verify import observe

pytestmark = pytest.mark.needs_jars

ROW = "org.acme.Row"
ON = Family("records", FamilyState.ON)
ABSENT = Family("records", FamilyState.OFF, "flink-rows is not on the class path")
Answer = Callable[..., dict[str, Any]]

_SOURCES = {
    "Row": 'package org.acme; public class Row { public String whose() { return "stock"; } }',
    "FlinkBoostDoor": (
        "package org.acme; import java.lang.invoke.*; public final class FlinkBoostDoor {"
        " public static MethodHandles.Lookup lookup() { return MethodHandles.lookup(); } }"
    ),
}


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """Class files by simple name. The woven one has the method under another name, too."""
    folder = tmp_path_factory.mktemp("acme")
    woven = {"Row": _SOURCES["Row"].replace("stock", "woven")}
    for kind, sources in (("stock", _SOURCES), ("woven", woven)):
        files = [folder / "sources" / kind / f"{name}.java" for name in sources]
        files[0].parent.mkdir(parents=True)
        for file, text in zip(files, sources.values(), strict=True):
            file.write_text(text)
        javac("--release", "11", "-d", folder / kind, *files)
    return {
        "Row": (folder / "stock/org/acme/Row.class").read_bytes(),
        "Woven": (folder / "woven/org/acme/Row.class").read_bytes(),
        "Door": (folder / "stock/org/acme/FlinkBoostDoor.class").read_bytes(),
    }


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr("os.environ", java_environment(LINE))
    return new_home(tmp_path / "flink")


def dropin(folder: Path, compiled: dict[str, bytes]) -> Path:
    """Our jar with one class of another family, as a version that nobody carries."""
    target = folder / f"flink-boost-{LINE.version}-9.9.9.jar"
    with zipfile.ZipFile(CARRIED.dropin(LINE)) as ours, zipfile.ZipFile(target, "w") as jar:
        for name in ours.namelist():
            content = ours.read(name)
            if name == RECORD:
                checksum = hashlib.sha256(compiled["Row"]).hexdigest()
                content = re.sub(rb"boost.version=.*", b"boost.version=9.9.9", content)
                content += (
                    f"class.{ROW}={checksum}\nfamily.{ROW}=records\njar.{ROW}=flink-rows\n"
                ).encode()
            jar.writestr(name, content)
        jar.writestr(f"{ASIDE}org/acme/Row.class", compiled["Woven"])
        jar.writestr("org/acme/FlinkBoostDoor.class", compiled["Door"])
    return target


def rows(home: Path, content: bytes) -> Path:
    """The jar of Flink that has the class."""
    target = home / "lib" / "flink-rows-2.3.0.jar"
    with zipfile.ZipFile(target, "w") as jar:
        jar.writestr("org/acme/Row.class", content)
    return target


def other(compiled: dict[str, bytes]) -> bytes:
    return compiled["Row"].replace(b"SourceFile", b"SourceFild")


def test_the_names_are_those_of_the_guard() -> None:
    source = PROJECT_ROOT / "flink-core-patch/src/main/java/org/apache/flink/boost/guard"
    text = (source / "Switches.java").read_text()
    constants = dict(re.findall(r'String (\w+) = "(\w+)";', text))
    (listed,) = re.findall(
        r"FAMILIES =\s+Collections.unmodifiableList\(Arrays.asList\((.*)\)\)", text
    )
    assert tuple(constants[name] for name in listed.split(", ")) == FAMILIES


def test_a_jar_says_which_family_a_class_is_of(tmp_path: Path, compiled: dict[str, bytes]) -> None:
    ours = read_dropin(dropin(tmp_path, compiled))
    assert ours is not None
    assert ours.families == FAMILIES
    assert ROW in ours.classes
    assert ROW not in ours.strings
    assert ours.foreign == ""


def test_what_own_builds_are_woven_with_is_without_woven_classes(
    tmp_path: Path, compiled: dict[str, bytes]
) -> None:
    patches = tmp_path / "patches"
    unpack_patches(dropin(tmp_path, compiled), patches)

    there = {str(file.relative_to(patches)) for file in patches.rglob("*") if file.is_file()}
    with zipfile.ZipFile(CARRIED.dropin(LINE)) as jar:
        woven = {f"{name.replace('.', '/')}.class" for name in LINE.classes}
        aside = {n for n in jar.namelist() if n.startswith(ASIDE) or n.endswith(DOOR)}
        assert len(aside) > 1
        assert there == set(jar.namelist()) - woven - aside
    assert f"family.{ROW}=records" in (patches / RECORD).read_text()


def test_a_report_is_read() -> None:
    text = "no\nstrings\toff\tswitched off\nrecords\tmissed\ta.jar"
    off, missed = (
        Family("strings", FamilyState.OFF, "switched off"),
        Family("records", FamilyState.MISSED, "a.jar"),
    )
    assert read_report(text) == Report("no", (off, missed))
    assert read_report(text).told == "strings off, switched off; records off, a.jar"
    in_a_path = read_report("no\nrecords\tmissed\t/a\tb.jar has another").families
    assert in_a_path == (Family("records", FamilyState.MISSED, "/a?b.jar has another"),)
    for wrong in ("\nstrings", "\nstrings\tmaybe\t", "\nstrings\ton"):
        with pytest.raises(BrokenData, match="does not tell what runs"):
            read_report(wrong)


def test_each_family_has_a_switch_of_its_own() -> None:
    strings, records = (f"-D{property_of(family)}=off" for family in FAMILIES)
    launch = Launch("java", (), dict.fromkeys(ROLES, (records,)))
    assert launch.off_by("client") is None
    assert launch.off_by("client", "records") == Switch(property_of("records"), "off")
    assert not launch.switched_off()
    assert Launch("java", (), dict.fromkeys(ROLES, (strings,))).switched_off()
    every = with_mode("off").off_by("client", "records")
    assert every == Switch(MODE, "off")


def test_doctor_tells_of_each_family(
    home: Path, compiled: dict[str, bytes], answer: Answer
) -> None:
    dropin(home / "lib", compiled)
    told = texts(answer("doctor", home))
    assert "Of its families, strings on." in told
    assert f"Of its families, {ABSENT.told}." in told

    rows(home, compiled["Row"])
    found = answer("doctor", home)
    assert found["ok"], found
    assert "Of its families, records on." in texts(found)

    jar = rows(home, other(compiled))
    found = answer("doctor", home)
    assert found["ok"], found
    (warned,) = [f for f in found["findings"] if "records" in f["text"]]
    assert warned["level"] == "warning"
    assert warned["text"].startswith(f"Of its families, records off, {jar} has another {ROW}")

    set_options(home, **{"env_java_default-opts_all": f"-D{STRICT}=true"})
    found = answer("doctor", home)
    assert found["exit_code"] == VerificationFailed.exit_code
    (problem,) = problems(found)
    assert problem.startswith("No process of this Flink will start: flink-boost 9.9.9 for Flink")
    assert f"-D{STRICT}=true asks for all: {jar} has another {ROW}" in problem
    (step,) = [f["next_step"] for f in found["findings"] if f["level"] == "problem"]
    assert "take that option out" in step


def test_doctor_tells_of_families_where_switched_off_strings_are_shadowed(
    home: Path, compiled: dict[str, bytes], answer: Answer
) -> None:
    dropin(home / "lib", compiled)
    rows(home, other(compiled))
    put_in_front(home, list(LINE.classes))
    off = f"-D{property_of('strings')}=off"
    set_options(home, **{"env_java_default-opts_all": off})
    found = answer("doctor", home)
    assert found["ok"], found
    told = texts(found)
    assert any("and brings the classes that it replaces" in text for text in told)
    assert any(text.startswith("Of its families, records off, ") for text in told), told
    assert "No other jar stands before its classes on the class path." not in told

    # Without strings no family is to run, and so none can be missed.
    set_options(home, env_java_opts_jobmanager=f"-D{STRICT}=true")
    assert answer("doctor", home)["ok"]


@pytest.mark.parametrize(
    ("option", "level", "words"),
    [
        ("records=off", "warning", "-Dflink.boost.records=off in conf/: its records run stock's"),
        ("records=no", "problem", "-Dflink.boost.records=no of the taskmanager is none of 'on'"),
        pytest.param(
            "strings=check",
            "problem",
            "-Dflink.boost.strings=check of the taskmanager is neither",
            marks=pytest.mark.test_all,
        ),
        pytest.param(
            "strings=off",
            "warning",
            "-Dflink.boost.strings=off in conf/: its strings run stock's",
            marks=pytest.mark.test_all,
        ),
        pytest.param(
            "strict=on",
            "problem",
            "-Dflink.boost.strict=on of the taskmanager is neither 'true'",
            marks=pytest.mark.test_all,
        ),
    ],
)
def test_doctor_reads_the_switches(
    option: str,
    level: str,
    words: str,
    home: Path,
    compiled: dict[str, bytes],
    answer: Answer,
) -> None:
    dropin(home / "lib", compiled)
    rows(home, compiled["Row"])
    set_options(home, env_java_opts_taskmanager=f"-Dflink.boost.{option}")
    found = answer("doctor", home)
    assert [f["level"] for f in found["findings"] if words in f["text"]] == [level], found


def test_install_asks_with_the_options_of_the_installation(
    home: Path, tmp_path: Path, compiled: dict[str, bytes]
) -> None:
    jar = dropin(tmp_path, compiled)

    def expected() -> tuple[Family, ...]:
        launch = ask_scripts(open_home(home), os.environ)
        outlook = require_start(open_home(home), jar, launch, os.environ)
        assert outlook.doubts == ()
        return outlook.families

    strings = Family("strings", FamilyState.ON)
    assert expected() == (strings, ABSENT)
    rows(home, compiled["Row"])
    assert expected() == (strings, ON)
    rows(home, other(compiled))
    (_, missed) = expected()
    assert missed.state is FamilyState.MISSED
    set_options(home, env_java_opts_taskmanager=f"-D{STRICT}=true")
    with pytest.raises(VerificationFailed, match=f"asks for all: .* has another {ROW}") as refused:
        expected()
    assert "take that option out" in refused.value.next_step


def test_install_names_a_wrong_value(home: Path, answer: Answer) -> None:
    set_options(home, env_java_opts_taskmanager="-Dflink.boost.records=maybe")
    found = answer("install", home)
    assert found["exit_code"] == VerificationFailed.exit_code
    assert "-Dflink.boost.records=maybe is none of 'on', 'off', 'check'" in found["error"]
    assert "take that option out" in found["next_step"]


def test_install_tells_each_family(home: Path, answer: Answer) -> None:
    found = answer("install", home)
    assert found["families"] == [{"name": e, "state": "on", "reason": ""} for e in FAMILIES]


@pytest.mark.usefixtures("fewer_strings")
def test_a_flink_with_other_serializers_has_its_records_off_and_is_sound(
    home: Path, tmp_path: Path, answer: Answer
) -> None:
    name = next(iter(LINE.classes.keys() - LINE.strings.keys()))
    with_entries(home, entries_of(compiled_anew(tmp_path, (name,))))

    found = answer("install", home)
    strings, records = found["families"]
    assert found["jar"].endswith(JAR)
    assert strings == {"name": "strings", "state": "on", "reason": ""}
    assert (records["name"], records["state"]) == ("records", "missed")
    (note,) = found["notes"]
    assert note.startswith("Of its families, records off, ")
    assert f"has another {name}" in note

    found = answer("verify", home)
    assert found["ok"], found
    details = {check["name"]: check["detail"] for check in found["checks"]}
    assert details["families"].startswith("Strings on; records off, ")
    assert f"All {len(LINE.strings)} patched classes" in details["classes"]

    found = answer("doctor", home)
    assert found["ok"], found
    (told,) = [f for f in found["findings"] if "records" in f["text"]]
    assert told["level"] == "fine"

    set_options(home, **{"env_java_default-opts_all": f"-D{STRICT}=true"})
    found = answer("doctor", home)
    assert "asks for all" in problems(found)[0]


def test_a_check_of_an_installation_sees_each_family(
    home: Path, compiled: dict[str, bytes]
) -> None:
    dropin(home / "lib", compiled)

    def seen() -> dict[str, str]:
        launch = ask_scripts(open_home(home), os.environ)
        return observe(open_home(home).dist, launch, CARRIED.verifier(LINE), os.environ, strings=1)

    absent = seen()
    assert absent[f"family.{ROW}"] == "records"
    assert f"patched.{ROW}" not in absent
    assert read_report(absent["report"]).families[1:] == (ABSENT,)
