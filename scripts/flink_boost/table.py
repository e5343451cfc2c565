"""Shows comparisons as a table for a terminal or a file, as Markdown, or as JSON."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

from flink_boost.compare import HarnessCheck, check_harness, compare, unpaired
from flink_boost.model import Comparison, Fork, RunInfo, Side, Verdict

SIDE_TITLES = {Side.STOCK: "stock", Side.PATCHED: "patched", Side.CONTROL: "stock again"}
_COLOURS = {
    Verdict.BETTER: "green",
    Verdict.WORSE: "red",
    Verdict.NOT_WORSE: "",
    Verdict.UNDECIDED: "yellow",
}
_NOTHING = "–"
_FILE_WIDTH = 400


@dataclass(frozen=True)
class _Column:
    title: str
    numeric: bool
    text: Callable[[Comparison], str]


def print_comparison(info: RunInfo, forks: Sequence[Fork], confidence: float, form: str) -> None:
    """Compares and prints to standard output; ``form`` is ``table``, ``markdown`` or ``json``."""
    rows = compare(info, forks, confidence)
    notes = comparison_notes(info, forks, rows)
    console = Console(highlight=False)
    if form == "json":
        console.out(as_json(info, rows, notes), end="")
        return
    if form == "markdown":
        console.out(markdown(info, rows))
    else:
        if not rows:
            console.out("There is no whole pair to compare.")
            return
        if not console.is_terminal:
            # Rich would fold it to 80 columns; a file can be as wide as the table is.
            console.width = _FILE_WIDTH
        console.out(title(info), style="bold")
        console.print(rich_table(info, rows))
    for note in notes:
        console.out(note)


def comparison_notes(
    info: RunInfo, forks: Iterable[Fork], rows: Sequence[Comparison]
) -> tuple[str, ...]:
    """Sentences under the table: half pairs that were left out, and how sound an A/A run is."""
    notes = []
    if left_out := unpaired(info, forks):
        notes.append(f"Left out, as a half of the pair is missing: {'; '.join(left_out)}.")
    if Side.CONTROL in info.sides:
        notes.append(harness_sentence(check_harness(rows)))
    return tuple(notes)


def rich_table(info: RunInfo, rows: Sequence[Comparison]) -> Table:
    """The rows, coloured by verdict where the console has colours."""
    table = Table(box=SIMPLE_HEAD)
    columns = _columns(info, rows)
    for column in columns:
        table.add_column(
            column.title, justify="right" if column.numeric else "left", no_wrap=column.numeric
        )
    for row in rows:
        cells = [Text(column.text(row)) for column in columns]
        cells[-1].stylize(_COLOURS[row.verdict])
        table.add_row(*cells)
    return table


def markdown(info: RunInfo, rows: Sequence[Comparison]) -> str:
    """The rows as a GitHub table with its title in front, ending with a newline."""
    columns = _columns(info, rows)
    lines = [
        f"**{title(info)}**",
        "",
        "| " + " | ".join(column.title for column in columns) + " |",
        "|" + "|".join("---:" if column.numeric else ":---" for column in columns) + "|",
    ]
    for row in rows:
        cells = [column.text(row).replace("|", r"\|") for column in columns]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def as_json(info: RunInfo, rows: Sequence[Comparison], notes: Sequence[str]) -> str:
    """Everything for a program: the run, the rows, the notes; infinite ends become null."""
    document = {
        "run": json.loads(info.model_dump_json()),
        # Through pydantic's own JSON, which turns the infinite end of a single pair into null.
        "comparisons": [
            {"name": row.cell.name, **json.loads(row.model_dump_json())} for row in rows
        ],
        "notes": list(notes),
    }
    return json.dumps(document, indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def title(info: RunInfo) -> str:
    """One line that says what was compared, and that a quick look is one."""
    first, second = (SIDE_TITLES[side] for side in info.sides)
    access = "opened" if info.opened else "not opened"
    quick = "; QUICK LOOK, too short to publish" if info.quick_look else ""
    pairs = f"{info.pairs} pair{'s' if info.pairs > 1 else ''}"
    return f"Flink {info.line}, {second} against {first}, {pairs}, java.lang {access}{quick}"


def harness_sentence(check: HarnessCheck) -> str:
    """The summary of an A/A run."""
    if not check.rows:
        return "A/A: no row has two pairs, so this run says nothing about the harness."
    sentence = (
        f"A/A: {check.excluding_one} of {check.rows} rows exclude 1.00;"
        f" expected up to {check.expected_at_most} at the {check.confidence:.0%} level"
    )
    return f"{sentence}." if check.passed else f"{sentence}: the harness or the box is not sound."


def short_number(value: float) -> str:
    """At least three significant digits, without an exponent: 0.0123, 7.21, 19.3, 1640."""
    if value == 0 or not math.isfinite(value):
        return f"{value:g}"
    digits = max(0, 2 - math.floor(math.log10(abs(value))))
    return f"{value:.{digits}f}"


def _columns(info: RunInfo, rows: Sequence[Comparison]) -> list[_Column]:
    first, second = (SIDE_TITLES[side] for side in info.sides)
    columns = [
        _Column("benchmark", False, lambda row: row.cell.name),
        _Column(first, True, lambda row: short_number(row.reference)),
        _Column(second, True, lambda row: short_number(row.candidate)),
        _Column("unit", False, lambda row: row.unit),
        _Column("ratio", True, lambda row: f"{row.ratio:.2f}x"),
        _Column("interval", True, _interval),
        _Column("B/op", True, lambda row: _change(row.reference_alloc, row.candidate_alloc)),
        _Column("CPU", True, lambda row: f"{row.cpu_ratio:.2f}x" if row.cpu_ratio else _NOTHING),
        _Column("verdict", False, _verdict),
    ]
    if any(row.pairs != info.pairs for row in rows):
        columns.insert(-1, _Column("pairs", True, lambda row: str(row.pairs)))
    return columns


def _interval(row: Comparison) -> str:
    if row.pairs < 2:
        return _NOTHING
    high = f"{row.high:.2f}" if row.high < 1000 else ">1000"
    return f"{row.low:.2f}–{high}"


def _change(before: float | None, after: float | None) -> str:
    if before is None or after is None:
        return _NOTHING
    # Below a hundredth of a byte it is the profiler's own allocation spread over all operations.
    shown = [f"{value:.0f}" if value >= 10 else f"{value:.2f}" for value in (before, after)]
    return f"{shown[0]} → {shown[1]}"


def _verdict(row: Comparison) -> str:
    if row.verdict is not Verdict.UNDECIDED:
        return row.verdict.value
    if row.pairs_needed is None:
        return "undecided"
    return f"undecided, needs about {row.pairs_needed} pairs"
