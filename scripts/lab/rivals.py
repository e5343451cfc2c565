"""Rules of others on the same nights, told as alarms: what ours is compared with.

None of them reruns anything. An alarm is told in the night in which the rule starts to hold, and
not again within a hundred nights, although the rules themselves would.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Iterator, Sequence

from otava.analysis import compute_change_points

from flink_boost.judge.detection.nights import Night, hodges_lehmann
from flink_boost.judge.detection.suspicion import LEARNING_NIGHTS, LEAST_CHANGE
from lab.cases import DetectionCase, ToldAlarm

_WINDOW = 50  # nights that Otava looks at together
_P_VALUE = 0.001  # Otava's level of significance
_NEWEST = 7  # nights in which a change point of Otava is news
_QUIET = 100  # nights after an alarm
_SAME = 2  # nights by which one may move and still be the same

Rule = Callable[[DetectionCase], Iterator[ToldAlarm]]


def otava(case: DetectionCase) -> Iterator[ToldAlarm]:
    """Apache Otava on the nights' ratios; a change point is told once, when it appears."""
    nights = case.to_nights()
    told: list[int] = []
    for count in range(LEARNING_NIGHTS, len(nights) + 1):
        # What is older than the window is cut off by Otava itself.
        seen = nights[max(0, count - 2 * _WINDOW) : count]
        ratios = [math.exp(night.level) for night in seen]
        for index in _levels_apart(ratios):
            first = seen[index].number
            if len(seen) - index > _NEWEST or any(abs(first - one) <= _SAME for one in told):
                continue
            ratio = math.exp(_middle(seen[index:]) - _middle(seen[:index]))
            if abs(ratio - 1) < LEAST_CHANGE:
                continue
            told.append(first)
            yield _told(case, seen[-1].number, first, ratio)


def best_of_three(case: DetectionCase) -> Iterator[ToldAlarm]:
    """Flink's newer rule on patched alone: the best of three runs against the best of the month.

    Baseline is the maximum over 30 nights of the minimum of three neighbours; alarm when the best
    of the newest three is lower by more than 4 % or twice the relative standard deviation.
    """
    speeds = _speeds(case)
    told = -_QUIET
    for count in range(33, len(speeds) + 1):
        values = [speed for _, speed in speeds[count - 33 : count]]
        older, newest = values[:30], values[30:]
        baseline = max(min(older[place : place + 3]) for place in range(len(older) - 2))
        current = max(newest)
        limit = max(0.04, 2 * statistics.stdev(older) / current)
        if current < baseline * (1 - limit) and count - told >= _QUIET:
            told = count
            yield _told(case, speeds[count - 1][0], speeds[count - 3][0], current / baseline)


def medians(case: DetectionCase) -> Iterator[ToldAlarm]:
    """Flink's older rule on patched alone: median of the latest 20 against the 80 before, −4 %."""
    speeds = _speeds(case)
    told = -_QUIET
    for count in range(100, len(speeds) + 1):
        values = [speed for _, speed in speeds[count - 100 : count]]
        ratio = statistics.median(values[80:]) / statistics.median(values[:80])
        if ratio < 0.96 and count - told >= _QUIET:
            told = count
            yield _told(case, speeds[count - 1][0], speeds[count - 20][0], ratio)


RIVALS: dict[str, Rule] = {
    "Otava alone": otava,
    "Flink's newer rule": best_of_three,
    "Flink's older rule": medians,
}


def _levels_apart(ratios: Sequence[float]) -> list[int]:
    """Where new levels begin, in order."""
    # A list on purpose: given an array, Otava 0.8 leaves out cutting the window from it.
    found, _ = compute_change_points(
        list(ratios), window_len=_WINDOW, max_pvalue=_P_VALUE, min_magnitude=0.0
    )
    return [int(one.index) for one in found]


def _speeds(case: DetectionCase) -> list[tuple[int, float]]:
    """Patched's speed of each night, as a rule without stock sees it: higher is better."""
    found = []
    for place, one in enumerate(case.nights):
        scores = (
            [score for _, score in one.pairs if math.isfinite(score) and score > 0] if one else []
        )
        if scores:
            mean = statistics.fmean(scores)
            found.append((place, 1 / mean if case.less_is_better else mean))
    return found


def _told(case: DetectionCase, night: int, first: int, ratio: float) -> ToldAlarm:
    return ToldAlarm(id=case.id, night=case.label(night), first_bad=case.label(first), ratio=ratio)


def _middle(nights: Sequence[Night]) -> float:
    return hodges_lehmann([night.level for night in nights])
