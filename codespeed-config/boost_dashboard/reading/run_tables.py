"""The results of a run and of those before it."""

from __future__ import annotations

from collections.abc import Sequence

from boost_dashboard.natural_order import natural_key
from boost_dashboard.reading.changes import Comparison, change_of, choose_before
from boost_dashboard.reading.rows import (
    RATIO_SUFFIX,
    Benchmark,
    Box,
    Executable,
    Measured,
    Run,
    measured,
)
from boost_dashboard.reading.scope import read_benchmarks, read_runs, results_of

_LOOKED_BACK = 30  # runs in which one with the same benchmarks is looked for


def read_changes(
    box: Box, executable: Executable, run: Run, trend: int, threshold: float
) -> Comparison:
    """The run against the one before; ``trend`` is how many runs its median is taken of."""
    earlier = read_runs(box, run.branch, max(trend, _LOOKED_BACK), before=run)
    tables, benchmarks = read_tables(box, executable, (run, *earlier))
    now = tables.get(run.id, {})
    before = choose_before(now, [(each, tables.get(each.id, {})) for each in earlier])
    past = [tables.get(each.id, {}) for each in earlier[:trend]]
    held = tables.get(before.id, {}) if before is not None else {}
    subjects = sorted({name.removesuffix(RATIO_SUFFIX) for name in now}, key=natural_key)
    rows = tuple(change_of(name, benchmarks, now, held, past, threshold) for name in subjects)
    return Comparison(run, before, rows)


def read_tables(
    box: Box, executable: Executable, runs: Sequence[Run]
) -> tuple[dict[int, dict[str, Measured]], dict[str, Benchmark]]:
    """Results by number of the run and name of the benchmark, and all benchmarks by name."""
    by_id = {each.id: each for each in read_benchmarks()}
    rows = (
        results_of(box)
        .filter(
            revision_id__in=[run.id for run in runs],
            executable_id=executable.id,
        )
        .values_list("revision_id", "benchmark_id", "value", "val_min", "val_max")
    )
    tables: dict[int, dict[str, Measured]] = {}
    for revision, benchmark, value, low, high in rows:
        point = measured(value, low, high)
        if point is not None and benchmark in by_id:
            tables.setdefault(revision, {})[by_id[benchmark].name] = point
    return tables, {each.name: each for each in by_id.values()}
