"""What a series has lost or won little by little: each build held against an anchor.

The anchor is the night whose level people last agreed to: that of an alarm that they accepted, the
last one of a release, or the first of the series. Steps of ``LEAST`` and more stand for themselves.
What is left of the change since the anchor is one alarm that grows, however many small steps it
came in.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace

from flink_boost.judge.detection.confirmation import (
    BATCH,
    FALSE_CONFIRMATION,
    MISSED_CHANGE,
    MOST_PAIRS,
)
from flink_boost.judge.detection.confirmed_changes import ConfirmedAlarm, Kind
from flink_boost.judge.detection.evidence import Evidence
from flink_boost.judge.detection.memory import AnchorMemory, ToldPart
from flink_boost.judge.detection.nights import NOISE_NIGHTS, Night, hodges_lehmann, noise_of
from flink_boost.judge.detection.suspicion import LEARNING_NIGHTS

LEAST = 0.03  # log-ratio: what is told first, and by how much more it grows until it is told again
_ERROR = 0.05  # of intervals
_UNKNOWN_ERROR = 0.03

# As a ``Rerun`` of the anchor's build against tonight's; empty when it is not the turn of this
# series. The last argument says that a small change was confirmed, so that it does not wait.
Hold = Callable[[int, int, int, bool], Sequence[float] | None]


class Anchor:
    """Adds up what is small in the nights of a series. What has grown is told with its
    ``suspected`` night once more, and takes the place of what was told before.

    ``agreed`` says which night people had agreed to before a night, if any, and ``released`` which
    one was the last of a release, but for one while a drift is open: its way back would be news.
    """

    def __init__(
        self,
        hold: Hold,
        agreed: Callable[[int], int | None] = lambda _: None,
        released: Callable[[int], int | None] = lambda _: None,
    ) -> None:
        self._hold = hold
        self._agreed = agreed
        self._released = released
        self._nights: list[Night] = []
        self._anchor = -1
        self._told: list[ToldPart] = []
        self._held: list[tuple[int, bool]] = []  # nights, and whether nothing was seen in them
        self._growing: ConfirmedAlarm | None = None
        self._back = -1  # the night in which what had crept was back
        self.pairs_asked = 0

    def go_on(self, nights: Sequence[Night], memory: AnchorMemory) -> None:
        """Knows that many nights as they were told, instead of looking at them again."""
        self._nights = list(nights)
        self._anchor, self._told = memory.anchor, list(memory.told)
        self._held, self._growing = list(memory.held), memory.growing
        self._back = memory.back

    @property
    def memory(self) -> AnchorMemory:
        """What the next night has to know of those before."""
        return AnchorMemory(
            self._anchor, tuple(self._told), tuple(self._held), self._growing, self._back
        )

    def after(
        self, night: Night, alarm: ConfirmedAlarm | None, *, is_pending: bool = False
    ) -> ConfirmedAlarm | None:
        """What there is to tell after a night, of which the watcher tells that alarm.

        ``is_pending``: a rerun is undecided, so that this one waits.
        """
        self._nights.append(night)
        self._move_anchor(night.number)
        small = alarm is not None and self._belongs_to_what_grows(alarm)
        if alarm is not None and not small:
            steps = [one for one in self._told if one.stands and one.since >= alarm.back_to]
            if alarm.kind is Kind.RECOVERY:
                self._told = [one for one in self._told if one not in steps]
            alarm = self._as_way_back(
                alarm, undoes_steps=alarm.kind is Kind.RECOVERY and bool(steps)
            )
            if alarm.kind is Kind.RECOVERY:
                self._take_back(alarm, sum(one.effect for one in steps))
            else:
                self._note(alarm)
            return alarm
        is_young = len(self._nights) < LEARNING_NIGHTS
        evidence = None
        if not (is_young or is_pending or self._anchor == night.number):
            evidence = self._compare(night.number, urgent=small)
        if evidence is not None and evidence.pairs:
            return self._found(night.number, evidence)
        if alarm is None or alarm.kind is Kind.RECOVERY:
            return None
        # Nobody can say how large the whole is, and somebody has to hear of this part.
        self._note(alarm)
        return alarm

    def _move_anchor(self, night: int) -> None:
        agreed = [self._nights[0].number, self._agreed(night), self._release_before(night)]
        anchor = max(one for one in agreed if one is not None)
        # What was told since an anchor is told, though somebody may take back that he agreed to it.
        if anchor <= self._anchor:
            return
        self._anchor = anchor
        self._told = [one for one in self._told if one.since > anchor]
        self._held = []
        if all(one.stands for one in self._told):
            self._growing = None

    def _release_before(self, night: int) -> int | None:
        """None from before what had crept was back: held against it that would be news."""
        release = self._released(night)
        return None if release is None or release < self._back else release

    @property
    def _steps(self) -> float:
        return sum(one.effect for one in self._told if one.stands)

    @property
    def _crept(self) -> float:
        """What was told of the rest."""
        return sum(one.effect for one in self._told if not one.stands)

    def _belongs_to_what_grows(self, alarm: ConfirmedAlarm) -> bool:
        if self._growing is None or (abs(alarm.effect) >= LEAST and not alarm.goes_on):
            return False
        has_grown = abs(self._crept) >= LEAST
        return alarm.effect * self._crept > 0 or (has_grown and alarm.kind is Kind.RECOVERY)

    def _as_way_back(self, alarm: ConfirmedAlarm, *, undoes_steps: bool) -> ConfirmedAlarm:
        """A recovery where it leads back to where the anchor is, as the anchor's build shows.

        A step where it leads back to a level on the way there, which nobody was told of.
        """
        growing, crept = self._growing, self._crept
        if growing is None or alarm.kind is Kind.DRIFT or alarm.effect * crept >= 0:
            return alarm
        is_whole = alarm.kind is Kind.RECOVERY and alarm.back_to <= growing.first
        if is_whole or abs(crept) < LEAST or abs(alarm.effect) < LEAST:
            return alarm
        evidence = self._compare(alarm.night, urgent=True)
        if not evidence.pairs:
            return alarm
        rest = abs(hodges_lehmann(evidence.differences) - self._steps)
        if self._side(evidence) * crept < 0 and rest < LEAST:
            # Steps that stand beside what crept are as they were, but for those that it undoes.
            since = alarm.back_to if alarm.kind is Kind.RECOVERY else alarm.first
            return replace(alarm, kind=Kind.RECOVERY, back_to=growing.first, steps_back_to=since)
        return alarm if undoes_steps else replace(alarm, kind=Kind.STEP, back_to=-1)

    def _take_back(self, alarm: ConfirmedAlarm, steps: float) -> None:
        """Forgets what a recovery undoes. ``steps`` are those that it undoes."""
        crept = 0.0
        if self._growing is not None and self._growing.first >= alarm.back_to:
            crept, self._growing = self._crept, None
            self._back = alarm.first
            self._told = [one for one in self._told if one.stands]
        rest = alarm.effect + steps + crept
        # People had agreed to what it undoes, or it undoes what was forgotten before. Of what crept
        # a part may be untold, which is back as well.
        if alarm.back_to <= self._anchor or (crept == 0 and abs(rest) >= LEAST):
            self._told.append(ToldPart(alarm.first, rest, _error_of(alarm), stands=True))

    def _note(self, alarm: ConfirmedAlarm) -> None:
        stands = abs(alarm.effect) >= LEAST and alarm.kind is not Kind.DRIFT
        since = alarm.night if alarm.kind is Kind.DRIFT else alarm.first
        crept = self._crept
        self._told.append(ToldPart(since, alarm.effect, _error_of(alarm), stands))
        # A small way back does not take the place of what has grown.
        if not stands and (alarm.effect * crept >= 0 or abs(crept) < LEAST):
            self._growing = alarm

    def _bounds(self) -> tuple[float, float]:
        """Of what has crept: outside of them there is something to tell."""
        crept = self._crept
        if abs(crept) < LEAST:
            return -LEAST, LEAST
        back = math.copysign(LEAST / 2, crept)
        return (crept - LEAST, back) if crept < 0 else (back, crept + LEAST)

    def _compare(self, night: int, *, urgent: bool) -> Evidence:
        """Pairs of the anchor and tonight until they decide; none when it is not the turn."""
        evidence = Evidence(noise_of(self._nights[-NOISE_NIGHTS:]).pair)
        asked = 0
        while asked < MOST_PAIRS and not (evidence.pairs and self._is_decided(evidence)):
            found = self._hold(self._anchor, night, BATCH, urgent)
            asked += BATCH
            if found is None:  # the anchor's very bytes: as fast for certain
                evidence.add((0.0,) * MOST_PAIRS)
                break
            if not found:
                break
            self.pairs_asked += BATCH
            evidence.add(found)
        return evidence

    def _is_decided(self, evidence: Evidence) -> bool:
        low, high = self._bounds()
        enough = -math.log(MISSED_CHANGE)
        excluded = (
            evidence.above(self._steps + low) >= enough
            and evidence.below(self._steps + high) >= enough
        )
        return excluded or self._side(evidence) != 0

    def _side(self, evidence: Evidence) -> int:
        """On which side of the bounds it is, and surely not where it was told to be; or 0."""
        low, high = self._bounds()
        creep = hodges_lehmann(evidence.differences) - self._steps
        # Half an interval is two standard errors.
        slack = math.sqrt(sum(one.error**2 for one in self._told)) / 2
        told = self._steps + self._crept
        sure = -math.log(FALSE_CONFIRMATION)
        if creep <= low and evidence.below(told - slack) >= sure:
            return -1
        return 1 if creep >= high and evidence.above(told + slack) >= sure else 0

    def _found(self, night: int, evidence: Evidence) -> ConfirmedAlarm | None:
        creep = hodges_lehmann(evidence.differences) - self._steps
        low, high = (end - self._steps for end in evidence.interval(_ERROR))
        self._held.append((night, low <= 0 <= high))
        side = self._side(evidence)
        crept, growing = self._crept, self._growing
        if side == 0:
            return None
        new = ConfirmedAlarm(
            night=night,
            first=self._first(growing),
            kind=Kind.DRIFT,
            effect=creep,
            low=low,
            high=high,
            pairs=evidence.pairs,
            suspected=night,
            through=night,
        )
        self._told = [one for one in self._told if one.stands]
        if growing is not None and abs(crept) >= LEAST and side * crept < 0:
            self._growing = None
            self._back = night
            return replace(
                new,
                first=night,
                kind=Kind.RECOVERY,
                effect=creep - crept,
                low=low - crept,
                high=high - crept,
                through=None,
                back_to=growing.first,
                steps_back_to=night,
            )
        if growing is not None and crept * creep > 0 and growing.effect * creep > 0:
            new = replace(
                new,
                night=growing.night,
                suspected=growing.suspected,
                growth=growing.growth + 1,
            )
        self._growing = new
        self._told.append(ToldPart(night, creep, _error_of(new), stands=False))
        return new

    def _first(self, growing: ConfirmedAlarm | None) -> int:
        """The first night after the last in which nothing could be seen yet."""
        if growing is not None and growing.through is not None:
            return growing.first
        clean = max((one for one, is_clean in self._held if is_clean), default=self._anchor)
        if growing is not None and all(
            one <= clean for one, _ in self._held if one < growing.first
        ):
            return growing.first
        return next(one.number for one in self._nights if one.number > clean)


def _error_of(alarm: ConfirmedAlarm) -> float:
    width = (alarm.high - alarm.low) / 2
    return width if math.isfinite(width) else _UNKNOWN_ERROR
