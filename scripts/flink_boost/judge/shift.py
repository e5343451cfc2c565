"""A shift that several benchmarks have in common, with its interval. Pure."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence

import scipy

from flink_boost.judge.ratio import DEFAULT_CONFIDENCE
from flink_boost.measure.night_record import Shift


def common_shift(
    after: Sequence[Sequence[float]], before: Sequence[Sequence[float]] = ()
) -> Shift | None:
    """The mean over benchmarks of how far log-ratios lie apart, or from 0 without ``before``.

    A sample for each benchmark on either side. Benchmarks with fewer than two values in one of them
    are left out; None when that leaves nothing. The interval is Welch's.
    """
    pairs = [
        samples
        for samples in (zip(after, before, strict=True) if before else ((one,) for one in after))
        if all(len(sample) > 1 for sample in samples)
    ]
    if not pairs:
        return None
    signs = (1, -1)
    step = statistics.fmean(
        sum(sign * statistics.fmean(one) for sign, one in zip(signs, samples, strict=False))
        for samples in pairs
    )
    parts = [
        (statistics.variance(one) / len(one), len(one) - 1) for samples in pairs for one in samples
    ]
    error = sum(part for part, _ in parts)
    half = 0.0
    if error:
        freedom = error**2 / sum(part**2 / degrees for part, degrees in parts)
        quantile = float(scipy.special.stdtrit(freedom, (1 + DEFAULT_CONFIDENCE) / 2))
        half = quantile * math.sqrt(error) / len(pairs)
    low, middle, high = (
        math.exp(max(-_FARTHEST, min(_FARTHEST, one))) for one in (step - half, step, step + half)
    )
    return Shift(ratio=middle, low=low, high=high, benchmarks=len(pairs))


_FARTHEST = 13.0  # a log-ratio; the dashboard takes ratios up to a million
