"""The table of changes in the form that Codespeed's own template takes, from one query.

Codespeed makes it with several queries per benchmark, stores a report on the way, and never ends
on a negative value.
"""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from typing import Any

from boost_dashboard.reading.changes import Table, choose_before
from boost_dashboard.reading.rows import Benchmark, Box, Executable, Run
from boost_dashboard.reading.run_tables import read_tables
from boost_dashboard.reading.scope import read_runs, results_of

_LOOKED_BACK = 30
_MOST_DIGITS = 12
NOTHING = "-"  # Codespeed's word for an unknown number


def read_codespeed_table(
    box: Box, executable: Executable, run: Run, trend: int
) -> list[dict[str, Any]]:
    """One entry per title of units, empty without results."""
    earlier = read_runs(box, run.branch, max(trend, _LOOKED_BACK), before=run)
    tables, benchmarks = read_tables(box, executable, (run, *earlier))
    deviations = dict(
        results_of(box)
        .filter(revision_id=run.id, executable_id=executable.id)
        .values_list("benchmark__name", "std_dev")
    )
    now = tables.get(run.id, {})
    before = choose_before(now, [(each, tables.get(each.id, {})) for each in earlier])
    held = tables.get(before.id, {}) if before is not None else {}
    past = [tables.get(each.id, {}) for each in earlier[:trend]]
    rows = [(benchmarks[name], _row(benchmarks[name], now, held, past, deviations)) for name in now]
    titles = dict.fromkeys(benchmark.title for benchmark, _ in rows)
    return [_quantity([pair for pair in rows if pair[0].title == title]) for title in titles]


def _row(
    benchmark: Benchmark,
    now: Table,
    before: Table,
    past: Sequence[Table],
    deviations: Mapping[str, float | None],
) -> dict[str, Any]:
    name = benchmark.name
    own = now[name]
    history = [table[name].value for table in past if name in table]
    deviation = deviations.get(name)
    return {
        "bench_name": name,
        "bench_description": benchmark.description,
        "result": own.value,
        "std_dev": NOTHING if deviation is None else deviation,
        "val_min": NOTHING if own.low is None else own.low,
        "val_max": NOTHING if own.high is None else own.high,
        "change": _per_cent(own.value, before[name].value if name in before else None),
        "trend": _per_cent(own.value, statistics.median(history) if history else None),
    }


def _per_cent(now: float, before: float | None) -> float | str:
    return NOTHING if not before else 100 * (now - before) / before


def _quantity(rows: Sequence[tuple[Benchmark, dict[str, Any]]]) -> dict[str, Any]:
    first = rows[0][0]
    cells = [row for _, row in rows]
    return {
        "units": first.units,
        "units_title": first.title,
        "lessisbetter": first.less_is_better,
        "has_stddev": any(row["std_dev"] != NOTHING for row in cells),
        "hasmin": any(row["val_min"] != NOTHING for row in cells),
        "hasmax": any(row["val_max"] != NOTHING for row in cells),
        "precission": _digits([row["result"] for row in cells]),  # Codespeed's spelling
        "totals": {key: _mean([row[key] for row in cells]) for key in ("change", "trend")},
        "rows": cells,
    }


def _mean(values: Sequence[float | str]) -> float | str:
    numbers = [value for value in values if isinstance(value, float)]
    return statistics.fmean(numbers) if numbers else NOTHING


def _digits(values: Sequence[float]) -> int:
    """Enough decimals for the smallest value to show two digits of it."""
    smallest = min((abs(value) for value in values if value), default=1.0)
    digits = 2
    while smallest < 1 and digits < _MOST_DIGITS:
        smallest *= 10
        digits += 1
    return digits
