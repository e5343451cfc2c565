"""Stores results as Codespeed does, many with one statement.

``codespeed.results.save_result`` asks the database some twenty times for each result. Here it
stores the first one of a run, executable and box, and makes these; all others follow together.
Codespeed has no receivers of signals, and neither have we, so that nobody misses one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from codespeed.models import Benchmark, Environment, Executable, Result, Revision
from codespeed.results import create_report_if_enough_data, save_result

from boost_dashboard.incoming import is_complete

Item = Mapping[str, Any]
Place = tuple[Revision, Executable, Environment]

_PLACE = ("project", "branch", "commitid", "executable", "environment")
_OF_BENCHMARK = ("description", "units", "units_title", "lessisbetter")
_KEY = ("revision", "executable", "benchmark", "environment")
_VALUES = ("value", "date", "std_dev", "val_min", "val_max", "q1", "q3")


def store(items: Sequence[Item]) -> str:
    """Stores them in their order, and makes the reports that Codespeed would make.

    Returns Codespeed's sentence for the first that it refuses, else nothing; the caller has a
    transaction, and ends it accordingly. Raises ``ValidationError``.
    """
    benchmarks = _benchmarks([item for item in items if is_complete(item)])
    places: dict[tuple[str, ...] | None, Place] = {}
    rows: dict[tuple[int, int, int, int], Result] = {}
    for item in items:
        key = tuple(item[name] for name in _PLACE) if is_complete(item) else None
        if key in places:
            row = _row(item, places[key], benchmarks[item["benchmark"]])
            # Of two for one place the later one counts.
            rows[row.revision_id, row.executable_id, row.benchmark_id, row.environment_id] = row
            continue
        stored, is_refused = save_result(item)
        if is_refused:
            return str(stored)
        places[key] = stored
    Result.objects.bulk_create(
        rows.values(), update_conflicts=True, unique_fields=_KEY, update_fields=_VALUES
    )
    for place in places.values():
        create_report_if_enough_data(*place)
    return ""


def _benchmarks(items: Iterable[Item]) -> Mapping[str, Benchmark]:
    """Those of the items by their names; a new one is as the first item says."""
    first: dict[str, Item] = {}
    for item in items:
        first.setdefault(item["benchmark"], item)
    known: dict[str, Benchmark] = Benchmark.objects.in_bulk(list(first), field_name="name")
    new = [_new_benchmark(item) for name, item in first.items() if name not in known]
    if not new:
        return known
    # Another sender may make them at the same moment.
    Benchmark.objects.bulk_create(new, ignore_conflicts=True)
    return known | Benchmark.objects.in_bulk([one.name for one in new], field_name="name")


def _new_benchmark(item: Item) -> Benchmark:
    given = {name: item[name] for name in _OF_BENCHMARK if name in item}
    benchmark = Benchmark(name=item["benchmark"], **given)
    benchmark.clean_fields()
    benchmark.clean()
    return benchmark


def _row(item: Item, place: Place, benchmark: Benchmark) -> Result:
    revision, executable, environment = place
    row = Result(
        revision=revision,
        executable=executable,
        benchmark=benchmark,
        environment=environment,
        value=item["result_value"],
        date=item.get("result_date") or revision.date or datetime.now(),  # noqa: DTZ005 - as Codespeed
        std_dev=item.get("std_dev"),
        val_min=item.get("min"),
        val_max=item.get("max"),
        q1=item.get("q1"),
        q3=item.get("q3"),
    )
    # What the key points to exists, and that it is the only row is what the statement is about.
    row.clean_fields(exclude=_KEY)
    return row
