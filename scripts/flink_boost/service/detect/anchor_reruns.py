"""Holds one benchmark a night against its anchor, and adds up what was told of each in small steps.

What was told of a night, and what the next one has to know, is kept in the journal of the track. It
asks only in the newest night, so a call that was killed goes on where it was.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from itertools import pairwise
from pathlib import Path

from flink_boost.judge.alarm_record import CURRENT, AlarmRecord, AlarmState
from flink_boost.judge.detection.anchor import Anchor, Hold
from flink_boost.judge.detection.confirmed_changes import ConfirmedAlarm
from flink_boost.judge.detection.memory import AnchorMemory, nights_of, placed_alarm
from flink_boost.judge.detection.suspicion import LEARNING_NIGHTS
from flink_boost.judge.tracks import Track
from flink_boost.service.detect.confirming import Findings, NightReruns, WatchedTrack
from flink_boost.service.detect.reruns.rerun_journal import (
    NightHeld,
    NightJudged,
    RerunAnswered,
    RerunJournal,
)
from flink_boost.service.detect.reruns.resume_detection import NightNumbers


@dataclass(frozen=True)
class Agreement:
    """People accepted the level of a run, at that time."""

    when: datetime
    run: str


def agreements(records: Sequence[AlarmRecord]) -> Mapping[str, tuple[Agreement, ...]]:
    """What people agreed to, by key of the track."""
    found: defaultdict[str, tuple[Agreement, ...]] = defaultdict(tuple)
    for one in records:
        if one.state is AlarmState.ACCEPTED and one.decision is not None:
            found[one.series] += (Agreement(one.decision.when, one.since_run),)
    return found


def drifts(records: Sequence[AlarmRecord]) -> frozenset[str]:
    """Keys of the tracks with a drift that nobody has decided and nothing has taken back."""
    return frozenset(one.series for one in records if one.kind == "drift" and one.state in CURRENT)


def hold(
    findings: Findings,
    results: Path,
    reruns: NightReruns | None,
    tonight: Collection[str],
    agreed: Mapping[str, Sequence[Agreement]],
    drifting: Collection[str],
) -> Findings:
    """The findings with what has crept, and with what kept a track from being held.

    Of the tracks of ``tonight`` the one that has waited longest is rerun against its anchor, and
    each in which another small change was confirmed. Where a track is ``drifting``, no release is
    its anchor.
    """
    journals = {one.track.key: RerunJournal(results, one.track.key) for one in findings.tracks}
    turn = _turn(findings.tracks, journals, tonight, reruns)
    tracks = []
    for one in findings.tracks:
        key = one.track.key
        asked = reruns if one.track.runs[-1].run_id in tonight else None
        released = _released(one.track) if key not in drifting else lambda _: None
        anchored = partial(Anchor, agreed=_agreed_to(one.track, agreed.get(key, ())))
        anchored = partial(anchored, released=released)
        tracks.append(_held(one, journals[key], asked, anchored, is_turn=key == turn))
    if reruns is None:
        return replace(findings, tracks=tuple(tracks))
    return replace(
        findings, tracks=tuple(tracks), pairs=reruns.used, problems=tuple(reruns.problems)
    )


def _turn(
    tracks: Sequence[WatchedTrack],
    journals: Mapping[str, RerunJournal],
    tonight: Collection[str],
    reruns: NightReruns | None,
) -> str | None:
    """The key of the track whose turn it is: that of this night, if there was one already."""
    waiting = []
    for one in tracks:
        track, newest = one.track, len(one.track.runs) - 1
        young = len(track.nights) < LEARNING_NIGHTS
        if young or _is_undecided(one, reruns) or track.runs[newest].run_id not in tonight:
            continue
        if track.nights[-1].number != newest:  # nothing is asked of a night without a pair
            continue
        numbers = {run.run_id: number for number, run in enumerate(track.runs)}
        held = [numbers.get(answer.asked, -1) for answer in journals[track.key].held]
        last = max(held, default=-1)
        waiting.append((last != newest, last - newest, track.key))
    return min(waiting)[-1] if waiting else None


def _is_undecided(watched: WatchedTrack, reruns: NightReruns | None) -> bool:
    """Whether a change may be told as a step yet: the anchor would take it for one that crept.

    Not where a suspicion waits because its build cannot be made: it may do so for ever.
    """
    has_its_turn_yet = watched.waits and reruns is not None and reruns.is_used_up
    return watched.pending is not None or has_its_turn_yet


def _held(
    watched: WatchedTrack,
    journal: RerunJournal,
    reruns: NightReruns | None,
    anchored: Callable[[Hold], Anchor],
    *,
    is_turn: bool,
) -> WatchedTrack:
    track = watched.track
    runs, newest = track.runs, len(track.runs) - 1
    answers: defaultdict[tuple[str, str], deque[RerunAnswered]] = defaultdict(deque)
    for one in journal.held:
        answers[one.asked, one.before].append(one)

    def ask(before: int, after: int, pairs: int, urgent: bool) -> Sequence[float] | None:
        known = answers[runs[after].run_id, runs[before].run_id]
        if known:
            answer = known.popleft()
            return None if answer.same else answer.differences
        if reruns is None or after != newest or not (is_turn or urgent):
            return ()
        return reruns.answer(track, journal, runs[before], runs[after], pairs, held=True)

    anchor = anchored(ask)
    lines = [*journal.nights[: watched.kept], *watched.judged]
    place = NightNumbers(track, lines)
    first = _go_on(anchor, track, lines, place)
    nights = {night.number: night for night in track.nights}
    newer = []
    for line in lines[first:]:
        number = place.now.get(line.night)
        if number is None:  # it was abandoned
            newer.append(line)
            continue
        if number not in nights:  # no pair of it is there any more
            newer.append(line)
            continue
        seen = line.told and placed_alarm(line.told, partial(place.next_number, line.runs))
        is_pending = number == newest and _is_undecided(watched, reruns)
        before = anchor.memory
        told = anchor.after(nights[number], seen, is_pending=is_pending)
        held = _as_held(track, told, None if anchor.memory == before else anchor.memory)
        newer.append(line.model_copy(update={"held": held}))
    if reruns is not None:
        journal.judge(first, newer)
    return replace(
        watched,
        told=_newest((*lines[:first], *newer), place),
        answers=(*watched.answers, *journal.held),
    )


def _go_on(anchor: Anchor, track: Track, lines: Sequence[NightJudged], place: NightNumbers) -> int:
    """Lets the anchor know of the nights that have its part, and says how many lines these are."""
    known = next((count for count in range(len(lines), 0, -1) if lines[count - 1].held), 0)
    until = max((place.now.get(one.night, -1) for one in lines[:known]), default=-1)
    held = [one.held for one in lines[:known] if one.held and one.held.memory]
    if not held or held[-1].memory is None:
        return 0
    memory = held[-1].memory.placed(partial(place.next_number, held[-1].runs))
    anchor.go_on([night for night in track.nights if night.number <= until], memory)
    return known


def _as_held(track: Track, told: ConfirmedAlarm | None, memory: AnchorMemory | None) -> NightHeld:
    numbers = (memory.nights if memory else set()) | (nights_of(told) if told else set())
    runs = {one: track.runs[one].run_id for one in sorted(numbers) if one >= 0}
    return NightHeld(told=told, memory=memory, runs=runs)


def _newest(lines: Iterable[NightJudged], place: NightNumbers) -> tuple[ConfirmedAlarm, ...]:
    """All that was told; of an alarm that has grown only how large it is now."""
    found: list[ConfirmedAlarm] = []
    for held in (line.held for line in lines):
        if held is None or held.told is None:
            continue
        alarm = placed_alarm(held.told, partial(place.next_number, held.runs))
        if alarm.growth:
            found = [one for one in found if one.suspected != alarm.suspected]
        found.append(alarm)
    return tuple(found)


def _agreed_to(track: Track, agreed: Sequence[Agreement]) -> Callable[[int], int | None]:
    """The newest night of those that people had agreed to before a night."""
    numbers = {run.run_id: number for number, run in enumerate(track.runs)}

    def newest(night: int) -> int | None:
        started = track.runs[night].started
        found = [numbers.get(one.run, -1) for one in agreed if one.when <= started]
        return max((one for one in found if 0 <= one < night), default=None)

    return newest


def _released(track: Track) -> Callable[[int], int | None]:
    """The newest last night of a release before a night: what people use since."""
    versions = [run.subject.version if run.subject else run.boost_version for run in track.runs]
    released = [number for number, (one, other) in enumerate(pairwise(versions)) if one != other]
    return lambda night: max((one for one in released if one < night), default=None)
