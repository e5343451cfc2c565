"""Requests, builds and forks that are made up."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

from flink_boost.flink.lines import default_line, load_lines
from flink_boost.flink.side import Side
from flink_boost.measure.fork import Fork
from flink_boost.measure.groups import load_groups
from flink_boost.measure.model import Box, Built, Cell, Mode, Purpose, RunInfo
from flink_boost.service.requests.catalogue import Bounds, catalogue_of
from flink_boost.service.requests.request import Measured, RequestOrder

KNOWN = catalogue_of(load_groups(), load_lines(), default_line())
BOUNDS = Bounds()
BASE, HEAD = "b" * 40, "a" * 40
NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)
TUPLE = "SerializationFrameworkMiniBenchmarks.serializerTuple"
# Log speed-ups of pairs: of what is slower, and of what is as fast as before.
SLOW = (-0.05, -0.052, -0.048, -0.051, -0.049)
STILL = (0.001, -0.002, 0.0015, -0.001, 0.0005)
BOX = Box(
    hostname="box-1", cpu="a processor", cores=4, memory_mb=1000, kernel="6.1", jdk="17", load=0.1
)


def order(*names: str, pairs: int = 5) -> RequestOrder:
    return RequestOrder(
        base=BASE, head=HEAD, line=default_line(), names=names or (TUPLE,), pairs=pairs
    )


def run(names: Sequence[str], pairs: int) -> RunInfo:
    cells = tuple(KNOWN.by_name[name].cell for name in names)
    return RunInfo(
        run_id="r",
        started=NOON,
        group="custom",
        quick_look=False,
        line=default_line(),
        sides=(Side.BEFORE, Side.AFTER),
        pairs=pairs,
        opened=True,
        jvm_options=(),
        purpose=Purpose.REQUEST,
        subject=Built(project="flink-boost", version="1", commit=HEAD),
        baseline=Built(project="flink-boost", version="1", commit=BASE),
        commit=HEAD,
        boost_version="1",
        dropin_sha256="",
        alternating=True,
        cells=cells,
        timings=tuple(KNOWN.by_name[name].timing for name in names),
        box=BOX,
    )


def forks(differences: Mapping[str, Sequence[float]], mode: Mode = Mode.THROUGHPUT) -> list[Fork]:
    """Pairs whose log speed-ups are these."""
    found = []
    for name, speedups in differences.items():
        cell = KNOWN.by_name[name].cell
        for pair, difference in enumerate(speedups, 1):
            found.append(fork(cell, Side.BEFORE, pair, 100.0, mode))
            sign = -1 if mode.less_is_better else 1
            found.append(fork(cell, Side.AFTER, pair, 100.0 * math.exp(sign * difference), mode))
    return found


def fork(cell: Cell, side: Side, pair: int, score: float, mode: Mode = Mode.THROUGHPUT) -> Fork:
    return Fork(
        cell=cell,
        side=side,
        pair=pair,
        mode=mode,
        unit="ns/op" if mode.less_is_better else "ops/ms",
        score=score,
        iterations=(score,),
        alloc_bytes_per_op=784.0 if side is Side.BEFORE else 640.0,
        cpu_time_per_op=None,
    )


def measured(
    first: Mapping[str, Sequence[float]], again: Mapping[str, Sequence[float]] | None = None
) -> Measured:
    """What these pairs are as the result of a request."""
    pairs = max(map(len, first.values()))
    return Measured(
        order=order(*first, pairs=max(1, pairs)),
        same=False,
        quiet="The machine was quiet when it began.",
        box=BOX,
        first=run(tuple(first), max(1, pairs)),
        forks=tuple(forks(first)),
        again=run(tuple(again), max(map(len, again.values()))) if again else None,
        forks_again=tuple(forks(again)) if again else (),
    )
