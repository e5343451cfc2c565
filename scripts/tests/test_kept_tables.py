"""Tables of measured jobs are what their kept forks say, to the last digit."""

from __future__ import annotations

import re
import zipfile
from pathlib import Path

import pytest
from pages import pages, table

from flink_boost.base.places import PROJECT_ROOT
from flink_boost.judge.ratio import compare
from flink_boost.measure import fork_files, store
from lab.keep import PROFILES

PAGE = "docs/measured.md"
RUNS = PROJECT_ROOT / "benchmarks" / "runs"
PROFILED = sorted(RUNS.glob(f"*{PROFILES}"))
ARCHIVES = sorted(set(RUNS.glob("*.zip")) - set(PROFILED))


def table_of(text: str, archive: str) -> dict[str, list[str]]:
    """The rows of the first table behind a link to an archive, by the benchmark's method."""
    _, found, behind = text.partition(f"({archive})")
    assert found, f"no page links to {archive}"
    return {re.findall(r"`(\w+)`", row[0])[-1]: row[1:] for row in table(behind)}


def measured(archive: Path, folder: Path) -> dict[str, list[str]]:
    """Score, ratio with its mark, CPU and allocation as the page writes them."""
    with zipfile.ZipFile(archive) as opened:
        opened.extractall(folder)
    info = store.load_run(folder, archive.stem)
    stored = fork_files.read_forks(folder, info)
    assert not stored.missing
    rows = {}
    for row in compare(info, stored.forks):
        mark = "" if row.verdict.is_faster else f" {row.verdict.mark}"
        assert row.cpu_ratio
        assert row.reference_alloc
        assert row.candidate_alloc
        rows[row.cell.name.rpartition(".")[2]] = [
            f"{row.reference:.0f} → {row.candidate:.0f}",
            f"{row.ratio:.2f}x ({row.low:.2f}–{row.high:.2f}){mark}",
            f"{row.cpu_ratio:.2f}x",
            f"{row.reference_alloc:.0f} → {row.candidate_alloc:.0f}",
        ]
    return rows


@pytest.mark.parametrize("archive", ARCHIVES, ids=lambda path: path.stem)
def test_the_page_shows_what_the_forks_say(archive: Path, tmp_path: Path) -> None:
    link = f"../benchmarks/runs/{archive.name}"
    assert table_of(pages()[PAGE], link) == measured(archive, tmp_path)


@pytest.mark.parametrize("archive", PROFILED, ids=lambda path: path.stem)
def test_the_page_links_to_flame_graphs_of_the_benchmarks_of_a_table(archive: Path) -> None:
    run = archive.name.removesuffix(PROFILES)
    with zipfile.ZipFile(archive) as opened:
        profiled = {name.split("/")[2].rpartition("-")[0] for name in opened.namelist()}
    rows = table_of(pages()[PAGE], f"../benchmarks/runs/{run}.zip")
    assert {name.rpartition(".")[2] for name in profiled} == set(rows)
    assert f"(../benchmarks/runs/{archive.name})" in pages()[PAGE]


def test_there_are_kept_runs() -> None:
    assert ARCHIVES
    assert PROFILED


def test_another_number_is_seen() -> None:
    text = "[forks](x.zip)\n\n| job | a |\n|---|---|\n| a chain, `chain` | 1 → 2 |\n"
    assert table_of(text, "x.zip") == {"chain": ["1 → 2"]}
    with pytest.raises(AssertionError, match="no page links"):
        table_of(text, "y.zip")
