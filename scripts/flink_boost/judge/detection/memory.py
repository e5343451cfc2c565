"""What a watcher knows of the nights that it has judged, so that none is judged twice.

Nights are numbers here. They move when a run is abandoned or comes in late, so whoever keeps a
memory keeps names of nights, and places it again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from flink_boost.judge.detection.confirmation import Decision
from flink_boost.judge.detection.confirmed_changes import ConfirmedAlarm, OpenAlarm
from flink_boost.judge.detection.nights import Night

RULES = 4  # version of the rules by which nights are judged; another one begins with a new night

Place = Callable[[int], int]


@dataclass(frozen=True)
class PendingRerun:
    """A rerun that goes on in the next night. ``scale`` is that of its evidence."""

    before: int
    after: int
    direction: int
    least: float
    scale: float


@dataclass(frozen=True)
class Memory:
    """What the next night has to know, but for the nights themselves.

    ``start`` is the first night of the level, 0 the beginning of the series; ``cleared`` the last
    night that a rerun cleared, -1 none; ``sides`` nights cleared in a row, and their direction.
    """

    start: int = 0
    cleared: int = -1
    sides: tuple[tuple[int, int], ...] = ()
    pending: PendingRerun | None = None
    open: tuple[OpenAlarm, ...] = ()

    @property
    def nights(self) -> frozenset[int]:
        """The numbers that are in it."""
        found = {self.start, self.cleared, *(number for number, _ in self.sides)}
        if self.pending:
            found |= {self.pending.before, self.pending.after}
        for one in self.open:
            found |= {one.before} | nights_of(one.alarm)
        return frozenset(found)

    def placed(self, there: Callable[[int], bool], next_one: Place, last_one: Place) -> Memory:
        """With the numbers that its nights have now.

        What was asked of a night that is not ``there`` any more is dropped; other numbers become
        those of the next night, or of the last one before.
        """
        pending = self.pending
        if pending and there(pending.before) and there(pending.after):
            pending = replace(
                pending, before=next_one(pending.before), after=next_one(pending.after)
            )
        else:
            pending = None
        return Memory(
            start=self.start and next_one(self.start),
            cleared=last_one(self.cleared),
            sides=tuple((next_one(number), side) for number, side in self.sides if there(number)),
            pending=pending,
            open=tuple(
                replace(
                    one,
                    alarm=placed_alarm(one.alarm, next_one),
                    before=max(0, last_one(one.before)),
                )
                for one in self.open
            ),
        )


@dataclass(frozen=True)
class ToldPart:
    """A part of the change since the anchor that was told; it ``stands`` for itself, or creeps.

    ``since`` is its first night; where it creeps, the last one.
    """

    since: int
    effect: float
    error: float
    stands: bool


@dataclass(frozen=True)
class AnchorMemory:
    """What the next night has to know of a series' anchor.

    ``held`` are nights that were held against it, and whether nothing was seen in them. ``back`` is
    the night in which what had crept was back, -1 none.
    """

    anchor: int = -1
    told: tuple[ToldPart, ...] = ()
    held: tuple[tuple[int, bool], ...] = ()
    growing: ConfirmedAlarm | None = None
    back: int = -1

    @property
    def nights(self) -> frozenset[int]:
        """The numbers that are in it."""
        found = {self.anchor, self.back, *(one.since for one in self.told)}
        found |= {night for night, _ in self.held}
        return frozenset(found | (nights_of(self.growing) if self.growing else set()))

    def placed(self, next_one: Place) -> AnchorMemory:
        """With the numbers that its nights have now.

        Where the anchor's night is gone, the next one is the anchor: it has what began there.
        """
        anchor = next_one(self.anchor)
        placed = (replace(one, since=next_one(one.since)) for one in self.told)
        told = tuple(one for one in placed if one.since > anchor)
        creeps = self.growing is not None and not all(one.stands for one in told)
        return AnchorMemory(
            anchor=anchor,
            told=told,
            held=tuple((next_one(night), is_clean) for night, is_clean in self.held),
            growing=placed_alarm(self.growing, next_one) if self.growing and creeps else None,
            back=next_one(self.back),
        )


@dataclass(frozen=True)
class Past:
    """Nights that were judged. ``pending`` and ``spread`` are what reruns showed until then."""

    nights: tuple[Night, ...]
    memory: Memory
    pending: tuple[float, ...]
    spread: tuple[float, ...]
    decisions: Mapping[tuple[int, int], Decision]


def nights_of(alarm: ConfirmedAlarm) -> set[int]:
    """The numbers of nights that an alarm names."""
    through = set() if alarm.through is None else {alarm.through}
    undone = {alarm.back_to, alarm.steps_back_to}
    return {alarm.night, alarm.first, alarm.suspected} | undone | through


def placed_alarm(alarm: ConfirmedAlarm, place: Place) -> ConfirmedAlarm:
    """The alarm with the numbers that its nights have now."""
    return replace(
        alarm,
        night=place(alarm.night),
        first=place(alarm.first),
        suspected=place(alarm.suspected),
        back_to=place(alarm.back_to),
        steps_back_to=place(alarm.steps_back_to),
        through=None if alarm.through is None else place(alarm.through),
    )
