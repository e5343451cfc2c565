"""The paired runner: one JMH fork per side, in turn, until the plan of a run is carried out.

The order is pair, cell, side: both halves of a pair run next to each other, and the pairs of a cell
are spread over the whole run, so that a slow quarter of an hour of the box spoils no cell.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Protocol

from flink_boost.base.errors import BenchmarkFailed, BrokenData, EnvironmentProblem, UsageProblem
from flink_boost.base.files import sha256
from flink_boost.base.processes import CommandTimeoutError, run_supervised
from flink_boost.flink.lines import PROJECT_ROOT, Line, default_line
from flink_boost.measure import store
from flink_boost.measure.groups import Group
from flink_boost.measure.model import Box, Cell, Fork, RunInfo, Side, Timing

JMH_MAIN = "org.openjdk.jmh.Main"
LAUNCHER = "org.apache.flink.benchmark.Launcher"
CPU_PROFILER = "org.apache.flink.benchmark.CpuTimeProfiler"

# The JVM's own choice of collector depends on the machine. The heap, of fixed size, is that of each
# benchmark (@Fork in its class); JMH puts it behind our options, so it would win over them.
FORK_OPTIONS = ("-XX:+UseG1GC",)
HEAP_OPTION = re.compile(r"-Xm[snx]|-XX:[+-]Use\w*GC$|-XX:(Max|Initial|Min)HeapSize|-XX:\w+RAM")
# JMH's own JVM only starts the fork and waits: small and quick to start.
LAUNCHER_OPTIONS = ("-Xmx128m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1")
# Variables from which a JVM takes options that no record of the run would show.
HIDDEN_OPTIONS = ("JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS")

START_SECONDS = 4.0  # a fork besides its iterations: two JVM starts, call sites polluted
LOG_TAIL_LINES = 15
JMH_IS_BUSY = "Unable to acquire the JMH lock"
_DISK_FULL_BYTES = 64 * 1024
_GIT_SECONDS = 20.0


@dataclass(frozen=True)
class Third:
    """A third side: the jar of ``thirdside.ensure_third``, and what to call it."""

    name: str
    title: str
    jar: Path


@dataclass(frozen=True)
class ClassPaths:
    """What each side loads: patched and third have a jar of their own in front of stock's."""

    stock: tuple[Path, ...]
    dropin: Path
    third: Third | None = None

    def of(self, side: Side) -> str:
        """The value of ``-cp``."""
        return os.pathsep.join(str(entry) for entry in (*self._in_front(side), *self.stock))

    def _in_front(self, side: Side) -> tuple[Path, ...]:
        if side is Side.PATCHED:
            return (self.dropin,)
        return (self.third.jar,) if side is Side.UPSTREAM and self.third else ()


@dataclass(frozen=True)
class Failure:
    """A fork that gave no result."""

    planned: store.PlannedFork
    reason: str
    log: Path
    tail: str


@dataclass(frozen=True)
class Step:
    """A fork that has just ended, for the one who shows progress."""

    number: int
    total: int
    planned: store.PlannedFork
    outcome: Fork | Failure
    seconds_left: float


class Progress(Protocol):
    """Shows how a run goes on."""

    def started(self, info: RunInfo, number: int, planned: store.PlannedFork) -> None:
        """A fork is about to run; ``number`` counts from 1."""

    def ended(self, info: RunInfo, step: Step) -> None:
        """A fork has ended, well or not."""


def find_class_paths(
    line: Line,
    build: Path,
    version: str,
    sides: Sequence[Side],
    root: Path = PROJECT_ROOT,
    third: Third | None = None,
) -> ClassPaths:
    """The class paths that ``make build`` has left, with the third side's jar in addition.

    Raises ``EnvironmentProblem`` when a file that one of the sides needs is missing.
    """
    listing = root / "benchmarks" / "target" / line.version / "classpath.txt"
    if not listing.is_file():
        raise EnvironmentProblem(
            f"The benchmarks are not built: {listing} is missing.", build_step(line)
        )
    entries = listing.read_text(encoding="utf-8").strip().split(":")
    # Relative entries are relative to the project: the file may be read from anywhere.
    stock = tuple(root / entry for entry in entries if entry)
    dropin = build / "jars" / line.dropin_name(version)
    needed = (*stock, dropin) if Side.PATCHED in sides else stock
    for path in needed:
        if not path.exists():
            raise EnvironmentProblem(f"{path} is missing.", build_step(line))
    if not stock:
        raise EnvironmentProblem(f"{listing} names no class path.", build_step(line))
    return ClassPaths(stock, dropin, third)


def build_step(line: Line) -> str:
    """What to run when something of a line is not built."""
    is_default = line.version == default_line()
    return f"Run `make build{'' if is_default else f' LINE={line.version}'}` first."


def plan_run(
    *,
    run_id: str,
    started: datetime,
    group: Group,
    line: Line,
    sides: tuple[Side, ...],
    pairs: int,
    opened: bool,
    extra_options: Sequence[str],
    class_paths: ClassPaths,
    box: Box,
    commit: str,
    version: str,
    threads: int = 1,
    heap: str = "",
) -> RunInfo:
    """The plan of a run and its circumstances.

    ``heap`` is a size as the JVM reads it (``64m``); empty leaves each benchmark its own. Raises
    ``UsageProblem`` for an extra option that a benchmark's own would silently override, and when
    nothing is left to be measured.
    """
    for option in extra_options:
        if HEAP_OPTION.match(option):
            raise UsageProblem(
                f"{option} would have no effect: every benchmark fixes its own heap.",
                "Give --heap SIZE, or change @Fork in the benchmark's class.",
            )
    if Side.PATCHED not in sides and all(cell.is_comparator for cell in group.cells):
        raise UsageProblem(
            "Comparators alone cannot be measured stock against stock: they are the same code.",
            "Leave out --aa, or choose other benchmarks.",
        )
    opening = line.jvm_options if opened else _closing_options(box.jdk_feature)
    third = class_paths.third
    return RunInfo(
        run_id=run_id,
        started=started,
        group=group.name,
        quick_look=group.quick_look,
        line=line.version,
        sides=sides,
        pairs=pairs,
        opened=opened,
        jvm_options=(*FORK_OPTIONS, *opening, *extra_options),
        commit=commit,
        boost_version=version,
        dropin_sha256=sha256(class_paths.dropin) if Side.PATCHED in sides else "",
        stock_sha256=_sha256_of_all(class_paths.stock),
        third=third.name if third else "",
        third_title=third.title if third else "",
        third_sha256=sha256(third.jar) if third else "",
        threads=threads,
        heap=heap,
        cells=group.cells,
        timings=group.timings,
        box=box,
    )


def _closing_options(jdk: int) -> tuple[str, ...]:
    # JDK 17 keeps java.lang closed by itself; older ones let the class path in, with a warning.
    return ("--illegal-access=deny",) if 9 <= jdk < 17 else ()


def require_same_circumstances(info: RunInfo, class_paths: ClassPaths, box: Box) -> None:
    """Refuses to mix forks of different jars, machines or JDKs in one run (``UsageProblem``)."""
    jar = sha256(class_paths.dropin) if Side.PATCHED in info.sides else ""
    stock = _sha256_of_all(class_paths.stock)
    third = sha256(class_paths.third.jar) if class_paths.third else ""
    changes = {
        "drop-in jar": jar != info.dropin_sha256,
        "benchmark class path": stock != info.stock_sha256,
        "third side's jar": third != info.third_sha256,
        "machine": (box.hostname, box.cpu) != (info.box.hostname, info.box.cpu),
        "JDK": box.jdk != info.box.jdk,
    }
    for what, changed in changes.items():
        if changed:
            raise UsageProblem(
                f"The run {info.run_id} cannot go on: the {what} has changed since it began.",
                "Start a new run, or bring the old one back.",
            )


def jmh_command(
    info: RunInfo, cell: Cell, timing: Timing, java: str, class_path: str, result: Path
) -> list[str]:
    """The arguments that run one fork of one cell; ``result`` is where JMH writes its JSON."""
    return [
        java,
        *LAUNCHER_OPTIONS,
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
) -> None:
    """Runs every planned fork that has no result yet, and marks the run complete.

    ``timeout`` is for one fork, in seconds; by default it follows from the fork's own iterations.
    A failing fork is shown and passed over. Raises ``BenchmarkFailed`` at the end when forks are
    missing, ``EnvironmentProblem`` at once when the disk is full or another JMH is running. The
    caller holds ``store.lock``.
    """
    store.discard_attempts(results, info.run_id)
    timings = dict(zip(info.cells, info.timings, strict=True))
    missing = store.missing_forks(results, info)
    total = len(store.planned_forks(info))
    work = [timings[planned.cell].seconds + START_SECONDS for planned in missing]
    failures: list[Failure] = []
    began = clock()
    for index, planned in enumerate(missing):
        number = total - len(missing) + index + 1
        progress.started(info, number, planned)
        timing = timings[planned.cell]
        outcome = _run_fork(results, info, planned, timing, class_paths, java, environment, timeout)
        if isinstance(outcome, Failure):
            failures.append(outcome)
        pace = (clock() - began) / sum(work[: index + 1])
        left = pace * sum(work[index + 1 :])
        progress.ended(info, Step(number, total, planned, outcome, left))
    if not store.finish(results, info):
        raise BenchmarkFailed(
            f"{len(failures)} of {total} forks failed.",
            f"Read {failures[0].log}, then run `flink-boost bench --resume {info.run_id}`"
            " to try them again.",
        )


def _run_fork(
    results: Path,
    info: RunInfo,
    planned: store.PlannedFork,
    timing: Timing,
    class_paths: ClassPaths,
    java: str,
    environment: Mapping[str, str],
    timeout: float | None,
) -> Fork | Failure:
    attempt = store.new_attempt(results, info.run_id, planned)
    command = jmh_command(
        info, planned.cell, timing, java, class_paths.of(planned.side), attempt.json
    )
    limit = timeout or 120 + 5 * timing.seconds
    try:
        code = run_supervised(command, attempt.log, _without_hidden_options(environment), limit)
        if code == 0:
            return store.accept_attempt(results, info, planned, attempt)
        reason = f"ended with code {code}"
    except CommandTimeoutError:
        reason = f"was stopped after {limit:.0f} s"
    except BrokenData as error:
        reason = f"gave no usable result: {error.message}"
    _require_space(results, info)
    output = attempt.log.read_text(encoding="utf-8", errors="replace")
    log = store.reject_attempt(results, info, planned, attempt)
    if JMH_IS_BUSY in output:
        raise EnvironmentProblem(
            "Another JMH benchmark is running on this machine; both would measure each other.",
            f"Wait until it has ended, then run `flink-boost bench --resume {info.run_id}`.",
        )
    return Failure(planned, reason, log, _tail(output))


def _without_hidden_options(environment: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in environment.items() if name not in HIDDEN_OPTIONS}


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


def _sha256_of_all(paths: Sequence[Path]) -> str:
    digest = hashlib.sha256()
    for path in paths:
        digest.update(path.name.encode() + b"\0")
        digest.update(sha256(path).encode() + b"\n")
    return digest.hexdigest()


def current_commit(root: Path = PROJECT_ROOT) -> str:
    """The commit that is checked out, with ``-dirty`` when files differ; 'unknown' without git."""
    try:
        head = _git(root, "rev-parse", "HEAD")
        return f"{head}-dirty" if _git(root, "status", "--porcelain") else head
    except (OSError, subprocess.SubprocessError):
        return "unknown"


def _git(root: Path, *arguments: str) -> str:
    return subprocess.run(
        ["git", "-C", str(root), *arguments],
        capture_output=True,
        text=True,
        timeout=_GIT_SECONDS,
        check=True,
        stdin=subprocess.DEVNULL,
    ).stdout.strip()
