"""Suspicion, confirmation, scoring, and the rules of others: one by one."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pytest

from flink_boost.judge.detection.cases import CaseNight, DetectionCase, ToldAlarm, TrueChange, Truth
from flink_boost.judge.detection.confirmation import BATCH, Confirmation, Decision
from flink_boost.judge.detection.evidence import Evidence
from flink_boost.judge.detection.nights import Night, Noise
from flink_boost.judge.detection.rivals import best_of_three, medians, otava
from flink_boost.judge.detection.scoring import score
from flink_boost.judge.detection.simulation import KINDS, make_cases, rerun_pairs
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
