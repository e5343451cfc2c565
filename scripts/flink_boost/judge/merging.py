"""Recognises the alarms that detection sees again, so that each is told once and keeps its fate.

What was told is what people looked at: a change of another size is another alarm, and beside one
that somebody decided so is one of another night.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime
from itertools import count

from flink_boost.judge.alarm_record import (
    AlarmEvent,
    AlarmRecord,
    AlarmState,
    alarm_id,
    by_night,
)
from flink_boost.judge.detection.anchor import LEAST

_DECIDED = (AlarmState.ACCEPTED, AlarmState.REJECTED, AlarmState.ENVIRONMENT)
SAME_WITHIN = 2  # nights that a change point may move and still be the same alarm
NO_LONGER_SEEN = "no longer seen: with the nights that there are now, detection does not find it"


def merge(
    known: Sequence[AlarmRecord],
    seen: Iterable[AlarmRecord],
    now: datetime,
    *,
    canary_moved: bool = False,
    series: Mapping[str, Collection[str]] | None = None,
) -> tuple[AlarmRecord, ...]:
    """The alarms after a night: ``known`` ones, and those that detection has ``seen``.

    ``seen`` are open or watching; ``series`` are those that were looked through, by default all,
    with the ids of their runs. What was told stays, and says so when detection no longer sees it. A
    way back closes the alarms before it that it undoes. The order does not matter.
    """
    found = sorted(seen, key=lambda one: (one.series, one.first, one.id))
    before = _matched(known, found, series or {})
    claimed = {one.id for one in before.values()}
    kept = {
        one.id: one if series is not None and one.series not in series else _unseen(one, now)
        for one in known
        if one.id not in claimed and one.state is not AlarmState.WATCHING
    }
    for place, one in enumerate(found):
        old = before.get(place)
        if old is None:
            newer = _raised(_apart(one, known, {*kept, *claimed}), now, canary_moved)
        else:
            newer = _seen_again(old, one, now, canary_moved)
        kept[newer.id] = newer
    return tuple(sorted(_recovered(kept.values(), now), key=by_night))


def _matched(
    known: Sequence[AlarmRecord],
    found: Sequence[AlarmRecord],
    series: Mapping[str, Collection[str]],
) -> dict[int, AlarmRecord]:
    """The known alarm that each of the found ones is, by its place; each is at most one."""
    near = sorted(
        (
            *(one.id != other.id, one.since_run != other.since_run, abs(one.first - other.first)),
            *(one.id, place),
        )
        for one in known
        for place, other in enumerate(found)
        if _is_same(one, other, series.get(one.series, ()))
    )
    by_id = {one.id: one for one in known}
    matched: dict[int, AlarmRecord] = {}
    for *_, name, place in near:
        if place not in matched and name in by_id:
            matched[place] = by_id.pop(name)
    return matched


def _is_same(known: AlarmRecord, seen: AlarmRecord, runs: Collection[str]) -> bool:
    if not _is_of_the_same_way(known, seen):
        return False
    if seen.state is AlarmState.WATCHING and known.state is not AlarmState.WATCHING:
        return known.id == seen.id  # it is looked at once more
    is_near = known.id == seen.id or abs(known.first - seen.first) <= SAME_WITHIN
    if seen.growth > known.growth and (known.id == seen.id or known.kind == "drift"):
        return is_near and known.state not in _DECIDED  # it is larger now
    if known.state is AlarmState.WATCHING:
        return is_near
    same_night = known.since_run == seen.since_run
    if known.state in _DECIDED:
        # Where the run of its night was given up, it is seen in the next one.
        has_moved = bool(runs) and known.since_run not in runs and is_near
        return (same_night or has_moved) and _is_alike(known, seen)
    return (same_night or is_near) and _is_alike(known, seen)


def _is_of_the_same_way(one: AlarmRecord, other: AlarmRecord) -> bool:
    return (one.series, one.direction, one.kind == "recovery") == (
        other.series,
        other.direction,
        other.kind == "recovery",
    )


def _is_alike(one: AlarmRecord, other: AlarmRecord) -> bool:
    """Whether the size of one of them may be that of the other."""
    return _holds(one, other.effect) or _holds(other, one.effect)


def _holds(record: AlarmRecord, effect: float) -> bool:
    low = -math.inf if record.low is None else min(record.low, record.effect)
    high = math.inf if record.high is None else max(record.high, record.effect)
    return low <= effect <= high


def _apart(one: AlarmRecord, known: Sequence[AlarmRecord], taken: Collection[str]) -> AlarmRecord:
    """A new alarm with an id of its own, and the one near it that was told."""
    near = [
        other
        for other in known
        if other.was_told()
        and _is_of_the_same_way(one, other)
        and (other.id == one.id or abs(other.first - one.first) <= SAME_WITHIN)
    ]
    nearest = min(near, key=lambda other: (abs(other.first - one.first), other.id), default=None)
    ids = (alarm_id(one.series, f"{one.id} {one.since_run} {number}") for number in count())
    name = one.id if one.id not in taken else next(new for new in ids if new not in taken)
    return one.model_copy(update={"id": name, "beside": nearest.id if nearest else None})


def _unseen(record: AlarmRecord, now: datetime) -> AlarmRecord:
    if not record.seen:
        return record
    return _with_event(record.model_copy(update={"seen": False}), now, NO_LONGER_SEEN)


def _raised(one: AlarmRecord, now: datetime, canary_moved: bool) -> AlarmRecord:
    state, note = one.state, "no rerun has decided yet"
    if one.kind == "recovery":
        state, note = AlarmState.RECOVERED, "back on the level from before"
    elif one.state is AlarmState.OPEN:
        note = "confirmed by reruns"
        if canary_moved:
            state, note = AlarmState.WITHHELD, "confirmed, but the canary moved that night"
    if one.beside is not None:
        note += f"; not the same as {one.beside}, which is near"
    return _with_event(one.model_copy(update={"state": state}), now, note)


def _seen_again(
    before: AlarmRecord, one: AlarmRecord, now: datetime, canary_moved: bool
) -> AlarmRecord:
    """What is known of it now, with the id and the fate that it had."""
    if not before.seen:
        before = _with_event(before.model_copy(update={"seen": True}), now, "seen again")
    if before.state in _DECIDED:
        return before.model_copy(update={"first": one.first, "nights": one.nights})
    if one.state is AlarmState.WATCHING and before.state is not AlarmState.WATCHING:
        return before
    fate = {
        name: getattr(before, name)
        for name in ("id", "state", "decision", "history", "bisect", "report", "profile", "beside")
    }
    # Those of a night that was given up are in no journal of its nights.
    fate["reruns"] = one.reruns or before.reruns
    newer = one.model_copy(update={**fate, "told": before.told, "delay": before.delay})
    if one.growth > before.growth and before.state is AlarmState.OPEN:
        if canary_moved:
            return before
        note = f"has grown to {abs(one.effect - 1) * 100:.1f} %: confirmed by reruns"
        return _with_event(newer, now, note)
    if before.state is AlarmState.WATCHING and one.state is AlarmState.OPEN:
        told = {"state": AlarmState.OPEN, "told": one.told, "delay": one.delay}
        return _raised(newer.model_copy(update=told), now, canary_moved)
    if before.state is AlarmState.WITHHELD and not canary_moved:
        note = "the canary is where it was: told now"
        return _with_event(newer.model_copy(update={"state": AlarmState.OPEN}), now, note)
    return newer


def _recovered(records: Iterable[AlarmRecord], now: datetime) -> list[AlarmRecord]:
    found = {one.id: one for one in records}
    undone: set[str] = set()
    ways_back = [one for one in found.values() if one.way_back or one.kind == "recovery"]
    for way_back in sorted(ways_back, key=lambda one: (one.series, one.first, one.id)):
        earlier = [
            one
            for one in found.values()
            if one.series == way_back.series
            and one.kind != "recovery"
            and one.state is not AlarmState.WATCHING
            and one.first < way_back.first
            # What is told later began before it, and was not there in its night.
            and _told_in(one) <= _told_in(way_back)
            and one.id not in undone
        ]
        newest = max(earlier, key=lambda one: one.first, default=None)
        if newest is None:
            continue
        back_to = newest.first if way_back.back_to is None else way_back.back_to
        for one in earlier:
            stays = not _has_crept(one) and one.first < way_back.steps_back_to
            if one.first >= back_to and not stays:
                undone.add(one.id)
                found[one.id] = _closed(one, way_back, now)
    return list(found.values())


def _told_in(one: AlarmRecord) -> int:
    """The number of the night; names of nights have no order where some are ids of runs."""
    return one.first + one.delay


def _has_crept(one: AlarmRecord) -> bool:
    """Whether the anchor counts it as a part of what came little by little."""
    return one.kind == "drift" or abs(math.log(one.effect)) < LEAST


def _closed(one: AlarmRecord, way_back: AlarmRecord, now: datetime) -> AlarmRecord:
    if one.state not in (AlarmState.OPEN, AlarmState.WITHHELD):
        return one
    note = f"closed by {way_back.id}: back on the level from before"
    return _with_event(one.model_copy(update={"state": AlarmState.RECOVERED}), now, note)


def _with_event(one: AlarmRecord, now: datetime, note: str) -> AlarmRecord:
    event = AlarmEvent(when=now, state=one.state, note=note)
    return one.model_copy(update={"history": (*one.history, event)})
