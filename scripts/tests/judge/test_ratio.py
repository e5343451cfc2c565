"""The ratio of a cell and its interval: known answers, scipy's, and how often it is true."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence

import numpy as np
import pytest
import scipy
from hypothesis import assume, given
from hypothesis import strategies as st
from synthetic import WRITE, make_run

from flink_boost.flink.side import Side
from flink_boost.judge.ratio import compare, interval, pairs_needed
from flink_boost.judge.verdict import Verdict, judge
from flink_boost.measure.fork import Fork
from flink_boost.measure.model import Mode, RunInfo

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
