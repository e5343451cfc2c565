"""Turns comparisons into tables, one row per benchmark, and into JSON."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from flink_boost.base.text import NOTHING, interval_text, short_number
from flink_boost.flink.side import Side
from flink_boost.judge.comparators import AgainstComparator, compare_with_comparators
from flink_boost.judge.outcomes import Comparison
from flink_boost.judge.ratio import HarnessCheck, Sides, check_harness, compare, contrasts, unpaired
from flink_boost.judge.verdict import by_chance
from flink_boost.measure.fork import Fork
from flink_boost.measure.model import RunInfo
from flink_boost.measure.release import flink_of
from flink_boost.publish.grid import grid_sheets, is_in_grid
from flink_boost.publish.sheet import Column, Entry, Sheet, tone_of

# A difference that small is the profiler's own allocation, or a buffer spread over other counts.
_ALLOC_TOLERANCE_BYTES = 0.5
_ALLOC_TOLERANCE = 0.005
_WORTH_SAYING = 1.0  # rows that chance alone would call faster or slower


@dataclass(frozen=True)
class _Column:
    title: str
    numeric: bool
    text: Callable[[Comparison], str]


def comparison_sheets(
    info: RunInfo, forks: Sequence[Fork], confidence: float, *, as_grid: bool
) -> tuple[Sheet, ...]:
    """Everything that a run says, headline first.

    ``as_grid`` puts strings of several lengths into a grid; what fits into none stays in rows.
    """
    sheets: list[Sheet] = []
    for sides in contrasts(info):
        rows = compare(info, forks, confidence, sides)
        if as_grid:
            sheets += grid_sheets(rows, title(info, sides), with_gc=bool(info.heap))
            rows = tuple(row for row in rows if not is_in_grid(row, rows))
        if rows:
            sheets.append(comparison_sheet(info, rows, sides))
    against = compare_with_comparators(info, forks, confidence)
    if against:
        sheets.append(comparator_sheet(info, against))
    if not sheets:
        return (Sheet("There is no whole pair to compare.", (), ()),)
    notes = comparison_notes(info, forks, compare(info, forks, confidence))
    last = sheets[-1]
    return (*sheets[:-1], Sheet(last.title, last.columns, last.rows, (*last.notes, *notes)))


def comparison_sheet(
    info: RunInfo, rows: Sequence[Comparison], sides: Sides | None = None
) -> Sheet:
    """One row per benchmark, the last field coloured by verdict."""
    sides = sides or info.main_sides
    columns = _columns(info, rows, sides)
    return Sheet(
        title(info, sides),
        tuple(Column(column.title, column.numeric) for column in columns),
        tuple(
            (
                *(Entry(column.text(row)) for column in columns[:-1]),
                Entry(columns[-1].text(row), tone_of(row.verdict)),
            )
            for row in rows
        ),
    )


def further_sheets(info: RunInfo, forks: Sequence[Fork], confidence: float) -> tuple[Sheet, ...]:
    """The tables besides the headline's: those of a third side, and of comparators."""
    compared = ((sides, compare(info, forks, confidence, sides)) for sides in contrasts(info)[1:])
    sheets = [comparison_sheet(info, rows, sides) for sides, rows in compared if rows]
    against = compare_with_comparators(info, forks, confidence)
    return (*sheets, *([comparator_sheet(info, against)] if against else []))


def comparator_sheet(info: RunInfo, against: Sequence[AgainstComparator]) -> Sheet:
    """Our patched cells, each beside every comparator of the same run."""
    return Sheet(
        f"{_circumstances(info)}, patched against comparators of the same run",
        (
            Column("ours"),
            Column("comparator"),
            Column("comparator's", True),
            Column("ours", True),
            Column("unit"),
            Column("ratio", True),
            Column("interval", True),
            Column("verdict"),
        ),
        tuple(
            (
                Entry(one.ours.name),
                Entry(one.row.cell.method),
                Entry(short_number(one.row.reference)),
                Entry(short_number(one.row.candidate)),
                Entry(one.row.unit),
                Entry(f"{one.row.ratio:.2f}x"),
                Entry(interval_text(one.row.low, one.row.high, one.row.pairs)),
                Entry(verdict_text(one.row), tone_of(one.row.verdict)),
            )
            for one in against
        ),
    )


def comparison_notes(
    info: RunInfo, forks: Iterable[Fork], rows: Sequence[Comparison]
) -> tuple[str, ...]:
    """Sentences below: what is left out, what chance does, what allocates more; of A/A runs how
    sound they are.
    """
    notes = []
    if sentence := left_out(info, forks):
        notes.append(sentence)
    if sentence := order_sentence(info):
        notes.append(sentence)
    if Side.CONTROL in info.sides:
        notes.append(harness_sentence(check_harness(rows)))
        return tuple(notes)
    notes.extend(filter(None, [chance_sentence(rows)]))
    if more := [row for row in rows if _allocates_more(row)]:
        named = "; ".join(
            f"{row.cell.name} {_change(row.reference_alloc, row.candidate_alloc)} B/op"
            for row in more
        )
        notes.append(f"Allocates more than stock: {named}.")
    return tuple(notes)


def order_sentence(info: RunInfo) -> str:
    """What an old run's fixed order means; empty for one whose pairs alternate."""
    if info.alternating:
        return ""
    return (
        f"Not alternated: here, or in one of the runs that are pooled, each pair began with"
        f" {info.title_of(info.main_sides[0])}, so what favours the second JVM of a pair, or the"
        " first, is in these ratios."
    )


def left_out(info: RunInfo, forks: Iterable[Fork]) -> str:
    """Which pairs are not in the tables; empty when all are."""
    pairs = unpaired(info, forks)
    return f"Left out, as a half of the pair is missing: {'; '.join(pairs)}." if pairs else ""


def comparison_document(
    info: RunInfo, forks: Sequence[Fork], confidence: float
) -> dict[str, object]:
    """Everything for a program: the run, the rows, the notes; infinite ends become null."""
    rows = compare(info, forks, confidence)
    return {
        "run": json.loads(info.model_dump_json()),
        "comparisons": _json_rows(rows),
        "further": [
            {
                "reference": sides[0].value,
                "candidate": sides[1].value,
                "comparisons": _json_rows(compare(info, forks, confidence, sides)),
            }
            for sides in contrasts(info)[1:]
        ],
        "comparators": [
            {"ours": one.ours.name, **_json_rows([one.row])[0]}
            for one in compare_with_comparators(info, forks, confidence)
        ],
        "notes": list(comparison_notes(info, forks, rows)),
    }


def _json_rows(rows: Sequence[Comparison]) -> list[dict[str, object]]:
    # Through pydantic's own JSON, which turns the infinite end of a single pair into null.
    return [
        {
            "name": row.cell.name,
            **json.loads(row.model_dump_json()),
            "direction": row.verdict.direction,
            "slower": row.verdict.is_slower,
        }
        for row in rows
    ]


def title(info: RunInfo, sides: Sides | None = None) -> str:
    """One line that says what was compared, and that a quick look is one."""
    first, second = (info.title_of(side) for side in sides or info.main_sides)
    return _circumstances(info, f"{second} against {first}")


def _circumstances(info: RunInfo, contrast: str = "") -> str:
    parts = [
        f"Flink {flink_of(info)}",
        f"JDK {info.jdk_feature}",
        *([contrast] if contrast else []),
        info.pairs_text,
        f"java.lang {'opened' if info.opened else 'not opened'}",
        *([f"{info.threads} threads"] if info.threads > 1 else []),
        *([f"heap {info.heap}"] if info.heap else []),
    ]
    quick = "; QUICK LOOK, too short to publish" if info.quick_look else ""
    return ", ".join(parts) + quick


def harness_sentence(check: HarnessCheck) -> str:
    """The summary of an A/A run."""
    if not check.rows:
        return "A/A: no row has two pairs, so this run says nothing about the harness."
    sentence = (
        f"A/A: {check.excluding_one} of {check.rows} rows exclude 1.00;"
        f" expected up to {check.expected_at_most} at the {check.confidence:.0%} level"
    )
    return f"{sentence}." if check.passed else f"{sentence}: the harness or the box is not sound."


def _columns(info: RunInfo, rows: Sequence[Comparison], sides: Sides) -> list[_Column]:
    first, second = (info.title_of(side) for side in sides)
    columns = [
        _Column("benchmark", False, lambda row: row.cell.name),
        _Column(first, True, lambda row: short_number(row.reference)),
        _Column(second, True, lambda row: short_number(row.candidate)),
        _Column("unit", False, lambda row: row.unit),
        _Column("ratio", True, lambda row: f"{row.ratio:.2f}x"),
        _Column("interval", True, lambda row: interval_text(row.low, row.high, row.pairs)),
        _Column("B/op", True, lambda row: _change(row.reference_alloc, row.candidate_alloc)),
        _Column("CPU", True, lambda row: f"{row.cpu_ratio:.2f}x" if row.cpu_ratio else NOTHING),
        _Column("verdict", False, verdict_text),
    ]
    if info.heap:
        columns[-1:-1] = [
            _Column("GC ns/op", True, _gc_times),
            _Column("GC time", True, gc_ratio_text),
            _Column("GC verdict", False, _gc_verdict_text),
        ]
    if any(row.pairs != info.pairs for row in rows):
        columns.insert(-1, _Column("pairs", True, lambda row: str(row.pairs)))
    return columns


def _gc_times(row: Comparison) -> str:
    if row.gc is None:
        return NOTHING
    return f"{short_number(row.gc.reference)} → {short_number(row.gc.candidate)}"


def gc_ratio_text(row: Comparison) -> str:
    """``2.00x (1.80–2.20)``: time in collections, above 1 when the second side has less."""
    if row.gc is None:
        return NOTHING
    span = interval_text(row.gc.low, row.gc.high, row.pairs)
    return f"{row.gc.ratio:.2f}x" + ("" if span == NOTHING else f" ({span})")


def _gc_verdict_text(row: Comparison) -> str:
    if row.gc is None:
        return NOTHING
    return row.gc.verdict.value


def _change(before: float | None, after: float | None) -> str:
    if before is None or after is None:
        return NOTHING
    # Below a hundredth of a byte it is the profiler's own allocation spread over all operations.
    shown = [f"{value:.0f}" if value >= 10 else f"{value:.2f}" for value in (before, after)]
    return f"{shown[0]} → {shown[1]}"


def _allocates_more(row: Comparison) -> bool:
    if row.alloc_excess is None or row.reference_alloc is None:
        return False
    tolerance = max(_ALLOC_TOLERANCE_BYTES, _ALLOC_TOLERANCE * row.reference_alloc)
    # Jobs allocate a little more or less each time: only what the interval leaves no doubt about.
    return row.alloc_excess > tolerance


def cpu_text(row: Comparison) -> str:
    """``250 → 200 (1.25x)``: CPU time per operation of the whole process, in ns."""
    if row.reference_cpu is None or row.candidate_cpu is None or row.cpu_ratio is None:
        return NOTHING
    change = f"{short_number(row.reference_cpu)} → {short_number(row.candidate_cpu)}"
    return f"{change} ({row.cpu_ratio:.2f}x)"


def verdict_text(row: Comparison) -> str:
    """The verdict; for an undecided row with the number of pairs that would decide it."""
    if row.verdict.is_decided or row.pairs_needed is None:
        return row.verdict.value
    return f"{row.verdict}, needs about {row.pairs_needed} pairs"


def chance_sentence(rows: Sequence[Comparison]) -> str:
    """How many verdicts of a long table chance alone would give; empty for a short one."""
    judged = [row for row in rows if row.pairs >= 2]
    count = by_chance(len(judged), judged[0].confidence) if judged else 0.0
    if count < _WORTH_SAYING:
        return ""
    return (
        f"Of {len(judged)} rows chance alone would call about {count:.0f} faster or slower:"
        " half of them each."
    )
