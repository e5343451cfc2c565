"""A run beside its repetition, as a table."""

from __future__ import annotations

from collections.abc import Sequence

from flink_boost.base.text import known_interval
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
        names = "; ".join(cell.name for cell in missing)
        notes.append(f"Not compared, for want of a whole pair: {names}.")
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
                Entry(row.cell.name),
                Entry(f"{row.then:.2f}x"),
                Entry(f"{row.now:.2f}x"),
                Entry(f"{row.pairs_then}, {row.pairs_now}"),
                Entry(f"{row.change:.3f}x"),
                Entry(known_interval(row.low, row.high)),
                Entry(row.verdict.value, tone_of(row.verdict)),
            )
            for row in rows
        ),
        tuple(notes),
    )
