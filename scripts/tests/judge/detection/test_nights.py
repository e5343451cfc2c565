"""Levels and noise of nights: what moves them, and what must not."""

from __future__ import annotations

import math
import statistics

import numpy as np
import pytest

from flink_boost.judge.detection.nights import Night, effects_of, hodges_lehmann, noise_of


def make_nights(
    count: int, night: float, pair: float, pairs: int = 5, seed: int = 1
) -> list[Night]:
    chance = np.random.default_rng(seed)
    return [
        Night(number, tuple(chance.normal(0, night) + chance.normal(0, pair, pairs)))
        for number in range(count)
    ]


def test_above_zero_is_faster_in_both_directions() -> None:
    assert effects_of([(100.0, 110.0)], less_is_better=False)[0] == pytest.approx(math.log(1.1))
    assert effects_of([(100.0, 110.0)], less_is_better=True)[0] == pytest.approx(-math.log(1.1))


def test_what_is_no_score_is_left_out() -> None:
    pairs = [(math.nan, 1.0), (1.0, 0.0), (-1.0, 1.0), (math.inf, 1.0), (2.0, 2.0)]
    assert effects_of(pairs, less_is_better=True) == (0.0,)


def test_one_bad_fork_hardly_moves_a_night() -> None:
    assert hodges_lehmann([0.01, 0.02, 0.03]) == pytest.approx(0.02)
    bad = hodges_lehmann([0.01, 0.011, 0.012, 0.013, 5.0])
    assert 0.01 < bad < 0.02 < statistics.fmean([0.01, 0.011, 0.012, 0.013, 5.0])


def test_noise_is_found_in_its_two_parts() -> None:
    noise = noise_of(make_nights(400, night=0.02, pair=0.01))
    assert noise.night == pytest.approx(math.hypot(0.02, 0.01 / math.sqrt(5)), rel=0.2)
    assert noise.pair == pytest.approx(0.01, rel=0.2)


def test_steps_outliers_and_drift_do_not_blind() -> None:
    quiet = make_nights(60, night=0.0, pair=0.02)
    noise = noise_of(quiet)

    def moved(by: dict[int, float]) -> list[Night]:
        return [
            Night(one.number, tuple(effect + by.get(one.number, 0.0) for effect in one.effects))
            for one in quiet
        ]

    step = dict.fromkeys(range(30, 60), -0.2)
    outliers = {7: 0.4, 23: -0.7, 41: 0.4, 55: -0.7}
    drift = {number: 0.003 * number for number in range(60)}
    for change in (step, outliers, drift):
        assert noise_of(moved(change)).night < 1.35 * noise.night
        assert noise_of(moved(change)).pair == pytest.approx(noise.pair)


def test_one_pair_a_night_and_equal_nights_have_a_noise() -> None:
    single = noise_of(make_nights(100, night=0.01, pair=0.01, pairs=1))
    assert single.pair == single.night == pytest.approx(0.0141, rel=0.3)
    assert noise_of([Night(0, (0.1,)), Night(1, (0.1,))]).night == 0.001
