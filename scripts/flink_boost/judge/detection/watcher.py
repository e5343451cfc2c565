"""One benchmark, night by night: what is suspected, rerun and told."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence

from flink_boost.judge.detection.confirmation import (
    MOST_PAIRS,
    Confirmation,
    Decision,
    Rerun,
    is_same,
)
from flink_boost.judge.detection.confirmed_changes import (
    ConfirmedAlarm,
    Kind,
    OpenAlarm,
    with_alarm,
)
from flink_boost.judge.detection.evidence import Evidence
from flink_boost.judge.detection.localisation import locate
from flink_boost.judge.detection.memory import Memory, Past, PendingRerun
from flink_boost.judge.detection.nights import (
    NOISE_NIGHTS,
    Night,
    Noise,
    distances,
    noise_of,
    sigma,
)
from flink_boost.judge.detection.suspicion import (
    LEARNING_NIGHTS,
    Suspicion,
    first_threshold,
    least_change,
    suspect,
    window_of,
)

_BASELINE = 30
_MARGIN = 8  # nights before the suspected one whose build is rerun: a drift began earlier
_GIVEN_UP = 2 * MOST_PAIRS
_FEWEST_RERUNS, _NEWEST_RERUNS = 24, 200  # pairs
_FAR_OUT = 4  # standard deviations: no level that is this far from another is the same
_MOVED = 4  # nights cleared in a row and on one side: the ratio moved, and the builds did not


class Watcher:
    """Takes nights in order and tells each change once. ``pairs_asked`` counts reruns' pairs."""

    def __init__(self, rerun: Rerun, budget: int = MOST_PAIRS) -> None:
        self._rerun = rerun
        self._budget = budget
        self._nights: list[Night] = []
        self._start = 0  # number of the first night of this level
        self._cleared = -1  # number of the last night that a rerun cleared
        self._sides: list[tuple[int, int]] = []  # nights cleared in a row, and their direction
        self._pending: Confirmation | None = None
        self._open: list[OpenAlarm] = []  # newest last
        self._spread: list[float] = []  # distances of reruns' pairs from their middle
        self.pairs_asked = 0
        self.decisions: dict[tuple[int, int], Decision] = {}  # of builds of two nights, by number
        self.decided: dict[tuple[int, int], Decision] = {}  # those of the newest night, in order
        self.urgency = 0.0  # of the newest night's suspicion: what is rerun first

    def add(self, night: Night) -> ConfirmedAlarm | None:
        """What there is to tell after that night. Nights without pairs are not added."""
        self._nights.append(night)
        self.decided = {}
        self.urgency = math.inf if self._pending else 0.0
        noise = self._noise()
        confirmation = self._pending or self._suspected(night, noise)
        if confirmation is None:
            return None
        known = confirmation.evidence.pairs
        outcome = confirmation.run(self._counted, self._budget)
        self._note(confirmation.before, confirmation.after, outcome)
        self._spread += distances(confirmation.evidence.differences[known:])
        if outcome is Decision.INCONCLUSIVE:
            # A build that cannot be rerun would stand in the way of later suspicions.
            has_grown = confirmation.evidence.pairs > known
            self._pending = self._still_open(confirmation) if has_grown else None
            return None
        self._pending = None
        if outcome is Decision.CLEARED:
            self._clear(confirmation)
            return None
        return self._tell(confirmation, noise)

    def go_on(self, past: Past) -> None:
        """Knows that many nights as they were judged, instead of judging them again."""
        memory = past.memory
        self._nights = list(past.nights)
        self._start, self._cleared = memory.start, memory.cleared
        self._sides, self._open = list(memory.sides), list(memory.open)
        self._spread, self.decisions = list(past.spread), dict(past.decisions)
        if memory.pending is not None:
            one = memory.pending
            evidence = Evidence(one.scale)
            evidence.add(past.pending)
            self._pending = Confirmation(one.before, one.after, one.direction, one.least, evidence)

    @property
    def memory(self) -> Memory:
        """What the next night has to know of those before."""
        pending = None
        if (one := self._pending) is not None:
            scale = one.evidence.scale
            pending = PendingRerun(one.before, one.after, one.direction, one.least, scale)
        return Memory(
            start=self._start,
            cleared=self._cleared,
            sides=tuple(self._sides),
            pending=pending,
            open=tuple(self._open),
        )

    @property
    def newest(self) -> int:
        """The number of the newest night."""
        return self._nights[-1].number

    @property
    def is_learning(self) -> bool:
        """Whether there are so few nights that only what is far out is suspected."""
        return len(self._nights) < LEARNING_NIGHTS

    @property
    def pending(self) -> Confirmation | None:
        """The suspicion that no rerun has decided yet; it goes on with the next night."""
        return self._pending

    def _noise(self) -> Noise:
        """That of the nights; of a pair, that of reruns where they scatter more."""
        noise = noise_of(self._nights[-NOISE_NIGHTS:])
        if len(self._spread) < _FEWEST_RERUNS:
            return noise
        return Noise(noise.night, max(noise.pair, sigma(self._spread[-_NEWEST_RERUNS:])))

    def _suspected(self, night: Night, noise: Noise) -> Confirmation | None:
        limit = None
        if self.is_learning:
            limit = first_threshold(self._nights)
            if limit is None:
                return None
        level = [one for one in self._nights if one.number >= self._start]
        newest = [one for one in level if one.number > self._cleared]
        # Of a level that has just begun, the first night is the only one to compare with.
        if len(newest) == len(level):
            newest = newest[1:]
        older = level[: len(level) - len(newest)]
        found = suspect(older, newest, noise, limit, window_of(len(self._nights)))
        if found is None:
            return None
        self.urgency = found.score
        return Confirmation(
            before=self._build_before(found),
            after=night.number,
            direction=found.direction,
            least=least_change(noise),
            evidence=Evidence(noise.pair),
        )

    def _build_before(self, found: Suspicion) -> int:
        """A night well before the suspected one, on the same level."""
        earlier = [one.number for one in self._nights if self._start <= one.number < found.first]
        return earlier[-_MARGIN] if len(earlier) >= _MARGIN else earlier[0]

    def _still_open(self, confirmation: Confirmation) -> Confirmation | None:
        """Goes on the next night, unless far more pairs than usual have not decided it."""
        if confirmation.evidence.pairs < _GIVEN_UP:
            return confirmation
        self._clear(confirmation)
        return None

    def _clear(self, confirmation: Confirmation) -> None:
        self._cleared = confirmation.after
        self._sides.append((confirmation.after, confirmation.direction))
        newest = self._sides[-_MOVED:]
        if len(newest) == _MOVED and len({side for _, side in newest}) == 1:
            moved = [one for one in self._nights if one.number >= newest[0][0]]
            older = [one for one in self._nights if self._start <= one.number < newest[0][0]]
            if _are_apart(older, moved, newest[0][1]):
                # Both builds are equally fast and the ratio stays: it is stock or the box.
                self._start = newest[0][0]
            self._sides.clear()

    def _tell(self, confirmation: Confirmation, noise: Noise) -> ConfirmedAlarm:
        old = [
            one.level for one in self._nights if self._start <= one.number <= confirmation.before
        ]
        baseline = statistics.median(old[-_BASELINE:])
        between = [
            one for one in self._nights if confirmation.before <= one.number <= confirmation.after
        ]
        undone = self._undone(confirmation, baseline, noise)
        if undone is not None:
            # A level of a few nights is known better from the one before it and the rerun.
            shift = statistics.median(confirmation.evidence.differences)
            baseline = self._open[undone].level_before - shift
        change = locate(
            between,
            confirmation.before,
            confirmation.after,
            baseline,
            confirmation.evidence.differences,
            noise,
            self._counted,
            may_drift=undone is None,
        )
        low, high = confirmation.evidence.interval(0.05)
        kind = Kind.DRIFT if change.is_drift else Kind.STEP
        alarm = ConfirmedAlarm(
            night=self._nights[-1].number,
            first=change.first,
            kind=kind if undone is None else Kind.RECOVERY,
            effect=change.effect,
            low=low,
            high=high,
            pairs=confirmation.evidence.pairs,
            suspected=confirmation.after,
            back_to=-1 if undone is None else self._open[undone].alarm.first,
        )
        if undone is None:
            opened = OpenAlarm(alarm, baseline, confirmation.before)
            self._open, alarm = with_alarm(self._open, opened, 2 * confirmation.least)
        else:
            del self._open[undone:]
            # What has become slower again may be undone as well, and is no good end of anything.
            if alarm.effect < 0:
                self._open.append(OpenAlarm(alarm, baseline, confirmation.before))
        # A drift has not ended: its newest night is the level that the next ones are held against.
        self._start = change.first if alarm.kind is not Kind.DRIFT else self._nights[-1].number
        self._cleared = self._nights[-1].number
        self._sides.clear()
        return alarm

    def _undone(self, confirmation: Confirmation, baseline: float, noise: Noise) -> int | None:
        """The place of the oldest open alarm that is undone: the level from before it is back."""
        level = baseline + statistics.median(confirmation.evidence.differences)
        # A level that is older than another is further away, or the same.
        for place in reversed(range(len(self._open))):
            opened = self._open[place]
            apart = abs(opened.level_before - baseline)
            distance = abs(level - opened.level_before)
            if opened.alarm.effect * confirmation.direction > 0 or distance > max(
                apart, _FAR_OUT * noise.night
            ):
                continue
            outcome = is_same(
                opened.before, confirmation.after, confirmation.least, noise.pair, self._counted
            )
            self._note(opened.before, confirmation.after, outcome)
            if outcome is Decision.CLEARED or (
                outcome is Decision.INCONCLUSIVE
                and distance < min(0.5 * apart, 2 * confirmation.least)
            ):
                return place
        return None

    def _note(self, before: int, after: int, outcome: Decision) -> None:
        self.decided[before, after] = self.decisions[before, after] = outcome

    def _counted(self, before: int, after: int, pairs: int) -> Sequence[float] | None:
        found = self._rerun(before, after, pairs)
        self.pairs_asked += 0 if found is None else pairs
        return found


def _are_apart(older: Sequence[Night], moved: Sequence[Night], direction: int) -> bool:
    if not older:
        return False
    middle = statistics.median(one.level for one in older)
    return all((one.level - middle) * direction > 0 for one in moved)
