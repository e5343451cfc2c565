"""Pairs go to where they narrow an interval most for their time."""

from __future__ import annotations

import itertools
import math
import random
import statistics
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from synthetic import COMPARATOR

from flink_boost.base.errors import BrokenData
from flink_boost.measure.groups import Group, load_groups
from flink_boost.measure.model import Cell, Timing
from flink_boost.measure.pair_budget import FEWEST, MOST, allot, half_interval
from flink_boost.measure.pair_scatter import Scatter, ScatterTable, load_scatter

TIMING = Timing(warmup_iterations=2, warmup_time_ms=500, iterations=1, iteration_time_ms=1000)


def cell(number: int) -> Cell:
    return Cell(benchmark=f"a.B.c{number}")


def group(count: int, cores: tuple[int, ...] = ()) -> Group:
    cells = tuple(map(cell, range(count)))
    return Group("g", "", False, 3, cells, (TIMING,) * count, cores=cores)


def table(*spreads: float, start: float = 2.0) -> ScatterTable:
    figures = [Scatter(spread=spread, start=start) for spread in spreads]
    return ScatterTable(tuple((f"c{place}$", one) for place, one in enumerate(figures)))


def test_seconds_are_those_of_both_forks_of_every_pair() -> None:
    found = allot(group(1), table(1.0), cores=4, budget=56.0, most=7)
    assert [(one.pairs, one.seconds) for one in found.cells] == [(7, 7 * 2 * (2.0 + 2.0))]
    assert found.seconds == 56
    assert found.fits


def test_with_time_enough_each_reaches_what_is_wanted_and_no_pair_more() -> None:
    found = allot(group(3), table(0.001, 0.02, 0.04), cores=4, budget=1e6)
    assert [one.pairs for one in found.cells] == [FEWEST, 7, 19]
    for one in found.cells[1:]:
        assert one.half_interval_share <= 0.02
        assert half_interval(one.spread, one.pairs - 1) > math.log1p(0.02)


def test_with_less_time_what_scatters_more_still_gets_more_and_all_fits() -> None:
    wide = allot(group(2), table(0.02, 0.04), cores=4, budget=1e6)
    tight = allot(group(2), table(0.02, 0.04), cores=4, budget=wide.seconds * 0.6)
    calm, restless = tight.cells
    assert FEWEST <= calm.pairs < restless.pairs < wide.cells[1].pairs
    assert tight.fits
    assert tight.seconds <= wide.seconds * 0.6
    assert any("less exactly" in note for note in tight.notes)


def test_says_that_it_does_not_fit() -> None:
    found = allot(group(2), table(0.1, 0.1), cores=4, budget=3600 * 0.01)
    assert not found.fits
    assert [one.pairs for one in found.cells] == [FEWEST, FEWEST]
    assert any("does not fit" in note for note in found.notes)


def test_a_box_with_fewer_cores_gets_a_shorter_group_and_is_told() -> None:
    some = group(3, cores=(1, 4, 1))
    assert len(allot(some, table(0.1, 0.1, 0.1), cores=4, budget=1e6).cells) == 3
    found = allot(some, table(0.1, 0.1, 0.1), cores=2, budget=1e6)
    assert [one.cell for one in found.cells] == list(found.group.cells) == [cell(0), cell(2)]
    assert found.left_out == (cell(1),)
    assert "1 of 3 benchmarks are left out" in found.notes[0]
    assert "2 cores" in found.notes[0]


def test_a_comparator_has_one_fork_in_a_pair() -> None:
    some = Group("g", "", False, 3, (COMPARATOR,), (TIMING,))
    found = allot(some, ScatterTable((("", Scatter(spread=1.0, start=2.0)),)), cores=1, budget=1e6)
    assert found.seconds == MOST * 4.0


@given(
    st.lists(st.floats(0.001, 1.0), min_size=1, max_size=20),
    st.floats(1.0, 20_000.0),
    st.integers(1, 16),
)
def test_never_too_long_never_too_few_never_too_many(
    spreads: list[float], budget: float, cores: int
) -> None:
    found = allot(group(len(spreads)), table(*spreads), cores=cores, budget=budget)
    assert all(FEWEST <= one.pairs <= MOST for one in found.cells)
    assert found.group.pairs_in_order() == tuple(one.pairs for one in found.cells)
    assert found.fits == (found.seconds <= budget)
    if not found.fits:
        assert {one.pairs for one in found.cells} == {FEWEST}
    for one, other in itertools.combinations(found.cells, 2):
        if one.spread != other.spread:
            calm, restless = sorted((one, other), key=lambda one: one.spread)
            assert calm.pairs <= restless.pairs


def brute_force(spreads: Sequence[float], rounds: int) -> float:
    """The smallest sum of widths that any way to share that many pairs out gives."""
    shares = itertools.product(range(FEWEST, MOST), repeat=len(spreads))
    return min(sum(map(half_interval, spreads, pairs)) for pairs in shares if sum(pairs) == rounds)


@pytest.mark.parametrize("rounds", [15, 16, 22, 30])
def test_no_other_way_to_share_the_pairs_out_is_better(rounds: int) -> None:
    spreads = (0.05, 0.2, 0.4)
    found = allot(group(3), table(*spreads), cores=1, budget=rounds * 8.0)
    assert sum(one.pairs for one in found.cells) == rounds
    assert sum(one.half_interval for one in found.cells) == pytest.approx(
        brute_force(spreads, rounds)
    )


def test_the_interval_that_is_expected_is_the_one_that_comes() -> None:
    source = random.Random(20)
    halves = []
    for _ in range(4000):
        sample = [source.gauss(0, 0.1) for _ in range(8)]
        halves.append(half_interval(statistics.stdev(sample), 8))
    assert statistics.fmean(halves) == pytest.approx(half_interval(0.1, 8), rel=0.06)


@pytest.mark.parametrize("cores", [1, 2, 4])
def test_the_night_of_three_lines_takes_less_than_six_hours(cores: int) -> None:
    night = load_groups()["nightly"]
    found = allot(night, load_scatter(), cores=cores, budget=1.6 * 3600)
    assert found.fits
    assert 3 * found.seconds <= 6 * 3600
    assert bool(found.left_out) is (cores < 4)
    kinds = {one.cell.benchmark.split(".")[-2] for one in found.cells}
    assert kinds >= {
        "StringSerializationBenchmark",
        "SerializationFrameworkMiniBenchmarks",
        "RecordWriterBenchmark",
        "RecordReaderBenchmark",
        "StreamNetworkThroughputBenchmarkExecutor",
        "KeyByBenchmarks",
        "WindowBenchmarks",
        "RocksStateBackendBenchmark",
    }


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[[noise]]\nmatch = '('\nspread = 1\nstart = 1",
        "[[noise]]\nmatch = ''\nspread = 0\nstart = 1",
        "[[noise]]\nmatch = ''\nspread = nan\nstart = 1",
        "[[noise]]\nmatch = ''\nspread = 0.1\nstart = -1",
        "noise = []",
        "no TOML",
    ],
)
def test_a_damaged_table_is_refused(tmp_path: Path, text: str) -> None:
    file = tmp_path / "noise.toml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(BrokenData):
        load_scatter(file)


def test_a_benchmark_that_no_entry_names_is_an_error() -> None:
    with pytest.raises(BrokenData, match="says nothing"):
        allot(group(1), ScatterTable(()), cores=1, budget=1.0)
