"""Boxes that measure no more, and what becomes of the alarms that they leave."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from flink_boost.judge.alarm_record import CURRENT, AlarmEvent, AlarmRecord, AlarmState, RetiredBox


def left_behind(
    alarms: Iterable[AlarmRecord], boxes: Iterable[RetiredBox], now: datetime
) -> tuple[AlarmRecord, ...]:
    """The alarms, those closed that are of one of the boxes: no night there will decide them."""
    retired = {one.box: one for one in boxes if one.back is None}
    return tuple(
        _turned(one, AlarmState.RETIRED, now, f"retired by {retired[one.box].by}")
        if one.box in retired and one.state in CURRENT
        else one
        for one in alarms
    )


def taken_back(
    alarms: Iterable[AlarmRecord], box: str, by: str, now: datetime
) -> tuple[AlarmRecord, ...]:
    """The alarms, those of the box undecided again that were closed as it was retired.

    What nobody has been told of is told once a night confirms it.
    """
    return tuple(
        _turned(
            one,
            AlarmState.OPEN if one.was_told() else AlarmState.WATCHING,
            *(now, f"taken back by {by}"),
        )
        if one.box == box and one.state is AlarmState.RETIRED
        else one
        for one in alarms
    )


def _turned(alarm: AlarmRecord, state: AlarmState, now: datetime, what: str) -> AlarmRecord:
    event = AlarmEvent(when=now, state=state, note=f"the box {alarm.box} was {what}")
    return alarm.model_copy(update={"state": state, "history": (*alarm.history, event)})
