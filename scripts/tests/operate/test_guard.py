"""What the guard says at the start of a process is said by ``install`` and ``doctor`` before."""

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
    LINES,
    OFF,
    VERSION,
    everything_in,
    flink_boost,
    guard_says,
    java_environment,
    neighbours,
    official_classes,
    our_jars,
    problems,
    set_options,
    small_dist,
    small_home,
    without_record,
)

from flink_boost.base.errors import BrokenData, EnvironmentProblem, VerificationFailed
from flink_boost.flink.distribution import ensure_distribution
from flink_boost.flink.home import open_home
from flink_boost.flink.jdks import java_home
from flink_boost.flink.launch import ROLES, Launch, ask_scripts
from flink_boost.flink.lines import Line
from flink_boost.operate.guard import ask_guard

pytestmark = pytest.mark.needs_jars

Answer = Callable[..., dict[str, Any]]

SEGMENT = "org.apache.flink.core.memory.MemorySegment"


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr("os.environ", java_environment(LINE))
    return small_home(tmp_path / "flink")


def changed_segment() -> bytes:
    """The class with a method under another name."""
    found = neighbours(LINE)[SEGMENT]
    assert found.count(b"getShortBigEndian") == 1
    return found.replace(b"getShortBigEndian", b"getShortBugEndian")


def in_dist(home: Path) -> None:
    small_dist(home, "2.3.0", official_classes() | {SEGMENT: changed_segment()})


def in_another_jar(home: Path) -> None:
    with zipfile.ZipFile(home / "lib" / "acme-hotfix.jar", "w") as jar:
        jar.writestr(f"{SEGMENT.replace('.', '/')}.class", changed_segment())


@pytest.mark.parametrize("change", [in_dist, in_another_jar], ids=lambda c: c.__name__)
@pytest.mark.parametrize("words", [("install",), ("install", "--weave"), ("weave", "--dry-run")])
def test_a_neighbour_that_is_not_as_it_was_keeps_our_jar_out(
    words: tuple[str, ...],
    change: Callable[[Path], None],
    home: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    change(home)
    before = everything_in(home)

    assert flink_boost(words[0], home, *words[1:]) == VerificationFailed.exit_code

    said = capsys.readouterr().err
    assert f"No process of {home} would start with {JAR}: " in said
    assert SEGMENT in said
    assert "getShortBigEndian" in said
    assert "Nothing was changed. Leave this Flink as it is" in said
    assert everything_in(home) == before


@pytest.mark.parametrize("change", [in_dist, in_another_jar], ids=lambda c: c.__name__)
@pytest.mark.parametrize("off", [False, True])
def test_doctor_says_that_no_process_will_start(
    off: bool, change: Callable[[Path], None], home: Path, answer: Answer
) -> None:
    """Switched off or not: the classes of our jar link to what is not there."""
    shutil.copy(CARRIED.dropin(LINE), home / "lib")
    assert answer("doctor", home)["ok"]
    if off:
        set_options(home, **{"env_java_default-opts_all": OFF})
    change(home)

    found = answer("doctor", home)

    assert found["exit_code"] == VerificationFailed.exit_code
    (problem,) = [f for f in found["findings"] if f["level"] == "problem"]
    assert problem["text"].startswith(f"No process of this Flink will start: flink-boost {VERSION}")
    assert SEGMENT in problem["text"]
    assert problem["next_step"].startswith(f"Run `flink-boost uninstall {home}`, or take the jar")


def test_a_process_looks_at_neighbours_where_its_release_is_not_a_tested_one(home: Path) -> None:
    shutil.copy(CARRIED.dropin(LINE), home / "lib")
    small_dist(home, "2.3.0", official_classes() | {SEGMENT: changed_segment()})
    assert guard_says(home).startswith("fits: ")
    small_dist(home, "2.3.77", official_classes() | {SEGMENT: changed_segment()})
    said = guard_says(home)
    assert said.startswith(f"does not fit: flink-boost {VERSION} for Flink 2.3.0 cannot run in")
    assert "getShortBigEndian" in said


@pytest.mark.parametrize("lost", ["META-INF/flink-boost/", "META-INF/"])
def test_doctor_says_that_our_classes_have_lost_their_record(
    lost: str, home: Path, answer: Answer
) -> None:
    jar = without_record(home, lost)
    launch = ask_scripts(open_home(home), os.environ)
    assert not ask_guard(launch, os.environ).lets_start(launch)

    found = answer("doctor", home)

    assert found["exit_code"] == BrokenData.exit_code
    (problem,) = problems(found)
    assert problem.startswith(f"{jar} has flink-boost's classes inside, but not their record")
    assert problem.endswith(
        "a process of this Flink does not start, or runs classes that nothing has compared with it."
    )


def test_relocated_classes_are_not_taken_for_ours(home: Path, answer: Answer) -> None:
    with zipfile.ZipFile(home / "lib" / "acme-job.jar", "w") as jar:
        jar.writestr("acme/org/apache/flink/boost/guard/BoostMode.class", b"theirs")
    assert problems(answer("doctor", home)) == []
    assert answer("install", home)["ok"]


def test_without_a_java_it_is_installed_and_said(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, answer: Answer
) -> None:
    """As on the machine that builds an image."""
    (tmp_path / "none").mkdir()
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "none"))
    found = answer("install", home)
    assert found["ok"]
    (note,) = found["notes"]
    assert note.startswith("Whether Flink will start with it is not known: ")
    assert our_jars(home) == [JAR]


def test_java_8_says_nothing_of_classes(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, answer: Answer
) -> None:
    """Whoever installs may have another one than the processes."""
    java = tmp_path / "java-8" / "bin" / "java"
    java.parent.mkdir(parents=True)
    java.write_text(
        "#!/bin/sh\n"
        'case "$*" in *AskGuard*) printf "%s\\n" 1.8 false false "it needs Java 9: take it" ;;\n'
        f'*) exec {java_environment(LINE)["JAVA_HOME"]}/bin/java "$@" ;;\n'
        "esac\n"
    )
    java.chmod(0o755)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "java-8"))
    found = answer("install", home)
    assert found["notes"] == ["Whether Flink will start with it is not known: it needs Java 9."]
    assert problems(answer("doctor", home)) == []


@pytest.mark.parametrize(
    ("line", "jdk"),
    [(line, jdk) for line in LINES for jdk in line.jdks],
    ids=lambda value: getattr(value, "version", str(value)),
)
def test_every_line_and_java_answers(line: Line, jdk: int) -> None:
    lib = ensure_distribution(line) / "lib"
    class_path = (CARRIED.dropin(line), *sorted(lib.glob("*.jar")))
    java = java_home(jdk) / "bin" / "java"
    launch = Launch(str(java), class_path, dict.fromkeys(ROLES, ()))
    said = ask_guard(launch, java_environment(line))
    assert (said.java, said.fits, said.fits_switched_off) == (str(jdk), True, True)
    assert said.sentence == "the class files it replaces are those of this version"


def test_a_class_path_without_a_guard_is_no_answer(tmp_path: Path) -> None:
    launch = Launch(str(java_home(17) / "bin" / "java"), (), dict.fromkeys(ROLES, ()))
    with pytest.raises(EnvironmentProblem, match="did not tell whether the jar fits"):
        ask_guard(launch, java_environment(LINE))
