"""A run that is kept is the same run elsewhere, and names no place of the machine."""

from __future__ import annotations

import re
import zipfile
from pathlib import Path

import pytest
from stored_runs import store_complete_run
from synthetic import make_forks, make_run

from flink_boost.base.errors import BrokenData
from flink_boost.judge.ratio import compare
from flink_boost.measure import fork_files, store
from flink_boost.measure.profiles.profile_record import (
    FILE,
    ProfiledSide,
    ProfilePair,
    folder_of,
    read_profile,
)
from lab.keep import keep, keep_profiles, without_paths

COMPLETE = make_run(0)


def test_unpacked_elsewhere_it_compares_as_before(tmp_path: Path) -> None:
    store_complete_run(tmp_path / "results", COMPLETE, make_forks(COMPLETE))
    archive = keep(tmp_path / "results", COMPLETE.run_id, tmp_path / "runs")
    with zipfile.ZipFile(archive) as opened:
        opened.extractall(tmp_path / "elsewhere")
        for name in opened.namelist():
            assert not re.search(r'["=]/', opened.read(name).decode()), name

    def rows(results: Path) -> object:
        info = store.load_run(results, COMPLETE.run_id)
        return compare(info, fork_files.read_forks(results, info).forks)

    assert rows(tmp_path / "elsewhere") == rows(tmp_path / "results")


def test_flame_graphs_of_both_sides_are_kept_beside_it(tmp_path: Path) -> None:
    store_complete_run(tmp_path, COMPLETE, make_forks(COMPLETE))
    assert keep_profiles(tmp_path, COMPLETE.run_id, tmp_path / "runs") is None
    cell = COMPLETE.cells[0]
    folder = folder_of(tmp_path, COMPLETE.run_id, cell)
    folder.mkdir(parents=True)
    sides = (
        ProfiledSide(name=name, cpu=f"{name}.html", samples=1, time_per_operation=None)
        for name in ("stock", "patched")
    )
    before, after = sides
    pair = ProfilePair(
        cell=cell,
        event="itimer",
        profiler="4",
        before=before,
        after=after,
        difference="difference.html",
        top=(),
    )
    (folder / FILE).write_text(pair.model_dump_json(), encoding="utf-8")
    pages = ("stock.html", "patched.html", "difference.html")
    for page in pages:
        (folder / page).write_text("cpool = [\n'all',\n' /usr/lib/libjvm.so',\n'%a/b'", "utf-8")
    (folder / "before.jfr").write_bytes(b"large")

    (tmp_path / "runs").mkdir()
    archive = keep_profiles(tmp_path, COMPLETE.run_id, tmp_path / "runs")
    assert archive is not None
    with zipfile.ZipFile(archive) as opened:
        opened.extractall(tmp_path / "elsewhere")
    assert read_profile(tmp_path / "elsewhere", COMPLETE.run_id, cell) == pair
    kept = folder_of(tmp_path / "elsewhere", COMPLETE.run_id, cell)
    assert {each.name for each in kept.iterdir()} == {FILE, *pages}
    assert (kept / "stock.html").read_text() == (
        "cpool = [\n'all',\n'  usr/lib/libjvm.so',\n'%a/b'"
    )


def test_a_run_with_gaps_is_not_kept(tmp_path: Path) -> None:
    folder = store_complete_run(tmp_path, COMPLETE, make_forks(COMPLETE))
    next((folder / "forks").glob("*.json")).unlink()
    with pytest.raises(BrokenData, match="lacks 1 fork"):
        keep(tmp_path, COMPLETE.run_id, tmp_path / "runs")
    assert not (tmp_path / "runs").exists()


def test_paths_go_and_all_else_stays() -> None:
    known = {"jvm": "/usr/bin/java", "jvmArgs": ["-Dtmp=/tmp/x", "-Xmx1g"], "rest": [1, "a/b", {}]}
    assert without_paths(known) == {"jvm": "java", "jvmArgs": ["-Xmx1g"], "rest": [1, "a/b", {}]}
