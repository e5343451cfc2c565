"""The canary step: what was frozen is measured on every line that has some, and judged."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass

from flink_boost.flink.lines import Line
from flink_boost.measure import canary, store
from flink_boost.measure.runner import Progress
from flink_boost.service.canary import CanaryNightWork, measure_canary, reading_of
from flink_boost.service.nightly.model import CanaryRecord, NightRecord
from flink_boost.service.nightly.parts import DescribeBox, StepSkipped, Tell
from flink_boost.service.quicklook import Places


@dataclass(frozen=True)
class Canaries:
    """Measures frozen jars; a line without one is left out."""

    places: Places
    environ: Mapping[str, str]
    describe: DescribeBox
    shown: Callable[[], AbstractContextManager[Progress]]
    tell: Tell

    def __call__(self, night: NightRecord, lines: tuple[Line, ...]) -> CanaryRecord:
        """What lies furthest out, over all lines. Raises the errors of ``measure_canary``."""
        results, build = self.places.results, self.places.build
        frozen = [line for line in lines if canary.load(build, line.version) is not None]
        if not frozen:
            raise StepSkipped("no canary is kept; `flink-boost canary freeze` keeps one")
        records = []
        for line in frozen:
            java, box = self.describe(line)
            work = CanaryNightWork(results, build, line, java, box, night.slot)
            with store.lock(results), self.shown() as progress:
                run_id = measure_canary(work, progress, self.tell, self.environ)
            reading = reading_of(results, run_id)
            self.tell(f"  canary {line.version}: {reading.reason or 'steady'}")
            records.append(
                CanaryRecord(
                    moved=reading.moved, ratio=reading.ratio, low=reading.low, high=reading.high
                )
            )
        return max(records, key=lambda one: (one.moved, one.ratio is not None, _distance(one)))


def _distance(record: CanaryRecord) -> float:
    return 0.0 if record.ratio is None else max(record.ratio, 1 / record.ratio)
