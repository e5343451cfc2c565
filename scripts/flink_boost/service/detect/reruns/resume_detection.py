"""Where a night's detection goes on: after the last night that was judged.

What was judged is not judged again, whatever has become of the rules, or of other nights, since.
Only when the very night is gone on which the present level began, all since is looked at anew.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Literal

from flink_boost.judge.detection.confirmed_changes import ConfirmedAlarm
from flink_boost.judge.detection.memory import RULES, Memory, Past, nights_of, placed_alarm
from flink_boost.judge.detection.nights import distances
from flink_boost.judge.detection.watcher import Watcher
from flink_boost.judge.tracks import Track
from flink_boost.service.detect.reruns.rerun_journal import NightJudged, RerunAnswered, RerunJournal


@dataclass(frozen=True)
class Recalled:
    """The first ``kept`` nights of a journal, with the numbers that they have now.

    ``until`` is the last of them; ``memory`` is as it was written, ``runs`` names its nights.
    """

    kept: int
    until: int
    past: Past
    told: tuple[ConfirmedAlarm, ...]
    memory: Memory
    runs: dict[int, str]


def recall(track: Track, journal: RerunJournal, *, newest: bool) -> Recalled | None:
    """What is known of the nights before the newest run; with ``newest`` of that one as well."""
    nights = journal.nights
    place = NightNumbers(track, nights)
    names = [one.night for one in nights]
    last = track.runs[-1].run_id
    if last in names:
        nights = nights[: names.index(last) + newest]
    for kept in range(len(nights), 0, -1):
        until = max((place.now.get(one.night, -1) for one in nights[:kept]), default=-1)
        with_memory = next((one for one in reversed(nights[:kept]) if one.memory), None)
        if until < 0 or with_memory is None or with_memory.memory is None:
            return None
        memory, runs = with_memory.memory, with_memory.runs
        if memory.start == 0 or runs.get(memory.start) in place.now:
            return _recalled(track, journal, nights[:kept], until, memory, runs)
    return None


def judged(track: Track, watcher: Watcher, told: ConfirmedAlarm | None) -> NightJudged:
    """The night of a track that the watcher has just taken."""
    memory = watcher.memory
    decided = tuple(watcher.decided.items())
    numbers = memory.nights | (nights_of(told) if told else set())
    names = [run.run_id for run in track.runs]
    nothing: Literal["learning", "quiet"] = "learning" if watcher.is_learning else "quiet"
    return NightJudged(
        night=names[watcher.newest],
        rules=RULES,
        decision=decided[0][1] if decided else nothing,
        decisions=tuple((names[one], names[other], how) for (one, other), how in decided),
        told=told,
        memory=memory,
        runs={one: names[one] for one in sorted(numbers) if one >= 0},
    )


def without_repetition(
    nights: Sequence[NightJudged], known: Recalled | None
) -> tuple[NightJudged, ...]:
    """The nights, each memory left out that is the one before."""
    before: tuple[Memory | None, Mapping[int, str]] = (None, {})
    if known is not None:
        before = known.memory, known.runs
    found = []
    for one in nights:
        after = one.memory, one.runs
        is_repeated = after == before and one.told is None
        found.append(one.model_copy(update={"memory": None, "runs": {}}) if is_repeated else one)
        before = after
    return tuple(found)


class NightNumbers:
    """The numbers of nights now; of those that are gone, the ones of their neighbours."""

    def __init__(self, track: Track, nights: Sequence[NightJudged]) -> None:
        self.now = {run.run_id: number for number, run in enumerate(track.runs)}
        self._order = [one.night for one in nights]
        self._newest = len(track.runs) - 1

    def next_one(self, name: str) -> int:
        later = self._order[self._order.index(name) :] if name in self._order else [name]
        return next((self.now[one] for one in later if one in self.now), self._newest)

    def next_number(self, names: Mapping[int, str], number: int) -> int:
        """Of a number that ``names`` name; others stay."""
        return self.next_one(names[number]) if number in names else number

    def last_one(self, name: str) -> int:
        place = self._order.index(name) if name in self._order else -1
        earlier = [name, *reversed(self._order[: max(0, place)])]
        return next((self.now[one] for one in earlier if one in self.now), -1)


def _recalled(
    track: Track,
    journal: RerunJournal,
    nights: Sequence[NightJudged],
    until: int,
    memory: Memory,
    runs: dict[int, str],
) -> Recalled:
    place = NightNumbers(track, journal.nights)
    placed = memory.placed(
        there=lambda number: runs.get(number) in place.now,
        next_one=lambda number: place.next_number(runs, number),
        last_one=lambda number: place.last_one(runs[number]) if number in runs else number,
    )
    asked = {one.night for one in nights}
    answers = [one for one in journal.answers if one.asked in asked]
    pending: list[float] = []
    if memory.pending and placed.pending:
        builds = runs[memory.pending.before], runs[memory.pending.after]
        pending = _differences(one for one in answers if (one.before, one.after) == builds)
    past = Past(
        nights=tuple(night for night in track.nights if night.number <= until),
        memory=placed,
        pending=tuple(pending),
        spread=tuple(_spread(nights, answers)),
        decisions={
            (place.now[before], place.now[after]): how
            for one in nights
            for before, after, how in one.decisions
            if before in place.now and after in place.now
        },
    )
    told = tuple(
        placed_alarm(one.told, partial(place.next_number, one.runs)) for one in nights if one.told
    )
    return Recalled(len(nights), until, past, told, memory, runs)


def _spread(nights: Iterable[NightJudged], answers: Iterable[RerunAnswered]) -> Iterator[float]:
    """How far pairs were from their middle, in each night's rerun of what was suspected."""
    found: defaultdict[tuple[str, str, str], list[RerunAnswered]] = defaultdict(list)
    for one in answers:
        found[one.asked, one.before, one.after].append(one)
    for night in nights:
        for before, after, _ in night.decisions[:1]:
            yield from distances(_differences(found[night.night, before, after]))


def _differences(answers: Iterable[RerunAnswered]) -> list[float]:
    return [difference for one in answers for difference in one.differences]
