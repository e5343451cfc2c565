"""Codespeed's table of what changed since the run before, with as many queries as it has units.

``Report.get_changes_table`` asks the database ten times for each benchmark, runs twice for each
report, and never ends on a negative value. This gives the same table, number by number, of results
that are read at once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import reduce
from operator import add
from typing import Any

from codespeed.models import Benchmark, Report, Result
from django.conf import settings

Table = list[dict[str, Any]]
# Those of a benchmark in a run, by the keys of both.
_Results = Mapping[tuple[int, int], Result]


def get_changes_table(
    report: Report, trend_depth: int = 10, force_save: bool = False
) -> Table | dict[str, Any]:
    """As Codespeed's method of that name."""
    if not force_save and trend_depth == (getattr(settings, "TREND", None) or 10):
        kept: Table | dict[str, Any] = report._get_tablecache()
        return kept
    runs = [run.pk for run in report.get_last_revisions(trend_depth)]
    table = table_of(runs, report.environment_id, report.executable_id, trend_depth)
    if force_save and runs:
        report._save_tablecache(table)
    return table


def table_of(runs: Sequence[int], environment: int, executable: int, trend_depth: int) -> Table:
    """The table of the first of these runs, of which one more than ``trend_depth`` count."""
    if not runs:
        return []
    past = runs[trend_depth - 2 : trend_depth + 1] if len(runs) > 1 else []
    results = {
        (one.revision_id, one.benchmark_id): one
        for one in Result.objects.filter(
            revision__in={*runs[:2], *past},
            environment=environment,
            executable=executable,
        )
    }
    titles = Benchmark.objects.values_list("units_title", flat=True).distinct()
    return [_quantity(title, runs[:2], past, results) for title in titles]


def _quantity(
    title: str, newest: Sequence[int], past: Sequence[int], results: _Results
) -> dict[str, Any]:
    benchmarks = list(Benchmark.objects.filter(units_title=title))
    rows = []
    ratios: dict[str, list[float]] = {"change": [], "trend": []}
    smallest: float = 1000
    found = [
        (benchmark, results[newest[0], benchmark.pk])
        for benchmark in benchmarks
        if (newest[0], benchmark.pk) in results
    ]
    for benchmark, result in found:
        before = results.get((newest[1], benchmark.pk)) if len(newest) > 1 else None
        change: float | str = "-"
        if before is not None:
            change, ratio = _change(result.value, before.value)
            ratios["change"].append(ratio)
        values = [
            results[run, benchmark.pk].value for run in past if (run, benchmark.pk) in results
        ]
        trend: float | str = "-"
        # Not by sum(), which rounds otherwise since Python 3.12.
        total = reduce(add, values, 0.0)
        if total:
            average = total / len(values)
            trend = (result.value - average) * 100 / average
            ratios["trend"].append(result.value / average)
        smallest = min(smallest, abs(result.value) or smallest)
        rows.append(
            {
                "bench_name": benchmark.name,
                "bench_description": benchmark.description,
                "result": result.value,
                "std_dev": _or_dash(result.std_dev),
                "val_min": _or_dash(result.val_min),
                "val_max": _or_dash(result.val_max),
                "change": change,
                "trend": trend,
            }
        )
    return {
        # Codespeed takes these of the last one, whether it has a result or not.
        "units": benchmarks[-1].units,
        "units_title": title,
        "lessisbetter": benchmarks[-1].lessisbetter,
        "has_stddev": any(result.std_dev is not None for _, result in found),
        "hasmin": any(result.val_min is not None for _, result in found),
        "hasmax": any(result.val_max is not None for _, result in found),
        "precission": _digits(smallest),
        "totals": {name: _total(each) for name, each in ratios.items()},
        "rows": rows,
    }


def _change(now: float, before: float) -> tuple[float, float]:
    """In per cent, and as a ratio."""
    if before != 0:
        return (now - before) * 100 / before, now / before
    return (0, 1) if now == 0 else (float("inf"), float("inf"))


def _total(ratios: Sequence[float]) -> float | str:
    return (float(sum(ratios) / len(ratios)) - 1) * 100 if ratios else "-"


def _digits(smallest: float) -> int:
    digits = 2
    while smallest < 1:
        smallest *= 10
        digits += 1
    return digits


def _or_dash(value: float | None) -> float | str:
    return "-" if value is None else value
