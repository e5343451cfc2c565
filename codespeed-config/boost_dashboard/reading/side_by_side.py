"""The newest results of several executables, relative to one of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from boost_dashboard.natural_order import group_of, natural_key
from boost_dashboard.reading.rows import (
    RATIO_SUFFIX,
    Benchmark,
    Box,
    Executable,
    Measured,
    Run,
    measured,
)
from boost_dashboard.reading.scope import read_benchmarks, results_of

_STOCK, _PATCHED = "stock ", "patched "


@dataclass(frozen=True)
class Bar:
    """One executable's newest value, and how many times as fast as the base it is (None: unknown).

    ``relative`` has an interval where both were measured in pairs.
    """

    executable: Executable
    value: Measured
    relative: Measured | None


@dataclass(frozen=True)
class Row:
    """One benchmark."""

    benchmark: Benchmark
    bars: tuple[Bar, ...]


@dataclass(frozen=True)
class Group:
    """Benchmarks whose names begin alike."""

    name: str
    rows: tuple[Row, ...]


def read_groups(
    box: Box, newest: Mapping[int, Run], executables: Sequence[Executable], base: Executable
) -> tuple[Group, ...]:
    """The newest run of each executable, by benchmark, in natural order."""
    benchmarks = read_benchmarks()
    names = {each.id: each.name for each in benchmarks}
    values: dict[tuple[str, int], Measured] = {}
    for executable in {*executables, base}:
        if executable.id not in newest:
            continue
        rows = (
            results_of(box)
            .filter(
                revision_id=newest[executable.id].id,
                executable_id=executable.id,
            )
            .values_list("benchmark_id", "value", "val_min", "val_max")
        )
        for benchmark, value, low, high in rows:
            point = measured(value, low, high)
            if point is not None and benchmark in names:
                values[names[benchmark], executable.id] = point
    shown = []
    for benchmark in benchmarks:
        bars = [
            Bar(each, point, _relative(benchmark, each, base, values, newest))
            for each in executables
            if not benchmark.is_ratio and (point := values.get((benchmark.name, each.id)))
        ]
        if bars:
            shown.append(Row(benchmark, tuple(bars)))
    shown.sort(key=lambda row: natural_key(group_of(row.benchmark.name)))
    grouped = groupby(shown, key=lambda row: group_of(row.benchmark.name))
    return tuple(Group(name, tuple(rows)) for name, rows in grouped)


def _relative(
    benchmark: Benchmark,
    executable: Executable,
    base: Executable,
    values: Mapping[tuple[str, int], Measured],
    newest: Mapping[int, Run],
) -> Measured | None:
    if executable == base:
        return Measured(1.0)
    paired = values.get((benchmark.name + RATIO_SUFFIX, executable.id))
    is_pair = (
        base.name.startswith(_STOCK)
        and executable.name == _PATCHED + base.name.removeprefix(_STOCK)
        and newest.get(base.id) == newest[executable.id]
    )
    if paired is not None and is_pair:
        return paired
    own = values[benchmark.name, executable.id].value
    other = values.get((benchmark.name, base.id))
    if other is None or own <= 0 or other.value <= 0:
        return None
    return Measured(other.value / own if benchmark.less_is_better else own / other.value)
