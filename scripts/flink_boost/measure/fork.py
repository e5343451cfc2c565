"""What one fork gave: JMH's figures, as far as we compute with them."""

from __future__ import annotations

from pydantic import Field

from flink_boost.flink.side import Side
from flink_boost.measure.model import Cell, Frozen, Mode


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
    gc_time_per_op: float | None = Field(
        default=None, description="time in garbage collections, ns/op; None if unknown"
    )
    gc_time_step: float | None = Field(
        default=None, description="the clock's step, 1 ms, in the same unit: less cannot be seen"
    )
    gc_count: float | None = Field(default=None, description="garbage collections while measuring")
    params: tuple[tuple[str, str], ...] = Field(
        default=(), description="all parameters that JMH lists, those left as they are among them"
    )
