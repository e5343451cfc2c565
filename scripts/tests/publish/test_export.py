"""Exported tables hold what was measured; other libraries read them back."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path
from typing import Any

import pytest
from stored_runs import store_complete_run
from synthetic import COMPARATOR, JOB, THREE, WRITE, make_forks, make_run

from flink_boost.base.places import PROJECT_ROOT
from flink_boost.cli.main import main
from flink_boost.flink.side import Side
from flink_boost.judge.ratio import compare
from flink_boost.measure.fork import Fork
from flink_boost.measure.model import Built, Cell, RunInfo
from flink_boost.publish.export import (
    FORK_COLUMNS,
    SUMMARY_COLUMNS,
    ExportFormat,
    fork_rows,
    summary_rows,
    write_table,
)

HOSTILE = Cell(
    benchmark="a.B.c",
    params=(("text", '=1+1,"quoted"\nand \\N a line'), ("empty", ""), ("umlaut", "ä→b")),
)


def read_parquet(path: Path) -> Any:
    """A pandas table, by other code than wrote the file."""
    import fastparquet  # with pandas it takes a second, which no other file needs

    with path.open("rb") as file:
        return fastparquet.ParquetFile(file).to_pandas()


def export(results: Path, *arguments: str) -> int:
    return main(["--results", str(results), "export", *arguments])


@pytest.fixture
def run() -> RunInfo:
    return make_run(cells=(WRITE, JOB, HOSTILE, COMPARATOR), pairs=3, sides=THREE)


@pytest.fixture
def forks(run: RunInfo) -> tuple[Fork, ...]:
    made = list(make_forks(run, noise=0.1, seed=4))
    made[0] = made[0].model_copy(update={"cpu_time_per_op": None, "alloc_bytes_per_op": None})
    return tuple(made)


def test_parquet_read_with_other_code_is_what_was_measured(
    tmp_path: Path, run: RunInfo, forks: tuple[Fork, ...]
) -> None:
    path = tmp_path / "forks.parquet"
    rows = list(fork_rows(run, forks))
    assert write_table(path, ExportFormat.PARQUET, FORK_COLUMNS, rows) == len(forks) == 3 * 10
    table = read_parquet(path)
    assert list(table.columns) == [column.name for column in FORK_COLUMNS]
    for number, (row, fork) in enumerate(zip(rows, forks, strict=True)):
        read = table.iloc[number]
        assert read["score"] == fork.score
        assert (read["side"], read["pair"]) == (fork.side.value, fork.pair)
        assert (read["params"], read["benchmark"]) == (row["params"], row["benchmark"])
        assert bool(read["less_is_better"]) is fork.mode.less_is_better
        assert str(read["started"]) == "2026-03-01 22:30:05"
    assert table["cpu_ns_per_op"].isna().tolist() == [True] + [False] * 29
    assert table["alloc_bytes_per_op"].isna().tolist() == [True] + [False] * 29
    assert {path.name for path in tmp_path.iterdir()} == {"forks.parquet"}


def test_csv_is_read_back_and_holds_no_formula(tmp_path: Path, forks: tuple[Fork, ...]) -> None:
    # A group's name is what a spreadsheet would run here.
    run = make_run(cells=(WRITE, JOB, HOSTILE, COMPARATOR), pairs=3, sides=THREE)
    evil = run.model_copy(update={"group": "=cmd|' /C calc'!A0", "commit": "@sum", "line": "-2"})
    path = tmp_path / "forks.csv"
    write_table(path, ExportFormat.CSV, FORK_COLUMNS, fork_rows(evil, forks))
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [float(row["score"]) for row in rows] == [fork.score for fork in forks]
    assert rows[0]["run_group"] == "'=cmd|' /C calc'!A0"
    assert (rows[0]["boost_commit"], rows[0]["line"]) == ("'@sum", "'-2")
    assert (rows[0]["cpu_ns_per_op"], rows[1]["cpu_ns_per_op"] != "") == ("", True)
    assert not any(value.startswith(tuple("=+-@\t\r")) for row in rows for value in row.values())
    assert any(HOSTILE.params[0][1] in row["params"] for row in rows)


def test_a_release_that_is_no_line_stands_beside_the_line_whose_jar_ran(run: RunInfo) -> None:
    stock = Built(project="flink", version="1.20.0")
    other = run.model_copy(update={"line": "1.20.5", "baseline": stock})
    for rows in (fork_rows, summary_rows):
        (first, *_) = rows(other, make_forks(other))
        assert (first["line"], first["flink"]) == ("1.20.5", "1.20.0")
        (usual, *_) = rows(run, make_forks(run))
        assert usual["line"] == usual["flink"] == run.line


@pytest.mark.parametrize(
    "change",
    [
        {"threads": 8},
        {"heap": "64m"},
        {"opened": False},
        {"quick_look": True},
        {"jvm_options": ("-XX:-CompactStrings",)},
        {"subject": Built(project="flink", version="2.4-SNAPSHOT", commit="cd" * 20)},
    ],
    ids=lambda change: next(iter(change)),
)
def test_what_makes_a_series_of_its_own_can_be_told_apart(
    run: RunInfo, change: dict[str, object]
) -> None:
    other = run.model_copy(update=change)
    for rows in (fork_rows, summary_rows):
        (usual, *_), (first, *_) = rows(run, make_forks(run)), rows(other, make_forks(other))
        named = {name for name in usual if usual[name] != first[name]}
        assert named & {"threads", "heap", "opened", "quick_look", "jvm_options", "project"}


def test_negative_numbers_stay_numbers(tmp_path: Path, run: RunInfo) -> None:
    row = dict.fromkeys((column.name for column in FORK_COLUMNS), None) | {"score": -1.5}
    write_table(tmp_path / "x.csv", ExportFormat.CSV, FORK_COLUMNS, [row])
    assert ",-1.5," in (tmp_path / "x.csv").read_text()


@pytest.mark.parametrize("pairs", [1, 3])
def test_a_summary_has_the_figures_of_compare(tmp_path: Path, pairs: int) -> None:
    run = make_run(pairs=pairs)
    forks = make_forks(run, noise=0.1)
    path = tmp_path / "ratios.parquet"
    write_table(path, ExportFormat.PARQUET, SUMMARY_COLUMNS, summary_rows(run, forks))
    table = read_parquet(path)
    for number, row in enumerate(compare(run, forks)):
        read = table.iloc[number]
        assert (read["ratio"], read["pairs"], read["verdict"]) == (
            *(row.ratio, pairs),
            row.verdict.value,
        )
        assert (read["reference_side"], read["candidate_side"]) == ("stock", "patched")
        if pairs > 1:
            assert (read["low"], read["high"]) == (row.low, row.high)
    assert table["high"].isna().all() == (pairs == 1)


def test_nothing_measured_is_an_empty_table(tmp_path: Path) -> None:
    for form in ExportFormat:
        path = tmp_path / f"none.{form.value}"
        assert write_table(path, form, FORK_COLUMNS, ()) == 0
    read = read_parquet(tmp_path / "none.parquet")
    assert (len(read), len(read.columns)) == (0, len(FORK_COLUMNS))


def test_the_command_takes_runs_by_date_line_and_purpose(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    results = tmp_path / "results"
    for night, line in ((0, "2.3.0"), (1, "2.3.0"), (2, "1.20.5")):
        run = make_run(night, line=line)
        store_complete_run(results, run, make_forks(run))
    out = tmp_path / "out.csv"
    for arguments, count in (
        ((), 3),
        (("--since", "2026-03-02"), 2),
        (("--since", "2026-03-02", "--line", "2.3.0"), 1),
        (("--purpose", "bisect"), 0),
    ):
        assert export(results, str(out), *arguments, "--json") == 0
        answer = json.loads(capsys.readouterr().out)
        assert (answer["runs"], answer["rows"]) == (count, count * 20)
        assert len(out.read_text().splitlines()) == 1 + count * 20


def test_what_cannot_be_done_is_said_and_the_old_file_stays(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert export(tmp_path, str(tmp_path / "out.xlsx")) == 2
    assert "--format" in capsys.readouterr().err
    assert export(tmp_path, str(tmp_path / "no" / "out.csv")) == 4
    assert "cannot be written" in capsys.readouterr().err
    old = tmp_path / "old.csv"
    old.write_text("old")

    def breaking():  # type: ignore[no-untyped-def]
        yield from fork_rows(make_run(), make_forks(make_run()))
        raise RuntimeError

    with pytest.raises(RuntimeError):
        write_table(old, ExportFormat.CSV, FORK_COLUMNS, breaking())
    assert old.read_text() == "old"
    assert {path.name for path in tmp_path.iterdir()} == {"old.csv"}


def test_columns_are_explained() -> None:
    page = (PROJECT_ROOT / "docs" / "results.md").read_text(encoding="utf-8")
    _, _, tables = page.partition("## Exported tables")
    for column in (*FORK_COLUMNS, *SUMMARY_COLUMNS):
        assert re.search(rf"(?:- |, )`{column.name}` {column.type}[:,]", tables), column.name
    assert Side.STOCK.value in page
