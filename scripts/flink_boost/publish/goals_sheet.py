"""The sheet of goals: what is missed or open, and how many are met."""

from __future__ import annotations

from collections.abc import Sequence

from flink_boost.base.text import interval_text
from flink_boost.judge.goals import Judged, State
from flink_boost.publish.sheet import Column, Entry, Sheet, Tone


def goals_sheet(source: str, judged: Sequence[Judged], unmeasured: Sequence[str]) -> Sheet:
    """What is missed or open; what is met is only counted."""
    counts = {state: sum(one.state is state for one in judged) for state in State}
    worst_first = sorted(
        (one for one in judged if one.state is not State.MET), key=lambda one: one.ratio / one.floor
    )
    notes = []
    if counts[State.OPEN]:
        reached = sum(one.state is State.OPEN and one.ratio >= one.floor for one in judged)
        notes.append(
            "Open: the interval holds the goal, so that more pairs would tell. The ratio itself"
            f" reaches it in {reached} of {counts[State.OPEN]}."
        )
    if unmeasured:
        notes.append(f"Not measured in this run: {'; '.join(unmeasured)}.")
    summary = ", ".join(f"{counts[state]} {state.value}" for state in State)
    columns = (
        Column("goal"),
        Column("benchmark"),
        Column("floor", True),
        Column("ratio", True),
        Column("interval", True),
        Column("state"),
    )
    return Sheet(
        f"Goals of {source}: {summary}",
        columns if worst_first else (),
        tuple(_fields(one) for one in worst_first),
        tuple(notes),
    )


def _fields(one: Judged) -> tuple[Entry, ...]:
    tone = Tone.BAD if one.state is State.MISSED else Tone.OPEN
    return (
        Entry(one.goal),
        Entry(one.name),
        Entry(f"{one.floor:.2f}x"),
        Entry(f"{one.ratio:.2f}x"),
        Entry(interval_text(one.low, one.high, one.pairs)),
        Entry(one.state.value, tone),
    )
