"""Ratios of whole runs: half pairs, pooled runs, three sides, comparators, A/A."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pytest
import scipy
from hypothesis import given
from hypothesis import strategies as st
from synthetic import COMPARATOR, JOB, THREE, WRITE, make_forks, make_run

from flink_boost.base.errors import UsageProblem
from flink_boost.flink.side import Side
from flink_boost.judge.comparators import compare_with_comparators
from flink_boost.judge.outcomes import Comparison
from flink_boost.judge.pool import pool
from flink_boost.judge.ratio import (
    HarnessCheck,
    _quantile_of_count,
    check_harness,
    compare,
    contrasts,
    unpaired,
)
from flink_boost.judge.verdict import judge
from flink_boost.measure.model import Cell, Mode

AA = (Side.STOCK, Side.CONTROL)


def test_a_half_pair_is_left_out_and_named() -> None:
    info = make_run(pairs=3)
    forks = [
        fork
        for fork in make_forks(info, noise=0.01, seed=3)
        if not (fork.cell == WRITE and fork.pair == 2 and fork.side is Side.PATCHED)
    ]
    write, job = compare(info, forks)
    assert (write.pairs, job.pairs) == (2, 3)
    whole = [fork for fork in forks if fork.pair != 2 or fork.cell == JOB]
    assert compare(info, whole)[0] == write
    assert unpaired(info, forks) == (f"{WRITE.name}: pair 2",)
    assert unpaired(info, make_forks(info)) == ()


def test_a_cell_without_a_whole_pair_has_no_row() -> None:
    info = make_run(pairs=2)
    forks = [fork for fork in make_forks(info) if fork.cell == JOB or fork.side is Side.STOCK]
    assert [row.cell for row in compare(info, forks)] == [JOB]
    assert unpaired(info, forks) == (f"{WRITE.name}: pairs 1, 2",)


def test_many_cells_that_lack_the_same_pairs_are_counted() -> None:
    cells = tuple(WRITE.model_copy(update={"params": (("length", str(n)),)}) for n in range(9))
    info = make_run(pairs=3, cells=cells)
    forks = [fork for fork in make_forks(info) if fork.pair == 1]
    assert unpaired(info, forks) == ("9 benchmarks: pairs 2, 3",)
    more = [fork for fork in make_forks(info) if fork.pair == 1 or fork.cell in cells[:4]]
    assert unpaired(info, more[1:]) == (
        f"{cells[0].name}: pair 1",
        *(f"{cell.name}: pairs 2, 3" for cell in cells[4:]),
    )


def test_pooled_runs_have_all_their_pairs() -> None:
    first, second = make_run(0, pairs=3), make_run(1, pairs=4)
    forks = make_forks(first, noise=0.05, seed=1), make_forks(second, noise=0.05, seed=2)
    info, pooled = pool([(first, forks[0]), (second, forks[1])])
    assert info.pairs == 7
    row = compare(info, pooled)[0]
    logs = [
        math.log(a.score / b.score)
        for run_forks in forks
        for a, b in zip(run_forks[0::4], run_forks[1::4], strict=True)
    ]
    assert row.pairs == 7
    assert row.ratio == pytest.approx(math.exp(np.mean(logs)))


def test_a_run_that_is_named_twice_is_not_two() -> None:
    """With each pair twice the interval would be too narrow."""
    run = make_run(0, pairs=3)
    forks = make_forks(run, noise=0.05)
    with pytest.raises(UsageProblem, match=f"The run {run.run_id} is named twice"):
        pool([(run, forks), (make_run(1), make_forks(make_run(1))), (run, forks)])


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"line": "1.20.5"}, "line"),
        ({"opened": False}, "opened"),
        ({"jvm_options": ("-Xmx1g",)}, "jvm options"),
        ({"sides": AA}, "sides"),
        ({"cells": [WRITE]}, "cells"),
        ({"hostname": "box-2"}, "machines or JDKs"),
        ({"jdk": "21.0.8+9"}, "machines or JDKs"),
        ({"threads": 8}, "threads"),
        ({"heap": "64m"}, "heap"),
    ],
)
def test_runs_of_different_plans_are_not_pooled(change: dict[str, object], named: str) -> None:
    with pytest.raises(UsageProblem, match=named):
        pool([(make_run(), ()), (make_run(**change), ())])  # type: ignore[arg-type]


@pytest.mark.parametrize("field", ["dropin_sha256", "stock_sha256", "third_sha256"])
def test_runs_of_different_jars_are_not_pooled(field: str) -> None:
    with pytest.raises(UsageProblem, match=field.replace("_", " ")):
        pool([(make_run(), ()), (make_run(1).model_copy(update={field: "cd" * 32}), ())])


def aa_rows(intervals: Sequence[tuple[float, float]], pairs: int = 5) -> list[Comparison]:
    info = make_run(sides=AA, cells=[WRITE], pairs=pairs)
    (row,) = compare(info, make_forks(info, noise=0.01, modes=[Mode.THROUGHPUT]))
    return [
        row.model_copy(update={"low": low, "high": high, "verdict": judge(low, high)})
        for low, high in intervals
    ]


def test_a_sound_harness_passes_and_a_biased_one_does_not() -> None:
    sound = aa_rows([(0.97, 1.03)] * 19 + [(1.001, 1.05)])
    # P(X <= 3) = 0.984 and P(X <= 2) = 0.925 for 20 rows at 5 %.
    assert check_harness(sound) == HarnessCheck(20, 1, 3, 0.95)
    assert check_harness(sound).passed
    biased = aa_rows([(0.97, 1.03)] * 16 + [(1.001, 1.05)] * 2 + [(0.9, 0.99)] * 2)
    assert check_harness(biased) == HarnessCheck(20, 4, 3, 0.95)
    assert not check_harness(biased).passed


def test_single_pairs_say_nothing_about_the_harness() -> None:
    assert check_harness(aa_rows([(0.0, math.inf)] * 3, pairs=1)) == HarnessCheck(0, 0, 0, 0.95)


def test_touching_one_does_not_exclude_it() -> None:
    assert check_harness(aa_rows([(1.0, 1.1), (0.9, 1.0), (1.01, 1.1)])).excluding_one == 1


def test_two_sides_have_one_contrast_and_three_have_three() -> None:
    assert contrasts(make_run()) == ((Side.STOCK, Side.PATCHED),)
    assert contrasts(make_run(sides=THREE)) == (
        (Side.STOCK, Side.PATCHED),
        (Side.STOCK, Side.UPSTREAM),
        (Side.UPSTREAM, Side.PATCHED),
    )


def test_the_third_side_is_compared_with_both_others() -> None:
    info = make_run(cells=[WRITE], sides=THREE, pairs=4)
    forks = make_forks(info, ratio=3.0, third_ratio=1.5, noise=0.02, seed=4)
    ours, theirs, between = (compare(info, forks, sides=sides)[0] for sides in contrasts(info))
    scores = {side: [fork.score for fork in forks if fork.side is side] for side in THREE}
    for row, (first, second) in zip((ours, theirs, between), contrasts(info), strict=True):
        logs = [math.log(a / b) for a, b in zip(scores[first], scores[second], strict=True)]
        expected = scipy.stats.ttest_1samp(logs, 0).confidence_interval(0.95)
        assert row.ratio == pytest.approx(math.exp(np.mean(logs)))
        assert row.low == pytest.approx(math.exp(expected.low))
        assert row.high == pytest.approx(math.exp(expected.high))
    assert ours.ratio == pytest.approx(theirs.ratio * between.ratio)
    assert compare(info, forks) == (ours,)


def test_a_missing_third_fork_is_named_and_costs_only_its_own_contrasts() -> None:
    info = make_run(cells=[WRITE], sides=THREE, pairs=3)
    forks = [
        fork
        for fork in make_forks(info, noise=0.01)
        if (fork.side, fork.pair) != (Side.UPSTREAM, 2)
    ]
    assert [compare(info, forks, sides=sides)[0].pairs for sides in contrasts(info)] == [3, 2, 2]
    assert unpaired(info, forks) == (f"{WRITE.name}: pair 2",)


def test_ours_is_set_beside_the_comparators_of_the_same_operation_and_length() -> None:
    def cell(name: str, length: str, **more: str) -> Cell:
        params = (("length", length), ("kind", "ascii"), *more.items())
        return Cell(benchmark=f"org.apache.flink.benchmark.{name}", params=params)

    strings = "StringSerializationBenchmark"
    write16, write64, read16 = (
        cell(f"{strings}.{name}", length, profile="mixed", view="x")
        for name, length in (("write", "16"), ("write", "64"), ("read", "16"))
    )
    theirs = cell("StringComparatorBenchmark.readKryo", "16")
    info = make_run(cells=[write16, COMPARATOR, write64, read16, theirs], pairs=3)
    forks = make_forks(info, ratio=4.0, noise=0.03, seed=9)
    found = compare_with_comparators(info, forks)
    assert [(one.ours, one.row.cell) for one in found] == [(write16, COMPARATOR), (read16, theirs)]
    patched = {
        cell: [fork.score for fork in forks if fork.cell == cell and fork.side is Side.PATCHED]
        for cell in info.cells
    }
    logs = [math.log(a / b) for a, b in zip(patched[COMPARATOR], patched[write16], strict=True)]
    assert found[0].row.ratio == pytest.approx(math.exp(np.mean(logs)))
    assert found[0].row.pairs == 3
    assert [row.cell for row in compare(info, forks)] == [write16, write64, read16]
    assert unpaired(info, forks) == ()
    lost = [fork for fork in forks if fork.cell != COMPARATOR or fork.pair != 2]
    assert compare_with_comparators(info, lost)[0].row.pairs == 2
    assert unpaired(info, lost) == (f"{COMPARATOR.name}: pair 2",)


@given(trials=st.integers(0, 400), probability=st.floats(0.001, 0.5))
def test_false_differences_are_allowed_as_often_as_chance_makes_them(
    trials: int, probability: float
) -> None:
    expected = scipy.stats.binom.ppf(0.95, trials, probability) if trials else 0
    assert _quantile_of_count(0.95, trials, probability) == expected
