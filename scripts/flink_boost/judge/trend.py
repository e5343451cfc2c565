"""Decides what a series says: learning, steady, or a candidate for a change.

Pure: series in, verdicts out, no files and no clock; equal input gives equal output. Change points
are found by Apache Otava (E-divisive means over sliding windows, then a significance test), which
gets the control-adjusted ratios. A candidate is only a suspicion: confirming it by a paired rerun,
and everything that follows from that, takes these verdicts as its input.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Sequence
from enum import StrEnum

import scipy
from pydantic import Field, FiniteFloat

from flink_boost.judge.series import Point, Series, SeriesSettings
from flink_boost.measure.model import Cell, Frozen


class Rules(Frozen):
    """The numbers of the decision; scripts/PUBLISHING.md explains them."""

    learning_points: int = Field(default=10, description="fewer points than this: no verdict")
    recent_points: int = Field(default=7, description="how far back a candidate may lie")
    least_change: float = Field(default=0.02, description="relative; smaller changes are ignored")
    noise_factor: float = Field(default=2.0, description="times the A/A noise of one point")
    max_p_value: float = Field(default=0.001, description="Otava's level of significance")
    window: int = Field(default=50, description="points that Otava looks at together")


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
    p_value: FiniteFloat


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


def detect(series: Iterable[Series], rules: Rules | None = None) -> tuple[TrendVerdict, ...]:
    """One verdict per series, in the same order."""
    return tuple(_verdict(one, rules or Rules()) for one in series)


def change_points(points: Sequence[Point], rules: Rules) -> tuple[Change, ...]:
    """The significant changes of level, oldest first, whatever their size."""
    found = levels_apart([math.exp(point.log_ratio) for point in points], rules)
    borders = [0, *found, len(points)]
    return tuple(
        _change(points, borders[i - 1], borders[i], borders[i + 1], found[borders[i]])
        for i in range(1, len(borders) - 1)
    )


def levels_apart(ratios: Sequence[float], rules: Rules) -> dict[int, float]:
    """Where new levels begin, in order, and the p-value of each."""
    # It brings scipy.stats, half of a start of the commands that only sometimes ask it.
    from otava.analysis import compute_change_points

    # A list on purpose: given an array, Otava 0.8 leaves out cutting the window from it.
    found, _ = compute_change_points(
        list(ratios), window_len=rules.window, max_pvalue=rules.max_p_value, min_magnitude=0.0
    )
    return {int(one.index): float(one.stats.pvalue) for one in found}


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
