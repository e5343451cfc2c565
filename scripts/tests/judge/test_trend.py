"""Detection on series whose truth is known."""

from __future__ import annotations

import itertools
import math

import pytest
from synthetic import flat, make_night, make_series

from flink_boost.judge.series import build_series
from flink_boost.judge.trend import Rules, TrendKind, TrendVerdict, change_points, detect


def verdict_on(
    scores: list[float | None] | list[float], noise: float | None = None
) -> TrendVerdict:
    return detect([make_series(scores, noise)])[0]


def test_a_step_down_is_a_candidate_regression_at_the_right_place() -> None:
    scores = flat(30, level=0.5) + flat(4, level=0.45, seed=1)
    verdict = verdict_on(scores)
    assert verdict.kind is TrendKind.CANDIDATE_REGRESSION
    assert verdict.change is not None
    assert abs(verdict.change.points_since - 4) <= 1
    assert verdict.change.ratio == pytest.approx(math.exp(-0.05), abs=0.01)
    series = make_series(scores).present
    place = len(series) - verdict.change.points_since
    assert verdict.change.after_commit == series[place].commit
    assert verdict.change.before_commit == series[place - 1].commit


def test_a_step_up_is_a_candidate_improvement() -> None:
    verdict = verdict_on(flat(30, level=0.5) + flat(4, level=0.58, seed=1))
    assert verdict.kind is TrendKind.CANDIDATE_IMPROVEMENT
    assert verdict.change is not None
    assert verdict.change.ratio > 1.05


def test_steps_of_five_percent_are_seen_within_three_nights() -> None:
    for seed in range(40):
        scores = flat(25, seed=seed) + flat(3, level=0.45, seed=seed + 1000)
        assert verdict_on(scores).kind is TrendKind.CANDIDATE_REGRESSION, seed


def test_a_slow_drift_is_noticed_on_the_way() -> None:
    drift = [score - 0.006 * night for night, score in enumerate(flat(60, spread=0.006))]
    kinds = {verdict_on(drift[:nights]).kind for nights in range(10, 61)}
    assert TrendKind.CANDIDATE_REGRESSION in kinds
    assert TrendKind.CANDIDATE_IMPROVEMENT not in kinds


@pytest.mark.parametrize("known_noise", [False, True], ids=["noise unknown", "noise known"])
def test_noise_alone_rarely_makes_a_candidate(known_noise: bool) -> None:
    """At most 2 % of flat series, over spreads from 0.5 % to 4 % and 10 to 60 nights."""
    alarms = total = 0
    for spread, nights, seed in itertools.product((0.005, 0.02, 0.04), (10, 25, 60), range(60)):
        verdict = verdict_on(
            flat(nights, spread=spread, seed=seed * 101 + nights), spread if known_noise else None
        )
        alarms += verdict.kind is not TrendKind.STEADY
        total += 1
    assert total == 540
    assert alarms <= 0.02 * total


def test_fewer_than_ten_points_are_learning_even_with_an_obvious_step() -> None:
    verdict = verdict_on([0.5] * 5 + [0.1] * 4)
    assert verdict.kind is TrendKind.LEARNING
    assert verdict.change is None
    assert verdict_on([0.5] * 6 + [0.1] * 4).kind is TrendKind.CANDIDATE_REGRESSION


def test_gaps_are_neither_points_nor_zeros() -> None:
    scores: list[float | None] = list(flat(24))
    for night in (3, 4, 11, 23):
        scores[night] = None
    verdict = verdict_on(scores)
    assert (verdict.kind, verdict.points, verdict.gaps) == (TrendKind.STEADY, 20, 4)
    sparse: list[float | None] = [0.5, None] * 9
    assert verdict_on(sparse).kind is TrendKind.LEARNING


def test_a_step_is_found_through_gaps() -> None:
    scores: list[float | None] = [*flat(20), None, None, *flat(2, level=0.4, seed=5), None, 0.4]
    verdict = verdict_on(scores)
    assert verdict.kind is TrendKind.CANDIDATE_REGRESSION
    assert verdict.change is not None
    assert verdict.change.points_since == 3


def test_a_change_below_two_percent_is_no_candidate() -> None:
    verdict = verdict_on(flat(30, spread=0.001) + flat(5, level=0.485, spread=0.001, seed=1))
    assert verdict.kind is TrendKind.STEADY
    assert verdict.earlier_changes, "it was seen, and judged too small"


def test_known_noise_raises_the_threshold() -> None:
    scores = flat(30, spread=0.004) + flat(5, level=0.46, spread=0.004, seed=1)
    assert verdict_on(scores).kind is TrendKind.CANDIDATE_REGRESSION
    noisy = verdict_on(scores, noise=0.03)
    assert noisy.kind is TrendKind.STEADY
    assert noisy.threshold == pytest.approx(0.06)


def test_a_change_of_long_ago_is_history() -> None:
    verdict = verdict_on(flat(20) + flat(20, level=0.4, seed=1))
    assert verdict.kind is TrendKind.STEADY
    assert [change.points_since for change in verdict.earlier_changes] == [20]


def test_one_bad_night_is_a_candidate_only_until_the_next_ones() -> None:
    bad = [*flat(30), 0.42]
    assert verdict_on(bad).kind is TrendKind.CANDIDATE_REGRESSION
    later = verdict_on(bad + flat(5, seed=8))
    assert (later.kind, later.earlier_changes) == (TrendKind.STEADY, ())


def test_there_is_no_change_that_equal_levels_often_show() -> None:
    scores = flat(30, spread=0.04) + flat(3, level=0.47, spread=0.04, seed=5)
    points = make_series(scores).present
    assert change_points(points, Rules()) == ()
    assert change_points(points, Rules(max_p_value=0.9)), "it is the limit that leaves it out"


def test_a_box_that_becomes_slower_is_no_regression_of_the_code() -> None:
    nights = [
        make_night(night, speed=100.0 if night < 15 else 70.0, noise=0.01, seed=night)
        for night in range(19)
    ]
    verdicts = detect(build_series(nights))
    assert [verdict.kind for verdict in verdicts] == [TrendKind.STEADY] * 2
    slower_patch = [
        make_night(night, ratio=2.0 if night < 15 else 1.4, noise=0.01, seed=night)
        for night in range(19)
    ]
    verdicts = detect(build_series(slower_patch))
    assert [verdict.kind for verdict in verdicts] == [TrendKind.CANDIDATE_REGRESSION] * 2


def test_the_same_series_gives_the_same_verdict() -> None:
    series = [make_series(flat(60, seed=3) + flat(4, level=0.42, seed=4))]
    assert detect(series) == detect(series)


def test_a_constant_series_is_steady() -> None:
    assert verdict_on([0.0] * 30).kind is TrendKind.STEADY


def test_windows_do_not_hide_or_shift_a_change_in_a_long_series() -> None:
    series = make_series(flat(140) + flat(5, level=0.4, seed=9))
    changes = change_points(series.present, Rules())
    assert [change.points_since for change in changes] == [5]
