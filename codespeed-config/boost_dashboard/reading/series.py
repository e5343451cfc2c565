"""Benchmarks over time."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from boost_dashboard.reading.rows import Benchmark, Box, Measured, Run, measured
from boost_dashboard.reading.scope import results_of

Series = dict[int, Measured]  # by number of the run


def read_series(
    benchmarks: Iterable[Benchmark], box: Box, runs: Sequence[Run], executables: Iterable[int]
) -> dict[tuple[int, int], Series]:
    """Points by benchmark and executable."""
    rows = (
        results_of(box)
        .filter(
            benchmark_id__in=[each.id for each in benchmarks],
            revision_id__in=[run.id for run in runs],
            executable_id__in=list(executables),
        )
        .values_list("benchmark_id", "executable_id", "revision_id", "value", "val_min", "val_max")
    )
    found: dict[tuple[int, int], Series] = {}
    for benchmark, executable, revision, value, low, high in rows:
        point = measured(value, low, high)
        if point is not None:
            found.setdefault((benchmark, executable), {})[revision] = point
    return found
