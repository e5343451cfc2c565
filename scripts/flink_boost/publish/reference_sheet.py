"""The sheet of a published table: its rows and ours side by side."""

from __future__ import annotations

from collections.abc import Sequence

from flink_boost.base.text import interval_text, short_number
from flink_boost.judge.outcomes import Comparison
from flink_boost.judge.reference import Reference, ReferenceRow, Standing
from flink_boost.publish.comparison import cpu_text, verdict_text
from flink_boost.publish.sheet import Column, Entry, Sheet, Tone, tone_of


def reference_sheet(reference: Reference, rows: Sequence[ReferenceRow], confidence: float) -> Sheet:
    """The published rows and ours side by side."""
    third = next((row.third_title for row in rows if row.third), "")
    columns = [
        Column("published row"),
        Column("before", True),
        Column("after", True),
        Column("unit"),
        Column("published ratio", True),
        Column("benchmark here"),
        Column("stock", True),
        Column("patched", True),
        Column("unit"),
        Column("ratio", True),
        *([Column(third, True), Column(f"patched against {third}", True)] if third else []),
        Column("CPU ns/op", True),
        Column("verdict"),
        Column("published"),
    ]
    counts = {outcome: sum(row.outcome is outcome for row in rows) for outcome in Standing}
    used = dict.fromkeys(row.run_id for row in rows if row.run_id)
    summary = ", ".join(f"{count} {outcome.value}" for outcome, count in counts.items())
    reading = (
        "Met: our ratio is inside or above the published interval. In brackets "
        f"{100 * confidence:.4g} % intervals; the published one comes from both published errors. "
        "CPU is the time of the whole process, of all its threads."
    )
    undecided = [
        f"{row.ours.cell.name} {_pairs_wanted(row.ours)}"
        for row in rows
        if row.ours and not row.ours.verdict.is_decided
    ]
    listed = [f"Undecided: {'; '.join(undecided)}."] if undecided else []
    return Sheet(
        f"{reference.title}, beside Flink {reference.line} here",
        tuple(columns),
        tuple(_fields(row, bool(third)) for row in rows),
        (f"{summary}.", reading, f"Runs: {', '.join(used) or 'none'}.", *listed),
    )


_TONES = {Standing.MET: Tone.GOOD, Standing.NOT_MET: Tone.BAD, Standing.NO_RUN: Tone.OPEN}


def _fields(row: ReferenceRow, with_third: bool) -> tuple[Entry, ...]:
    published, ours = row.published, row.ours
    texts = [
        published.label,
        f"{short_number(published.before)} ± {short_number(published.before_error)}",
        f"{short_number(published.after)} ± {short_number(published.after_error)}",
        published.unit,
        f"{row.ratio:.2f}x ({interval_text(row.low, row.high, 2)})",
    ]
    if ours is None:
        texts += ["no run yet", "", "", "", "", *(["", ""] if with_third else []), ""]
        verdict = Entry("")
    else:
        texts += [
            ours.cell.name,
            short_number(ours.reference),
            short_number(ours.candidate),
            ours.unit,
            _ratio(ours),
            *([_ratio(row.third), _ratio(row.against_third)] if with_third else []),
            cpu_text(ours),
        ]
        verdict = Entry(verdict_text(ours), tone_of(ours.verdict))
    return (*map(Entry, texts), verdict, Entry(row.outcome.value, _TONES[row.outcome]))


def _pairs_wanted(row: Comparison) -> str:
    has = f"has {row.pairs} pair{'s' if row.pairs > 1 else ''}"
    return f"{has}, needs about {row.pairs_needed}" if row.pairs_needed else has


def _ratio(row: Comparison | None) -> str:
    if row is None:
        return ""
    span = f" ({interval_text(row.low, row.high, row.pairs)})" if row.pairs > 1 else ""
    return f"{row.ratio:.2f}x{span}"
