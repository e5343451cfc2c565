"""Holds one benchmark a night against its anchor, and adds up what was told of each in small steps.

It goes through all nights of a track with what the watcher told in them and what reruns of the
anchor have answered, and asks only in the newest night. So it keeps no state either.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from flink_boost.judge.alarms import AlarmRecord, AlarmState
from flink_boost.judge.detection.anchor import Anchor
from flink_boost.judge.detection.suspicion import LEARNING_NIGHTS
from flink_boost.judge.detection.told import ConfirmedAlarm
from flink_boost.judge.tracks import Track
from flink_boost.service.confirming import Findings, NightReruns, WatchedTrack
from flink_boost.service.reruns.journal import RerunAnswered, RerunJournal


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


def hold(
    findings: Findings,
    results: Path,
    reruns: NightReruns | None,
    tonight: Collection[str],
    agreed: Mapping[str, Sequence[Agreement]],
) -> Findings:
    """The findings with what has crept.

    Of the tracks of ``tonight`` the one that has waited longest is rerun against its anchor, and
    each in which another small change was confirmed.
    """
    journals = {one.track.key: RerunJournal(results, one.track.key) for one in findings.tracks}
    turn = _turn(findings.tracks, journals, tonight)
    tracks = []
    for one in findings.tracks:
        key = one.track.key
        asked = reruns if one.track.runs[-1].run_id in tonight else None
        tracks.append(_held(one, journals[key], asked, agreed.get(key, ()), is_turn=key == turn))
    used = findings.pairs if reruns is None else reruns.used
    return replace(findings, tracks=tuple(tracks), pairs=used)


def _turn(
    tracks: Sequence[WatchedTrack],
    journals: Mapping[str, RerunJournal],
    tonight: Collection[str],
) -> str | None:
    """The key of the track whose turn it is: that of this night, if there was one already."""
    waiting = []
    for one in tracks:
        track, newest = one.track, len(one.track.runs) - 1
        young = len(track.nights) < LEARNING_NIGHTS
        if young or one.pending is not None or track.runs[newest].run_id not in tonight:
            continue
        numbers = {run.run_id: number for number, run in enumerate(track.runs)}
        held = [numbers.get(answer.asked, -1) for answer in journals[track.key].held]
        last = max(held, default=-1)
        waiting.append((last != newest, last - newest, track.key))
    return min(waiting)[-1] if waiting else None


def _held(
    watched: WatchedTrack,
    journal: RerunJournal,
    reruns: NightReruns | None,
    agreed: Sequence[Agreement],
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

    anchor = Anchor(ask, _agreed_to(track, agreed))
    seen = {alarm.night: alarm for alarm in watched.told}
    told: dict[int, ConfirmedAlarm] = {}
    for night in track.nights:
        is_pending = night.number == newest and watched.pending is not None
        alarm = anchor.after(night, seen.get(night.number), is_pending=is_pending)
        if alarm is not None:
            told[alarm.suspected] = alarm
    return replace(watched, told=tuple(told.values()), answers=(*watched.answers, *journal.held))


def _agreed_to(track: Track, agreed: Sequence[Agreement]) -> Callable[[int], int | None]:
    """The newest night of those that people had agreed to before a night."""
    numbers = {run.run_id: number for number, run in enumerate(track.runs)}

    def newest(night: int) -> int | None:
        started = track.runs[night].started
        found = [numbers.get(one.run, -1) for one in agreed if one.when <= started]
        return max((one for one in found if 0 <= one < night), default=None)

    return newest
