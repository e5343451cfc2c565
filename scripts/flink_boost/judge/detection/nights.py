"""What one night says of a benchmark, and how far nights and pairs scatter."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

MAD_TO_SIGMA = 1.4826  # of a normal distribution
NOISE_NIGHTS = 60  # the newest ones, whose scatter is that of tonight
_FEWEST_NIGHTS = 5  # of fewer, differences are few, and each may be a step
LEAST_SIGMA = 0.001  # relative; no clock and no box is steadier over nights


@dataclass(frozen=True)
class Night:
    """The pairs of one night as log-ratios; above 0 means that patched is faster.

    ``number`` is the place in the series, gaps counted, so that nights have a distance.
    """

    number: int
    effects: tuple[float, ...]

    @cached_property
    def level(self) -> float:
        """The night's log-ratio: the median of the means of any two pairs (Hodges and Lehmann).

        As steady as the mean where forks are normal, and not moved far by one bad fork.
        """
        return hodges_lehmann(self.effects)

    @cached_property
    def distances(self) -> tuple[float, ...]:
        """How far each pair is from that level; none of a single one, which is the level."""
        if len(self.effects) < 2:
            return ()
        return tuple(abs(effect - self.level) for effect in self.effects)


@dataclass(frozen=True)
class Noise:
    """Standard deviations of log-ratios, robust: ``night`` of a level, ``pair`` of one pair."""

    night: float
    pair: float


def effects_of(pairs: Iterable[Sequence[float]], *, less_is_better: bool) -> tuple[float, ...]:
    """Log-ratios of pairs of scores, the second side against the first; above 0 is faster.

    Pairs with a score that is no positive finite number are left out.
    """
    sign = -1.0 if less_is_better else 1.0
    return tuple(
        sign * (math.log(second) - math.log(first))
        for first, second in pairs
        if _is_score(first) and _is_score(second)
    )


def hodges_lehmann(values: Sequence[float]) -> float:
    """The median of the means of any two values, each with itself included."""
    return statistics.median(
        (one + other) / 2 for place, one in enumerate(values) for other in values[place:]
    )


def noise_of(nights: Sequence[Night]) -> Noise:
    """How far these nights scatter, without their changes of level.

    That of a night is taken from differences of neighbours, that of a pair from distances to the
    level of its night; both by the median, so that steps, outliers and drift hardly widen them.
    """
    levels = [night.level for night in nights]
    steps = [abs(after - before) for before, after in pairwise(levels)]
    night = sigma(steps) / math.sqrt(2)
    apart: list[float] = []
    size: list[int] = []
    for one in nights:
        apart += one.distances
        size.append(len(one.effects))
    count = statistics.median(size) if size else 1
    if len(nights) < _FEWEST_NIGHTS and count > 1:
        night = 0.0
    pair = sigma(apart) * math.sqrt(count / (count - 1)) if count > 1 else night
    # What forks scatter reaches the night's level; what nights add, reruns do not see.
    share = 1.0 if len(nights) < _FEWEST_NIGHTS else 0.5
    night = max(night, share * pair / math.sqrt(count), LEAST_SIGMA)
    return Noise(night, max(pair, LEAST_SIGMA))


def distances(values: Sequence[float]) -> list[float]:
    """How far each value is from the middle of all."""
    middle = statistics.median(values) if values else 0.0
    return [abs(one - middle) for one in values]


def sigma(apart: Sequence[float]) -> float:
    """The standard deviation of normal values at these absolute distances, by the median."""
    return MAD_TO_SIGMA * statistics.median(apart) if apart else 0.0


def _is_score(value: object) -> bool:
    return isinstance(value, float | int) and math.isfinite(value) and value > 0
