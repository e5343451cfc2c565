"""What is measured and what is stored: the joint between benchmarks, results and dashboard.

A *run* is one call of ``flink-boost bench``. It lives in one folder::

    <results>/<run id>/run.json                      RunInfo: plan and circumstances, written first
    <results>/<run id>/forks/p<NN>.<side>.<slug>.json  raw JMH JSON of one fork, as JMH wrote it
    <results>/<run id>/forks/p<NN>.<side>.<slug>.log   what the fork printed
    <results>/<run id>/attempts/                       files of forks that are running
    <results>/<run id>/complete                      empty; exists when every planned fork is there

Files appear by fsync and atomic rename only, so a run that was killed is resumed from the forks
that exist.
"""

from __future__ import annotations

import hashlib
import re
from datetime import datetime
from enum import StrEnum

from pydantic import BaseModel, ConfigDict, Field


class Frozen(BaseModel):
    """Immutable value; unknown fields are errors."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Side(StrEnum):
    """Which class path a fork ran on.

    ``CONTROL`` is a second stock fork: the other half of a pair in an A/A run.
    """

    STOCK = "stock"
    PATCHED = "patched"
    CONTROL = "control"


class Mode(StrEnum):
    """JMH's modes that we use."""

    THROUGHPUT = "thrpt"
    AVERAGE_TIME = "avgt"

    @property
    def less_is_better(self) -> bool:
        """True for time per operation, false for operations per time."""
        return self is Mode.AVERAGE_TIME


class Cell(Frozen):
    """One benchmark method with one value for each of its parameters.

    ``benchmark`` is the full name as JMH prints it: ``package.Class.method``.
    """

    benchmark: str
    params: tuple[tuple[str, str], ...] = ()

    @property
    def name(self) -> str:
        """``Class.method`` with parameters, for people: ``Class.write[kind=ascii,length=4]``."""
        short = ".".join(self.benchmark.split(".")[-2:])
        if not self.params:
            return short
        return short + "[" + ",".join(f"{k}={v}" for k, v in self.params) + "]"

    @property
    def slug(self) -> str:
        """A file name that is unique for this cell."""
        readable = re.sub(r"[^A-Za-z0-9.=_-]+", "_", self.name).strip("_")[:120]
        return f"{readable}-{hashlib.sha256(self.name.encode()).hexdigest()[:8]}"


class Timing(Frozen):
    """How long JMH warms up and measures in one fork."""

    warmup_iterations: int
    warmup_time_ms: int
    iterations: int
    iteration_time_ms: int

    @property
    def seconds(self) -> float:
        """Time that a fork spends in iterations, in seconds."""
        warmup = self.warmup_iterations * self.warmup_time_ms
        return (warmup + self.iterations * self.iteration_time_ms) / 1000


class Box(Frozen):
    """The machine and JVM that a run was made on (DESIGN §8: what every result carries)."""

    hostname: str
    cpu: str
    cores: int
    memory_mb: int
    kernel: str
    jdk: str
    load: float


class RunInfo(Frozen):
    """Plan and circumstances of a run; written before its first fork."""

    schema_version: int = 1
    run_id: str
    started: datetime = Field(description="UTC")
    group: str = Field(description="name of the group in benchmarks/groups.toml, or 'custom'")
    quick_look: bool
    line: str
    sides: tuple[Side, Side] = Field(description="order within a pair: reference first")
    pairs: int
    opened: bool = Field(description="java.lang opened, as Flink's own configuration does")
    jvm_options: tuple[str, ...]
    commit: str = Field(description="of flink-boost; '<sha>-dirty' when the tree had changes")
    boost_version: str
    dropin_sha256: str = Field(description="empty in an A/A run, which does not use the jar")
    stock_sha256: str = Field(default="", description="over all files of the stock class path")
    cells: tuple[Cell, ...]
    timings: tuple[Timing, ...] = Field(default=(), description="one per cell, in the same order")
    box: Box


class Fork(Frozen):
    """The result of one JMH fork, as far as we compute with it."""

    cell: Cell
    side: Side
    pair: int = Field(description="from 1")
    mode: Mode
    unit: str = Field(description="as JMH prints it: 'ns/op', 'ops/ms'")
    score: float
    iterations: tuple[float, ...] = Field(description="raw scores of the measured iterations")
    alloc_bytes_per_op: float | None = Field(description="gc.alloc.rate.norm, B/op")
    cpu_time_per_op: float | None = Field(description="process CPU time, ns/op; None if unknown")


class Verdict(StrEnum):
    """DESIGN §8, at 95 %; the first that holds."""

    BETTER = "better"
    WORSE = "worse"
    NOT_WORSE = "not worse"
    UNDECIDED = "undecided"


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
    cpu_ratio: float | None = Field(description="CPU time per operation, reference ÷ candidate")
