"""What is lost little by little is told with all of its size, as one alarm that grows."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pytest

from flink_boost.judge.detection.anchor import Anchor
from flink_boost.judge.detection.confirmed_changes import ConfirmedAlarm, Kind
from flink_boost.judge.detection.nights import effects_of
from flink_boost.judge.detection.watcher import Watcher
from lab.simulation import Scenario, make_case, rerun_pairs

TURNS = 14
NIGHTS = np.arange(300)


def told(
    build: Sequence[float], seed: int = 1, agreed: tuple[int, int] | None = None
) -> list[ConfirmedAlarm]:
    """All that is told in nights with those levels. ``agreed``: from a night on, to another."""
    scenario = Scenario("x", np.asarray(build))
    case, truth = make_case("x", scenario, np.random.default_rng([7, seed]))
    asked = 0

    def rerun(before: int, after: int, pairs: int) -> Sequence[float]:
        nonlocal asked
        asked += 1
        found = rerun_pairs(truth, before, after, pairs, asked)
        return effects_of([tuple(row) for row in found], less_is_better=truth.less_is_better)

    def hold(before: int, after: int, pairs: int, urgent: bool) -> Sequence[float]:
        return rerun(before, after, pairs) if urgent or after % TURNS == 0 else ()

    watcher = Watcher(rerun)
    anchor = Anchor(hold, lambda night: agreed[1] if agreed and night >= agreed[0] else None)
    found = []
    for night in case.to_nights():
        seen = watcher.add(night)
        alarm = anchor.after(night, seen, is_pending=watcher.pending is not None)
        found += [alarm] if alarm is not None else []
    return found


@pytest.mark.parametrize(
    "build",
    [
        math.log(0.99) * (NIGHTS // 30),
        math.log(0.999) * NIGHTS,
        math.log(0.995) * (NIGHTS[:120] // 7),
        -math.log(0.99) * (NIGHTS // 30),
    ],
    ids=["1 % a month", "0.1 % a night", "0.5 % a week", "1 % faster a month"],
)
def test_what_creeps_is_one_alarm_that_grows_to_its_real_size(build: Sequence[float]) -> None:
    for seed in (1, 2):
        found = told(build, seed)
        assert len({one.suspected for one in found}) == 1
        assert [one.growth for one in found] == list(range(len(found)))
        last = found[-1]
        assert last.kind is Kind.DRIFT
        assert last.through is not None
        assert last.effect == pytest.approx(build[last.through], abs=0.012)
        assert last.low < build[last.through] < last.high
        assert abs(build[-1] - last.effect) < 0.05, "the rest is less than what is told next"
        grown = [one.effect for one in found if one.through is not None]
        steps = np.abs(np.diff([0.0, *grown]))
        assert steps.min() >= 0.03


def test_a_step_beside_it_is_an_alarm_of_its_own_and_does_not_count_again() -> None:
    build = math.log(0.99) * (NIGHTS // 30) + math.log(0.9) * (NIGHTS >= 170)
    found = told(build)
    (step,) = [one for one in found if abs(one.effect) > 0.08 and one.through is None]
    assert (step.first, step.kind) == (170, Kind.STEP)
    assert found[-1].effect == pytest.approx(math.log(0.99) * 8, abs=0.025)


def test_what_crept_and_is_back_at_once_is_a_recovery() -> None:
    build = np.where(NIGHTS < 190, math.log(0.99) * (NIGHTS // 30), 0.0)
    found = told(build[:220])
    assert found[-1].kind is Kind.RECOVERY
    assert found[-1].first == 190


def test_what_creeps_anew_after_a_recovery_is_told_with_what_came_since() -> None:
    since = np.clip(NIGHTS - 230, 0, None)
    build = math.log(0.99) * np.where(NIGHTS < 190, NIGHTS // 30, since // 12)
    found = told(build)
    (place,) = [place for place, one in enumerate(found) if one.kind is Kind.RECOVERY]
    assert found[place].first == 190
    assert found[place].back_to == found[place - 1].first
    late = found[place + 1 :]
    assert late[-1].effect == pytest.approx(build[late[-1].through or 0], abs=0.015)
    assert {one.suspected > 230 for one in late} == {True}


def test_a_step_that_is_taken_back_takes_nothing_away_from_what_creeps() -> None:
    build = math.log(0.99) * (NIGHTS // 30) + math.log(0.9) * ((NIGHTS >= 130) & (NIGHTS < 145))
    found = told(build)
    assert [one.kind for one in found if abs(one.effect) > 0.09] == [Kind.STEP, Kind.RECOVERY]
    last = found[-1]
    assert (last.kind, last.growth > 0) == (Kind.DRIFT, True)
    assert last.effect == pytest.approx(build[last.through or 0], abs=0.012)


def test_half_of_the_way_back_is_a_step_of_its_own_and_nothing_more() -> None:
    build = math.log(0.99) * np.where(NIGHTS < 240, NIGHTS // 30, 4)
    found = told(build, seed=2)
    assert [(one.kind, one.first) for one in found if one.effect > 0] == [(Kind.STEP, 240)]


def test_after_people_agreed_it_begins_anew() -> None:
    build = math.log(0.99) * (NIGHTS // 30)
    assert told(build)[-1].suspected < 205
    bound = told(build, agreed=(205, 204))
    late = [one for one in bound if (one.through or one.night) > 205]
    assert all(abs(one.effect) < 0.05 for one in late), "only what came since"
    assert all(one.suspected > 205 for one in late), "as an alarm of its own"


@pytest.mark.parametrize("size", [0.0, 0.02, 0.05])
def test_what_does_not_creep_is_told_once_or_never(size: float) -> None:
    for seed in range(3):
        found = told(math.log(1 - size) * (NIGHTS[:150] >= 60), seed)
        assert len(found) == (1 if size else 0)


def levels(steps: dict[int, float], nights: int = 60) -> list[float]:
    """Log-ratios of a build with those changes, by the night of each."""
    return [sum(s for first, s in steps.items() if night >= first) for night in range(nights)]


@pytest.mark.parametrize(
    ("before", "size"),
    [
        ({25: -0.03, 27: -0.03, 29: -0.08}, -0.22),
        ({25: -0.02, 28: -0.02, 31: -0.02}, -0.06),
        (dict.fromkeys(range(25, 30), -0.01), -0.08),
        (dict.fromkeys(range(20, 30), -0.006), -0.05),
    ],
    ids=["three steps", "three small steps", "a steep drift", "a drift"],
)
def test_a_step_soon_after_others_is_told_as_it_is(before: dict[int, float], size: float) -> None:
    for seed in range(3):
        found = told(levels({**before, 36: size}), seed)
        near = [one for one in found if abs(one.first - 36) <= 1]
        assert [one.kind for one in near] == [Kind.STEP]
        assert near[0].effect == pytest.approx(size, abs=0.015)


def test_steps_of_other_sizes_in_a_row_are_no_drift() -> None:
    found = told(levels({25: -0.03, 27: -0.03, 29: -0.08}))
    assert [(one.kind, one.first) for one in found] == [
        (Kind.STEP, 25), (Kind.STEP, 27), (Kind.STEP, 29)
    ]  # fmt: skip


@pytest.mark.parametrize("pace", [0.006, 0.012])
def test_a_steep_drift_grows_to_its_whole_size(pace: float) -> None:
    build = [-pace * min(max(0, night - 20), 40) for night in range(90)]
    for seed in range(4):
        found = told(build, seed)
        newest = {one.suspected: one for one in found}
        assert len(newest) <= 3
        assert sum(one.effect for one in newest.values()) == pytest.approx(build[-1], abs=0.04)
        assert len(found) <= abs(build[-1]) / 0.03 + 3, "one message for each further 3 %"
