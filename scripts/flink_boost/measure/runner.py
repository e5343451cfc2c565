"""The paired runner: one JMH fork per side, in turn, until the plan of a run is carried out.

The order is pair, cell, side: both halves of a pair run next to each other, and the pairs of a cell
are spread over the whole run, so that a slow quarter of an hour of the box spoils no cell.
"""

from __future__ import annotations

import os
import re
import shutil
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from flink_boost.base.errors import BenchmarkFailed, BrokenData, EnvironmentProblem
from flink_boost.base.processes import CommandTimeoutError
from flink_boost.measure import finalize, fork_files
from flink_boost.measure.classpaths import ClassPaths
from flink_boost.measure.fork import Fork
from flink_boost.measure.fork_launch import ForkLaunch, ForkOrder, ForksHere
from flink_boost.measure.model import Cell, Purpose, RunInfo, Timing
from flink_boost.measure.run_plan import FORK_OPTIONS
from flink_boost.measure.store import RunState

JMH_MAIN = "org.openjdk.jmh.Main"
LAUNCHER = "org.apache.flink.benchmark.Launcher"
CPU_PROFILER = "org.apache.flink.benchmark.CpuTimeProfiler"

# JMH's own JVM only starts the fork and waits: small and quick to start.
LAUNCHER_OPTIONS = ("-Xmx128m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1")
START_SECONDS = 4.0  # a fork besides its iterations: two JVM starts, call sites polluted
LOG_TAIL_LINES = 15
_NAMED = 5  # so many failed forks are named one by one
_DISK_FULL_BYTES = 64 * 1024


@dataclass(frozen=True)
class Failure:
    """A fork that gave no result."""

    planned: fork_files.PlannedFork
    reason: str
    log: Path
    tail: str


@dataclass(frozen=True)
class EndedFork:
    """A fork that has just ended, for the one who shows progress."""

    number: int
    total: int
    planned: fork_files.PlannedFork
    outcome: Fork | Failure
    seconds_left: float


class Progress(Protocol):
    """Shows how a run goes on."""

    def started(self, info: RunInfo, number: int, planned: fork_files.PlannedFork) -> None:
        """A fork is about to run; ``number`` counts from 1."""

    def ended(self, info: RunInfo, step: EndedFork) -> None:
        """A fork has ended, well or not."""


def jmh_command(
    info: RunInfo,
    cell: Cell,
    timing: Timing,
    java: str,
    class_path: str,
    result: Path,
    temporary: Path,
) -> list[str]:
    """The arguments that run one fork of one cell.

    ``result`` is where JMH writes its JSON. ``temporary`` is a folder for the files of both JVMs,
    JMH's lock among them; no record of a run tells it.
    """
    temporary_files = f"-Djava.io.tmpdir={temporary}"
    return [
        java,
        *LAUNCHER_OPTIONS,
        temporary_files,
        "-cp",
        class_path,
        # JMH's own takes a comma for the end of a value.
        LAUNCHER if any("," in value for _, value in cell.params) else JMH_MAIN,
        f"^{re.escape(cell.benchmark)}$",
        *(word for name, value in cell.params for word in ("-p", _parameter(name, value))),
        "-f",
        "1",
        "-t",
        str(info.threads),
        "-wi",
        str(timing.warmup_iterations),
        "-w",
        f"{timing.warmup_time_ms}ms",
        "-i",
        str(timing.iterations),
        "-r",
        f"{timing.iteration_time_ms}ms",
        "-foe",
        "true",
        "-rf",
        "json",
        "-rff",
        str(result),
        "-prof",
        "gc",
        "-prof",
        CPU_PROFILER,
        # -jvmArgs, not -jvmArgsAppend: the fork would inherit the launcher's options otherwise.
        # First, so that an option of the run may name another folder.
        *("-jvmArgs", temporary_files),
        *(word for option in info.jvm_options for word in ("-jvmArgs", option)),
        *(word for option in _heap_options(info.heap) for word in ("-jvmArgsAppend", option)),
    ]


def _parameter(name: str, value: str) -> str:
    return f"{name}={value}".replace(",", r"\,")


def _heap_options(heap: str) -> tuple[str, ...]:
    """What replaces the heap that a benchmark fixes in its class: -jvmArgsAppend is its place."""
    if not heap:
        return ()
    # The young generation is left to the collector, which then competes for the whole heap.
    return (*FORK_OPTIONS, f"-Xms{heap}", f"-Xmx{heap}", "-XX:+AlwaysPreTouch")


def run_missing_forks(
    results: Path,
    info: RunInfo,
    class_paths: ClassPaths,
    *,
    java: str,
    environment: Mapping[str, str],
    progress: Progress,
    timeout: float | None = None,
    clock: Callable[[], float] = time.monotonic,
    launch: ForkLaunch | None = None,
    first_pair: int = 1,
    only: Collection[fork_files.PlannedFork] | None = None,
) -> None:
    """Runs every planned fork from that pair on that has no result yet, and ends the run.

    ``only``: no other forks are tried than these.

    ``timeout`` is for one fork, in seconds; by default it follows from the fork's own iterations.
    ``launch`` starts the forks, by default as processes of ours.
    A failing fork is shown and passed over. Raises ``BenchmarkFailed`` at the end when forks are
    missing, ``EnvironmentProblem`` at once when a disk is full. The caller holds ``store.lock``.
    """
    fork_files.discard_attempts(results, info.run_id)
    timings = dict(zip(info.cells, info.timings, strict=True))
    missing = [
        planned
        for planned in fork_files.missing_forks(results, info)
        if planned.pair >= first_pair and (only is None or planned in only)
    ]
    total = len(fork_files.planned_forks(info))
    work = [timings[planned.cell].seconds + START_SECONDS for planned in missing]
    failures: list[Failure] = []
    began = clock()
    for index, planned in enumerate(missing):
        number = total - len(missing) + index + 1
        progress.started(info, number, planned)
        timing = timings[planned.cell]
        limit = timeout or 120 + 5 * timing.seconds
        order = _order(info, planned, timing, class_paths, java, environment, limit)
        outcome = _run_fork(results, info, planned, order, launch or ForksHere())
        if isinstance(outcome, Failure):
            failures.append(outcome)
        pace = (clock() - began) / sum(work[: index + 1])
        left = pace * sum(work[index + 1 :])
        progress.ended(info, EndedFork(number, total, planned, outcome, left))
    if finalize.finish(results, info) is not RunState.COMPLETE:
        raise _failed(info, failures, total)


def _failed(info: RunInfo, failures: Sequence[Failure], total: int) -> BenchmarkFailed:
    named = "; ".join(
        f"{one.planned.cell.name}, {info.title_of(one.planned.side)}, pair {one.planned.pair}"
        for one in failures[:_NAMED]
    )
    more = f"; and {len(failures) - _NAMED} more" if len(failures) > _NAMED else ""
    again = f"flink-boost bench --resume {info.run_id}"
    if info.purpose is Purpose.CANARY:
        again = f"flink-boost canary run --line {info.line}"
    read_log = f"Read {failures[0].log}, then run" if failures else "Run"
    return BenchmarkFailed(
        f"{len(failures)} of {total} forks failed."
        + (f" They are: {named}{more}." if named else ""),
        f"{read_log} `{again}` to try them again; all others are kept and count.",
        info.run_id,
    )


def _order(
    info: RunInfo,
    planned: fork_files.PlannedFork,
    timing: Timing,
    class_paths: ClassPaths,
    java: str,
    environment: Mapping[str, str],
    seconds: float,
) -> ForkOrder:
    class_path = class_paths.of(planned.side)

    def command(result: Path, temporary: Path) -> Sequence[str]:
        return jmh_command(info, planned.cell, timing, java, class_path, result, temporary)

    return ForkOrder(
        command,
        (Path(java), *map(Path, filter(None, class_path.split(os.pathsep)))),
        planned.cell,
        info.threads,
        timing.iterations,
        seconds,
        environment,
    )


def _run_fork(
    results: Path,
    info: RunInfo,
    planned: fork_files.PlannedFork,
    order: ForkOrder,
    launch: ForkLaunch,
) -> Fork | Failure:
    attempt = fork_files.new_attempt(results, info.run_id, planned)
    try:
        code = launch.launch(order, attempt)
        if code == 0:
            return fork_files.accept_attempt(results, info, planned, attempt)
        reason = f"ended with code {code}"
    except CommandTimeoutError:
        reason = f"was stopped after {order.seconds:.0f} s"
    except BrokenData as error:
        reason = f"gave no usable result: {error.message}"
    _require_space(results, info)
    output = attempt.log.read_text(encoding="utf-8", errors="replace")
    log = fork_files.reject_attempt(results, info, planned, attempt)
    return Failure(planned, reason, log, _tail(output))


def _require_space(results: Path, info: RunInfo) -> None:
    # JMH says nothing useful on a full disk, and every later fork would fail the same way.
    if shutil.disk_usage(results).free < _DISK_FULL_BYTES:
        raise EnvironmentProblem(
            f"There is no space left on the disk of {results}.",
            f"Free some space, then run `flink-boost bench --resume {info.run_id}`.",
        )


def _tail(output: str) -> str:
    lines = output.splitlines()
    # The stack of JMH's own exception would push out what the fork said.
    telling = [line for line in lines if line.strip() and not line.startswith("\tat ")]
    return "\n".join(telling[-LOG_TAIL_LINES:])
