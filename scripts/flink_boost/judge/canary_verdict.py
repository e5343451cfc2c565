"""Has the canary moved? Then it was the box, and nobody is told of the product that night.

Of each canary run two things are looked at: the ratio of the frozen jar to frozen stock, and the
speed of frozen stock itself. Both are held against the box's own recent nights, all benchmarks
together and each by itself. How wide a night may lie follows from how far those nights scatter.

The state goes on night by night. A night that moved is no part of what later ones are held against,
unless it turns out to be the new normal: when ``SETTLED`` nights in a row moved and agree, earlier
nights are shifted to their level, and the canary is steady again.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import scipy

from flink_boost.judge.detection.nights import (
    LEAST_SIGMA,
    MAD_TO_SIGMA,
    effects_of,
    hodges_lehmann,
)
from flink_boost.measure.model import Purpose, RunInfo
from flink_boost.measure.summary import RunSummary

LEARNING = 10  # nights before it is judged
RECENT = 30  # nights that tonight is held against
SETTLED = 3  # nights in a row that make a new normal
FALSE_NIGHTS = 0.005  # share of nights of an unmoved box in which it is said to have moved
LEAST_RATIO = 0.01  # smaller moves of the ratio disturb no judgement of the product
LEAST_STOCK = 0.02  # stock is the control: what moves both sides cancels out

_INTERVAL = 0.95
# The median of absolute deviations uses 37 % of what normal values tell; the median 64 %.
_DEVIATION_EFFICIENCY = 0.37
_MEDIAN_VARIANCE = math.pi / 2


@dataclass(frozen=True)
class CanaryNight:
    """One canary run, per benchmark: log-ratio of the jar to stock, and log of stock's speed."""

    run_id: str
    ratios: Mapping[str, float]
    stock: Mapping[str, float]


@dataclass(frozen=True)
class CanaryReading:
    """What the canary says of a night.

    ``ratio`` is tonight's speed to the usual one with its 95 % interval, of what lies furthest out;
    all three are None while it learns. ``reason`` says it in words.
    """

    run_id: str
    moved: bool
    ratio: float | None
    low: float | None
    high: float | None
    nights: int
    reason: str

    @property
    def learning(self) -> bool:
        """Whether there are too few nights to say anything."""
        return self.ratio is None


def nights_of(runs: Iterable[RunSummary], tonight: RunInfo) -> tuple[CanaryNight, ...]:
    """The canary runs that belong to the series of ``tonight``, oldest first, itself included.

    A series is a line on a box with one frozen jar, class path and plan. Nights without a whole
    pair are gaps.
    """
    ordered = sorted(runs, key=lambda run: (run.info.started, run.info.run_id))
    same = [run for run in ordered if _series(run.info) == _series(tonight)]
    earlier = [run for run in same if run.info.started <= tonight.started]
    return tuple(night for night in map(_night_of, earlier) if night.ratios)


def read_canary(nights: Sequence[CanaryNight]) -> tuple[CanaryReading, ...]:
    """A reading for each night, each from nights up to then only. Pure."""
    readings = []
    usual: list[CanaryNight] = []
    pending: list[CanaryNight] = []
    certain = 0  # nights that tell where the level is
    for night in nights:
        reading = _read(usual, certain, night)
        readings.append(reading)
        if reading.moved:
            pending.append(night)
            newest = pending[-SETTLED:]
            if len(newest) == SETTLED and _agree(usual, newest):
                usual = [*_shifted(usual, newest), *newest][-RECENT:]
                certain, pending = SETTLED, []
            continue
        pending = []
        usual = [*usual, night][-RECENT:]
        certain = min(certain + 1, RECENT)
    return tuple(readings)


@dataclass(frozen=True)
class _Place:
    """Where a value lies among those of the usual nights."""

    title: str
    shift: float
    scale: float
    limit: float
    freedom: float
    least: float

    @property
    def excess(self) -> float:
        """Above 1: further out than the limit."""
        return min(abs(self.shift) / (self.limit * self.scale), abs(self.shift) / self.least)


def _read(usual: Sequence[CanaryNight], certain: int, night: CanaryNight) -> CanaryReading:
    if len(usual) < LEARNING:
        reason = f"{len(usual)} of {LEARNING} nights so far"
        return CanaryReading(night.run_id, False, None, None, None, len(usual), reason)
    places = _places(usual, certain, night)
    if not places:
        reason = "no benchmark of this night is in the nights before"
        return CanaryReading(night.run_id, False, None, None, None, len(usual), reason)
    furthest = max(places, key=lambda place: place.excess)
    moved = furthest.excess > 1
    width = float(scipy.special.stdtrit(furthest.freedom, (1 + _INTERVAL) / 2)) * furthest.scale
    ratio, low, high = (
        math.exp(value)
        for value in (furthest.shift, furthest.shift - width, furthest.shift + width)
    )
    reason = (
        f"{furthest.title} is {ratio:.3f} times that of the last {len(usual)} nights"
        f" ({low:.3f}–{high:.3f})"
    )
    return CanaryReading(night.run_id, moved, ratio, low, high, len(usual), reason)


def _places(usual: Sequence[CanaryNight], certain: int, night: CanaryNight) -> list[_Place]:
    """All benchmarks together, and each by itself, of the ratio and of stock."""
    places = []
    families = (
        ("the ratio of the frozen jar to stock", LEAST_RATIO, "ratios"),
        ("the speed of frozen stock", LEAST_STOCK, "stock"),
    )
    for title, least, name in families:
        tonight: Mapping[str, float] = getattr(night, name)
        before: list[Mapping[str, float]] = [getattr(one, name) for one in usual]
        cells = [cell for cell in tonight if sum(cell in one for one in before) >= LEARNING]
        if not cells:
            continue
        share = FALSE_NIGHTS / len(families)
        titles, rates = [title], [share]
        columns = [[one[cell] for one in (*before, tonight) if cell in one] for cell in cells]
        if len(cells) > 1:
            # Half of the errors for all together, half for the benchmarks by themselves.
            titles += [f"{title} in {cell}" for cell in cells]
            rates = [share / 2, *[share / 2 / len(cells)] * len(cells)]
            columns = [_together(cells, columns, (*before, tonight)), *columns]
        for place, rate, values in zip(titles, rates, columns, strict=True):
            places.append(_located(place, rate, values, certain, least))
    return places


def _together(
    cells: Sequence[str], columns: Sequence[list[float]], nights: Sequence[Mapping[str, float]]
) -> list[float]:
    """The mean of each night, of how far its benchmarks are from their own usual values.

    So a benchmark that is missing in a night, as one that failed, does not pull that night's mean.
    """
    levels = {
        cell: statistics.median(column[:-1]) for cell, column in zip(cells, columns, strict=True)
    }
    apart = ([night[cell] - levels[cell] for cell in cells if cell in night] for night in nights)
    return [sum(values) / len(values) for values in apart if values]


def _located(
    title: str, rate: float, values: Sequence[float], certain: int, least: float
) -> _Place:
    """Where the last value lies, which is tonight's, among those before."""
    *before, tonight = values
    middle = statistics.median(before)
    apart = statistics.median(abs(value - middle) for value in before)
    spread = max(MAD_TO_SIGMA * apart, LEAST_SIGMA)
    scale = spread * math.sqrt(1 + _MEDIAN_VARIANCE / max(min(certain, len(before)), 1))
    freedom = max(2.0, _DEVIATION_EFFICIENCY * (len(before) - 1))
    return _Place(title, tonight - middle, scale, _limit(freedom, rate), freedom, least)


@lru_cache(maxsize=1024)
def _limit(freedom: float, rate: float) -> float:
    """How many standard deviations a value lies out at most, but for so large a share of nights."""
    return float(scipy.special.stdtrit(freedom, 1 - rate / 2))


def _agree(usual: Sequence[CanaryNight], newest: Sequence[CanaryNight]) -> bool:
    """Whether these nights lie no further from each other than nights usually do."""
    middle = _by_title(usual, newest[len(newest) // 2])
    for night in newest:
        for title, place in _by_title(usual, night).items():
            if title not in middle:
                continue
            apart = abs(place.shift - middle[title].shift)
            if apart > max(math.sqrt(2) * place.limit * place.scale, place.least):
                return False
    return True


def _by_title(usual: Sequence[CanaryNight], night: CanaryNight) -> dict[str, _Place]:
    return {place.title: place for place in _places(usual, RECENT, night)}


def _shifted(
    usual: Sequence[CanaryNight], newest: Sequence[CanaryNight]
) -> tuple[CanaryNight, ...]:
    """The usual nights at the level of the newest: how far they scatter is still known."""
    return tuple(
        replace(
            night,
            ratios=_moved(night.ratios, usual, newest, "ratios"),
            stock=_moved(night.stock, usual, newest, "stock"),
        )
        for night in usual
    )


def _moved(
    values: Mapping[str, float],
    usual: Sequence[CanaryNight],
    newest: Sequence[CanaryNight],
    name: str,
) -> dict[str, float]:
    def level(cell: str, nights: Sequence[CanaryNight]) -> float | None:
        known = [getattr(one, name)[cell] for one in nights if cell in getattr(one, name)]
        return statistics.median(known) if known else None

    moved = {}
    for cell, value in values.items():
        before, after = level(cell, usual), level(cell, newest)
        moved[cell] = value if before is None or after is None else value + after - before
    return moved


def _series(info: RunInfo) -> tuple[object, ...]:
    return (
        info.purpose is Purpose.CANARY,
        info.line,
        info.box.label,
        info.dropin_sha256,
        info.stock_sha256,
        info.jvm_options,
        info.jdk_feature,
        info.cells,
        info.timings,
    )


def _night_of(run: RunSummary) -> CanaryNight:
    ratios, stock = {}, {}
    for cell in run.cells:
        pairs = cell.paired_scores(run.info.main_sides)
        effects = effects_of(pairs, less_is_better=cell.mode.less_is_better)
        if not effects:
            continue
        sign = -1.0 if cell.mode.less_is_better else 1.0
        ratios[cell.cell.name] = hodges_lehmann(effects)
        stock[cell.cell.name] = hodges_lehmann([sign * math.log(first) for first, _ in pairs])
    return CanaryNight(run.info.run_id, ratios, stock)
