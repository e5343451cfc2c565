"""A proof from its first night to its table: nights, calibration, delays, detection.

Everything measured is on disk at once, so that the same call goes on where one has ended.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from flink_boost.base.files import write_durably
from flink_boost.base.text import describe_left
from flink_boost.judge.detection.nights import noise_of
from flink_boost.measure.model import Box, RunInfo
from flink_boost.measure.runner import START_SECONDS
from flink_boost.service.nightly.night_parts import Tell
from lab.cases import DetectionCase, TrueChange
from lab.evaluation import AskRerun, Walk, walk, write_documents
from lab.real.answering import night_name
from lab.real.bench import ProofBench
from lab.real.model import (
    CASES,
    KNOWN,
    RESULT,
    ProofOrder,
    ProofResult,
    RealCase,
    RealOutcome,
)
from lab.scoring import is_about

_USUAL_RERUN = 32  # pairs that deciding about a delay takes
_USUAL_QUIET = 4  # pairs a night that clearing suspicions takes
_MEASURED = 1.0  # seconds; a step that took less was on disk already


class OutOfTime(Exception):
    """The time that was given is over; what was measured stays."""


@dataclass
class Schedule:
    """Says what is done and how long the rest takes; ``work`` is in pairs of forks."""

    work: float
    pair_seconds: float
    seconds: float
    tell: Tell
    clock: Callable[[], float] = time.monotonic
    _done: float = field(default=0.0, init=False)
    _spent: float = field(default=0.0, init=False)
    _measured: float = field(default=0.0, init=False)
    _began: float = field(default=0.0, init=False)
    _last: float = field(default=0.0, init=False)

    def __post_init__(self) -> None:
        self._began = self._last = self.clock()

    def check(self) -> None:
        """Raises ``OutOfTime`` when nothing more may begin."""
        if self.clock() - self._began >= self.seconds:
            raise OutOfTime

    def did(self, what: str, pairs: float) -> None:
        """A step of so many pairs has ended."""
        now = self.clock()
        took, self._last = now - self._last, now
        self._done += pairs
        if took > _MEASURED:
            self._spent, self._measured = self._spent + took, self._measured + pairs
        pace = self._spent / self._measured if self._measured else self.pair_seconds
        left = describe_left(max(0.0, self.work - self._done) * pace)
        self.tell(f"{what}; {left}" if left else what)


@dataclass(frozen=True)
class Proof:
    """A proof that goes on until it is done or out of time."""

    bench: ProofBench
    order: ProofOrder
    schedule: Schedule

    @property
    def _folder(self) -> Path:
        return self.bench.folder

    def run(self, ask: AskRerun, now: Callable[[], datetime]) -> ProofResult:
        """Measures what is missing, and walks through every case with ``ask`` for reruns.

        Out of time it gives what there is. Raises what measuring and ``ask`` raise.
        """
        outcomes: list[RealOutcome] = []
        cases: tuple[RealCase, ...] = ()
        box = self.bench.box()
        try:
            clean = self._clean_nights()
            cases = self._known(clean)
            write_documents(self._folder / KNOWN, cases)
            whole = []
            for case in cases:
                whole.append(self._case(case))
                write_documents(self._folder / CASES, whole)
                outcomes.append(self._walked(case, whole[-1], ask))
                self._keep(outcomes, cases, box, now())
        except OutOfTime:
            self.schedule.tell("The time is over; the same command goes on.")
        return self._keep(outcomes, cases, box, now())

    def _keep(
        self,
        outcomes: Sequence[RealOutcome],
        cases: Sequence[RealCase],
        box: Box,
        made: datetime,
    ) -> ProofResult:
        done = {one.case.id for one in outcomes}
        result = ProofResult(
            made=made,
            order=self.order,
            box=box,
            outcomes=tuple(outcomes),
            open_cases=tuple(one.id for one in cases if one.id not in done),
        )
        write_durably(self._folder / RESULT, result.model_dump_json(indent=1) + "\n")
        return result

    def _clean_nights(self) -> RunInfo:
        order = self.order
        for number in range(1, order.nights + 1):
            self.schedule.check()
            info = self.bench.night(night_name(None, number), order.cells, order.pairs, 0)
            what = f"night {number} of {order.nights} of equal builds"
            self.schedule.did(what, order.pairs * len(order.cells))
        return info

    def _known(self, night: RunInfo) -> tuple[RealCase, ...]:
        """All cases: of each benchmark equal builds first, then its delays."""
        found = []
        for place, cell in enumerate(self.order.cells, start=1):
            self.schedule.check()
            each = self.bench.calibrate(night, cell)
            self.schedule.did(f"{cell.name}: a round of the delay takes {each:.3g}", 4)
            base = statistics.median(
                patched
                for number in range(1, self.order.nights + 1)
                for _, patched in self.bench.scores(night_name(None, number), cell)
            )
            found.append(RealCase(id=f"{place}-equal", cell=cell, time=base))
            for percent in self.order.delays:
                rounds = max(1, round(base * percent / 100 / each))
                found.append(
                    RealCase(
                        id=f"{place}-delay-{percent:g}",
                        cell=cell,
                        rounds=rounds,
                        time=base,
                        delay=rounds * each,
                    )
                )
        # The largest delays first: they take the fewest reruns.
        return tuple(sorted(found, key=lambda one: (one.rounds > 0, -one.rounds)))

    def _case(self, case: RealCase) -> DetectionCase:
        order = self.order
        bench = self.bench
        nights = [
            bench.case_night(night_name(None, number), case.cell, number, 0)
            for number in range(1, order.nights + 1)
        ]
        for number in self._slow(case):
            self.schedule.check()
            name = night_name(case, number)
            bench.night(name, (case.cell,), order.pairs, case.rounds)
            nights.append(bench.case_night(name, case.cell, number, case.rounds))
            what = f"{case.id}: slow night {number - order.nights} of {order.slow_nights}"
            self.schedule.did(what, order.pairs)
        mode, unit = bench.unit(night_name(None, 1), case.cell)
        return DetectionCase(
            id=case.id,
            unit=unit,
            less_is_better=mode.less_is_better,
            pairs_per_night=order.pairs,
            nights=tuple(night if night.pairs else None for night in nights),
        )

    def _slow(self, case: RealCase) -> range:
        first = self.order.nights + 1
        return range(first, first + self.order.slow_nights if case.rounds else first)

    def _walked(self, known: RealCase, case: DetectionCase, ask: AskRerun) -> RealOutcome:
        asked: list[tuple[int, int]] = []

        def counted(one: DetectionCase, before: int, after: int, pairs: int) -> Sequence[float]:
            self.schedule.check()
            asked.append((after, pairs))
            found = ask(one, before, after, pairs)
            total = sum(many for _, many in asked)
            self.schedule.did(f"{known.id}: {total} pairs rerun, for night {after + 1}", 0)
            return found

        walked = walk(case, counted)
        outcome = outcome_of(known, case, walked, asked, self.order.nights)
        usual = _USUAL_RERUN if known.rounds else _USUAL_QUIET * self.order.nights
        self.schedule.did(f"{known.id}: {in_words(outcome)}", usual)
        return outcome


def outcome_of(
    known: RealCase,
    case: DetectionCase,
    walked: Walk,
    asked: Sequence[tuple[int, int]],
    clean: int,
) -> RealOutcome:
    """What a walk through a case says; pure. ``asked`` are reruns: night after, and pairs.

    Alarms in nights of equal builds are counted in the case that is about these.
    """
    noise = noise_of(case.to_nights()[:clean])
    alarms = [one for one in walked.alarms if not known.rounds or int(one.night) > clean]
    change = TrueChange(first=clean + 1, last=clean + 1, ratio=1 / (1 + known.slowdown / 100))
    right = next((one for one in alarms if known.rounds and is_about(one, change)), None)
    return RealOutcome(
        case=known,
        nights=len(case.nights),
        alarm=right,
        delay_nights=int(right.night) - change.first if right else None,
        named_off=int(right.first_bad) - change.first if right else None,
        false_alarms=tuple(one for one in alarms if one is not right),
        pairs=sum(pairs for after, pairs in asked if not known.rounds or after >= clean),
        night_noise=noise.night,
        pair_noise=noise.pair,
    )


def in_words(outcome: RealOutcome) -> str:
    """One line for whoever waits."""
    false_ones = f", {len(outcome.false_alarms)} false alarms"
    if not outcome.case.rounds:
        return f"equal builds for {outcome.nights} nights, {outcome.pairs} pairs rerun{false_ones}"
    told = (
        "not told" if outcome.delay_nights is None else f"told after {outcome.delay_nights} nights"
    )
    return f"{outcome.case.slowdown:.1f} % slower, {told}, {outcome.pairs} pairs rerun{false_ones}"


def work_of(order: ProofOrder) -> float:
    """How many pairs of forks a proof takes, about."""
    cells = len(order.cells)
    clean = order.nights * cells * (order.pairs + _USUAL_QUIET)
    delays = len(order.delays) * cells * (order.slow_nights * order.pairs + _USUAL_RERUN)
    return clean + 4 * cells + delays


def pair_seconds(bench: ProofBench) -> float:
    """How long a pair of forks takes, about."""
    return 2 * (statistics.fmean(one.seconds for one in bench.group.timings) + START_SECONDS)
