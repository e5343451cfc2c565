"""The test that may be looked at any time: how often it is wrong, and how soon it decides."""

from __future__ import annotations

import math

import numpy as np
import pytest

from flink_boost.judge.detection.evidence import Evidence
from lab.simulation import fork_noise

SHAPES = ("normal", "heavy-tails", "bimodal")


def differences(shape: str, scale: float, count: int, chance: np.random.Generator) -> np.ndarray:
    """Of pairs of equal builds: two forks each."""
    first, second = (fork_noise(shape, scale / math.sqrt(2), count, chance) for _ in range(2))
    return np.asarray(second - first)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("believed", [0.2, 1.0, 5.0])
def test_looked_at_after_each_pair_it_is_wrong_as_seldom_as_it_says(
    shape: str, believed: float
) -> None:
    chance = np.random.default_rng(5)
    error, runs, wrong = 0.05, 400, 0
    for _ in range(runs):
        evidence = Evidence(0.02 * believed)
        for one in differences(shape, 0.02, 60, chance):
            evidence.add([one])
            if evidence.above(0.0) >= -math.log(error):
                wrong += 1
                break
    # 5 % and three standard deviations of a count; far less in practice.
    assert wrong <= runs * error + 3 * math.sqrt(runs * error)


def test_a_t_test_that_is_looked_at_after_each_pair_is_wrong_far_more_often() -> None:
    """The simulation above would notice a test that must be looked at once only."""
    chance = np.random.default_rng(5)
    wrong = 0
    for _ in range(400):
        found = differences("normal", 0.02, 60, chance)
        counts = np.arange(1, 61)
        means = np.cumsum(found) / counts
        spread = np.array([found[: count + 1].std(ddof=1) for count in range(1, 60)])
        scores = means[1:] / (spread / np.sqrt(counts[1:]))
        wrong += bool((scores > 1.67).any())
    assert wrong > 0.15 * 400


@pytest.mark.parametrize(
    "shape",
    [
        "heavy-tails",
        pytest.param("normal", marks=pytest.mark.test_all),
        pytest.param("bimodal", marks=pytest.mark.test_all),
    ],
)
def test_the_interval_holds_the_shift_at_any_time(shape: str) -> None:
    chance = np.random.default_rng(6)
    shift, runs, outside = -0.03, 200, 0
    for _ in range(runs):
        evidence = Evidence(0.02)
        for part in np.split(differences(shape, 0.02, 40, chance) + shift, 10):
            evidence.add(part)
            low, high = evidence.interval(0.05)
            if not low <= shift <= high:
                outside += 1
                break
    assert outside <= 0.05 * runs + 3 * math.sqrt(0.05 * runs)


def test_the_interval_closes_in_on_the_shift() -> None:
    chance = np.random.default_rng(7)
    evidence = Evidence(0.02)
    assert evidence.interval(0.05) == (-math.inf, math.inf)
    widths = []
    for _ in range(3):
        evidence.add(differences("normal", 0.02, 40, chance) - 0.05)
        low, high = evidence.interval(0.05)
        assert low < -0.05 < high
        widths.append(high - low)
    assert widths[0] > widths[1] > widths[2]
    assert widths[2] < 0.03


@pytest.mark.parametrize("noise", [0.0005, 0.00001, 0.0])
def test_pairs_far_steadier_than_was_thought_have_an_interval_too(noise: float) -> None:
    evidence = Evidence(0.05)
    evidence.add(differences("normal", noise, 20, np.random.default_rng(9)) - 0.2)
    low, high = evidence.interval(0.05)
    assert -0.22 < low < -0.2 < high < -0.18


@pytest.mark.parametrize("shape", SHAPES)
def test_a_shift_as_large_as_the_noise_is_seen_within_forty_pairs(shape: str) -> None:
    chance = np.random.default_rng(8)
    seen = 0
    for _ in range(40):
        evidence = Evidence(0.02)
        evidence.add(differences(shape, 0.02, 40, chance) + 0.03)
        seen += evidence.above(0.0) > -math.log(1e-3)
        assert evidence.below(0.0) < 0
    assert seen >= 36


def test_it_has_a_direction_and_counts() -> None:
    evidence = Evidence(0.01)
    assert (evidence.pairs, evidence.above(0.0)) == (0, 0.0)
    evidence.add([-0.02] * 12)
    assert evidence.pairs == 12
    assert evidence.below(0.0) > 5 > 0 > evidence.above(0.0)
    # A fair game at most doubles with each pair.
    assert evidence.below(0.0) <= 12 * math.log(2)


def test_extreme_values_are_no_overflow() -> None:
    evidence = Evidence(0.001)
    evidence.add([50.0, -50.0, 700.0] * 20)
    assert all(map(math.isfinite, (evidence.above(0.0), evidence.below(0.0))))
