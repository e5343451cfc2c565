"""A run and its repetition: has the ratio become another? Pure."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence

import scipy
from pydantic import Field

from flink_boost.judge.ratio import DEFAULT_CONFIDENCE
from flink_boost.judge.series import pair_log_ratios
from flink_boost.judge.verdict import Verdict, judge
from flink_boost.measure.model import Cell, Frozen, RunInfo
from flink_boost.measure.summary import RunSummary


class Repeated(Frozen):
    """One benchmark then and now. ``change`` is now ÷ then: above 1 the candidate has gained."""

    cell: Cell
    then: float = Field(description="ratio of candidate to reference, geometric mean")
    now: float
    pairs_then: int
    pairs_now: int
    change: float
    low: float | None = Field(description="of the change; None where a run has a single pair")
    high: float | None
    verdict: Verdict


def set_against(then: RunSummary, now: RunSummary) -> tuple[Repeated, ...]:
    """One row per benchmark that both have a whole pair of, in the order of the first run."""
    found = {(one.cell, one.mode, one.unit): one for one in now.cells}
    rows = []
    for before in then.cells:
        after = found.get((before.cell, before.mode, before.unit))
        if after is None:
            continue
        old = pair_log_ratios(before, then.info.main_sides)
        new = pair_log_ratios(after, now.info.main_sides)
        if old and new:
            rows.append(_row(before.cell, old, new))
    return tuple(rows)


def missing_now(then: RunSummary, rows: Sequence[Repeated]) -> tuple[Cell, ...]:
    """Benchmarks of the first run that could not be compared."""
    compared = {row.cell for row in rows}
    return tuple(one.cell for one in then.cells if one.cell not in compared)


def differences(then: RunInfo, now: RunInfo) -> tuple[tuple[str, str, str], ...]:
    """What is other than it was, as (what, then, now): jar, classes, JDK, kernel, machine."""
    facts = (
        ("flink-boost", then.boost_version, now.boost_version),
        ("commit", then.commit[:12], now.commit[:12]),
        ("drop-in jar", then.dropin_sha256[:12], now.dropin_sha256[:12]),
        ("stock class path", then.stock_sha256[:12], now.stock_sha256[:12]),
        ("reference's build", then.before_digest[:12], now.before_digest[:12]),
        ("candidate's build", then.after_digest[:12], now.after_digest[:12]),
        ("third side's jar", then.third_sha256[:12], now.third_sha256[:12]),
        ("JDK", then.box.jdk, now.box.jdk),
        ("kernel", then.box.kernel, now.box.kernel),
        ("box", then.box.label, now.box.label),
        ("processor", then.box.cpu, now.box.cpu),
        ("cores", str(then.box.cores), str(now.box.cores)),
        ("JVM options", " ".join(then.jvm_options), " ".join(now.jvm_options)),
    )
    return tuple((what, old, new) for what, old, new in facts if old != new)


def _row(cell: Cell, old: Sequence[float], new: Sequence[float]) -> Repeated:
    step = statistics.fmean(new) - statistics.fmean(old)
    half = _half_width(old, new)
    low = None if half is None else math.exp(step - half)
    high = None if half is None else math.exp(min(step + half, 700.0))
    return Repeated(
        cell=cell,
        then=math.exp(statistics.fmean(old)),
        now=math.exp(statistics.fmean(new)),
        pairs_then=len(old),
        pairs_now=len(new),
        change=math.exp(step),
        low=low,
        high=high,
        verdict=judge(low, high),
    )


def _half_width(old: Sequence[float], new: Sequence[float]) -> float | None:
    """Welch's, as the two runs may scatter differently."""
    if min(len(old), len(new)) < 2:
        return None
    parts = [(statistics.variance(one) / len(one), len(one) - 1) for one in (old, new)]
    error = sum(part for part, _ in parts)
    if error == 0:
        return 0.0
    freedom = error**2 / sum(part**2 / degrees for part, degrees in parts)
    return float(scipy.special.stdtrit(freedom, (1 + DEFAULT_CONFIDENCE) / 2)) * math.sqrt(error)
