"""Scoring, made cases, and the rules of others: one by one."""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Sequence

import numpy as np
import pytest
from otava.change_point_divisive.calculator import PairDistanceCalculator

from lab.cases import CaseNight, DetectionCase, ToldAlarm, TrueChange, Truth
from lab.rivals import best_of_three, medians, otava
from lab.scoring import score
from lab.simulation import KINDS, make_cases, rerun_pairs

pytestmark = pytest.mark.test_all


def truth(*changes: TrueChange, kind: str = "step", nights: int = 73) -> Truth:
    return Truth(
        id="a",
        kind=kind,
        changes=changes,
        levels=(0.0,) * nights,
        pair_noise=0.02,
        shape="normal",
        less_is_better=False,
        seed=1,
    )


def test_scores_count_what_was_told_and_what_was_not() -> None:
    change = TrueChange(first=30, last=30, ratio=0.9)
    right = ToldAlarm(id="a", night=31, first_bad=30, ratio=0.91)
    (found,) = score([truth(change)], [right, ToldAlarm(id="a", night=50, first_bad=50, ratio=0.9)])
    assert (found.told, found.same_night, found.within_three, found.named_right) == (1, 0, 1, 1)
    assert found.delay == 1
    assert found.false_per_year == pytest.approx(5.0)
    for wrong in (
        {"ratio": 1.1},
        {"night": 29, "first_bad": 29},
        {"first_bad": 26},
        {"first_bad": 41, "night": 41},
    ):
        (found,) = score([truth(change)], [right.model_copy(update=wrong)])
        assert (found.told, found.false_alarms) == (0, 1), wrong
    (missed,) = score([truth(change)], [])
    assert (missed.told, missed.false_alarms, missed.delay) == (0, 0, None)


def case(levels: Sequence[float], *, less_is_better: bool = False) -> DetectionCase:
    chance = np.random.default_rng(4)
    found = []
    for number, level in enumerate(levels):
        speeds = np.exp(chance.normal(0, 0.004, (3, 2)) + np.array([0.0, level]))
        scores = 1 / speeds if less_is_better else speeds
        pairs = tuple((float(one), float(other)) for one, other in scores)
        found.append(CaseNight(night=number, commit="c", pairs=pairs))
    return DetectionCase(
        id="c", unit="u", less_is_better=less_is_better, pairs_per_night=3, nights=tuple(found)
    )


@pytest.mark.parametrize("less_is_better", [True, False])
def test_the_rules_of_others_tell_a_large_step(less_is_better: bool) -> None:
    levels = [0.0] * 100 + [-0.1] * 40
    made = case(levels, less_is_better=less_is_better)
    (by_otava,) = otava(made)
    assert (by_otava.first_bad, by_otava.ratio) == (100, pytest.approx(0.905, abs=0.02))
    (newer,) = best_of_three(made)
    assert newer.night == 102, "at the third bad night, as its maximum of three is"
    (older,) = medians(made)
    assert 109 <= int(older.night) <= 111, "when half of the latest twenty are bad"


def test_the_rules_of_others_are_silent_on_steady_nights() -> None:
    made = case([0.0] * 130)
    assert [list(rule(made)) for rule in (otava, best_of_three, medians)] == [[], [], []]


def test_nights_may_be_dates_and_gaps_keep_their_place() -> None:
    made = case([0.0] * 20 + [-0.2] * 10)
    dated = made.model_copy(
        update={
            "nights": tuple(
                None
                if number == 5
                else one.model_copy(update={"night": f"2026-03-{number + 1:02}"})
                for number, one in enumerate(made.nights)
                if one
            )
        }
    )
    assert [alarm.first_bad for alarm in otava(dated)] == ["2026-03-21"]
    assert [night.number for night in dated.to_nights()][4:6] == [4, 6]


def test_equal_seeds_make_equal_cases_and_reruns() -> None:
    one, other, third = (list(make_cases(seed, 1, 70)) for seed in (1, 1, 2))
    assert one == other != third
    assert {truth.kind for _, truth in one} == set(KINDS)
    made = one[0][1]
    first = rerun_pairs(made, 3, 9, 4, 1)
    assert (first == rerun_pairs(made, 3, 9, 4, 1)).all()
    assert (first != rerun_pairs(made, 3, 9, 4, 2)).all()


def divergence(left: list[float], right: list[float]) -> float:
    """The E-divisive statistic of two samples as its definition reads (Matteson and James)."""
    n, m = len(left), len(right)
    between = 2 / (n * m) * sum(abs(x - y) for x in left for y in right)
    within_left = sum(abs(x - y) for x, y in itertools.combinations(left, 2))
    within_right = sum(abs(x - y) for x, y in itertools.combinations(right, 2))
    if n > 1:
        between -= within_left / math.comb(n, 2)
    if m > 1:
        between -= within_right / math.comb(m, 2)
    return n * m / (n + m) * between


@pytest.mark.parametrize("seed", range(25))
def test_otava_finds_the_split_that_the_definition_finds(seed: int) -> None:
    source = random.Random(seed)
    count = source.randint(4, 14)
    step = source.choice([0.0, 0.05, 0.3])
    values = [
        source.gauss(1.0 - (step if place > count // 2 else 0.0), 0.03) for place in range(count)
    ]
    best, place = max(
        (divergence(values[:tau], values[tau:kappa]), tau)
        for tau in range(1, count)
        for kappa in range(tau + 1, count + 1)
    )
    found = PairDistanceCalculator(np.array(values)).get_candidate_change_point(slice(0, None))
    assert found.index == place
    assert found.qhat == pytest.approx(best)
