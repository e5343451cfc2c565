"""Shows string benchmarks as a grid: operation and kind of text down, length across. Pure."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from flink_boost.judge.outcomes import Comparison, GcComparison
from flink_boost.judge.verdict import Verdict
from flink_boost.measure.model import Cell
from flink_boost.publish.sheet import Column, Entry, Sheet, tone_of

ACROSS = "length"
# A grid of its own for each profile: nobody should compare a mixed cell with a pure one unawares.
APART = "profile"
LEGEND = (
    f"{', '.join(f'{one.mark} {one}' for one in reversed(Verdict))}; in brackets the"
    " {confidence:.4g} % interval."
)
LEGEND_OF_GC = " Faster is what spends less time in collections."


def is_in_grid(row: Comparison, rows: Sequence[Comparison]) -> bool:
    """True when the same benchmark was measured at several lengths."""
    length = dict(row.cell.params).get(ACROSS)
    return length is not None and any(
        other.cell.benchmark == row.cell.benchmark
        and dict(other.cell.params).get(ACROSS) not in (None, length)
        for other in rows
    )


def grid_sheets(rows: Sequence[Comparison], title: str, *, with_gc: bool) -> list[Sheet]:
    """One grid per profile, of the rows that fit into one; ``with_gc`` adds grids of GC time."""
    chosen = [row for row in rows if is_in_grid(row, rows)]
    profiles = dict.fromkeys(dict(row.cell.params).get(APART, "") for row in chosen)
    sheets = []
    for profile in profiles:
        own = [row for row in chosen if dict(row.cell.params).get(APART, "") == profile]
        named = f"{title}; {profile}" if profile else title
        sheets.append(_grid(own, named, _speed, LEGEND))
        if with_gc:
            named = f"{named}: time in garbage collections"
            sheets.append(_grid(own, named, _collections, LEGEND + LEGEND_OF_GC))
    return sheets


def _grid(
    rows: Sequence[Comparison], title: str, entry: Callable[[Comparison], Entry], legend: str
) -> Sheet:
    lengths = sorted({dict(row.cell.params)[ACROSS] for row in rows}, key=lambda text: int(text))
    lines: dict[str, dict[str, Comparison]] = {}
    for row in rows:
        lines.setdefault(_label(row.cell), {})[dict(row.cell.params)[ACROSS]] = row
    return Sheet(
        title,
        (Column("characters"), *(Column(f"{int(length):,}", numeric=True) for length in lengths)),
        tuple(
            (
                Entry(label),
                *(entry(line[length]) if length in line else Entry("") for length in lengths),
            )
            for label, line in lines.items()
        ),
        (legend.format(confidence=100 * rows[0].confidence),),
    )


def _label(cell: Cell) -> str:
    params = dict(cell.params)
    others = [value for name, value in cell.params if name not in (ACROSS, APART, "kind")]
    head = " ".join(filter(None, (cell.method, params.get("kind", ""))))
    return ", ".join((head, *others))


def _speed(row: Comparison) -> Entry:
    return _entry(row, row.pairs)


def _collections(row: Comparison) -> Entry:
    if row.gc is None:
        return Entry("none")
    return _entry(row.gc, row.pairs)


def _entry(value: Comparison | GcComparison, pairs: int) -> Entry:
    span = f" ({_number(value.low)}–{_number(value.high)})" if pairs > 1 else ""
    shown = f"{_number(value.ratio)}x{span}"
    return Entry(f"{shown} {value.verdict.mark}", tone_of(value.verdict))


def _number(value: float) -> str:
    """Three digits: 1.06, 13.4, 122."""
    if value >= 1000:
        return ">1000"
    return f"{value:.2f}" if value < 9.995 else f"{value:.1f}" if value < 99.95 else f"{value:.0f}"
