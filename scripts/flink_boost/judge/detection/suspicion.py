"""Which nights are worth a rerun: cheap, and often wrong on purpose.

A rerun decides, so a suspicion costs pairs, not trust. How far out a night has to be follows from
what clearing it would cost: noisy forks take more pairs, so they are asked for less often.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass

import scipy

from flink_boost.judge.detection.nights import Night, Noise

LEARNING_NIGHTS = 10  # fewer: only what is far out is suspected
_FEWEST_PAIRS = 3  # of each of the first nights: fewer say too little of their noise
LEAST_CHANGE = 0.02  # relative
_NIGHT_FACTOR, _PAIR_FACTOR = 1.8, 0.9  # times the noise of a night, and of a pair
_WINDOW = 5  # newest nights that may be on another level together
BASELINE = 30  # nights
_EARLY_NIGHTS = 2 * LEARNING_NIGHTS  # of a series in which any night may have begun another level
_PAIRS_PER_NIGHT = 4.0  # that clearing may cost on the average
_MOST_SUSPECTED = 0.3  # of quiet nights
_LEAST_SUSPECTED = 0.02


@dataclass(frozen=True)
class Suspicion:
    """The newest nights, from ``first`` on, seem to be on another level than those before."""

    first: int
    direction: int
    score: float


def least_change(noise: Noise) -> float:
    """The smallest log-ratio that is looked for: 2 %, or more where that is lost in noise.

    Noise of nights hides it from suspicion, noise of pairs makes reruns long: only where there is
    much of both is the smallest change a larger one.
    """
    lost = min(_NIGHT_FACTOR * noise.night, _PAIR_FACTOR * noise.pair)
    return max(math.log1p(LEAST_CHANGE), lost)


def threshold(noise: Noise) -> float:
    """How many standard deviations a night has to be out."""
    pairs_to_clear = 10.0 * (noise.pair / least_change(noise)) ** 2 + 3.0
    share = min(_MOST_SUSPECTED, max(_LEAST_SUSPECTED, _PAIRS_PER_NIGHT / pairs_to_clear))
    return float(scipy.special.ndtri(1 - share / 2))


def error_of_step(noise: Noise, newest: int, before: int) -> float:
    """Standard deviation of the mean of the newest nights less the median of those before."""
    # A median of normal values scatters more than their mean, by a factor of 1.25.
    return noise.night * math.sqrt(1 / newest + 1.57 / before)


def window_of(nights: int) -> int:
    """How many of the newest nights may be on another level together, in a series of so many."""
    return nights if nights <= _EARLY_NIGHTS else _WINDOW


def first_threshold(nights: Sequence[Night]) -> float | None:
    """The same in the first nights of a series, None where nothing can be seen in them.

    Their noise is known from few pairs, so it is Student's t, and a night has to be far out.
    """
    pairs = [len(night.effects) for night in nights]
    if min(pairs, default=0) < _FEWEST_PAIRS:
        return None
    freedom = sum(pairs) - len(pairs)
    return float(scipy.special.stdtrit(freedom, 1 - _LEAST_SUSPECTED / 2))


def suspect(
    baseline: Sequence[Night],
    newest: Sequence[Night],
    noise: Noise,
    limit: float | None = None,
    window: int = _WINDOW,
) -> Suspicion | None:
    """The most suspicious start among the newest nights, None where they look like the baseline.

    ``baseline`` are the nights of this level that are not in question, ``newest`` those after the
    last that was cleared; both oldest first. ``limit``: standard deviations to be out, by
    default ``threshold``; ``window``: how many of the newest may be on another level together.
    """
    if not newest or not baseline:
        return None
    limit = threshold(noise) if limit is None else limit
    known = [night.level for night in baseline[-BASELINE:]]
    recent = list(newest[-window:])
    older = known + [night.level for night in newest[: -len(recent)]]
    best: Suspicion | None = None
    for place in range(len(recent)):
        tail = [night.level for night in recent[place:]]
        head = older + [night.level for night in recent[:place]]
        middle = statistics.median(head)
        score = (statistics.fmean(tail) - middle) / error_of_step(noise, len(tail), len(head))
        if abs(score) > limit and (best is None or abs(score) > best.score):
            best = Suspicion(recent[place].number, 1 if score > 0 else -1, abs(score))
    return best
