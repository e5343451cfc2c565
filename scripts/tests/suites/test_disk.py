"""A disk without room for a run is told before it, and one without room for tests begins none."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest
from made_suites import Make, began, with_report

from flink_boost.base.errors import EnvironmentProblem
from suites import disk
from suites.disk import LEAST, NEEDED, short_of_room

Free = Callable[[int], None]


@pytest.fixture
def free(monkeypatch: pytest.MonkeyPatch) -> Free:
    """Says how much is free, wherever somebody looks."""

    def say(size: int) -> None:
        monkeypatch.setattr(disk.shutil, "disk_usage", lambda _: SimpleNamespace(free=size))

    return say


def cached(root: Path, count: int) -> None:
    (root / ".cache").mkdir()
    (root / ".cache" / "fetched").write_bytes(b"x" * count)


def test_what_is_cached_needs_no_room_again(
    free: Free, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(disk, "LEAST", 50_000)
    monkeypatch.setattr(disk, "NEEDED", 500_000)
    free(400_000)
    said = f"{tmp_path} has 400 kB free, and a run may need 500 kB: make room, or"
    assert short_of_room(tmp_path).startswith(said)
    cached(tmp_path, 200_000)
    assert short_of_room(tmp_path) == ""
    free(200_000)
    assert "200 kB free" in short_of_room(tmp_path)


def test_a_file_with_two_names_counts_once(tmp_path: Path) -> None:
    cached(tmp_path, 100_000)
    once = sum(disk._sizes(tmp_path / ".cache"))
    assert once >= 100_000
    os.link(tmp_path / ".cache" / "fetched", tmp_path / ".cache" / "again")
    assert sum(disk._sizes(tmp_path / ".cache")) == once
    assert sum(disk._sizes(tmp_path / "nowhere")) == 0


def test_without_room_for_tests_nothing_begins(free: Free, make: Make, tmp_path: Path) -> None:
    free(LEAST - 1)
    with pytest.raises(EnvironmentProblem, match=r"2\.0 GB free, and tests need 2\.0 GB\. Make"):
        short_of_room(tmp_path)
    done = make([with_report("one")])
    assert done.exit_code != 0
    assert "tests need 2.0 GB. Make room" in done.output
    assert began(tmp_path) == set()


def test_a_run_begins_with_what_is_short(free: Free, make: Make, tmp_path: Path) -> None:
    free(NEEDED - 10**9)
    done = make([with_report("one")])
    assert done.exit_code == 0
    assert done.output.startswith(f"{tmp_path} has 7.0 GB free, and a run may need 8.0 GB")
    free(NEEDED)
    assert "free" not in make([with_report("one")]).output
