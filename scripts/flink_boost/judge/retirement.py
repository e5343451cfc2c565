"""Boxes that measure no more, and what becomes of the alarms that they leave."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from flink_boost.judge.alarms import CURRENT, AlarmEvent, AlarmRecord, AlarmState
from flink_boost.measure.model import Frozen


class RetiredBox(Frozen):
    """A box that measures no more; its name is the dashboard's, as in alarms."""

    box: str
    by: str
    when: datetime


def left_behind(
    alarms: Iterable[AlarmRecord], boxes: Iterable[RetiredBox]
) -> tuple[AlarmRecord, ...]:
    """The alarms, those closed that are of one of the boxes: no night there will decide them."""
    retired = {one.box: one for one in boxes}
    return tuple(
        _closed(one, retired[one.box]) if one.box in retired and one.state in CURRENT else one
        for one in alarms
    )


def _closed(alarm: AlarmRecord, box: RetiredBox) -> AlarmRecord:
    note = f"the box {box.box} was retired by {box.by}"
    event = AlarmEvent(when=box.when, state=AlarmState.RETIRED, note=note)
    return alarm.model_copy(
        update={"state": AlarmState.RETIRED, "history": (*alarm.history, event)}
    )
