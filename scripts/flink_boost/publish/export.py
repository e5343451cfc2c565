"""Results as tables for other programs: CSV for spreadsheets, Parquet for everything else.

One row per fork, or one per benchmark and run. The columns, their types and units are declared here
and explained in docs/results.md.
"""

from __future__ import annotations

import csv
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import IO, Any, Generic, TypeAlias, TypeVar

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
# What a row is of: a fork or a comparison. A column that takes either is one of forks, too.
_Part = TypeVar("_Part", contravariant=True)


class ExportFormat(StrEnum):
    """The kinds of files."""

    CSV = "csv"
    PARQUET = "parquet"


@dataclass(frozen=True)
class ExportColumn(Generic[_Part]):
    """A column: its name, its type in SQL, and its value for a part of a run, the row."""

    name: str
    type: str
    value: Callable[[RunInfo, _Part], Value]


_OF_BOTH: tuple[ExportColumn[Fork | Comparison], ...] = (
    ExportColumn("run_id", "VARCHAR", lambda run, _: run.run_id),
    ExportColumn("started", "TIMESTAMP", lambda run, _: _timestamp(run.started)),
    ExportColumn("purpose", "VARCHAR", lambda run, _: run.purpose.value),
    ExportColumn("run_group", "VARCHAR", lambda run, _: run.group),
    ExportColumn("line", "VARCHAR", lambda run, _: run.line),
    ExportColumn("flink", "VARCHAR", lambda run, _: release_of(run)),
    ExportColumn("jdk", "VARCHAR", lambda run, _: run.box.jdk),
    ExportColumn("box", "VARCHAR", lambda run, _: run.box.label),
    ExportColumn("boost_commit", "VARCHAR", lambda run, _: run.commit),
    ExportColumn("project", "VARCHAR", lambda run, _: run.recipe_project or OURS),
    ExportColumn("commit", "VARCHAR", lambda run, _: run.subject_commit),
    ExportColumn("quick_look", "BOOLEAN", lambda run, _: run.quick_look),
    ExportColumn("opened", "BOOLEAN", lambda run, _: run.opened),
    ExportColumn("threads", "INTEGER", lambda run, _: run.threads),
    ExportColumn("heap", "VARCHAR", lambda run, _: run.heap),
    ExportColumn("jvm_options", "VARCHAR", lambda run, _: " ".join(run.jvm_options)),
    ExportColumn("benchmark", "VARCHAR", lambda _, row: row.cell.benchmark),
    ExportColumn("params", "VARCHAR", lambda _, row: _params(row.cell)),
    ExportColumn("mode", "VARCHAR", lambda _, row: row.mode.value),
    ExportColumn("unit", "VARCHAR", lambda _, row: row.unit),
    ExportColumn("less_is_better", "BOOLEAN", lambda _, row: row.mode.less_is_better),
)
FORK_COLUMNS: tuple[ExportColumn[Fork], ...] = (
    *_OF_BOTH,
    ExportColumn("side", "VARCHAR", lambda run, fork: side_name(run, fork.side)),
    ExportColumn("pair", "INTEGER", lambda _, fork: fork.pair),
    ExportColumn("score", "DOUBLE", lambda _, fork: fork.score),
    ExportColumn("iterations", "INTEGER", lambda _, fork: len(fork.iterations)),
    ExportColumn("alloc_bytes_per_op", "DOUBLE", lambda _, fork: fork.alloc_bytes_per_op),
    ExportColumn("cpu_ns_per_op", "DOUBLE", lambda _, fork: fork.cpu_time_per_op),
    ExportColumn("gc_ns_per_op", "DOUBLE", lambda _, fork: fork.gc_time_per_op),
    ExportColumn("gc_count", "DOUBLE", lambda _, fork: fork.gc_count),
)
SUMMARY_COLUMNS: tuple[ExportColumn[Comparison], ...] = (
    *_OF_BOTH,
    ExportColumn("reference_side", "VARCHAR", lambda run, _: run.main_sides[0].value),
    ExportColumn("candidate_side", "VARCHAR", lambda run, _: run.main_sides[1].value),
    ExportColumn("pairs", "INTEGER", lambda _, row: row.pairs),
    ExportColumn("reference", "DOUBLE", lambda _, row: row.reference),
    ExportColumn("candidate", "DOUBLE", lambda _, row: row.candidate),
    ExportColumn("ratio", "DOUBLE", lambda _, row: row.ratio),
    ExportColumn("low", "DOUBLE", lambda _, row: row.low if row.pairs >= 2 else None),
    ExportColumn("high", "DOUBLE", lambda _, row: row.high if row.pairs >= 2 else None),
    ExportColumn("verdict", "VARCHAR", lambda _, row: row.verdict.value),
    ExportColumn("reference_alloc_bytes_per_op", "DOUBLE", lambda _, row: row.reference_alloc),
    ExportColumn("candidate_alloc_bytes_per_op", "DOUBLE", lambda _, row: row.candidate_alloc),
)

_NULL = r"\N"
# What a spreadsheet takes for the beginning of a formula, and what it skips before one.
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n")


def fork_rows(info: RunInfo, forks: Iterable[Fork]) -> Iterator[Row]:
    """One row per fork, in their order."""
    for fork in forks:
        yield {column.name: column.value(info, fork) for column in FORK_COLUMNS}


def summary_rows(info: RunInfo, forks: Iterable[Fork]) -> Iterator[Row]:
    """One row per benchmark that has a whole pair; of a single pair without an interval."""
    for row in compare(info, forks):
        yield {column.name: column.value(info, row) for column in SUMMARY_COLUMNS}


def write_table(
    path: Path, form: ExportFormat, columns: tuple[ExportColumn[Any], ...], rows: Iterable[Row]
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


def _write_parquet(path: Path, columns: tuple[ExportColumn[Any], ...], rows: Iterable[Row]) -> int:
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
    file: IO[str], columns: tuple[ExportColumn[Any], ...], rows: Iterable[Row], *, for_people: bool
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


def _timestamp(moment: datetime) -> str:
    return moment.astimezone(UTC).strftime("%Y-%m-%d %H:%M:%S")


def _params(cell: Cell) -> str:
    return ",".join(f"{name}={value}" for name, value in cell.params)
