"""The smallest change that a box finds is what its own rules find at that noise."""

from __future__ import annotations

import math
from functools import partial

import numpy as np
import pytest

from flink_boost.judge.detection.nights import Night, Noise, noise_of
from flink_boost.judge.detection.suspicion import LEAST_CHANGE
from flink_boost.judge.detection.watcher import Watcher
from flink_boost.judge.power import NIGHTS, POWER, smallest_change

FIRST = 30  # night of the step
PAIRS = 5


def _rerun(
    chance: np.random.Generator, step: float, pair: float, before: int, after: int, pairs: int
) -> list[float]:
    differs = before < FIRST <= after
    return [float(one) for one in chance.normal(step if differs else 0.0, pair, pairs)]


def told_in_time(size: float, pair: float, night: float, cases: int) -> float:
    """The share of steps of that size that the real rules tell within three nights."""
    told = 0
    for case in range(cases):
        chance = np.random.default_rng([case, round(1e6 * size), round(1e6 * pair)])

        rerun = partial(_rerun, chance, math.log(1 - size), pair)
        watcher = Watcher(rerun)
        alarms = []
        for number in range(FIRST + NIGHTS):
            level = math.log(1 - size) * (number >= FIRST) + chance.normal(0, night)
            effects = tuple(map(float, chance.normal(level, pair, PAIRS)))
            alarms.append(watcher.add(Night(number, effects)))
        told += any(alarms[FIRST:])
    return told / cases


@pytest.mark.parametrize(("pair", "night"), [(0.03, 0.005), (0.02, 0.05), (0.15, 0.03)])
def test_what_is_called_the_smallest_is_found_and_half_of_it_is_not(
    pair: float, night: float
) -> None:
    level = math.hypot(pair / math.sqrt(PAIRS), night)
    found = smallest_change(Noise(level, pair))
    assert found is not None
    assert found.power >= POWER
    # The power is one for normal noise that is known; here it is estimated from few nights.
    assert told_in_time(found.size, pair, night, 40) >= found.power - 0.15
    assert told_in_time(found.size / 2, pair, night, 40) <= POWER - 0.15


def test_it_grows_with_the_noise_and_there_is_none_in_noise_alone() -> None:
    noises = (0.001, 0.02, 0.05, 0.1)
    found = [one.size for n in noises if (one := smallest_change(Noise(n, 2 * n)))]
    assert found[0] == pytest.approx(1 - 1 / (1 + LEAST_CHANGE))
    assert found == sorted(set(found))
    assert len(found) == len(noises)
    assert smallest_change(Noise(1.0, 5.0)) is None


def test_it_is_taken_from_the_benchmarks_own_nights() -> None:
    chance = np.random.default_rng(7)
    quiet, loud = (
        [Night(n, tuple(chance.normal(0, pair, PAIRS))) for n in range(30)] for pair in (0.01, 0.1)
    )
    found = [smallest_change(noise_of(nights)) for nights in (quiet, loud)]
    assert found[0] is not None
    assert found[1] is not None
    assert found[0].size < found[1].size / 2
