"""The comparison: known answers, properties, and the coverage of its interval."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence

import numpy as np
import pytest
import scipy
from hypothesis import assume, given
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
    interval,
    pairs_needed,
    unpaired,
)
from flink_boost.judge.verdict import Verdict, judge
from flink_boost.measure.fork import Fork
from flink_boost.measure.model import Cell, Mode, RunInfo

AA = (Side.STOCK, Side.CONTROL)
scores = st.floats(min_value=0.01, max_value=1e6)
score_pairs = st.lists(st.tuples(scores, scores), min_size=1, max_size=8)
confidences = st.floats(min_value=0.5, max_value=0.999)


def run_of(
    pairs: Sequence[tuple[float, float]], mode: Mode, sides: tuple[Side, Side] | None = None
) -> tuple[RunInfo, tuple[Fork, ...]]:
    """A run of one cell with the given scores of the first and second side."""
    info = make_run(cells=[WRITE], pairs=len(pairs), sides=sides or (Side.STOCK, Side.PATCHED))
    forks = tuple(
        Fork(
            cell=WRITE,
            side=side,
            pair=number,
            mode=mode,
            unit="ns/op",
            score=score,
            iterations=(score,),
            alloc_bytes_per_op=8.0 * number,
            cpu_time_per_op=2 * score,
        )
        for number, pair in enumerate(pairs, start=1)
        for side, score in zip(info.sides, pair, strict=True)
    )
    return info, forks


def test_known_answer_of_a_time() -> None:
    pairs = [(20.0, 10.0), (22.0, 10.0), (19.0, 10.5), (21.0, 9.0)]
    info, forks = run_of(pairs, Mode.AVERAGE_TIME)
    (row,) = compare(info, forks)
    logs = [math.log(a / b) for a, b in pairs]
    expected = scipy.stats.ttest_1samp(logs, 0).confidence_interval(0.95)
    assert row.ratio == pytest.approx((20 / 10 * 2.2 * 19 / 10.5 * 21 / 9) ** 0.25)
    assert row.low == pytest.approx(math.exp(expected.low))
    assert row.high == pytest.approx(math.exp(expected.high))
    assert row.reference == pytest.approx((20.0 * 22 * 19 * 21) ** 0.25)
    assert (row.pairs, row.verdict, row.pairs_needed) == (4, Verdict.CLEARLY_FASTER, None)
    assert (row.reference_alloc, row.candidate_alloc) == (20.0, 20.0)
    assert row.alloc_excess == 0
    assert row.cpu_ratio == pytest.approx(row.ratio)


def test_what_is_allocated_more_at_least_is_the_lower_end_over_pairs() -> None:
    info, forks = run_of([(20.0, 10.0)] * 3, Mode.AVERAGE_TIME)
    more = [10.0, 12.0, 14.0]
    changed = [
        fork.model_copy(update={"alloc_bytes_per_op": 100.0 + more[fork.pair - 1]})
        if fork.side is Side.PATCHED
        else fork.model_copy(update={"alloc_bytes_per_op": 100.0})
        for fork in forks
    ]
    (row,) = compare(info, changed)
    expected = scipy.stats.ttest_1samp(more, 0).confidence_interval(0.95)
    assert row.alloc_excess == pytest.approx(expected.low)
    (single,) = compare(info, changed[:2])
    assert single.alloc_excess == 10.0
    unknown = [fork.model_copy(update={"alloc_bytes_per_op": None}) for fork in forks]
    assert compare(info, unknown)[0].alloc_excess is None


@given(score_pairs.filter(lambda pairs: len(pairs) > 1), confidences)
def test_the_interval_is_that_of_scipy(
    pairs: Sequence[tuple[float, float]], confidence: float
) -> None:
    logs = [math.log(a / b) for a, b in pairs]
    assume(np.std(logs) > 1e-9)
    expected = scipy.stats.ttest_1samp(logs, 0).confidence_interval(confidence)
    found = interval(logs, confidence)
    # Beyond what a float holds the ends are 0 and infinity, which have no logarithm.
    assert expected.low < -700 or math.log(found.low) == pytest.approx(expected.low, abs=1e-6)
    assert expected.high > 700 or math.log(found.high) == pytest.approx(expected.high, abs=1e-6)


@given(score_pairs, confidences)
def test_throughput_is_the_inverse_of_time(
    pairs: Sequence[tuple[float, float]], confidence: float
) -> None:
    (time,) = compare(*run_of(pairs, Mode.AVERAGE_TIME), confidence)
    rates = [(1 / a, 1 / b) for a, b in pairs]
    (rate,) = compare(*run_of(rates, Mode.THROUGHPUT), confidence)
    assert rate.ratio == pytest.approx(time.ratio)
    assert rate.low == pytest.approx(time.low)
    assert rate.high == pytest.approx(time.high)


@given(score_pairs, confidences)
def test_swapped_sides_give_the_inverse(
    pairs: Sequence[tuple[float, float]], confidence: float
) -> None:
    (row,) = compare(*run_of(pairs, Mode.THROUGHPUT), confidence)
    (swapped,) = compare(*run_of([(b, a) for a, b in pairs], Mode.THROUGHPUT), confidence)
    assert math.log(swapped.ratio) == pytest.approx(-math.log(row.ratio), abs=1e-9)
    assume(row.low > 1e-200 and row.high < 1e200)
    assert math.log(swapped.low) == pytest.approx(-math.log(row.high), abs=1e-9)
    assert math.log(swapped.high) == pytest.approx(-math.log(row.low), abs=1e-9)


@given(score_pairs, st.lists(st.floats(0.01, 100), min_size=8, max_size=8), st.randoms())
def test_what_moves_both_halves_of_a_pair_and_the_order_of_forks_do_not_matter(
    pairs: Sequence[tuple[float, float]], box: Sequence[float], shuffle: random.Random
) -> None:
    info, forks = run_of(pairs, Mode.AVERAGE_TIME)
    slowed = [(a * factor, b * factor) for (a, b), factor in zip(pairs, box, strict=False)]
    other = list(run_of(slowed, Mode.AVERAGE_TIME)[1])
    shuffle.shuffle(other)
    (first,), (second,) = compare(info, forks), compare(info, other)
    assert second.ratio == pytest.approx(first.ratio)
    assume(first.low > 1e-200 and first.high < 1e200)
    assert second.low == pytest.approx(first.low, rel=1e-6)
    assert second.high == pytest.approx(first.high, rel=1e-6)


@given(score_pairs, confidences)
def test_the_interval_holds_the_ratio_and_grows_with_confidence(
    pairs: Sequence[tuple[float, float]], confidence: float
) -> None:
    info, forks = run_of(pairs, Mode.AVERAGE_TIME)
    (narrow,), (wide,) = compare(info, forks, confidence), compare(info, forks, 0.9995)
    assert narrow.low <= narrow.ratio * (1 + 1e-12)
    assert narrow.ratio <= narrow.high * (1 + 1e-12)
    assert wide.low <= narrow.low * (1 + 1e-12)
    assert narrow.high <= wide.high * (1 + 1e-12)


def test_a_single_pair_has_no_interval_and_no_verdict() -> None:
    (row,) = compare(*run_of([(40.0, 10.0)], Mode.AVERAGE_TIME))
    assert (row.ratio, row.low, row.high) == (pytest.approx(4.0), 0.0, math.inf)
    assert (row.verdict, row.pairs_needed) == (Verdict.UNDECIDED, None)


def test_pairs_that_disagree_wildly_overflow_to_infinity() -> None:
    (row,) = compare(*run_of([(1e150, 1e-150), (1e-150, 1e150)], Mode.AVERAGE_TIME))
    assert (row.low, row.high, row.verdict) == (0.0, math.inf, Verdict.UNDECIDED)


@given(
    st.floats(min_value=-0.15, max_value=0.15),
    st.floats(min_value=0.05, max_value=0.2),
    st.integers(min_value=2, max_value=4),
    st.floats(min_value=0.9, max_value=0.999),
)
def test_pairs_needed_is_the_smallest_number_that_decides(
    mean: float, spread: float, pairs: int, confidence: float
) -> None:
    # Log-ratios with exactly this mean and standard deviation.
    shape = np.arange(pairs) - (pairs - 1) / 2
    logs = list(mean + spread * shape / np.std(shape, ddof=1))
    found = interval(logs, confidence)
    assume(judge(found.low, found.high) is Verdict.UNDECIDED)
    needed = pairs_needed(logs, confidence)
    assert needed is not None
    assert needed > pairs

    def verdict_at(count: int) -> Verdict:
        half = scipy.stats.t.ppf((1 + confidence) / 2, count - 1) * spread / math.sqrt(count)
        return judge(math.exp(mean - half), math.exp(mean + half))

    # A value on the edge of a rule may fall on either side of it by a rounding error.
    assume(all(abs(mean - math.log(edge)) > 1e-9 for edge in (0.95, 0.98, 1.0)))
    assert verdict_at(needed) is not Verdict.UNDECIDED
    assert verdict_at(needed - 1) is Verdict.UNDECIDED


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


def coverage(pairs: int, true_ratio: float, draws: int, seed: int) -> float:
    """Share of simulated runs whose interval holds the true ratio."""
    source = np.random.default_rng(seed)
    logs = math.log(true_ratio) + source.normal(0, 0.08, (draws, pairs))
    found = [interval(list(row), 0.95) for row in logs]
    return sum(one.low <= true_ratio <= one.high for one in found) / draws


@pytest.mark.parametrize("pairs", [2, 3, 5, 10])
def test_the_interval_covers_the_true_ratio_as_often_as_it_says(pairs: int) -> None:
    # 4000 draws: one standard error of the share is 0.0034.
    assert coverage(pairs, 1.7, draws=4000, seed=pairs) == pytest.approx(0.95, abs=0.012)


def test_a_bootstrap_of_few_pairs_covers_far_less() -> None:
    source = np.random.default_rng(4)
    logs = source.normal(0, 0.08, (1500, 4))
    picks = source.integers(0, 4, (1500, 400, 4))
    means = np.take_along_axis(logs[:, None, :], picks, axis=2).mean(axis=2)
    low, high = np.quantile(means, [0.025, 0.975], axis=1)
    assert float(np.mean((low <= 0) & (high >= 0))) < 0.85


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


def with_collections(
    forks: Sequence[Fork], times: Sequence[float], step: float = 0.1
) -> list[Fork]:
    return [
        fork.model_copy(update={"gc_time_per_op": time, "gc_time_step": step, "gc_count": 1.0})
        for fork, time in zip(forks, times, strict=True)
    ]


def test_time_in_collections_is_compared_pair_by_pair() -> None:
    info, forks = run_of([(20.0, 10.0)] * 4, Mode.AVERAGE_TIME)
    times = [2.0, 1.0, 2.2, 1.0, 1.8, 1.0, 2.0, 1.1]
    (row,) = compare(info, with_collections(forks, times))
    assert row.gc is not None
    logs = [math.log(a / b) for a, b in zip(times[::2], times[1::2], strict=True)]
    expected = interval(logs, 0.95)
    assert (row.gc.ratio, row.gc.low, row.gc.high) == pytest.approx(
        (expected.ratio, expected.low, expected.high)
    )
    assert row.gc.verdict is Verdict.CLEARLY_FASTER
    assert (row.gc.reference, row.gc.candidate) == pytest.approx((2.0, 1.025))
    (swapped,) = compare(
        info,
        with_collections(forks, [t for p in zip(times[1::2], times[::2], strict=True) for t in p]),
    )
    assert swapped.gc is not None
    assert swapped.gc.verdict is Verdict.CLEARLY_SLOWER, (
        "more time in collections is worse, ratio or not"
    )
    assert swapped.verdict is Verdict.CLEARLY_FASTER


def test_no_collection_is_less_than_the_clock_shows_and_not_infinitely_little() -> None:
    info, forks = run_of([(20.0, 10.0)] * 2, Mode.AVERAGE_TIME)
    (row,) = compare(info, with_collections(forks, [0.4, 0.0, 0.4, 0.0]))
    assert row.gc is not None
    assert row.gc.ratio == pytest.approx(0.4 / 0.05), "half of a step of the clock"
    assert row.gc.candidate == 0
    (row,) = compare(info, with_collections(forks, [0.0] * 4))
    assert row.gc is None
    (row,) = compare(info, with_collections(forks, [0.0, 0.0, 0.2, 0.2]))
    assert row.gc is not None
    assert row.gc.ratio == pytest.approx(1), "a pair without any collection says nothing"
    assert compare(info, forks)[0].gc is None


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
