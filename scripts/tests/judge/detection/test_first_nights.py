"""A step in the first nights of a series is told as soon as reruns can show it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
import pytest

from flink_boost.judge.detection.nights import Night, effects_of
from flink_boost.judge.detection.watcher import Watcher
from lab.cases import DetectionCase, TrueChange, Truth
from lab.evaluation import Walk, walk
from lab.simulation import Scenario, make_case, rerun_pairs

COPIES = 10


def stepped(first: int, size: float, copy: int) -> tuple[DetectionCase, Truth]:
    """30 nights with a step at ``first``; none where that is 0."""
    build = np.where(np.arange(30) >= first, np.log(1 - size), 0.0) if first else np.zeros(30)
    change = TrueChange(first=first, last=first, ratio=1 - size)
    scenario = Scenario("first-nights", build, (change,) if first else ())
    return make_case(f"{first}-{size}-{copy}", scenario, np.random.default_rng([first, copy]))


def walked(case: DetectionCase, truth: Truth) -> Walk:
    nonce: Counter[str] = Counter()

    def ask(one: DetectionCase, before: int, after: int, pairs: int) -> Sequence[float]:
        nonce[str(one.id)] += 1
        found = rerun_pairs(truth, before, after, pairs, nonce[str(one.id)])
        return effects_of([tuple(row) for row in found], less_is_better=one.less_is_better)

    return walk(case, ask)


@pytest.mark.parametrize("first", [1, 2, 3, 5, 8])
def test_a_large_step_is_told_the_same_night_with_its_first_night(first: int) -> None:
    found = [walked(*stepped(first, 0.3, copy)).alarms for copy in range(COPIES)]
    assert [[(one.night, one.first_bad) for one in alarms] for alarms in found] == [
        [(first, first)]
    ] * COPIES


@pytest.mark.parametrize("first", [1, 2, 4])
def test_a_step_of_a_few_percent_is_not_lost(first: int) -> None:
    found = [walked(*stepped(first, 0.05, copy)).alarms for copy in range(COPIES)]
    told = [
        alarms
        for alarms in found
        if len(alarms) == 1 and abs(int(alarms[0].first_bad) - first) <= 1
    ]
    assert len(told) >= 9


def test_of_equal_builds_nothing_is_told_and_few_pairs_are_rerun() -> None:
    found = [walked(*stepped(0, 0.0, copy)) for copy in range(COPIES)]
    assert [one.alarms for one in found] == [()] * COPIES
    assert sum(one.pairs for one in found) / sum(one.nights for one in found) <= 10


def test_nights_of_one_pair_show_no_noise_and_ask_for_nothing_until_ten_are_there() -> None:
    asked = []

    def rerun(before: int, after: int, pairs: int) -> Sequence[float]:
        asked.append(after)
        return [0.0] * pairs

    watcher = Watcher(rerun)
    for number in range(9):
        assert watcher.add(Night(number, (0.3 * (number % 3),))) is None
    assert asked == []
