"""Regressions that people found and no alarm had told: what detection missed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime

from flink_boost.judge.alarm_record import AlarmRecord
from flink_boost.measure.model import Frozen

SHORTEST_COMMIT = 7


class MissedChange(Frozen):
    """A regression that somebody found by hand; ``commit`` is the first one with it."""

    benchmark: str
    line: str
    commit: str
    by: str
    reason: str
    when: datetime


def missed(
    changes: Iterable[MissedChange], alarms: Sequence[AlarmRecord]
) -> tuple[MissedChange, ...]:
    """Those that no alarm has told, neither before nor since.

    An alarm tells of a change when it is a regression of that benchmark on that line, and its first
    changed night, or its bisect, names that commit.
    """
    told = [
        one
        for one in alarms
        if one.was_told() and one.kind != "recovery" and one.direction == "regression"
    ]
    return tuple(change for change in changes if not any(_tells(alarm, change) for alarm in told))


def _tells(alarm: AlarmRecord, change: MissedChange) -> bool:
    named = [alarm.commits[1]]
    if alarm.bisect:
        parts = (part.commit for part in alarm.bisect.parts)
        named += [alarm.bisect.first_bad or "", *parts]
    return (alarm.benchmark, alarm.line) == (change.benchmark, change.line) and any(
        commit.startswith(change.commit) or change.commit.startswith(commit)
        for commit in named
        if commit and len(commit) >= SHORTEST_COMMIT
    )
