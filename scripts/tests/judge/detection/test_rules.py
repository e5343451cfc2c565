"""Suspicion and confirmation, one by one."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pytest

from flink_boost.judge.detection.confirmation import BATCH, Confirmation, Decision
from flink_boost.judge.detection.evidence import Evidence
from flink_boost.judge.detection.nights import Night, Noise
from flink_boost.judge.detection.suspicion import least_change, suspect, threshold

NOISE = Noise(night=0.01, pair=0.022)


def nights(levels: Sequence[float], start: int = 0) -> list[Night]:
    return [Night(start + place, (level,)) for place, level in enumerate(levels)]


def test_the_beginning_of_another_level_is_suspected() -> None:
    found = suspect(nights([0.0, 0.01, -0.01] * 5), nights([0.0, -0.05, -0.05], 15), NOISE)
    assert found is not None
    assert (found.first, found.direction) == (16, -1)
    assert suspect(nights([0.0] * 15), nights([0.005, -0.004], 15), NOISE) is None
    assert suspect(nights([0.0] * 15), [], NOISE) is None
    assert suspect([], nights([1.0]), NOISE) is None


def test_noisy_forks_are_suspected_less_often() -> None:
    assert threshold(Noise(0.01, 0.1)) > threshold(NOISE) >= 1
    assert least_change(Noise(0.001, 0.002)) == pytest.approx(math.log(1.02))
    assert least_change(Noise(0.03, 0.06)) == pytest.approx(0.054)
    assert least_change(Noise(0.03, 0.01)) == math.log1p(0.02)
    assert least_change(Noise(0.01, 0.06)) == math.log1p(0.02)


def confirmation(direction: int) -> Confirmation:
    return Confirmation(3, 9, direction, 0.02, Evidence(0.02))


@pytest.mark.parametrize(
    ("shift", "direction", "outcome"),
    [
        (-0.05, -1, Decision.CONFIRMED),
        (0.05, 1, Decision.CONFIRMED),
        (0.0, -1, Decision.CLEARED),
        (0.05, -1, Decision.CLEARED),
    ],
)
def test_reruns_end_as_soon_as_they_decide(shift: float, direction: int, outcome: Decision) -> None:
    chance = np.random.default_rng(1)
    asked = []

    def rerun(before: int, after: int, pairs: int) -> Sequence[float]:
        asked.append((before, after, pairs))
        return list(shift + chance.normal(0, 0.01, pairs))

    assert confirmation(direction).run(rerun) is outcome
    assert set(asked) == {(3, 9, BATCH)}
    assert len(asked) * BATCH <= 40


def test_the_budget_is_kept_to_the_pair_and_failures_end_it() -> None:
    asked = []

    def rerun(_before: int, _after: int, pairs: int) -> Sequence[float]:
        asked.append(pairs)
        return [0.01, -0.001] * (pairs // 2)

    one = Confirmation(3, 9, 1, 0.02, Evidence(0.5))
    assert one.run(rerun, budget=10) is Decision.INCONCLUSIVE
    assert asked == [4, 4, 2]
    assert confirmation(1).run(lambda *_: []) is Decision.INCONCLUSIVE
