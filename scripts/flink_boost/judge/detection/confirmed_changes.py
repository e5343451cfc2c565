"""Changes that were told, and which of them may still be undone or go on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import pairwise

_SOON = 8  # nights after a drift was told within which its going on is no news
_AT_ONCE = 3  # nights between steps in a row
_ALIKE = 1.5  # times as large as another: a step of its own
_FASTER = 1.5  # times the pace of a drift: more is a step beside it
_LARGE = 0.03  # log-ratio: a step that nobody takes for a part of a drift, whatever its pace


class Kind(StrEnum):
    """How a level changed."""

    STEP = "step"
    DRIFT = "drift"
    RECOVERY = "recovery"


@dataclass(frozen=True)
class ConfirmedAlarm:
    """A confirmed change; nights by number, ``effect`` a log-ratio with its interval.

    ``suspected`` is the night whose build was rerun: that of the first suspicion. A recovery undoes
    all alarms from the one that began in ``back_to`` on, but before ``steps_back_to`` only what
    came little by little. Such a change goes on ``through`` a night, and was told ``growth`` times
    more since ``night``. One that ``goes_on`` is no news by itself: the anchor says how large the
    whole has become.
    """

    night: int
    first: int
    kind: Kind
    effect: float
    low: float
    high: float
    pairs: int
    suspected: int = -1
    back_to: int = -1
    steps_back_to: int = -1
    through: int | None = None
    growth: int = 0
    goes_on: bool = False


@dataclass(frozen=True)
class OpenAlarm:
    """An alarm that no recovery has closed.

    ``before`` is a night from before it began, whose build has the level ``level_before``.
    """

    alarm: ConfirmedAlarm
    level_before: float
    before: int


def with_alarm(
    known: Sequence[OpenAlarm], newest: OpenAlarm, most: float
) -> tuple[list[OpenAlarm], ConfirmedAlarm]:
    """The open alarms, oldest first, with the newest one as it is told.

    What makes a drift go on is told as that, unless it is a step of ``most`` beside it. The third
    of three steps in a row is told as the drift that they are.
    """
    alarm = newest.alarm
    if known and _goes_on(known[-1].alarm, alarm, most):
        further = replace(alarm, kind=Kind.DRIFT, goes_on=True)
        return [*known[:-1], _grown(known[-1], alarm)], further
    if len(known) > 1 and _are_in_a_row([*(one.alarm for one in known[-2:]), alarm]):
        drift = replace(alarm, kind=Kind.DRIFT)
        return [*known[:-2], _grown(_grown(known[-2], known[-1].alarm), drift)], drift
    return [*known, newest], alarm


def _goes_on(told: ConfirmedAlarm, alarm: ConfirmedAlarm, most: float) -> bool:
    if (
        told.kind is not Kind.DRIFT
        or told.effect * alarm.effect <= 0
        or alarm.first - told.night > _SOON
    ):
        return False
    pace = abs(told.effect) / (told.night - told.first + 1)
    usual = _FASTER * pace * (alarm.night - told.night)
    return alarm.kind is Kind.DRIFT or abs(alarm.effect) < max(most, min(usual, _LARGE))


def _are_in_a_row(alarms: Sequence[ConfirmedAlarm]) -> bool:
    sizes = [one.effect for one in alarms]
    return (
        all(one * sizes[0] > 0 for one in sizes)
        and max(map(abs, sizes)) <= _ALIKE * min(map(abs, sizes))
        and all(after.first - before.night <= _AT_ONCE for before, after in pairwise(alarms))
    )


def _grown(told: OpenAlarm, by: ConfirmedAlarm) -> OpenAlarm:
    effect = told.alarm.effect + by.effect
    return replace(told, alarm=replace(told.alarm, night=by.night, effect=effect, kind=Kind.DRIFT))
