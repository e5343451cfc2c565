"""One run against the run before it that measured the same, benchmark by benchmark."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from boost_dashboard.reading.rows import RATIO_SUFFIX, Benchmark, Measured, Run

Table = Mapping[str, Measured]  # of one run and executable, by name of the benchmark


@dataclass(frozen=True)
class Change:
    """A benchmark of a run. Changes are of the ratio where there is one, in per cent.

    ``mark`` is ``faster``, ``slower``, ``undecided`` (beyond the threshold, but the intervals
    overlap) or empty.
    """

    benchmark: Benchmark
    value: Measured | None
    ratio: Measured | None
    before: Measured | None
    change: float | None
    trend: float | None
    mark: str

    @property
    def compared(self) -> Measured | None:
        return self.ratio or self.value


@dataclass(frozen=True)
class Comparison:
    """All benchmarks of a run; ``before`` is the run that they are held against."""

    run: Run
    before: Run | None
    rows: tuple[Change, ...]


def choose_before(now: Table, earlier: Sequence[tuple[Run, Table]]) -> Run | None:
    """The newest earlier run that has all benchmarks of this one, else the one with most of them.

    A quick look between two nights has few of them, so it is passed over.
    """
    best, most = None, 0
    for run, table in earlier:
        shared = len(now.keys() & table.keys())
        if shared > most:
            best, most = run, shared
        if most == len(now):
            break
    return best


def change_of(
    name: str,
    benchmarks: Mapping[str, Benchmark],
    now: Table,
    before: Table,
    past: Sequence[Table],
    threshold: float,
) -> Change:
    """What became of that benchmark since the run before, and against the runs of the past."""
    ratio = now.get(name + RATIO_SUFFIX)
    key = name + RATIO_SUFFIX if ratio is not None else name
    compared, held = now[key], before.get(key)
    history = [table[key].value for table in past if key in table]
    change = _per_cent(compared.value, held.value) if held is not None else None
    trend = _per_cent(compared.value, statistics.median(history)) if history else None
    benchmark = benchmarks[name if name in now else key]
    return Change(
        benchmark=benchmark,
        value=now.get(name),
        ratio=ratio,
        before=held,
        change=change,
        trend=trend,
        mark=mark(compared, held, change, threshold, benchmarks[key].less_is_better),
    )


def mark(
    now: Measured,
    before: Measured | None,
    change: float | None,
    threshold: float,
    less_is_better: bool,
) -> str:
    """What is to be said of a change; see :class:`Change`."""
    if before is None or change is None or abs(change) < threshold:
        return ""
    if now.has_interval and before.has_interval and _overlap(now, before):
        return "undecided"
    return "faster" if (change < 0) is less_is_better else "slower"


def _overlap(one: Measured, other: Measured) -> bool:
    assert one.low is not None  # noqa: S101 - has_interval, for mypy
    assert one.high is not None  # noqa: S101
    assert other.low is not None  # noqa: S101
    assert other.high is not None  # noqa: S101
    return one.low <= other.high and other.low <= one.high


def _per_cent(now: float, before: float) -> float | None:
    return None if before == 0 else 100 * (now - before) / before
