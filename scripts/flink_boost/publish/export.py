"""Results as tables for other programs: CSV for spreadsheets, Parquet for everything else.

One row per fork, or one per benchmark and run. The columns, their types and units are declared here
and explained in docs/results.md.
"""

from __future__ import annotations

import csv
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC
from enum import StrEnum
from pathlib import Path
from typing import IO, TypeAlias

import duckdb

from flink_boost.base.files import PARTIAL_SUFFIX, publish
from flink_boost.judge.outcomes import Comparison
from flink_boost.judge.ratio import compare
from flink_boost.measure.fork import Fork
from flink_boost.measure.model import OURS, Cell, RunInfo
from flink_boost.measure.release import release_of
from flink_boost.measure.third_side import side_name

Value: TypeAlias = str | int | float | bool | None
Row: TypeAlias = Mapping[str, Value]


class ExportFormat(StrEnum):
    """The kinds of files."""

    CSV = "csv"
    PARQUET = "parquet"


@dataclass(frozen=True)
class ExportColumn:
    """A column: its name, and its type in SQL."""

    name: str
    type: str


_OF_RUN = (
    ExportColumn("run_id", "VARCHAR"),
    ExportColumn("started", "TIMESTAMP"),
    ExportColumn("purpose", "VARCHAR"),
    ExportColumn("run_group", "VARCHAR"),
    ExportColumn("line", "VARCHAR"),
    ExportColumn("flink", "VARCHAR"),
    ExportColumn("jdk", "VARCHAR"),
    ExportColumn("box", "VARCHAR"),
    ExportColumn("boost_commit", "VARCHAR"),
    ExportColumn("project", "VARCHAR"),
    ExportColumn("commit", "VARCHAR"),
    ExportColumn("quick_look", "BOOLEAN"),
    ExportColumn("opened", "BOOLEAN"),
    ExportColumn("threads", "INTEGER"),
    ExportColumn("heap", "VARCHAR"),
    ExportColumn("jvm_options", "VARCHAR"),
    ExportColumn("benchmark", "VARCHAR"),
    ExportColumn("params", "VARCHAR"),
    ExportColumn("mode", "VARCHAR"),
    ExportColumn("unit", "VARCHAR"),
    ExportColumn("less_is_better", "BOOLEAN"),
)
FORK_COLUMNS = (
    *_OF_RUN,
    ExportColumn("side", "VARCHAR"),
    ExportColumn("pair", "INTEGER"),
    ExportColumn("score", "DOUBLE"),
    ExportColumn("iterations", "INTEGER"),
    ExportColumn("alloc_bytes_per_op", "DOUBLE"),
    ExportColumn("cpu_ns_per_op", "DOUBLE"),
    ExportColumn("gc_ns_per_op", "DOUBLE"),
    ExportColumn("gc_count", "DOUBLE"),
)
SUMMARY_COLUMNS = (
    *_OF_RUN,
    ExportColumn("reference_side", "VARCHAR"),
    ExportColumn("candidate_side", "VARCHAR"),
    ExportColumn("pairs", "INTEGER"),
    ExportColumn("reference", "DOUBLE"),
    ExportColumn("candidate", "DOUBLE"),
    ExportColumn("ratio", "DOUBLE"),
    ExportColumn("low", "DOUBLE"),
    ExportColumn("high", "DOUBLE"),
    ExportColumn("verdict", "VARCHAR"),
    ExportColumn("reference_alloc_bytes_per_op", "DOUBLE"),
    ExportColumn("candidate_alloc_bytes_per_op", "DOUBLE"),
)

_NULL = r"\N"
# What a spreadsheet takes for the beginning of a formula, and what it skips before one.
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n")


def fork_rows(info: RunInfo, forks: Iterable[Fork]) -> Iterator[Row]:
    """One row per fork, in their order."""
    for fork in forks:
        yield {
            **_of_run(info, fork.cell),
            "mode": fork.mode.value,
            "unit": fork.unit,
            "less_is_better": fork.mode.less_is_better,
            "side": side_name(info, fork.side),
            "pair": fork.pair,
            "score": fork.score,
            "iterations": len(fork.iterations),
            "alloc_bytes_per_op": fork.alloc_bytes_per_op,
            "cpu_ns_per_op": fork.cpu_time_per_op,
            "gc_ns_per_op": fork.gc_time_per_op,
            "gc_count": fork.gc_count,
        }


def summary_rows(info: RunInfo, forks: Iterable[Fork]) -> Iterator[Row]:
    """One row per benchmark that has a whole pair; of a single pair without an interval."""
    for row in compare(info, forks):
        yield {
            **_of_run(info, row.cell),
            "mode": row.mode.value,
            "unit": row.unit,
            "less_is_better": row.mode.less_is_better,
            "reference_side": info.main_sides[0].value,
            "candidate_side": info.main_sides[1].value,
            "pairs": row.pairs,
            "reference": row.reference,
            "candidate": row.candidate,
            "ratio": row.ratio,
            **_interval(row),
            "verdict": row.verdict.value,
            "reference_alloc_bytes_per_op": row.reference_alloc,
            "candidate_alloc_bytes_per_op": row.candidate_alloc,
        }


def write_table(
    path: Path, form: ExportFormat, columns: tuple[ExportColumn, ...], rows: Iterable[Row]
) -> int:
    """Writes the rows into a file that appears whole or not at all; returns how many there are.

    In CSV a text that a spreadsheet would take for a formula has an apostrophe in front. Raises
    ``OSError``; then the old file is untouched.
    """
    partial = path.with_name(f".{path.name}{PARTIAL_SUFFIX}")
    try:
        if form is ExportFormat.CSV:
            with partial.open("w", encoding="utf-8", newline="") as file:
                count = _write_csv(file, columns, rows, for_people=True)
        else:
            count = _write_parquet(partial, columns, rows)
        publish(partial, path)
    finally:
        partial.unlink(missing_ok=True)
    return count


def _write_parquet(path: Path, columns: tuple[ExportColumn, ...], rows: Iterable[Row]) -> int:
    # DuckDB reads a file a hundred times as fast as it takes rows one by one.
    with tempfile.TemporaryDirectory(prefix="flink-boost-export-") as folder:
        source = Path(folder) / "rows.csv"
        with source.open("w", encoding="utf-8", newline="") as file:
            count = _write_csv(file, columns, rows, for_people=False)
        settings: dict[str, str | bool | int | float | list[str]] = {
            "autoinstall_known_extensions": "false",
            "threads": "1",
        }
        with duckdb.connect(":memory:", config=settings) as connection:
            table = connection.read_csv(
                str(source),
                header=True,
                auto_detect=False,
                columns={column.name: column.type for column in columns},
                na_values=_NULL,
                delimiter=",",
                quotechar='"',
                escapechar='"',
            )
            table.write_parquet(str(path), compression="zstd")
    return count


def _write_csv(
    file: IO[str], columns: tuple[ExportColumn, ...], rows: Iterable[Row], *, for_people: bool
) -> int:
    writer = csv.writer(file, lineterminator="\r\n" if for_people else "\n")
    writer.writerow([column.name for column in columns])
    count = 0
    for row in rows:
        writer.writerow([_csv_text(row[column.name], for_people) for column in columns])
        count += 1
    return count


def _csv_text(value: Value, for_people: bool) -> str | int | float:
    if value is None:
        return "" if for_people else _NULL
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str) and for_people and value.startswith(_FORMULA):
        return f"'{value}"
    return value


def _of_run(info: RunInfo, cell: Cell) -> dict[str, Value]:
    return {
        "run_id": info.run_id,
        "started": info.started.astimezone(UTC).strftime("%Y-%m-%d %H:%M:%S"),
        "purpose": info.purpose.value,
        "run_group": info.group,
        "line": info.line,
        "flink": release_of(info),
        "jdk": info.box.jdk,
        "box": info.box.label,
        "boost_commit": info.commit,
        "project": info.recipe_project or OURS,
        "commit": info.subject_commit,
        "quick_look": info.quick_look,
        "opened": info.opened,
        "threads": info.threads,
        "heap": info.heap,
        "jvm_options": " ".join(info.jvm_options),
        "benchmark": cell.benchmark,
        "params": ",".join(f"{name}={value}" for name, value in cell.params),
    }


def _interval(row: Comparison) -> dict[str, Value]:
    known = row.pairs >= 2
    return {"low": row.low if known else None, "high": row.high if known else None}
