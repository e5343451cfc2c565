"""Decides from paired forks whether the second side is faster than the first. Pure.

The sample is the pair: the logarithm of the ratio of its two scores, turned so that above 0 means
that the second side is faster. Forks of a pair run next to each other, so what slows the box for
minutes at a time cancels out.

The interval is Student's t on these log-ratios, not a bootstrap: with 3 to 10 pairs a percentile
bootstrap can only return means of the few values it has and covers far less than it claims (about
80 % instead of 95 % at 4 pairs), while the mean of log-ratios of forks, each itself a mean over
iterations, is close enough to normal for t. ``test_ratio.py`` measures the coverage.
"""

from __future__ import annotations

import math
import statistics
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import scipy

from flink_boost.flink.side import Side
from flink_boost.judge.outcomes import Comparison, GcComparison
from flink_boost.judge.verdict import judge
from flink_boost.measure.fork import Fork
from flink_boost.measure.model import Cell, RunInfo

DEFAULT_CONFIDENCE = 0.95
MOST_PAIRS = 100_000  # more than anybody can run: pairs_needed is then unknown


@dataclass(frozen=True)
class Interval:
    """A two-sided confidence interval of a ratio."""

    ratio: float
    low: float
    high: float


@dataclass(frozen=True)
class HarnessCheck:
    """What a run of stock against stock says about the harness itself."""

    rows: int
    excluding_one: int
    expected_at_most: int
    confidence: float

    @property
    def passed(self) -> bool:
        """True when no more rows exclude 1 than the level predicts."""
        return self.excluding_one <= self.expected_at_most


Sides: TypeAlias = tuple[Side, Side]


def contrasts(info: RunInfo) -> tuple[Sides, ...]:
    """What a run compares, as (reference, candidate); the headline first.

    With a third side: ours against stock, the third against stock, and ours against the third.
    """
    reference, candidate = info.main_sides
    further = ((reference, third) for third in info.sides[2:])
    between = ((third, candidate) for third in info.sides[2:])
    return ((reference, candidate), *further, *between)


def compare(
    info: RunInfo,
    forks: Iterable[Fork],
    confidence: float = DEFAULT_CONFIDENCE,
    sides: Sides | None = None,
) -> tuple[Comparison, ...]:
    """One row per cell that has at least one whole pair, in the order of the plan.

    Half pairs are left out; ``unpaired`` names them. ``confidence`` is that of the two-sided
    interval, between 0 and 1. ``sides`` is one of ``contrasts``, by default the first.
    """
    pairs = _pairs_by_cell(info, forks, sides or info.main_sides)
    return tuple(compare_cell(cell, pairs[cell], confidence) for cell in info.cells if pairs[cell])


# So many benchmarks without a pair are named one by one.
_NAMED = 5


def unpaired(info: RunInfo, forks: Iterable[Fork]) -> tuple[str, ...]:
    """A sentence part for each cell with pairs that lack a half: ``name: pairs 2, 3``.

    Where many cells lack the same pairs, as in an unfinished run, they are counted instead.
    """
    present = {(fork.cell, fork.pair, fork.side) for fork in forks}
    missing: dict[tuple[int, ...], list[str]] = {}
    for cell in info.cells:
        pairs = tuple(
            pair
            for pair in range(1, info.pairs_of(cell) + 1)
            if any((cell, pair, side) not in present for side in info.sides_of(cell))
        )
        if pairs:
            missing.setdefault(pairs, []).append(cell.name)
    return tuple(
        f"{name}: pair{'s' if len(pairs) > 1 else ''} {', '.join(map(str, pairs))}"
        for pairs, names in missing.items()
        for name in (names if len(names) <= _NAMED else [f"{len(names)} benchmarks"])
    )


def interval(log_ratios: Sequence[float], confidence: float) -> Interval:
    """Geometric mean of the ratios and its interval; (0, infinity) for fewer than two pairs.

    ``log_ratios`` are natural logarithms, one per pair, at least one.
    """
    mean = statistics.fmean(log_ratios)
    if len(log_ratios) < 2:
        return Interval(_exp(mean), 0.0, math.inf)
    half = _half_width(statistics.stdev(log_ratios), len(log_ratios), confidence)
    return Interval(_exp(mean), _exp(mean - half), _exp(mean + half))


def pairs_needed(log_ratios: Sequence[float], confidence: float) -> int | None:
    """Smallest number of pairs that would decide, if mean and variance stayed as they are.

    ``None`` when a single pair says nothing about the variance, or nobody could run that many.
    """
    if len(log_ratios) < 2:
        return None
    mean, spread = statistics.fmean(log_ratios), statistics.stdev(log_ratios)

    def decided(count: int) -> bool:
        half = _half_width(spread, count, confidence)
        return judge(_exp(mean - half), _exp(mean + half)).is_decided

    if not decided(MOST_PAIRS):
        return None
    # The interval only shrinks with more pairs, so "decided" stays true once it is: bisect.
    undecided_at, decided_at = 1, MOST_PAIRS
    while decided_at - undecided_at > 1:
        middle = (undecided_at + decided_at) // 2
        if decided(middle):
            decided_at = middle
        else:
            undecided_at = middle
    return decided_at


def check_harness(rows: Sequence[Comparison]) -> HarnessCheck:
    """Counts the rows of an A/A run that see a difference where there is none.

    ``expected_at_most`` is the 95 % quantile of the binomial distribution: a sound harness exceeds
    it in one A/A run of twenty. Rows of a single pair have no interval and do not count.
    """
    judged = [row for row in rows if row.pairs >= 2]
    confidence = judged[0].confidence if judged else DEFAULT_CONFIDENCE
    return HarnessCheck(
        rows=len(judged),
        excluding_one=sum(row.verdict.is_slower or row.verdict.is_faster for row in judged),
        expected_at_most=_quantile_of_count(0.95, len(judged), 1 - confidence),
        confidence=confidence,
    )


_Pair = tuple[Fork, Fork]


def _pairs_by_cell(info: RunInfo, forks: Iterable[Fork], sides: Sides) -> dict[Cell, list[_Pair]]:
    halves: defaultdict[tuple[Cell, int], dict[Side, Fork]] = defaultdict(dict)
    for fork in forks:
        halves[fork.cell, fork.pair][fork.side] = fork
    first, second = sides
    pairs: dict[Cell, list[_Pair]] = {cell: [] for cell in info.cells}
    for cell in info.cells:
        for number in range(1, info.pairs_of(cell) + 1):
            half = halves.get((cell, number), {})
            if first in half and second in half:
                pairs[cell].append((half[first], half[second]))
    return pairs


def compare_cell(cell: Cell, pairs: Sequence[_Pair], confidence: float) -> Comparison:
    mode, unit = pairs[0][0].mode, pairs[0][0].unit
    log_ratios = [_log_speed_up(reference, candidate) for reference, candidate in pairs]
    found = interval(log_ratios, confidence)
    verdict = judge(found.low, found.high)
    return Comparison(
        cell=cell,
        mode=mode,
        unit=unit,
        pairs=len(pairs),
        reference=statistics.geometric_mean(reference.score for reference, _ in pairs),
        candidate=statistics.geometric_mean(candidate.score for _, candidate in pairs),
        ratio=found.ratio,
        low=found.low,
        high=found.high,
        confidence=confidence,
        verdict=verdict,
        pairs_needed=None if verdict.is_decided else pairs_needed(log_ratios, confidence),
        reference_alloc=_mean([reference.alloc_bytes_per_op for reference, _ in pairs]),
        candidate_alloc=_mean([candidate.alloc_bytes_per_op for _, candidate in pairs]),
        alloc_excess=_alloc_excess(pairs, confidence),
        reference_cpu=_mean([reference.cpu_time_per_op for reference, _ in pairs]),
        candidate_cpu=_mean([candidate.cpu_time_per_op for _, candidate in pairs]),
        cpu_ratio=_cpu_ratio(pairs),
        gc=_compare_collections(pairs, confidence),
    )


def _log_speed_up(reference: Fork, candidate: Fork) -> float:
    ratio = math.log(candidate.score) - math.log(reference.score)
    return -ratio if reference.mode.less_is_better else ratio


def _cpu_ratio(pairs: Sequence[_Pair]) -> float | None:
    ratios = [
        reference.cpu_time_per_op / candidate.cpu_time_per_op
        for reference, candidate in pairs
        if reference.cpu_time_per_op and candidate.cpu_time_per_op
    ]
    return statistics.geometric_mean(ratios) if ratios else None


def _alloc_excess(pairs: Sequence[_Pair], confidence: float) -> float | None:
    differences = [
        candidate.alloc_bytes_per_op - reference.alloc_bytes_per_op
        for reference, candidate in pairs
        if candidate.alloc_bytes_per_op is not None and reference.alloc_bytes_per_op is not None
    ]
    if len(differences) < 2:
        return differences[0] if differences else None
    spread = statistics.stdev(differences)
    return statistics.fmean(differences) - _half_width(spread, len(differences), confidence)


def _compare_collections(pairs: Sequence[_Pair], confidence: float) -> GcComparison | None:
    """Time in collections per operation; pairs in which neither side collected say nothing."""
    times = [
        (first, second)
        for reference, candidate in pairs
        if (first := _visible_gc_time(reference)) is not None
        and (second := _visible_gc_time(candidate)) is not None
        and (reference.gc_time_per_op or candidate.gc_time_per_op)
    ]
    if not times:
        return None
    found = interval([math.log(first / second) for first, second in times], confidence)
    return GcComparison(
        reference=_mean([reference.gc_time_per_op for reference, _ in pairs]) or 0.0,
        candidate=_mean([candidate.gc_time_per_op for _, candidate in pairs]) or 0.0,
        ratio=found.ratio,
        low=found.low,
        high=found.high,
        verdict=judge(found.low, found.high),
    )


def _visible_gc_time(fork: Fork) -> float | None:
    if fork.gc_time_per_op is None or fork.gc_time_step is None:
        return None
    # Below one step of the clock the time is not nothing but unknown: half a step stands for it.
    return fork.gc_time_per_op or fork.gc_time_step / 2


def _mean(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return statistics.fmean(known) if known else None


def _half_width(spread: float, count: int, confidence: float) -> float:
    quantile = float(scipy.special.stdtrit(count - 1, (1 + confidence) / 2))
    return quantile * spread / math.sqrt(count)


def _quantile_of_count(share: float, trials: int, probability: float) -> int:
    """The smallest count that a binomial variable does not exceed with at least that probability.

    As ``scipy.stats.binom.ppf``; scipy.stats takes a second to import, at every call of a command.
    """
    counts = range(trials)
    return next((k for k in counts if scipy.special.bdtr(k, trials, probability) >= share), trials)


def _exp(value: float) -> float:
    # Two pairs that disagree wildly give ends beyond what a float can hold.
    return math.exp(value) if value < 700 else math.inf
