"""The shift that benchmarks have in common: found where there is one, and nowhere else."""

from __future__ import annotations

import math
import random

import pytest

from flink_boost.judge.shift import common_shift
from flink_boost.measure.night_record import Shift


def samples(source: random.Random, levels: list[float], count: int = 5) -> list[list[float]]:
    return [[source.gauss(level, 0.01) for _ in range(count)] for level in levels]


def test_a_known_shift_lies_in_its_interval_as_often_as_it_says() -> None:
    source = random.Random(7)
    levels = [0.3, 0.8, -0.1, 0.0]
    held = shown = 0
    for _ in range(400):
        moved = common_shift(
            samples(source, [level - 0.03 for level in levels]), samples(source, levels)
        )
        still = common_shift(samples(source, levels), samples(source, levels))
        assert moved is not None
        assert still is not None
        held += moved.low <= math.exp(-0.03) <= moved.high
        shown += still.shows
        assert moved.shows
        assert "slower" in str(moved)
    assert 360 <= held <= 396, "95 % intervals"
    assert shown <= 12


def test_one_sample_is_held_against_nothing() -> None:
    found = common_shift([[0.10, 0.11, 0.09], [0.2, 0.21, 0.19]])
    assert found is not None
    assert found.benchmarks == 2
    assert found.ratio == pytest.approx(math.exp(0.15))
    assert found.low < found.ratio < found.high
    assert str(found).startswith("16.2 % faster (95 % interval +")


def test_benchmarks_without_two_pairs_are_left_out() -> None:
    assert common_shift([]) is None
    assert common_shift([[0.1]]) is None
    assert common_shift([[0.1, 0.2]], [[0.1]]) is None
    found = common_shift([[0.1, 0.1], [5.0]], [[0.0, 0.0], [0.0, 0.0]])
    assert found is not None
    assert (found.benchmarks, found.low, found.high) == (1, found.ratio, found.ratio)


def test_what_is_certain_and_small_does_not_show() -> None:
    assert not Shift(ratio=0.995, low=0.994, high=0.996, benchmarks=4).shows
    assert not Shift(ratio=0.9, low=0.7, high=1.1, benchmarks=4).shows
    assert Shift(ratio=0.9, low=0.88, high=0.92, benchmarks=4).shows
