"""Measures the nights and reruns of a proof, on real forks; what is there is not measured again."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from flink_boost import __version__
from flink_boost.base.commands import run_captured
from flink_boost.base.errors import BenchmarkFailed, EnvironmentProblem
from flink_boost.base.files import make_folder, publish
from flink_boost.flink.downloads import CACHE
from flink_boost.flink.jdks import ask_jdk
from flink_boost.flink.lines import Line
from flink_boost.flink.side import Side
from flink_boost.measure import finalize, fork_files, run_plan, runner, store
from flink_boost.measure.box import choose_java, describe_box
from flink_boost.measure.box_file import BoxFile
from flink_boost.measure.classpaths import ClassPaths
from flink_boost.measure.commit_jars import Build, build_of
from flink_boost.measure.fork import Fork
from flink_boost.measure.groups import Group
from flink_boost.measure.machine_lock import machine_lock
from flink_boost.measure.model import Box, Built, Cell, Mode, Purpose, RunInfo
from flink_boost.service.detect.reruns.bench import BuildQuestion, ForkRerun, pairs_of
from flink_boost.service.nightly.night import Waiting, when_free
from flink_boost.service.nightly.night_parts import Tell
from lab.cases import CaseNight

SIDES = (Side.STOCK, Side.PATCHED)
_PURPOSE = "flink-boost evaluate-detection real"
_RUNS, _JARS = "runs", "jars"
_CALIBRATED_ROUNDS = (64, 1024, 16_384)
_WELL_SLOWER = 1.5
_CALIBRATION_PAIRS = 4
METHOD = "StringWriter.write"
_PROGRAM = Path(__file__).parent / "data" / "WeaveDelay.java"
_BYTE_BUDDY = "m2/net/bytebuddy/byte-buddy"
_SECONDS = 120.0


class Silent:
    """Forks of a few seconds each are not worth a line."""

    def started(self, info: RunInfo, number: int, planned: fork_files.PlannedFork) -> None:
        """Says nothing."""

    def ended(self, info: RunInfo, step: runner.EndedFork) -> None:
        """Says nothing."""


@dataclass(frozen=True)
class ProofBench:
    """Where a proof measures, and what. ``paths`` are those that the build has left."""

    folder: Path
    line: Line
    group: Group
    paths: ClassPaths
    environ: Mapping[str, str]
    box_file: BoxFile | None
    waiting: Waiting
    tell: Tell
    cpu_time: bool = False
    clock: Callable[[], datetime] = lambda: datetime.now(UTC).replace(microsecond=0)

    @property
    def results(self) -> Path:
        """The store of its nights."""
        return self.folder / _RUNS

    def java(self) -> str:
        """The java that everything runs on."""
        return choose_java(None, None, self.line.jdks, dict(self.environ))

    def box(self) -> Box:
        """This machine."""
        return describe_box(ask_jdk(self.java()), self.box_file)

    def keep_jar(self) -> None:
        """Copies the drop-in jar as it is now: building again does not change the proof."""
        target = self.jar(0)
        if target.exists():
            return
        make_folder(target.parent)
        partial = target.with_name(f".{target.name}.partial")
        partial.write_bytes(self.paths.dropin.read_bytes())
        publish(partial, target)

    @property
    def _options(self) -> tuple[str, ...]:
        # Beside others the compilers get a core too late, and what is measured is interpreted.
        return ("-XX:-BackgroundCompilation",) if self.cpu_time else ()

    def jar(self, rounds: int) -> Path:
        """The drop-in jar with that delay put in."""
        clean = self.folder / _JARS / self.paths.dropin.name
        return slowed_jar(clean, rounds, clean.parent, self.java()) if rounds else clean

    def night(self, name: str, cells: tuple[Cell, ...], pairs: int, rounds: int) -> RunInfo:
        """The run of a night, measured where it is not; forks that fail are gaps."""
        paths = replace(self.paths, dropin=self.jar(rounds))

        def measured() -> RunInfo:
            make_folder(self.results)
            with machine_lock(self.waiting.lock, _PURPOSE), store.lock(self.results):
                info = self._begun(name, cells, pairs, paths)
                if not store.state(self.results, name).is_final:
                    with suppress(BenchmarkFailed):
                        runner.run_missing_forks(
                            *(self.results, info, paths),
                            java=self.java(),
                            environment=self.environ,
                            progress=Silent(),
                        )
                return info

        return when_free(measured, self.waiting, self.tell)

    def scores(self, name: str, cell: Cell) -> tuple[tuple[float, float], ...]:
        """The pairs of a benchmark in a night, as (stock, patched)."""
        info = store.load_run(self.results, name)
        return pairs_of(self._forks(info, cell), SIDES, 1, info.pairs)

    def unit(self, name: str, cell: Cell) -> tuple[Mode, str]:
        """What the scores of a benchmark are. Raises ``EnvironmentProblem`` where there is none."""
        forks = self._forks(store.load_run(self.results, name), cell)
        if not forks:
            raise EnvironmentProblem(
                f"{cell.name} gave nothing in {name}.", f"Read the logs below {self.results}."
            )
        return forks[0].mode, forks[0].unit

    def case_night(self, name: str, cell: Cell, number: int, rounds: int) -> CaseNight:
        """A night as detection takes it."""
        return CaseNight(night=number, commit=f"delay-{rounds}", pairs=self.scores(name, cell))

    def calibrate(self, night: RunInfo, cell: Cell) -> float:
        """How long a round takes in that benchmark, in its unit.

        Raises ``EnvironmentProblem`` when the benchmark does not notice the delay.
        """
        for rounds in _CALIBRATED_ROUNDS:
            asked = f"calibration/{cell.name}/{rounds}"
            found = self.rerun(night, cell, (0, rounds), asked, 0, _CALIBRATION_PAIRS)
            if not found:
                raise EnvironmentProblem(
                    f"{cell.name} gave no pair.", f"Read the logs below {self.results}."
                )
            # As long as the operation itself, or it is lost in what forks scatter.
            if statistics.median(after / before for before, after in found) > _WELL_SLOWER:
                return statistics.median(after - before for before, after in found) / rounds
        raise EnvironmentProblem(
            f"{cell.name} does not become slower when {METHOD} does.",
            "Choose benchmarks that write strings and tell times, such as"
            " StringSerializationBenchmark.write.",
        )

    def rerun(
        self,
        night: RunInfo,
        cell: Cell,
        rounds: tuple[int, int],
        asked: str,
        known: int,
        pairs: int,
    ) -> tuple[tuple[float, float], ...]:
        """Pairs of two builds in turn, as (before, after); ``known`` pairs were asked for before.

        Equal builds are measured, too: what differs then is the box.
        """
        before, after = map(self._build, rounds)
        question = BuildQuestion(night, cell, before, after, Purpose.CONFIRMATION, asked)
        bench = ForkRerun(
            self.results,
            self.environ,
            stock_of=lambda _: self.paths.stock,
            box=self.box_file,
            progress=Silent(),
            now=self.clock,
        )

        def measured() -> tuple[Fork, ...]:
            with machine_lock(self.waiting.lock, _PURPOSE):
                return bench.measure(question, known, pairs)

        forks = [self._scored(one) for one in when_free(measured, self.waiting, self.tell)]
        return pairs_of(forks, (Side.BEFORE, Side.AFTER), known + 1, known + pairs)

    def _build(self, rounds: int) -> Build:
        version = __version__
        built = Built(project="flink-boost", version=version, commit=f"delay-{rounds}")
        return build_of(built, self.line.version, (self.jar(rounds),))

    def _forks(self, info: RunInfo, cell: Cell) -> list[Fork]:
        forks = fork_files.read_forks(self.results, info).forks
        return [self._scored(one) for one in forks if one.cell == cell]

    def _scored(self, fork: Fork) -> Fork:
        """The fork with the score that counts. Raises ``EnvironmentProblem`` without one."""
        if not self.cpu_time:
            return fork
        if fork.cpu_time_per_op is None or not fork.mode.less_is_better:
            raise EnvironmentProblem(
                f"{fork.cell.name} tells no CPU time of an operation.",
                "Choose benchmarks that tell times.",
            )
        return fork.model_copy(update={"score": fork.cpu_time_per_op, "unit": "ns/op"})

    def _begun(self, name: str, cells: tuple[Cell, ...], pairs: int, paths: ClassPaths) -> RunInfo:
        box = self.box()
        if store.run_path(self.results, name).exists():
            info = store.load_run(self.results, name)
            if not store.state(self.results, name).is_final:
                run_plan.require_same_circumstances(info, paths, box)
                finalize.reopen(self.results, info)
            return info
        info = run_plan.plan_run(
            run_id=name,
            started=self.clock(),
            group=self.group.only(cells),
            line=self.line,
            sides=SIDES,
            pairs=pairs,
            opened=True,
            extra_options=self._options,
            class_paths=paths,
            box=box,
            commit="",
            version=__version__,
            purpose=Purpose.BY_HAND,
        )
        store.create_run(self.results, info)
        return info


def slowed_jar(jar: Path, rounds: int, folder: Path, java: str) -> Path:
    """The jar with ``METHOD`` slower by so many rounds; made once.

    Raises ``EnvironmentProblem`` where it cannot be woven.
    """
    target = folder / f"slow-{rounds}.jar"
    if target.exists():
        return target
    make_folder(folder)
    partial = folder / f".{target.name}.partial"
    words = [java, "-cp", str(_byte_buddy()), str(_PROGRAM), str(jar), str(partial), str(rounds)]
    done = run_captured(words, _SECONDS)
    if done.returncode != 0:
        raise EnvironmentProblem(
            f"A delay could not be put into {jar.name}: {_last_line(done.stdout)}.",
            f"Look whether it has {METHOD}.",
        )
    publish(partial, target)
    return target


def _byte_buddy() -> Path:
    """The library that weaves jars, which building one has fetched."""
    found = sorted((CACHE / _BYTE_BUDDY).glob("*/byte-buddy-*.jar"), key=_version)
    if not found:
        raise EnvironmentProblem("What weaves jars is not there.", "Run `make build` first.")
    return found[-1]


def _version(jar: Path) -> tuple[int, ...]:
    return tuple(int(part) for part in jar.parent.name.split(".") if part.isdecimal())


def _last_line(text: str) -> str:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    telling = [line for line in lines if not line.startswith("at ")]
    return (telling or ["it said nothing"])[0].rstrip(".")[:300]
