"""The promises of docs/detection.md on made-up nights; without reruns they are not kept."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

import pytest

from flink_boost.judge.detection import watcher as watching
from flink_boost.judge.detection.cases import DetectionCase, Truth
from flink_boost.judge.detection.confirmation import Confirmation, Decision
from flink_boost.judge.detection.localisation import LocatedChange
from flink_boost.judge.detection.nights import effects_of
from flink_boost.judge.detection.scoring import Score, score
from flink_boost.judge.detection.simulation import KINDS, make_cases, rerun_pairs
from flink_boost.judge.detection.watcher import Kind, Watcher
from flink_boost.service.evaluation import Walk, walk

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


@pytest.mark.parametrize("kind", ["step-2", "step-3", "step-5", "step-10", "step-20"])
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


def test_the_second_step_and_the_way_back_are_told(
    walked: tuple[dict[str, Score], dict[str, list[Walk]]],
) -> None:
    scores, walks = walked
    assert scores["second-step"].within_three == 2 * COPIES
    assert scores["step-and-back"].within_three == 2 * COPIES
    kinds = [[alarm.kind for alarm in one.alarms] for one in walks["step-and-back"]]
    assert kinds == [[Kind.STEP, Kind.RECOVERY]] * COPIES


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
        assert pairs <= (16 if kind == "drift" else 10), kind


def test_without_confirmation_there_are_false_alarms(monkeypatch: pytest.MonkeyPatch) -> None:
    """The goals above are met by the reruns, and the cases would show it if they were not."""
    monkeypatch.setattr(Confirmation, "run", lambda *_: Decision.CONFIRMED)
    monkeypatch.setattr(
        watching, "locate", lambda _, before, after, *__: watching_change(before, after)
    )
    made = [one for one in make_cases(11, 2, NIGHTS) if one[1].kind in ("steady", "outliers")]
    reruns = Reruns([truth for _, truth in made])
    walks = [walk(case, reruns) for case, _ in made]
    assert sum(len(one.alarms) for one in walks) > 10


def watching_change(_before: int, after: int) -> LocatedChange:
    return LocatedChange(after, -0.02, is_drift=False)


def one_case(kind: str, seed: int = 11) -> tuple[DetectionCase, Truth]:
    return next(made for made in make_cases(seed, 1, NIGHTS) if made[1].kind == kind)


def test_with_fewer_than_ten_nights_nothing_is_suspected() -> None:
    case, truth = one_case("step-20")
    first = truth.changes[0].first
    reruns = Reruns([truth])
    short = case.model_copy(update={"nights": case.nights[first - 4 : first + 5]})
    assert walk(short, reruns).alarms == ()
    assert reruns.asked == []


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
