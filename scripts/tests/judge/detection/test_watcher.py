"""The promises of docs/detection.md on made-up nights; without reruns they are not kept."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np
import pytest

from flink_boost.judge.detection import watcher as watching
from flink_boost.judge.detection.confirmation import Confirmation, Decision
from flink_boost.judge.detection.confirmed_changes import ConfirmedAlarm, Kind
from flink_boost.judge.detection.localisation import LocatedChange
from flink_boost.judge.detection.nights import effects_of
from flink_boost.judge.detection.watcher import Watcher
from lab.cases import DetectionCase, Truth
from lab.evaluation import Walk, walk
from lab.reverts import RevertScore, score_reverts
from lab.scoring import Score, score
from lab.simulation import (
    KINDS,
    REVERTED,
    Scenario,
    make_case,
    make_cases,
    rerun_pairs,
    taken_back,
)

COPIES, NIGHTS = 10, 80


class Reruns:
    """Answers from the truth, and counts."""

    def __init__(self, truths: Sequence[Truth]) -> None:
        self.truths = {truth.id: truth for truth in truths}
        self.asked: list[tuple[str, int, int]] = []
        self._of_case: Counter[str] = Counter()

    def __call__(self, case: DetectionCase, before: int, after: int, pairs: int) -> Sequence[float]:
        self.asked.append((case.id, before, after))
        truth = self.truths[case.id]
        self._of_case[case.id] += 1
        found = rerun_pairs(truth, before, after, pairs, self._of_case[case.id])
        return effects_of([tuple(row) for row in found], less_is_better=case.less_is_better)


@pytest.fixture(scope="module")
def walked() -> tuple[dict[str, Score], dict[str, list[Walk]]]:
    """All kinds of cases, walked through once."""
    made = list(make_cases(11, COPIES, NIGHTS))
    reruns = Reruns([truth for _, truth in made])
    walks = [walk(case, reruns) for case, _ in made]
    alarms = [alarm for one in walks for alarm in one.alarms]
    by_kind: dict[str, list[Walk]] = {kind: [] for kind in KINDS}
    for (_, truth), one in zip(made, walks, strict=True):
        by_kind[truth.kind].append(one)
    return {one.kind: one for one in score([truth for _, truth in made], alarms)}, by_kind


@pytest.mark.parametrize(
    "kind", ["first-nights", "another-box", "step-2", "step-3", "step-5", "step-10", "step-20"]
)
def test_a_step_is_told_within_three_nights(
    walked: tuple[dict[str, Score], object], kind: str
) -> None:
    found = walked[0][kind]
    assert found.within_three >= 0.9 * found.changes
    assert found.named_right >= 0.9 * found.told
    assert found.kind_right >= 0.9 * found.told


@pytest.mark.parametrize(
    "kind", ["step-5", "step-10", "step-20", "step-10-heavy-tails", "step-10-bimodal"]
)
def test_a_large_step_is_told_the_same_night(
    walked: tuple[dict[str, Score], object], kind: str
) -> None:
    assert walked[0][kind].same_night >= 0.9 * walked[0][kind].changes


def test_a_drift_is_told_once_and_as_a_drift(walked: tuple[dict[str, Score], object]) -> None:
    found = walked[0]["drift"]
    assert found.told == found.changes
    assert found.kind_right >= 0.9 * found.told
    assert found.false_alarms <= 1


def test_what_creeps_is_one_alarm_with_most_of_its_size(
    walked: tuple[dict[str, Score], dict[str, list[Walk]]],
) -> None:
    found = walked[0]["creeping"]
    assert [len(one.alarms) for one in walked[1]["creeping"]] == [1] * COPIES
    assert found.told >= 0.8 * found.changes
    assert found.kind_right == found.told
    assert found.size is not None
    assert 0.6 < found.size < 1.1


def test_the_second_step_and_the_way_back_are_told(
    walked: tuple[dict[str, Score], dict[str, list[Walk]]],
) -> None:
    scores, walks = walked
    assert scores["second-step"].within_three == 2 * COPIES
    assert scores["step-and-back"].within_three == 2 * COPIES
    kinds = [[alarm.kind for alarm in one.alarms] for one in walks["step-and-back"]]
    assert kinds == [[Kind.STEP, Kind.RECOVERY]] * COPIES


def test_what_is_taken_back_soon_is_a_recovery_of_the_night_of_its_revert() -> None:
    """Where it was hardest: so few nights between that they look like a drift back."""
    rows = score_made_reverts([0.05], [4, 5, 6], 20)
    assert [one.cases for one in rows] == [20] * 3
    assert sum(one.right for one in rows) >= 57, rows


@pytest.mark.test_all
@pytest.mark.parametrize("size", REVERTED)
def test_reverts_after_one_to_twelve_nights_are_told_as_recoveries(size: float) -> None:
    rows = score_made_reverts([size], range(1, 13), 60)
    assert [one.nights for one in rows if one.right < 57] == [], rows


def score_made_reverts(
    sizes: Iterable[float], nights: Iterable[int], copies: int
) -> tuple[RevertScore, ...]:
    places = itertools.product(sizes, nights, range(copies))
    made = [made_revert(size, after, copy) for size, after, copy in places]
    reruns = Reruns([truth for _, truth in made])
    alarms = [alarm for case, _ in made for alarm in walk(case, reruns).alarms]
    return score_reverts([truth for _, truth in made], alarms)


def test_a_way_back_of_two_steps_at_once_undoes_both() -> None:
    told = told_of(-0.15, {25: -0.06, 35: 0.21})
    assert [(one.kind, one.first) for one in told] == [
        (Kind.STEP, 15), (Kind.STEP, 25), (Kind.RECOVERY, 35)
    ]  # fmt: skip
    assert [one.back_to for one in told] == [-1, -1, 15]


def test_what_is_better_than_before_or_comes_back_in_part_is_no_recovery() -> None:
    assert [one.kind for one in told_of(-0.09, {25: 0.14})] == [Kind.STEP, Kind.STEP]
    assert [one.kind for one in told_of(-0.12, {25: 0.06})] == [Kind.STEP, Kind.STEP]


def test_a_drift_that_is_reverted_at_once_has_recovered() -> None:
    levels = [-0.003 * min(max(0, night - 19), 20) if night < 50 else 0.0 for night in range(60)]
    told = told_in(levels)
    assert [one.kind for one in told] == [Kind.DRIFT, Kind.RECOVERY]
    assert told[1].first == 50


def told_of(first: float, later: dict[int, float], nights: int = 45) -> list[ConfirmedAlarm]:
    """Of that step in night 15 and the ``later`` ones."""
    steps = {15: first, **later}
    return told_in([sum(s for n, s in steps.items() if night >= n) for night in range(nights)])


def told_in(levels: Sequence[float], seed: int = 4) -> list[ConfirmedAlarm]:
    case, truth = case_of(Scenario("made", np.array(levels)), seed)
    return told_night_by_night(case, truth)


def made_revert(size: float, after: int, copy: int) -> tuple[DetectionCase, Truth]:
    case, truth = case_of(taken_back(25, size, after, 45), (7, after, copy))
    name = f"{size} {after} {copy}"
    return (
        case.model_copy(update={"id": name}),
        truth.model_copy(update={"id": name, "kind": "revert"}),
    )


def told_night_by_night(case: DetectionCase, truth: Truth) -> list[ConfirmedAlarm]:
    """The news of each night: how large a drift becomes is the anchor's to say."""
    reruns = Reruns([truth])
    watcher = Watcher(lambda before, after, pairs: reruns(case, before, after, pairs))
    alarms = [watcher.add(night) for night in case.to_nights()]
    return [alarm for alarm in alarms if alarm is not None and not alarm.goes_on]


def case_of(scenario: Scenario, seed: int | tuple[int, ...]) -> tuple[DetectionCase, Truth]:
    return make_case("made", scenario, np.random.default_rng(seed))


def test_nothing_is_told_of_box_outliers_and_equal_builds(
    walked: tuple[dict[str, Score], object],
) -> None:
    silent = [one for one in walked[0].values() if one.changes == 0]
    assert len(silent) >= 8
    assert {one.kind: one.false_alarms for one in silent if one.false_alarms} == {}
    assert sum(one.false_alarms for one in walked[0].values()) <= 2


def test_reruns_are_within_their_budget(walked: tuple[object, dict[str, list[Walk]]]) -> None:
    for kind, walks in walked[1].items():
        pairs = sum(one.pairs for one in walks) / sum(one.nights for one in walks)
        assert pairs <= (20 if kind in ("drift", "creeping") else 16), kind


def test_without_confirmation_there_are_false_alarms(monkeypatch: pytest.MonkeyPatch) -> None:
    """The goals above are met by the reruns, and the cases would show it if they were not."""
    monkeypatch.setattr(Confirmation, "run", lambda *_: Decision.CONFIRMED)
    monkeypatch.setattr(Watcher, "_undone", lambda *_: None)
    monkeypatch.setattr(
        watching, "locate", lambda _, before, after, *__, **___: watching_change(before, after)
    )
    made = [one for one in make_cases(11, 2, NIGHTS) if one[1].kind in ("steady", "outliers")]
    reruns = Reruns([truth for _, truth in made])
    walks = [walk(case, reruns) for case, _ in made]
    assert sum(len(one.alarms) for one in walks) > 10


def watching_change(_before: int, after: int) -> LocatedChange:
    return LocatedChange(after, -0.04, is_drift=False)


def one_case(kind: str, seed: int = 11) -> tuple[DetectionCase, Truth]:
    return next(made for made in make_cases(seed, 1, NIGHTS) if made[1].kind == kind)


@pytest.mark.parametrize("count", range(31))
def test_any_number_of_nights_is_no_error(count: int) -> None:
    case, truth = one_case("step-5")
    short = case.model_copy(update={"nights": case.nights[len(case.nights) // 2 :][:count]})
    # Places, not nights, are asked for: shift the truth alike.
    moved = truth.model_copy(update={"levels": truth.levels[len(case.nights) // 2 :]})
    assert len(walk(short, Reruns([moved])).alarms) <= 2


def test_a_rerun_that_never_works_is_no_alarm_and_ends() -> None:
    case, _ = one_case("step-20")
    asked = []

    def dead(_case: DetectionCase, before: int, after: int, pairs: int) -> Sequence[float]:
        asked.append((before, after, pairs))
        return ()

    assert walk(case, dead).alarms == ()
    assert 0 < len(asked) < NIGHTS, "once a night at most"


def test_what_was_measured_in_one_night_counts_in_the_next() -> None:
    case, truth = one_case("step-3")
    reruns = Reruns([truth])
    full = walk(case, reruns)
    small = Reruns([truth])
    watcher = Watcher(lambda before, after, pairs: small(case, before, after, pairs), budget=8)
    told = [alarm for night in case.to_nights() if (alarm := watcher.add(night)) is not None]
    assert len(full.alarms) == len(told) == 1
    assert told[0].pairs > 8, "pairs of several nights"
    assert told[0].night >= int(full.alarms[0].night)


def test_the_ratio_and_its_interval_are_those_of_the_builds() -> None:
    for seed in range(11, 16):
        case, truth = one_case("step-10", seed)
        (alarm,) = walk(case, Reruns([truth])).alarms
        assert alarm.ratio == pytest.approx(truth.changes[0].ratio, abs=0.02)
        assert alarm.low is not None
        assert alarm.high is not None
        assert alarm.low < truth.changes[0].ratio < alarm.high
        assert math.copysign(1, alarm.ratio - 1) == math.copysign(1, alarm.low - 1)


def test_equal_builds_are_cleared_at_once_and_cost_no_pair() -> None:
    case, truth = one_case("step-20")
    first = truth.changes[0].first
    asked = []

    def same(before: int, after: int, pairs: int) -> None:
        asked.append((before, after, pairs))

    watcher = Watcher(same)
    for night in case.to_nights():
        assert watcher.add(night) is None
        if night.number == first:
            assert watcher.urgency > 5
            assert watcher.pending is None
    assert (watcher.pairs_asked, len(asked) > 0) == (0, True)
    # Four in a row on one side, and the new level is the one that counts.
    late = [before for before, after, _ in asked if after > first + 12]
    assert late
    assert min(late) >= first
