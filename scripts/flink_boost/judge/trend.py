"""Decides what a series says: learning, steady, or a candidate for a change.

Pure: series in, verdicts out, no files and no clock; equal input gives equal output. Nights are
suspected as ``detection.suspicion`` does it. Here no rerun follows, so a night has to be so far out
that chance hardly ever brings it there, and the nights after it have to bear it out.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Sequence
from enum import StrEnum
from itertools import pairwise

import scipy
from pydantic import Field, FiniteFloat

from flink_boost.judge.detection.nights import NOISE_NIGHTS, Night, Noise, noise_of
from flink_boost.judge.detection.suspicion import (
    BASELINE,
    LEARNING_NIGHTS,
    error_of_step,
    suspect,
)
from flink_boost.judge.series import Point, Series, SeriesSettings
from flink_boost.measure.model import Cell, Frozen

_FREEDOM = 0.37  # of a night: the efficiency of a median of absolute differences


class Rules(Frozen):
    """The numbers of the decision; scripts/PUBLISHING.md explains them."""

    learning_points: int = Field(
        default=LEARNING_NIGHTS, description="fewer points than this: no verdict"
    )
    recent_points: int = Field(default=7, description="how far back a candidate may lie")
    least_change: float = Field(default=0.02, description="relative; smaller changes are ignored")
    noise_factor: float = Field(default=2.0, description="times the A/A noise of one point")
    max_p_value: float = Field(default=0.002, description="of one look at equal levels")


class TrendKind(StrEnum):
    """What a series says by itself; later stages add what became of a candidate."""

    LEARNING = "learning"
    STEADY = "steady"
    CANDIDATE_REGRESSION = "candidate-regression"
    CANDIDATE_IMPROVEMENT = "candidate-improvement"


class Change(Frozen):
    """A change point: the first run on the new level, and the last one on the old."""

    before_run: str
    before_commit: str
    after_run: str
    after_commit: str
    points_since: int = Field(description="points on the new level, the changed one included")
    ratio: FiniteFloat = Field(description="new level ÷ old level; above 1 is an improvement")
    low: FiniteFloat | None = Field(
        default=None,
        description="lower end of its 95 % interval (Welch); None with a single point on a level",
    )
    high: FiniteFloat | None = Field(default=None, description="upper end")
    p_value: FiniteFloat = Field(description="of such a step of equal levels (Student's t)")


class SmallestChange(Frozen):
    """What is found of a benchmark on this box, by the noise of its own nights."""

    size: FiniteFloat = Field(description="how much slower, as a share of the speed")
    power: FiniteFloat = Field(description="share of such changes that three nights tell, at least")

    def __str__(self) -> str:
        return f"{self.size:.1%} in {self.power:.0%} of cases"


class TrendVerdict(Frozen):
    """The verdict over one series."""

    cell: Cell
    settings: SeriesSettings
    kind: TrendKind
    points: int
    gaps: int
    threshold: FiniteFloat = Field(description="relative change that a candidate must exceed")
    change: Change | None = Field(description="what made it a candidate")
    earlier_changes: tuple[Change, ...] = Field(description="other change points, oldest first")
    smallest_change: SmallestChange | None = Field(
        default=None, description="that this box finds by reruns; None while it learns"
    )


def detect(series: Iterable[Series]) -> tuple[TrendVerdict, ...]:
    """One verdict per series, in the same order."""
    return tuple(_verdict(one, Rules()) for one in series)


def change_points(points: Sequence[Point], rules: Rules) -> tuple[Change, ...]:
    """The significant changes of level, oldest first, whatever their size."""
    nights = [Night(place, one.effects) for place, one in enumerate(points)]
    found = _borne_out(nights, _suspected(nights, rules), rules)
    borders = [0, *found, len(points)]
    return tuple(
        _change(points, borders[i - 1], borders[i], borders[i + 1], found[borders[i]])
        for i in range(1, len(borders) - 1)
    )


def _suspected(nights: Sequence[Night], rules: Rules) -> list[int]:
    """Where new levels seem to begin, each held against the level before it, in order."""
    found, start, window = [], 0, rules.recent_points
    for count in range(rules.learning_points, len(nights) + 1):
        noise, freedom = _noise(nights[:count])
        level = nights[max(start, count - BASELINE - window) : count]
        recent = max(1, len(level) - window)
        limit = float(scipy.special.stdtrit(freedom, 1 - rules.max_p_value / 2))
        one = suspect(level[:recent], level[recent:], noise, limit, window)
        if one is not None:
            start = one.first
            found.append(start)
    return found


def _borne_out(nights: Sequence[Night], places: Sequence[int], rules: Rules) -> dict[int, float]:
    """Those at which the levels on both sides still differ, and the p-value of each.

    One night alone is no level, but for the newest. Then the least certain goes first: the levels
    beside it become one.
    """
    levels = [one for one, following in pairwise(places) if following - one > 1]
    borders = [0, *levels, *places[-1:], len(nights)]
    while len(borders) > 2:
        found = {
            borders[i]: _p_value(nights, borders[i - 1], borders[i], borders[i + 1])
            for i in range(1, len(borders) - 1)
        }
        worst = max(found, key=found.__getitem__)
        if found[worst] <= rules.max_p_value:
            return found
        borders.remove(worst)
    return {}


def _p_value(nights: Sequence[Night], start: int, place: int, end: int) -> float:
    noise, freedom = _noise(nights[:end])
    before, after = ([one.level for one in nights[s:e]] for s, e in ((start, place), (place, end)))
    step = abs(statistics.fmean(after) - statistics.median(before))
    error = error_of_step(noise, len(after), len(before))
    return 2 * float(scipy.special.stdtr(freedom, -step / error))


def _noise(nights: Sequence[Night]) -> tuple[Noise, float]:
    """That of the newest nights, and its degrees of freedom: a median knows a third of them."""
    newest = nights[-NOISE_NIGHTS:]
    return noise_of(newest), max(1.0, len(newest) * _FREEDOM)


def _verdict(series: Series, rules: Rules) -> TrendVerdict:
    points = series.present
    threshold = max(rules.least_change, rules.noise_factor * (series.noise or 0.0))
    kind = TrendKind.LEARNING
    candidate: Change | None = None
    earlier: tuple[Change, ...] = ()
    if len(points) >= rules.learning_points:
        changes = change_points(points, rules)
        candidate = _candidate(changes, threshold, rules)
        earlier = tuple(change for change in changes if change is not candidate)
        kind = _kind(candidate)
    return TrendVerdict(
        cell=series.cell,
        settings=series.settings,
        kind=kind,
        points=len(points),
        gaps=len(series.points) - len(points),
        threshold=threshold,
        change=candidate,
        earlier_changes=earlier,
    )


def _candidate(changes: Sequence[Change], threshold: float, rules: Rules) -> Change | None:
    """The newest change that is recent and large enough."""
    for change in reversed(changes):
        if change.points_since <= rules.recent_points and abs(change.ratio - 1) > threshold:
            return change
    return None


def _kind(candidate: Change | None) -> TrendKind:
    if candidate is None:
        return TrendKind.STEADY
    if candidate.ratio < 1:
        return TrendKind.CANDIDATE_REGRESSION
    return TrendKind.CANDIDATE_IMPROVEMENT


def _change(points: Sequence[Point], start: int, index: int, end: int, p_value: float) -> Change:
    old = [point.log_ratio for point in points[start:index]]
    new = [point.log_ratio for point in points[index:end]]
    step = statistics.fmean(new) - statistics.fmean(old)
    reach = _reach_of_a_step(old, new)
    return Change(
        before_run=points[index - 1].run_id,
        before_commit=points[index - 1].commit,
        after_run=points[index].run_id,
        after_commit=points[index].commit,
        points_since=len(points) - index,
        ratio=math.exp(step),
        low=None if reach is None else math.exp(step - reach),
        high=None if reach is None else math.exp(step + reach),
        p_value=p_value,
    )


def _reach_of_a_step(old: Sequence[float], new: Sequence[float]) -> float | None:
    """Half the width of Welch's 95 % interval for the difference of two means.

    None where a level has one point. That the border was chosen where the step is largest makes
    the interval somewhat too narrow.
    """
    if min(len(old), len(new)) < 2:
        return None
    parts = [statistics.variance(level) / len(level) for level in (old, new)]
    error = sum(parts)
    if error == 0:
        return 0.0
    freedom = error**2 / sum(
        part**2 / (len(level) - 1) for part, level in zip(parts, (old, new), strict=True)
    )
    return float(scipy.special.stdtrit(freedom, 0.975)) * math.sqrt(error)
