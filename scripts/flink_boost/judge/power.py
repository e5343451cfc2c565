"""How small a change this box finds: by the noise of a benchmark's own nights, and the rules here.

A step is found within three nights when one of them is suspected, and the pairs that may be rerun
until then confirm it. Noise is taken for normal.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np
import scipy

from flink_boost.judge.detection.confirmation import FALSE_CONFIRMATION, MOST_PAIRS
from flink_boost.judge.detection.evidence import BETS
from flink_boost.judge.detection.nights import NOISE_NIGHTS, Noise, noise_of
from flink_boost.judge.detection.suspicion import (
    BASELINE,
    LEARNING_NIGHTS,
    error_of_step,
    least_change,
    threshold,
)
from flink_boost.judge.tracks import Track
from flink_boost.judge.trend import SmallestChange, TrendVerdict

POWER = 0.8  # share of the changes of that size that are found in time
NIGHTS = 3  # within which they are found
_LARGEST = math.log(4)  # what needs more than that is not found by this box
_STEPS_OF_BISECTION = 12
# Levels of made-up nights and of the baseline before them, in deviations of a night.
_SAMPLES = 4000
_CHANCE = np.random.default_rng(2026)
_NIGHTS = _CHANCE.normal(size=(NIGHTS, _SAMPLES))
_BEFORE = _CHANCE.normal(size=_SAMPLES) * math.sqrt(1.57 / BASELINE)
_POINTS, _WEIGHTS = np.polynomial.hermite_e.hermegauss(48)


def smallest_change(noise: Noise) -> SmallestChange | None:
    """The smallest step that is looked for and found; None where none is."""
    low, high = least_change(noise), _LARGEST
    if (power := chance_found(low, noise)) >= POWER:
        return SmallestChange(size=1 - math.exp(-low), power=power)
    if chance_found(high, noise) < POWER:
        return None
    for _ in range(_STEPS_OF_BISECTION):
        middle = (low + high) / 2
        low, high = (low, middle) if chance_found(middle, noise) >= POWER else (middle, high)
    return SmallestChange(size=1 - math.exp(-high), power=chance_found(high, noise))


def chance_found(size: float, noise: Noise) -> float:
    """The chance that a step of that log-ratio is told within three nights."""
    limit = threshold(noise)
    unseen = np.ones(_SAMPLES, np.bool_)
    found = 0.0
    for night in range(1, NIGHTS + 1):
        # Suspected when the mean of the newest nights, of so many as may be, is out.
        seen = np.zeros(_SAMPLES, np.bool_)
        for newest in range(1, night + 1):
            mean = _NIGHTS[night - newest : night].mean(axis=0) - _BEFORE
            out = (size + mean * noise.night) / error_of_step(noise, newest, BASELINE)
            seen |= out > limit
        pairs = min(MOST_PAIRS * (NIGHTS + 1 - night), 2 * MOST_PAIRS)
        found += float((seen & unseen).mean()) * _confirmed(size / noise.pair, pairs)
        unseen &= ~seen
    return found


def with_smallest_change(
    verdicts: Iterable[TrendVerdict], tracks: Iterable[Track]
) -> tuple[TrendVerdict, ...]:
    """The verdicts, each with what is found of its benchmark, once it has nights enough to say."""
    found = {
        (track.cell, track.settings): smallest_change(noise_of(track.nights[-NOISE_NIGHTS:]))
        for track in sorted(tracks, key=lambda track: track.runs[-1].started)
        if len(track.nights) >= LEARNING_NIGHTS
    }
    return tuple(
        one.model_copy(update={"smallest_change": found.get((one.cell, one.settings))})
        for one in verdicts
    )


def _confirmed(distance: float, pairs: int) -> float:
    """The chance that so many pairs at that distance, in their deviations, refute "equal"."""
    weights = _WEIGHTS / _WEIGHTS.sum()
    steps = math.log(2) - np.logaddexp(0.0, -2.0 * np.outer(BETS, distance + _POINTS))
    gain = steps @ weights
    spread = np.sqrt((steps - gain[:, None]) ** 2 @ weights)
    enough = math.log(len(BETS)) - math.log(FALSE_CONFIRMATION)
    return float(np.max(scipy.special.ndtr((pairs * gain - enough) / (math.sqrt(pairs) * spread))))
