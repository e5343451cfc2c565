"""A regression that people found is no miss once an alarm or its bisect names the commit."""

from __future__ import annotations

from datetime import UTC, datetime

from seen_alarms import seen

from flink_boost.judge.alarm_record import AlarmState
from flink_boost.judge.bisection import BisectPart, BisectRecord
from flink_boost.judge.misses import MissedChange, missed


def test_every_part_that_a_bisect_found_is_told() -> None:
    first, second, other = ("1" * 40, "2" * 40, "3" * 40)
    parts = tuple(BisectPart(commit=commit, share=0.5) for commit in (first, second))
    found = BisectRecord(state="done", first_bad=first, left=1, parts=parts)
    alarm = seen().model_copy(update={"state": AlarmState.OPEN, "bisect": found})
    changes = [
        MissedChange(
            benchmark=alarm.benchmark, line=alarm.line, commit=commit, by="me", reason="By hand.",
            when=datetime(2026, 3, 1, tzinfo=UTC),
        )
        for commit in (first, second, other)
    ]  # fmt: skip
    assert [change.commit for change in missed(changes, [alarm])] == [other]
