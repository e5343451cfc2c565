"""Since when, and step or drift: told from nights and a few more reruns."""

from __future__ import annotations

import numpy as np
import pytest

from flink_boost.judge.detection.localisation import MOST_PAIRS, LocatedChange, locate
from flink_boost.judge.detection.nights import Night, Noise

NOISE = Noise(night=0.01, pair=0.022)


class Builds:
    """True levels by night, and a rerun of any two; counts what it is asked."""

    def __init__(self, levels: list[float], seed: int, pair: float = NOISE.pair) -> None:
        self.levels = levels
        self.chance = np.random.default_rng(seed)
        self.pair = pair
        self.asked: list[tuple[int, int, int]] = []

    def rerun(self, before: int, after: int, pairs: int) -> list[float]:
        self.asked.append((before, after, pairs))
        shift = self.levels[after] - self.levels[before]
        return list(shift + self.chance.normal(0, self.pair, pairs))

    def locate(self, before: int, gaps: tuple[int, ...] = ()) -> LocatedChange:
        last = len(self.levels) - 1
        nights = [
            Night(number, (self.levels[number] + self.chance.normal(0, NOISE.night),))
            for number in range(before, last + 1)
            if number not in gaps
        ]
        found = self.rerun(before, last, 24)
        self.asked.clear()
        return locate(nights, before, last, 0.0, found, NOISE, self.rerun)


@pytest.mark.parametrize("size", [-0.05, 0.03, -0.03])
def test_a_step_is_found_where_it_is(size: float) -> None:
    right = 0
    for seed in range(20):
        first = 6 + seed % 5
        builds = Builds([size if night >= first else 0.0 for night in range(12)], seed)
        change = builds.locate(0)
        right += abs(change.first - first) <= 1 and not change.is_drift
        assert change.effect == pytest.approx(size, abs=0.015)
        assert sum(pairs for _, _, pairs in builds.asked) <= MOST_PAIRS
    assert right >= 18


def test_a_drift_is_told_from_a_step() -> None:
    drifts = 0
    for seed in range(20):
        builds = Builds([-0.004 * max(0, night - 4) for night in range(14)], seed)
        drifts += builds.locate(0).is_drift
    assert drifts >= 17


def test_a_change_of_the_newest_night_needs_no_search() -> None:
    builds = Builds([0.0] * 9 + [-0.2], 1)
    assert builds.locate(8) == LocatedChange(9, pytest.approx(-0.2, abs=0.02), False)  # type: ignore[arg-type]
    assert builds.asked == []


def test_a_change_in_a_gap_begins_with_the_night_after_it() -> None:
    builds = Builds([0.0] * 5 + [-0.2] * 5, 1)
    assert builds.locate(0, gaps=(4, 5, 6)).first == 7


def test_reruns_that_fail_leave_what_the_nights_say() -> None:
    builds = Builds([0.0] * 6 + [-0.1] * 4, 3)
    builds.rerun = lambda *_: [-0.1] * 8 if not builds.asked else []  # type: ignore[method-assign]
    assert builds.locate(0).first == 6


def test_equal_builds_between_say_where_it_began_without_a_fork() -> None:
    """Nights alone could not tell: each of them scatters as much as the whole change."""
    right = 0
    for seed in range(20):
        levels = [0.0] * 8 + [-0.03] * 2
        chance = np.random.default_rng(seed)
        nights = [Night(at, (level + chance.normal(0, 0.03),)) for at, level in enumerate(levels)]
        noise = Noise(night=0.03, pair=0.01)
        asked = []

        def rerun(_before: int, after: int, pairs: int) -> list[float] | None:
            asked.append(after)  # noqa: B023 of this round
            return None if after < 8 else list(-0.03 + chance.normal(0, 0.01, pairs))  # noqa: B023

        found = list(-0.03 + chance.normal(0, 0.01, 24))
        right += locate(nights, 0, 9, 0.0, found, noise, rerun).first == 8
        assert asked
    assert right >= 19
