"""What a comparison found: the joint between judging and showing."""

from __future__ import annotations

from pydantic import Field

from flink_boost.judge.verdict import Verdict
from flink_boost.measure.model import Cell, Frozen, Mode


class GcComparison(Frozen):
    """Time in garbage collections per operation. ``ratio`` is above 1 when the second has less."""

    reference: float = Field(description="mean over the pairs, ns/op")
    candidate: float = Field(description="mean over the pairs, ns/op")
    ratio: float
    low: float
    high: float
    verdict: Verdict


class Comparison(Frozen):
    """One benchmark, paired. ``ratio`` is above 1 when the second side is faster."""

    cell: Cell
    mode: Mode
    unit: str
    pairs: int
    reference: float = Field(description="geometric mean of the first side's scores, in unit")
    candidate: float = Field(description="geometric mean of the second side's scores, in unit")
    ratio: float
    low: float = Field(description="lower end of the interval; 0 when there are fewer than 2 pairs")
    high: float = Field(description="upper end; infinity when there are fewer than 2 pairs")
    confidence: float
    verdict: Verdict
    pairs_needed: int | None = Field(description="for an undecided row: pairs it would take")
    reference_alloc: float | None
    candidate_alloc: float | None
    alloc_excess: float | None = Field(
        default=None,
        description="what the second side allocates more at least, B/op: lower end of the interval",
    )
    reference_cpu: float | None = Field(default=None, description="CPU time, ns/op")
    candidate_cpu: float | None = Field(default=None, description="CPU time, ns/op")
    cpu_ratio: float | None = Field(description="CPU time per operation, reference ÷ candidate")
    gc: GcComparison | None = Field(default=None, description="None without any collection")
