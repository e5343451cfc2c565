"""Takes the profiles of one cell: a fork per side, under async-profiler, and what follows from it.

JMH starts the profiler when the warm-up is over. CPU time and allocations come from one recording.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from tempfile import mkdtemp
from typing import Protocol

from flink_boost.base.errors import BrokenData, NotProfiled
from flink_boost.base.files import make_folder, write_durably
from flink_boost.base.processes import CommandTimeoutError, bare_environment, run_supervised
from flink_boost.base.scratch import scratch_folder
from flink_boost.flink import flamegraph, stacks
from flink_boost.flink.profiler import LIBRARY, Profiler
from flink_boost.flink.side import Side
from flink_boost.flink.stacks import Ours, Stack
from flink_boost.measure import jmh
from flink_boost.measure.fork import Fork
from flink_boost.measure.model import Cell, RunInfo, Timing
from flink_boost.measure.profiles.profile_record import (
    FILE,
    ProfiledSide,
    ProfilePair,
    TopFrame,
    folder_of,
)
from flink_boost.measure.runner import jmh_command

# Where a container or the kernel forbids hardware counters, a timer of CPU time is always there.
EVENT = "itimer"
_INTERVAL_NS = 1_000_000
_ALLOCATED = "64k"  # a sample for so many bytes
AS_RECORDING = ("output=jfr", f"alloc={_ALLOCATED}")
# Without it the JVM tells only some places of compiled code, and inlined methods take the blame.
JVM_OPTIONS = ("-XX:+UnlockDiagnosticVMOptions", "-XX:+DebugNonSafepoints")
LEAST_SECONDS = 5.0
_WHOLE = 1_000_000  # widths of the differential graph are whole numbers: parts of a million


@dataclass(frozen=True)
class ProfileSide:
    """One side of a profile: what readers call it, and the class path of its fork."""

    name: str
    class_path: str


@dataclass(frozen=True)
class Recorded:
    """What a fork under the profiler gave: stacks with samples and bytes, time per operation."""

    cpu: Mapping[Stack, int]
    alloc: Mapping[Stack, int] | None
    nanoseconds: float | None


@dataclass(frozen=True)
class ProfiledFork:
    """A fork to be started under the profiler, and what it is about."""

    info: RunInfo
    cell: Cell
    profiler: Profiler
    java: str
    timing: Timing

    @property
    def seconds(self) -> float:
        """How long it may take."""
        return 180 + 5 * self.timing.seconds

    def command(
        self,
        class_path: str,
        result: Path,
        folder: Path,
        temporary: Path,
        output: Sequence[str] = AS_RECORDING,
    ) -> list[str]:
        """Its words: JMH's JSON goes to ``result``, what the profiler writes below ``folder``.

        ``temporary`` is as in ``jmh_command``.
        """
        options = (
            *(f"libPath={self.profiler.library}", f"event={EVENT}"),
            *(f"dir={folder}", f"interval={_INTERVAL_NS}", *output),
        )
        about = (self.info, self.cell, self.timing, self.java)
        command = jmh_command(*about, class_path, result, temporary)
        command += ["-prof", f"async:{';'.join(options)}"]
        return command + [word for one in JVM_OPTIONS for word in ("-jvmArgsAppend", one)]


class Recorder(Protocol):
    """Starts such a fork and reads what it gave."""

    def __call__(
        self, fork: ProfiledFork, side: ProfileSide, place: Path, environment: Mapping[str, str]
    ) -> Recorded:
        """``place`` is a name for files of its own. Raises ``NotProfiled``."""


def take(
    results: Path,
    info: RunInfo,
    cell: Cell,
    sides: tuple[ProfileSide, ProfileSide],
    *,
    profiler: Profiler,
    java: str,
    environment: Mapping[str, str],
    ours: Ours,
    seconds: float = LEAST_SECONDS,
    tell: Callable[[str], None] = lambda _: None,
    record: Recorder | None = None,
) -> ProfilePair:
    """Profiles a cell of a run on two sides, the first being the reference, and keeps what it gave.

    ``seconds`` is for how long at least each side is profiled, after its warm-up. What was kept of
    the cell before is replaced. ``record`` starts the forks, by default here. Raises
    ``NotProfiled`` when a fork fails or gives no samples.
    """
    target = folder_of(results, info.run_id, cell)
    make_folder(target.parent)
    aside = Path(mkdtemp(prefix=".profiling-", dir=target.parent))
    try:
        recorded = []
        for word, side in zip(("before", "after"), sides, strict=True):
            tell(f"Profiling {cell.name}, {side.name}")
            fork = ProfiledFork(info, cell, profiler, java, _timing(info, cell, seconds))
            recorded.append((record or _record)(fork, side, aside / word, environment))
        pair = _draw(recorded, info, cell, sides, aside, profiler, java, ours)
        aside.chmod(0o755)
        # Last: without it a folder is no profile.
        write_durably(aside / FILE, pair.model_dump_json(indent=1) + "\n")
        shutil.rmtree(target, ignore_errors=True)
        aside.rename(target)
    finally:
        shutil.rmtree(aside, ignore_errors=True)
    return pair


def _timing(info: RunInfo, cell: Cell, seconds: float) -> Timing:
    usual = dict(zip(info.cells, info.timings, strict=True))[cell]
    step = max(1, usual.iteration_time_ms)
    iterations = max(usual.iterations, -(-round(seconds * 1000) // step))
    return usual.model_copy(update={"iterations": iterations})


def _record(
    fork: ProfiledFork, side: ProfileSide, place: Path, environment: Mapping[str, str]
) -> Recorded:
    folder = place.with_name(f"{place.name}.forks")
    folder.mkdir()
    result, log = place.with_suffix(".jmh.json"), place.with_suffix(".log")
    limit = fork.seconds
    try:
        with scratch_folder() as temporary:
            words = fork.command(side.class_path, result, folder, temporary)
            code = run_supervised(words, log, bare_environment(environment), limit)
    except CommandTimeoutError:
        raise NotProfiled(
            f"{fork.cell.name} was not profiled: its fork on {side.name} took over {limit:.0f} s.",
            "Try again when the machine is less busy.",
        ) from None
    found = sorted(folder.rglob("*.jfr"))
    if code != 0 or len(found) != 1:
        said = _last_words(log)
        raise NotProfiled(
            f"{fork.cell.name} was not profiled: its fork on {side.name} "
            + (f"ended with code {code}" if code else "left no recording")
            + f" ({said}).",
            "Everything measured is kept; try again with `flink-boost bench --profile`.",
        )
    recording = place.with_suffix(".jfr")
    found[0].replace(recording)
    shutil.rmtree(folder)
    read = _reader(fork, recording)
    try:
        cpu = read("cpu")
    except BrokenData as error:
        raise NotProfiled(
            f"{fork.cell.name} was not profiled on {side.name}: {error.message}", error.next_step
        ) from error
    try:
        alloc = read("alloc")
    except BrokenData:
        alloc = None  # nothing was allocated
    parsed = jmh.parse_fork(
        result.read_bytes(), result.name, fork.cell, Side.STOCK, 1, threads=fork.info.threads
    )
    result.unlink()
    return Recorded(cpu, alloc, time_per_operation(parsed))


def time_per_operation(fork: Fork) -> float | None:
    """Nanoseconds of an operation, of a processor where that is known: this is what is sampled.

    Time by the clock also holds waiting.
    """
    return fork.cpu_time_per_op or _nanoseconds(fork.unit, fork.score)


def _reader(fork: ProfiledFork, recording: Path) -> Callable[[str], Mapping[Stack, int]]:
    def read(event: str) -> Mapping[Stack, int]:
        return flamegraph.read_recording(fork.profiler, fork.java, recording, event)

    return read


_UNITS = {"ns": 1.0, "us": 1e3, "ms": 1e6, "s": 1e9}


def _nanoseconds(unit: str, score: float) -> float | None:
    """Time per operation of a score in ``ops/ms``, ``ns/op`` or their like; None for others."""
    first, _, second = unit.partition("/")
    if first == "ops" and second in _UNITS:
        return _UNITS[second] / score
    return score * _UNITS[first] if second == "op" and first in _UNITS else None


def _last_words(log: Path) -> str:
    try:
        text = log.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return "no output"
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    errors = [line for line in lines if "ERROR" in line or "Exception" in line]
    return (errors or lines[-1:] or ["no output"])[0][:200]


def _draw(
    recorded: Sequence[Recorded],
    info: RunInfo,
    cell: Cell,
    sides: tuple[ProfileSide, ProfileSide],
    folder: Path,
    profiler: Profiler,
    java: str,
    ours: Ours,
) -> ProfilePair:
    first, second = recorded
    known = first.nanoseconds is not None and second.nanoseconds is not None
    costs = (first.nanoseconds or 1.0, second.nanoseconds or 1.0) if known else (1.0, 1.0)
    top = stacks.changes(first.cpu, second.cpu, costs, ours)
    about = f"{cell.name}, Flink {info.line}, run {info.run_id}"
    described = []
    for word, side, one in zip(("before", "after"), sides, recorded, strict=True):
        pages = {}
        for event, found in (("cpu", one.cpu), ("alloc", one.alloc)):
            if found is None:
                continue
            what = "CPU time" if event == "cpu" else "allocated bytes"
            pages[event] = f"{word}-{event}.html"
            flamegraph.draw(
                *(profiler, java, found, folder / pages[event]),
                title=f"{what}, {side.name}",
                notes=(about, flamegraph.MARK_MEANS + "."),
                ours=ours,
            )
        described.append(
            ProfiledSide(
                name=side.name,
                cpu=pages["cpu"],
                alloc=pages.get("alloc", ""),
                samples=sum(one.cpu.values()),
                time_per_operation=one.nanoseconds,
            )
        )
    pair = ProfilePair(
        cell=cell,
        event=EVENT,
        profiler=LIBRARY.version,
        before=described[0],
        after=described[1],
        difference="difference.html",
        top=tuple(TopFrame(**asdict(frame)) for frame in top),
    )
    flamegraph.draw_difference(
        *(profiler, java, (_in_parts(first.cpu), _in_parts(second.cpu))),
        folder / pair.difference,
        title=f"CPU time: {sides[1].name} against {sides[0].name}",
        notes=(about, *difference_notes(sides[0].name, sides[1].name), *pair.text),
        ours=ours,
    )
    return pair


def difference_notes(before: str, after: str) -> tuple[str, ...]:
    """How to read the differential graph."""
    return (
        f"Widths are shares of {after}'s CPU time. Red: a larger share than of {before}'s time.",
        f"Blue: a smaller one. Grey: the same. Yellow: only {after} has it, as far as sampled.",
        f"What only {before} has is not drawn.",
        f"{flamegraph.MARK_MEANS}. The five methods whose own share differs most:",
    )


def _in_parts(stacks: Mapping[Stack, int]) -> dict[Stack, float]:
    """The stacks as parts of the whole, so that sides with other numbers of samples compare."""
    scale = _WHOLE / sum(stacks.values())
    return {stack: weight * scale for stack, weight in stacks.items()}


def remove_left_over(results: Path, run_id: str) -> None:
    """Deletes what a profile that was killed left; the caller holds ``store.lock``."""
    for folder in (results / run_id / "profiles").glob(".profiling-*"):
        shutil.rmtree(folder, ignore_errors=True)
