"""Reads the JSON file that JMH writes (``-rf json``) for one fork of one benchmark."""

from __future__ import annotations

import math
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, TypeAdapter, ValidationError

from flink_boost.base.errors import BrokenData
from flink_boost.flink.side import Side
from flink_boost.measure.fork import Fork
from flink_boost.measure.model import Cell, Mode

ALLOCATION_METRIC = "gc.alloc.rate.norm"  # from JMH's own profiler "gc"
GC_TIME_METRIC = "gc.time"  # likewise; missing when nothing was collected
GC_COUNT_METRIC = "gc.count"  # likewise
CPU_METRIC = "cpu.time.norm"  # from CpuTimeProfiler in our benchmarks
OPERATIONS_METRIC = "operations"  # likewise: what JMH's own totals have to be divided by
# Likewise, of a JVM in which JMH does not see what ended threads have allocated: how many began.
UNCOUNTED_THREADS_METRIC = "threads.uncounted"
_GC_CLOCK_STEP_NS = 1_000_000  # the JVM counts time in collections in whole milliseconds
NEXT_STEP = "Run `flink-boost bench --resume` with its run to measure it again."


def _number(value: Any) -> Any:
    # JMH writes NaN as a string, as JSON has no such number: a single iteration has no error.
    return math.nan if value == "NaN" else value


Number = Annotated[float, BeforeValidator(_number)]


class _Lenient(BaseModel):
    """JMH may add fields; only those that we compute with must be right."""

    model_config = ConfigDict(frozen=True, extra="ignore", populate_by_name=True)


class _Metric(_Lenient):
    score: Number
    unit: str = Field(alias="scoreUnit")
    raw: tuple[tuple[Number, ...], ...] = Field(alias="rawData", default=())


class _Result(_Lenient):
    benchmark: str
    mode: Mode
    forks: Literal[1]
    threads: int = 1
    params: dict[str, str] = Field(default_factory=dict)
    primary: _Metric = Field(alias="primaryMetric")
    secondary: dict[str, _Metric] = Field(alias="secondaryMetrics", default_factory=dict)


_RESULTS = TypeAdapter(tuple[_Result, ...])


def parse_fork(
    content: bytes | str, origin: str, cell: Cell, side: Side, pair: int, threads: int = 1
) -> Fork:
    """The fork that a JMH file describes, checked against the cell that was asked for.

    ``origin`` names the file in messages. Raises ``BrokenData`` for what is not JMH's JSON, is cut
    off, holds other than one result, is of another benchmark or number of threads, or has a score
    that is not positive.
    """
    result = _single_result(content, origin)
    _require_cell(result, cell, origin)
    if result.threads != threads:
        raise BrokenData(
            f"{origin} was measured with {result.threads} threads, not {threads}.", NEXT_STEP
        )
    scores = tuple(score for fork in result.primary.raw for score in fork)
    for score in (result.primary.score, *scores):
        if not (math.isfinite(score) and score > 0):
            raise BrokenData(f"{origin} has the score {score}, which cannot be.", NEXT_STEP)
    if not scores:
        raise BrokenData(f"{origin} has no measured iterations.", NEXT_STEP)
    collections = _secondary(result, GC_COUNT_METRIC, "counts")
    operations = _secondary(result, OPERATIONS_METRIC, "ops")
    # JMH adds up the iterations' collections, in ms, so it has to be divided by all operations.
    step = _GC_CLOCK_STEP_NS / operations if operations else None
    gc_ms = None if collections is None else _secondary(result, GC_TIME_METRIC, "ms") or 0.0
    return Fork(
        cell=cell,
        side=side,
        pair=pair,
        mode=result.mode,
        unit=result.primary.unit,
        score=result.primary.score,
        iterations=scores,
        alloc_bytes_per_op=_allocation(result),
        cpu_time_per_op=_secondary(result, CPU_METRIC, "ns/op"),
        gc_time_per_op=None if step is None or gc_ms is None else gc_ms * step,
        gc_time_step=step,
        gc_count=collections,
        params=tuple(sorted(result.params.items())),
    )


def _single_result(content: bytes | str, origin: str) -> _Result:
    try:
        results = _RESULTS.validate_json(content)
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False)[0]
        place = ".".join(str(part) for part in first["loc"])
        detail = f"{place}: {first['msg']}" if place else first["msg"]
        raise BrokenData(f"{origin} is not a result file of JMH ({detail}).", NEXT_STEP) from error
    if len(results) != 1:
        raise BrokenData(f"{origin} holds {len(results)} results instead of one.", NEXT_STEP)
    return results[0]


def _require_cell(result: _Result, cell: Cell, origin: str) -> None:
    asked = dict(cell.params)
    # JMH also lists parameters that were left at their only value, so a superset is right.
    if result.benchmark != cell.benchmark or asked.items() - result.params.items():
        found = Cell(benchmark=result.benchmark, params=tuple(result.params.items()))
        raise BrokenData(f"{origin} is of {found.name}, not of {cell.name}.", NEXT_STEP)


def _allocation(result: _Result) -> float | None:
    # 3 B/op of a job that allocates 2,000 is worse than no number.
    if _secondary(result, UNCOUNTED_THREADS_METRIC, "threads"):
        return None
    return _secondary(result, ALLOCATION_METRIC, "B/op")


def _secondary(result: _Result, name: str, unit: str) -> float | None:
    # JMH 1.36 and older put a middle dot in front of the names of profiler results.
    metric = result.secondary.get(name) or result.secondary.get(f"·{name}")
    if metric is None or metric.unit != unit or not math.isfinite(metric.score):
        return None
    return metric.score
