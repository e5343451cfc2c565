"""A run beside its repetition, as a table."""

from __future__ import annotations

from collections.abc import Sequence

from flink_boost.base.text import NOTHING
from flink_boost.judge.repetition import Repeated, differences
from flink_boost.measure.model import Cell, RunInfo
from flink_boost.publish.sheet import Column, Entry, Sheet, tone_of


def repetition_sheet(
    then: RunInfo, now: RunInfo, rows: Sequence[Repeated], missing: Sequence[Cell] = ()
) -> Sheet:
    """Ratio then and now, and the ratio of both with its interval."""
    other = differences(then, now)
    notes = [
        f"Other than then: {what}, {old or 'none'} → {new or 'none'}." for what, old, new in other
    ]
    if not other:
        notes.append("Nothing that is recorded differs: jar, class path, JDK, kernel, box.")
    if missing:
        notes.append(f"Not compared, for want of a whole pair: {'; '.join(map(_name, missing))}.")
    notes.append("Change is now ÷ then: above 1 the candidate has gained; verdicts as usual.")
    return Sheet(
        f"{now.run_id} against {then.run_id}",
        (
            Column("benchmark"),
            *(Column(name, True) for name in ("then", "now", "pairs", "change", "interval")),
            Column("verdict"),
        ),
        tuple(
            (
                Entry(_name(row.cell)),
                Entry(f"{row.then:.2f}x"),
                Entry(f"{row.now:.2f}x"),
                Entry(f"{row.pairs_then}, {row.pairs_now}"),
                Entry(f"{row.change:.3f}x"),
                Entry(_interval(row)),
                Entry(row.verdict.value, tone_of(row.verdict)),
            )
            for row in rows
        ),
        tuple(notes),
    )


def _name(cell: Cell) -> str:
    return cell.name


def _interval(row: Repeated) -> str:
    if row.low is None or row.high is None:
        return NOTHING
    return f"{row.low:.3f}–{row.high:.3f}"
