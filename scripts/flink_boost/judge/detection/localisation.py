"""Since when a confirmed change is there, and whether it came at once or night by night.

Every shape that it may have had (a step at each night, a drift from each night on; of several
sizes) is weighed by how well it explains the nights and the reruns. Where shapes are still
alike, the build between them on which they disagree most is rerun.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from flink_boost.judge.detection.confirmation import BATCH, Rerun
from flink_boost.judge.detection.nights import Night, Noise

_SURE = 0.95
MOST_PAIRS = 160  # besides those of the confirmation
_SHORTEST_DRIFT = 4  # nights
_DRIFT_BEFOREHAND = 0.4
_FREEDOM = 4.0  # of Student's t: an outlier is no proof
_SIZES = np.linspace(0.4, 1.6, 25)  # of the effect that the rerun shows

Array = NDArray[np.float64]


@dataclass(frozen=True)
class LocatedChange:
    """Where a level changed: ``first`` is the first changed night, ``effect`` a log-ratio.

    ``is_drift``: it went on night by night from ``first`` to the night of the rerun.
    """

    first: int
    effect: float
    is_drift: bool


@dataclass
class _Shapes:
    """Hypotheses: level of each night from ``start`` on relative to ``start``, in rows."""

    start: int
    levels: Array
    firsts: NDArray[np.int64]
    drifts: NDArray[np.bool_]
    effects: Array
    log_weights: Array = field(init=False)

    def __post_init__(self) -> None:
        drifts = self.drifts.sum()
        each = np.where(
            self.drifts,
            _DRIFT_BEFOREHAND / max(drifts, 1),
            (1 - _DRIFT_BEFOREHAND) / max(len(self.drifts) - drifts, 1),
        )
        self.log_weights = np.log(each)

    def weigh(self, night: int, values: Sequence[float], scale: float) -> None:
        """Takes in what a night, or pairs of a rerun against ``start``, showed."""
        expected = self.levels[:, night - self.start]
        distance = (np.asarray(values)[None, :] - expected[:, None]) / scale
        tails = np.log1p(distance**2 / _FREEDOM).sum(axis=1)
        self.log_weights -= (_FREEDOM + 1) / 2 * tails

    @property
    def weights(self) -> Array:
        found = np.exp(self.log_weights - self.log_weights.max())
        return np.asarray(found / found.sum())

    def share(self, first: int, *, drift: bool) -> float:
        """How likely that beginning is."""
        chosen = (self.firsts == first) & (self.drifts == drift)
        return float(self.weights[chosen].sum())


def locate(
    nights: Sequence[Night],
    before: int,
    after: int,
    baseline: float,
    differences: Sequence[float],
    noise: Noise,
    rerun: Rerun,
    *,
    may_drift: bool = True,
) -> LocatedChange:
    """The likeliest shape of a change between two nights. ``differences`` are those of its rerun.

    ``baseline`` is the log-ratio of the old level, ``nights`` are those from ``before`` to
    ``after``. At most ``MOST_PAIRS`` further pairs are asked for. Without ``may_drift`` it is known
    to have come at once.
    """
    effect = float(np.median(differences))
    shapes = _shapes(before, after, effect, may_drift=may_drift)
    for night in nights:
        shapes.weigh(night.number, [night.level - baseline], noise.night)
    shapes.weigh(after, differences, noise.pair)
    asked = 0
    between = [night.number for night in nights if before < night.number < after]
    while between and asked < MOST_PAIRS and not _is_sure(shapes):
        middle = max(between, key=lambda number: _disagreement(shapes, number))
        found = rerun(before, middle, BATCH)
        asked += BATCH
        if found is None:
            found = (0.0,) * BATCH  # the same build as that of ``before``: as fast for certain
        elif not found:
            break
        shapes.weigh(middle, found, noise.pair)
    return _likeliest(shapes, nights)


def _shapes(before: int, after: int, effect: float, *, may_drift: bool) -> _Shapes:
    numbers = np.arange(before, after + 1)
    levels, firsts, drifts, effects = [], [], [], []
    for size in _SIZES * effect:
        for first in range(before + 1, after + 1):
            levels.append(np.where(numbers >= first, size, 0.0))
            firsts.append(first)
            drifts.append(False)
            effects.append(size)
            if may_drift and after - first + 1 >= _SHORTEST_DRIFT:
                share = np.clip((numbers - first + 1) / (after - first + 1), 0.0, 1.0)
                levels.append(size * share)
                firsts.append(first)
                drifts.append(True)
                effects.append(size)
    return _Shapes(before, np.array(levels), np.array(firsts), np.array(drifts), np.array(effects))


def _is_sure(shapes: _Shapes) -> bool:
    weights = shapes.weights
    drift = float(weights[shapes.drifts].sum())
    if drift >= _SURE:
        return True
    best = int(np.argmax(weights))
    return shapes.share(int(shapes.firsts[best]), drift=bool(shapes.drifts[best])) >= _SURE


def _disagreement(shapes: _Shapes, number: int) -> float:
    expected = shapes.levels[:, number - shapes.start]
    mean = float(shapes.weights @ expected)
    return float(shapes.weights @ (expected - mean) ** 2)


def _likeliest(shapes: _Shapes, nights: Sequence[Night]) -> LocatedChange:
    weights = shapes.weights
    is_drift = float(weights[shapes.drifts].sum()) > 0.5
    kind = shapes.drifts == is_drift
    # A change begins with a night that was measured; between two gaps it is the later one.
    measured = sorted({night.number for night in nights if night.number > shapes.start})
    shares: dict[int, float] = {}
    for first in np.unique(shapes.firsts[kind]):
        number = next((one for one in measured if one >= first), int(first))
        share = float(weights[kind & (shapes.firsts == first)].sum())
        shares[number] = shares.get(number, 0.0) + share
    first = max(shares, key=lambda number: (shares[number], -number))
    chosen = weights * kind
    return LocatedChange(first, float(chosen @ shapes.effects / chosen.sum()), is_drift)
