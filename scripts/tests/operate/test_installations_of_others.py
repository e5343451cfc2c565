"""All commands on the installation of another user, called by root or by that user."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from installations import CARRIED, JAR, LINE, flink_boost, java_environment, our_jars
from other_owners import EXPECTED, ROOT, Marks, command, own, whole
from own_flinks import compiled, entries_of, with_entries

from flink_boost.flink.distribution import ensure_distribution

Here = Callable[..., int]


@pytest.fixture
def here(fewer_strings: None, monkeypatch: pytest.MonkeyPatch) -> Here:
    """The command in this process, with fewer strings; what it makes is for its user alone."""
    monkeypatch.setattr("os.environ", java_environment(LINE))

    def call(*words: str | Path) -> int:
        mask = os.umask(0o077)
        try:
            return flink_boost(*words)
        finally:
            os.umask(mask)

    return call


@pytest.mark.needs_jars
@pytest.mark.test_all
def test_an_installation_of_another_user_passes(
    place: Path, marks: Marks, here: Here, capsys: pytest.CaptureFixture[str]
) -> None:
    home = whole(place)
    own(home)
    assert here("install", home) == 0
    assert our_jars(home) == [JAR]
    assert (home / "lib" / JAR).stat().st_uid == EXPECTED

    assert here("verify", home, "--job") == 0

    assert marks() == {EXPECTED}
    # What cannot be read by that user is lent: here the jar to compare with.
    stock = place / "official" / "flink-dist-2.3.0.jar"
    stock.parent.mkdir(mode=0o700)
    shutil.copyfile(ensure_distribution(LINE) / "lib" / stock.name, stock)
    assert here("verify", home, "--stock", stock) == 0
    # And the jar of a job, whose types that user writes down.
    job = stock.with_name("job.jar")
    shutil.copyfile(CARRIED.example(LINE), job)
    capsys.readouterr()
    assert here("doctor", home, "--job-classes", job) == 0
    assert "fast      tuple Tuple2<String, Integer>." in capsys.readouterr().out.splitlines()
    assert marks() == {EXPECTED}


@pytest.mark.needs_jars
def test_doctor_says_what_it_could_not_ask_for_lack_of_a_folder(place: Path, here: Here) -> None:
    home = whole(place)
    own(home)
    assert here("install", home) == 0
    closed = place / "of-root-alone"
    closed.mkdir(mode=0o700)

    done = command("doctor", home, prefix=("env", f"TMPDIR={closed}"))

    told = f"may not enter {closed}, where temporary files go. Set TMPDIR to"
    assert (told in done.stdout) is ROOT, done.stdout
    assert done.returncode == 0


@pytest.mark.needs_jars
@pytest.mark.test_all
def test_a_build_of_another_user_gets_its_jar(place: Path, marks: Marks, here: Here) -> None:
    home = whole(place)
    with_entries(home, entries_of(compiled(place / "made", LINE.classes)))
    own(home)
    out = place / "out"
    out.mkdir()

    assert here("weave", home, "--out", out) == 0

    assert marks() == {EXPECTED}
    (jar,) = out.iterdir()
    assert jar.stat().st_uid == os.geteuid()
    assert here("install", home, "--weave") == 0
    (installed,) = our_jars(home)
    assert (home / "lib" / installed).read_bytes() == jar.read_bytes()
    assert (home / "lib" / installed).stat().st_uid == EXPECTED
    assert here("doctor", home) == 0
    assert here("verify", home) == 0
    assert marks() == {EXPECTED}
