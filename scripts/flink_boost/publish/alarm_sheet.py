"""Alarms as tables and lines for people."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from flink_boost.judge.alarm_record import AlarmRecord, AlarmState, grouped
from flink_boost.judge.bisection import BisectRecord
from flink_boost.publish.nightly.words import blamed, counted, short
from flink_boost.publish.sheet import Column, Entry, Sheet, Tone

_TONES = {
    AlarmState.OPEN: Tone.BAD,
    AlarmState.WATCHING: Tone.OPEN,
    AlarmState.WITHHELD: Tone.OPEN,
}


def alarms_sheet(records: Sequence[AlarmRecord], title: str) -> Sheet:
    """One row per alarm; those that the same commits caused stand together, newest first."""
    return Sheet(
        title,
        (
            *map(Column, ("alarm", "state", "benchmark", "side", "kind")),
            Column("change", True),
            Column("95 % interval", True),
            *map(Column, ("since commit", "told")),
        ),
        tuple(_row(one) for group in grouped(records) for one in group),
    )


def alarm_lines(record: AlarmRecord) -> Iterator[str]:
    """All that is known of one alarm."""
    yield f"{record.id}: {record.benchmark}, {record.executable}, on {record.box}"
    yield f"State:    {record.state.value}"
    if not record.seen:
        yield "Seen:     no longer; History says since when"
    yield f"Change:   {record.kind}, {_change(record.effect)}{_in(record.low, record.high)}"
    yield f"Commits:  after {short(record.commits[0])}, up to {short(record.commits[1])}"
    yield f"Told:     {record.told}, {record.delay} nights after it began"
    if record.beside:
        yield f"Beside:   {record.beside}, which is another change"
    yield f"Measure:  {record.command}"
    for name, address in (("Report", record.report), ("Profile", record.profile)):
        if address:
            below = "" if address.startswith("http") else ", below report/ of the build folder"
            yield f"{name + ':':<10}{address}{below}"
    for one in record.reruns:
        ratio = "no result" if one.ratio is None else _change(one.ratio)
        yield (
            f"Rerun:    {short(one.before)} against {short(one.after)}, {one.pairs} pairs: {ratio}"
            f"{_in(one.low, one.high)}, {one.outcome}"
        )
    if record.bisect:
        yield f"Bisect:   {record.bisect.state}, {_found(record.bisect)}"
        for step in record.bisect.steps:
            ratio = "" if step.ratio is None else f", {_change(step.ratio)}"
            against = f" against {step.against[:12]}" if step.against else ""
            yield (
                f"          {step.commit[:12]} {step.outcome}{ratio}{_in(step.low, step.high)}"
                f"{against}"
            )
    if record.decision:
        yield f"Decision: {record.decision.state.value} by {record.decision.by}"
    for event in record.history:
        yield f"History:  {event.when:%Y-%m-%d %H:%M} {event.state.value}: {event.note}"


def _found(bisect: BisectRecord) -> str:
    if bisect.first_bad:
        return "by " + blamed(bisect, lambda commit: f"commit {commit[:12]}")
    if bisect.left == 0:
        return "rerun, both ends are equally fast: no commit is to blame"
    return f"{counted(bisect.left, 'commit')} left"


def _row(one: AlarmRecord) -> tuple[Entry, ...]:
    tone = _TONES.get(one.state, Tone.PLAIN)
    if one.state is AlarmState.OPEN and one.direction == "improvement":
        tone = Tone.GOOD
    return (
        Entry(one.id),
        Entry(one.state.value, tone),
        Entry(one.benchmark),
        Entry(one.executable),
        Entry(one.kind),
        Entry(_change(one.effect), tone),
        Entry(_interval(one.low, one.high)),
        Entry(short(one.commits[1])),
        Entry(one.told),
    )


def _change(ratio: float) -> str:
    return f"{ratio - 1:+.1%}"


def _interval(low: float | None, high: float | None) -> str:
    if low is None or high is None:
        return ""
    return f"{_change(low)} to {_change(high)}"


def _in(low: float | None, high: float | None) -> str:
    shown = _interval(low, high)
    return f" ({shown})" if shown else ""
