"""The canary step: what was frozen is measured on every line that has some, and judged."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass

from flink_boost.base.errors import BenchmarkFailed, BrokenData, FlinkBoostError, MachineBusy
from flink_boost.flink.lines import Line
from flink_boost.measure import frozen_canary, store
from flink_boost.measure.night_record import CanaryRecord, NightRecord
from flink_boost.measure.runner import Progress
from flink_boost.publish.run_places import Places
from flink_boost.service.nightly.canary_night import CanaryNightWork, measure_canary, reading_of
from flink_boost.service.nightly.night_journal import NightJournal
from flink_boost.service.nightly.night_parts import DescribeBox, StepSkipped, Tell

NONE_KEPT = "no canary is kept; `flink-boost canary freeze` keeps one"
_LOOKED_AT = 14  # nights


@dataclass(frozen=True)
class Canaries:
    """Measures frozen jars; a line without one is left out."""

    places: Places
    environ: Mapping[str, str]
    describe: DescribeBox
    shown: Callable[[], AbstractContextManager[Progress]]
    tell: Tell

    def __call__(
        self, night: NightRecord, lines: tuple[Line, ...]
    ) -> tuple[CanaryRecord, FlinkBoostError | None]:
        """What lies furthest out, over all lines, and what kept the first of others from that.

        Raises ``MachineBusy``, and the errors of ``measure_canary`` when no line could be judged.
        """
        records: list[CanaryRecord] = []
        problems: list[FlinkBoostError] = []
        for line in lines:
            try:
                records += self._judged(night, line)
            except MachineBusy:
                raise  # the night waits for it, and what was measured is not measured again
            except FlinkBoostError as problem:
                self.tell(f"  canary {line.version}: {problem}")
                problems.append(problem)
        if not records:
            raise problems[0] if problems else StepSkipped(NONE_KEPT)
        furthest = max(records, key=lambda one: (one.moved, one.ratio is not None, _distance(one)))
        return furthest, next(iter(problems), None)

    def _judged(self, night: NightRecord, line: Line) -> Iterator[CanaryRecord]:
        """One of a line that has a canary, by what could be measured of it."""
        results, build = self.places.results, self.places.build
        if frozen_canary.load(build, line.version) is None:
            return
        java, box = self.describe(line)
        work = CanaryNightWork(results, build, line, java, box, night.slot)
        with store.lock(results), self.shown() as progress:
            try:
                run_id = measure_canary(work, progress, self.tell, self.environ)
            except BenchmarkFailed as failure:
                # A gap, as in a night's run: what the box is like shows in the others.
                self.tell(f"  canary {line.version}: {failure.message}")
                run_id = failure.run_id
        reading = reading_of(results, run_id, self.places.history)
        self.tell(f"  canary {line.version}: {reading.reason or 'steady'}")
        yield CanaryRecord(
            moved=reading.moved, ratio=reading.ratio, low=reading.low, high=reading.high
        )


def moved_lately(journal: NightJournal, until: str = "") -> bool:
    """Whether the canary had moved when it was last judged, in the night ``until`` or before.

    A night in which it could not be measured says nothing; where none is kept, none has moved.
    """
    for name in reversed(journal.nights()[-_LOOKED_AT:]):
        if until and name > until:
            continue
        try:
            night = journal.load(name)
        except BrokenData:
            continue
        if night.canary is not None:
            return night.canary.moved
        if any(one.name == "canary" and NONE_KEPT in one.note for one in night.steps):
            return False
    return False


def _distance(record: CanaryRecord) -> float:
    return 0.0 if record.ratio is None else max(record.ratio, 1 / record.ratio)
