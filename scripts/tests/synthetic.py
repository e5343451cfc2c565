"""Runs, forks and series made from seeds, for the tests of what happens after measuring."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from flink_boost.flink.side import Side
from flink_boost.judge.series import Point, Series, settings_of
from flink_boost.measure.fork import Fork
from flink_boost.measure.model import Box, Cell, Mode, RunInfo
from flink_boost.measure.summary import RunSummary, summarise

FIRST_NIGHT = datetime(2026, 3, 1, 22, 30, 5, tzinfo=UTC)
WRITE = Cell(
    benchmark="org.apache.flink.benchmark.StringSerializationBenchmark.write",
    params=(("length", "16"), ("kind", "ascii")),
)
JOB = Cell(
    benchmark="org.apache.flink.benchmark.SerializationFrameworkMiniBenchmarks.serializerTuple"
)
COMPARATOR = Cell(
    benchmark="org.apache.flink.benchmark.StringComparatorBenchmark.writeUtf",
    params=(("length", "16"), ("kind", "ascii")),
)
THREE = (Side.STOCK, Side.PATCHED, Side.UPSTREAM)
UNITS = {Mode.AVERAGE_TIME: "ns/op", Mode.THROUGHPUT: "ops/ms"}


def make_run(
    night: int = 0,
    *,
    cells: Sequence[Cell] = (WRITE, JOB),
    sides: tuple[Side, ...] = (Side.STOCK, Side.PATCHED),
    pairs: int = 5,
    quick_look: bool = False,
    opened: bool = True,
    line: str = "2.3.0",
    hostname: str = "box-1",
    jvm_options: tuple[str, ...] = (),
    commit: str = "",
    jdk: str = "17.0.9+9",
    threads: int = 1,
    heap: str = "",
) -> RunInfo:
    """The plan of one night's run."""
    started = FIRST_NIGHT + timedelta(days=night)
    return RunInfo(
        run_id=f"{started:%Y%m%dT%H%M%SZ}-{line}",
        started=started,
        group="quick" if quick_look else "spine",
        quick_look=quick_look,
        line=line,
        sides=sides,
        pairs=pairs,
        opened=opened,
        jvm_options=jvm_options,
        commit=commit or f"{night + 0xABCDEF01:08x}" + "0" * 32,
        boost_version="0.2.0",
        dropin_sha256="ab" * 32,
        third="upstream" if Side.UPSTREAM in sides else "",
        third_title="upstream 1.10.0" if Side.UPSTREAM in sides else "",
        third_sha256="ef" * 32 if Side.UPSTREAM in sides else "",
        alternating=True,
        threads=threads,
        heap=heap,
        cells=tuple(cells),
        box=Box(
            hostname=hostname,
            cpu="Example CPU",
            cores=4,
            memory_mb=16000,
            kernel="6.1.0",
            jdk=jdk,
            load=0.1,
        ),
    )


def make_forks(
    run: RunInfo,
    *,
    speed: float = 100.0,
    ratio: float = 2.0,
    third_ratio: float = 1.25,
    noise: float = 0.0,
    seed: int = 0,
    modes: Sequence[Mode] | None = None,
) -> tuple[Fork, ...]:
    """Forks whose second side is ``ratio`` times as fast, with log-normal noise per fork.

    Cells are times, jobs are throughputs, unless ``modes`` says so cell by cell.
    """
    factors = dict(zip(run.sides, (1.0, ratio, third_ratio), strict=False))
    source = random.Random(seed)
    forks = []
    for pair in range(1, run.pairs + 1):
        for cell, mode in zip(run.cells, modes or map(mode_of, run.cells), strict=False):
            for side in run.sides_of(cell):
                fast = speed * factors[side] * math.exp(source.gauss(0.0, noise))
                score = 1e4 / fast if mode.less_is_better else fast
                forks.append(
                    Fork(
                        cell=cell,
                        side=side,
                        pair=pair,
                        mode=mode,
                        unit=UNITS[mode],
                        score=score,
                        iterations=(score,),
                        alloc_bytes_per_op=48.0,
                        cpu_time_per_op=score,
                    )
                )
    return tuple(forks)


def mode_of(cell: Cell) -> Mode:
    """Jobs have no parameters here and are measured as throughput."""
    return Mode.AVERAGE_TIME if cell.params else Mode.THROUGHPUT


def make_night(
    night: int = 0, *, ratio: float = 2.0, speed: float = 100.0, noise: float = 0.0, seed: int = 0
) -> RunSummary:
    """A complete run of stock against patched."""
    run = make_run(night)
    return summarise(run, make_forks(run, speed=speed, ratio=ratio, noise=noise, seed=seed))


def make_series(log_ratios: Sequence[float | None], noise: float | None = None) -> Series:
    """A series with the given scores; ``None`` is a missing night."""
    return Series(
        cell=JOB,
        settings=settings_of(make_run()),
        mode=Mode.THROUGHPUT,
        unit="ops/ms",
        points=tuple(
            None if value is None else _point(night, value)
            for night, value in enumerate(log_ratios)
        ),
        noise=noise,
    )


def flat(count: int, *, level: float = 0.5, spread: float = 0.01, seed: int = 0) -> list[float]:
    """Normally distributed scores around one level."""
    source = random.Random(seed)
    return [level + source.gauss(0.0, spread) for _ in range(count)]


def _point(night: int, log_ratio: float) -> Point:
    run = make_run(night)
    return Point(
        run_id=run.run_id,
        started=run.started,
        commit=run.commit,
        pairs=run.pairs,
        log_ratio=log_ratio,
        effects=(log_ratio,),
        stock=100.0,
        patched=100.0 * math.exp(log_ratio),
    )
