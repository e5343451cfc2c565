"""Upgrades of Flink and of our jar: what is kept, what is replaced, and what an upgrade leaves."""

from __future__ import annotations

import json
import re
import shutil
import signal
import zipfile
from pathlib import Path
from typing import Any

import pytest
from installations import (
    CARRIED,
    JAR,
    LINE,
    OTHER,
    VERSION,
    everything_in,
    flink_boost,
    former_dropin,
    neighbours,
    new_home,
    official_classes,
    our_jars,
    small_dist,
    texts,
)
from signalled import run_signalled_at

from flink_boost.base.errors import SeveralDropIns
from flink_boost.flink.distribution import ensure_distribution
from flink_boost.flink.lines import Line, load_lines

pytestmark = pytest.mark.needs_jars

OLD = OTHER.dropin_name(VERSION)


def answer_of(capsys: pytest.CaptureFixture[str], *arguments: str | Path) -> dict[str, Any]:
    capsys.readouterr()
    flink_boost(*arguments, "--json")
    answer: dict[str, Any] = json.loads(capsys.readouterr().out)
    return answer


@pytest.fixture
def home(tmp_path: Path) -> Path:
    home = new_home(tmp_path / "flink")
    small_dist(home, "2.3.0", official_classes())
    return home


def said_by_a_second_install(home: Path, capsys: pytest.CaptureFixture[str]) -> str:
    assert flink_boost("install", home) == 0
    capsys.readouterr()
    assert flink_boost("install", home) == 0
    return capsys.readouterr().out


def classes_of_1_20() -> dict[str, bytes]:
    return classes_of(OTHER)


def classes_of(line: Line) -> dict[str, bytes]:
    (dist,) = (ensure_distribution(line) / "lib").glob("flink-dist*.jar")
    with zipfile.ZipFile(dist) as archive:
        own = {name: archive.read(name.replace(".", "/") + ".class") for name in line.classes}
    return {**neighbours(line), **own}


def test_an_upgrade_within_equal_classes_keeps_the_jar_and_says_so(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    small_dist(home, "1.20.2", classes_of_1_20())
    assert flink_boost("install", home) == 0
    before = (home / "lib" / OLD).stat()
    small_dist(home, "1.20.5", classes_of_1_20())
    capsys.readouterr()

    assert flink_boost("install", home) == 0

    said = capsys.readouterr().out
    assert re.search(rf"{OLD}, which fits Flink 1\.20\.0 to 1\.20\.\d+ alike, is already in", said)
    assert f"{home / 'lib'}: nothing changed" in said
    after = (home / "lib" / OLD).stat()
    assert (after.st_ino, after.st_mtime_ns) == (before.st_ino, before.st_mtime_ns)
    assert answer_of(capsys, "doctor", home)["ok"]


@pytest.mark.needs_jars("1.17.0")
def test_releases_between_with_other_classes_are_not_among_those_that_the_jar_fits(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    line = load_lines()["1.17.0"]
    small_dist(home, "1.17.0", classes_of(line))
    fits = "which fits Flink 1.12.0 to 1.16.1 and 1.17.0 alike, is already in"
    assert fits in said_by_a_second_install(home, capsys)


@pytest.mark.needs_jars("1.19.3")
def test_a_build_with_the_number_of_a_release_and_classes_of_another_was_not_tested(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    line = load_lines()["1.19.3"]
    small_dist(home, "1.17.0", classes_of(line))
    assert "which fits" not in said_by_a_second_install(home, capsys)
    found = texts(answer_of(capsys, "doctor", home))
    (told,) = [text for text in found if "whose jar fits" in text]
    assert told.startswith("Its classes do what those of Flink 1.19.3 do, whose jar fits; nothing")


def test_a_dist_without_a_number_is_said_to_have_none(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    small_dist(home, "", official_classes())
    assert flink_boost("install", home) == 0
    assert f"Flink of unknown version: put {JAR} into" in capsys.readouterr().out
    assert f"{home} holds Flink of unknown version." in texts(answer_of(capsys, "doctor", home))


def test_an_upgrade_to_other_classes_replaces_the_jar_and_says_so(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    small_dist(home, "1.20.5", classes_of_1_20())
    assert flink_boost("install", home) == 0
    small_dist(home, "2.3.0", official_classes())
    found = texts(answer_of(capsys, "doctor", home))
    assert f"{OLD} is built for Flink 1.20.5: no process of this Flink 2.3.0 will start." in found

    assert flink_boost("install", home) == 0

    assert f"put {JAR} into {home / 'lib'} in the place of {OLD}, built for Flink 1.20.5." in (
        capsys.readouterr().out
    )
    assert our_jars(home) == [JAR]
    assert answer_of(capsys, "doctor", home)["ok"]


def test_an_old_and_a_new_jar_are_told_apart(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.copy(CARRIED.dropin(OTHER), home / "lib")
    shutil.copy(CARRIED.dropin(LINE), home / "lib")

    diagnosis = answer_of(capsys, "doctor", home)

    assert diagnosis["exit_code"] == SeveralDropIns.exit_code
    found = texts(diagnosis)
    for name, built_for, fits in ((OLD, "1.20.5", "does not fit"), (JAR, "2.3.0", "fits")):
        sentence = f"{name} is of flink-boost {VERSION} for Flink {built_for}: it {fits} this Flink"
        (told,) = [text for text in found if text.startswith(f"{sentence} 2.3.0.")]
        assert told.endswith(", as it was built.")
    (step,) = [f["next_step"] for f in diagnosis["findings"] if f["level"] == "problem"]
    assert step.startswith(f"Run `flink-boost install {home}`, which leaves the one that fits.")


@pytest.mark.parametrize("new", [True, False], ids=["and the right one", "and none that fits"])
def test_install_leaves_the_jar_that_fits_and_removes_the_others(
    new: bool, home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    former = former_dropin(tmp_path, "0.0.9")
    others = {OLD, former.name}
    shutil.copy(CARRIED.dropin(OTHER), home / "lib")
    shutil.copy(former, home / "lib")
    if new:
        shutil.copy(CARRIED.dropin(LINE), home / "lib")

    answer = answer_of(capsys, "install", home)

    assert answer["action"] == "replaced"
    assert {Path(jar).name for jar in answer["removed"]} == others
    assert answer["misfits"] == ["1.20.5"]
    assert our_jars(home) == [JAR]
    assert (home / "lib" / JAR).read_bytes() == CARRIED.dropin(LINE).read_bytes()
    assert answer_of(capsys, "doctor", home)["ok"]


@pytest.mark.parametrize("new", [True, False], ids=["and the right one", "and none that fits"])
@pytest.mark.test_all
def test_a_call_that_is_killed_never_leaves_another_jar_than_before(
    new: bool, home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    former = former_dropin(tmp_path, "0.0.9")
    clean = everything_in(home)
    killed = 0
    for step in range(1, 30):
        jars = [CARRIED.dropin(OTHER), former, *([CARRIED.dropin(LINE)] if new else [])]
        for jar in jars:
            shutil.copy(jar, home / "lib")
        code = run_signalled_at(signal.SIGKILL, step, "install", home).returncode
        left = our_jars(home)  # each of them whole
        assert set(left) <= {OLD, former.name, JAR}
        if code == 0:
            break
        killed += 1
        assert flink_boost("uninstall", home) == 0
        assert everything_in(home) == clean
    assert killed >= 3
    assert our_jars(home) == [JAR]
    capsys.readouterr()
