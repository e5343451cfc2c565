"""Builds base and head, measures them in turn, and measures again what seemed to differ.

The runs are in a store of their own, ``<results>/requests``, so that they are never points of a
trend. A comparison that was stopped goes on where it was: builds and forks that are there stay,
and so do those that failed.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from flink_boost import __version__
from flink_boost.base.errors import BenchmarkFailed, RefusedResult, UsageProblem
from flink_boost.base.files import make_folder
from flink_boost.base.processes import CommandTimeoutError
from flink_boost.flink.jdks import ask_jdk
from flink_boost.flink.lines import Line, find_line
from flink_boost.measure import finalize, fork_files, runner, store
from flink_boost.measure.box import choose_java, describe_box
from flink_boost.measure.box_file import BoxFile
from flink_boost.measure.commit_jars import Build
from flink_boost.measure.fork import Fork
from flink_boost.measure.fork_files import Attempt
from flink_boost.measure.fork_launch import ForkLaunch, ForkOrder
from flink_boost.measure.groups import Group
from flink_boost.measure.model import Box, Cell, Purpose, RunInfo
from flink_boost.measure.noise import NoiseProbe
from flink_boost.measure.profiles.take import Recorder
from flink_boost.measure.run_plan import current_commit
from flink_boost.measure.summary import MissingFork
from flink_boost.measure.two_builds import plan_comparison, rerun_class_paths
from flink_boost.service.builds.builder import RecipeBuilder
from flink_boost.service.builds.isolation.fetching import NEXT_STEP
from flink_boost.service.requests.catalogue import Bounds, Offerings
from flink_boost.service.requests.failed_forks import FILE as FAILURES
from flink_boost.service.requests.failed_forks import (
    KeptFailure,
    failures_of,
    note_failure,
    without_failed,
)
from flink_boost.service.requests.noise_check import QuietLook, looks_at, note_look, quiet_text
from flink_boost.service.requests.request import FailedFork, Measured, RequestOrder
from flink_boost.service.requests.request_profiles import with_profiles
from flink_boost.service.requests.request_rows import (
    reason_text,
    speedups,
    unlike_base,
    unlike_text,
)
from flink_boost.service.requests.request_states import Event
from flink_boost.service.requests.verdicts import suspects

FOLDER = "requests"
# Forks of strangers may take so much longer than foretold, those of the second look among them.
_PATIENCE, _PATIENCE_SECONDS = 3, 300.0
_MOST_HANGING = 2  # forks of a benchmark; one may have met a machine that stood still


@dataclass(frozen=True)
class Means:
    """What a comparison is made with. ``launch`` starts the forks, ``record`` those under a
    profiler; None: as processes of ours.

    ``notice`` hears of every step: BUILT or SAME, then MEASURED. ``require_turn`` is asked before
    each build and fork, and raises ``MachineBusy`` where somebody waits who goes first.
    """

    builder: RecipeBuilder
    results: Path
    environ: Mapping[str, str]
    stock_of: Callable[[Line], tuple[Path, ...]]
    box: BoxFile | None
    look: Callable[[], NoiseProbe]
    progress: runner.Progress
    now: Callable[[], datetime]
    launch: ForkLaunch | None = None
    record: Recorder | None = None
    require_turn: Callable[[], None] = lambda: None

    @property
    def store(self) -> Path:
        """Where the runs are."""
        return self.results / FOLDER


def require_allowed(order: RequestOrder, known: Offerings, bounds: Bounds) -> None:
    """What the parser has checked, once more by the one who does it. Raises ``UsageProblem``."""
    unknown = [name for name in order.names if name not in known.by_name]
    if unknown or order.line not in known.lines:
        raise UsageProblem(
            f"{unknown[0] if unknown else order.line} is not known here.", "Ask again."
        )
    seconds = known.seconds(order.names, order.pairs)
    within = (
        len(set(order.names)) == len(order.names) <= bounds.benchmarks
        and bounds.least_pairs <= order.pairs <= bounds.pairs
        and seconds <= 60 * bounds.minutes
    )
    if not within:
        raise UsageProblem(
            f"{len(order.names)} benchmarks with {order.pairs} pairs are not allowed here.",
            f"At most {bounds.benchmarks} benchmarks, {bounds.least_pairs} to {bounds.pairs} pairs"
            f" and {bounds.minutes:.0f} minutes.",
        )


def build_both(
    order: RequestOrder, builder: RecipeBuilder, require_turn: Callable[[], None]
) -> tuple[Build, Build]:
    """Base and head. Raises ``BuildFailed``, which names the commit, and ``MachineBusy``."""
    line = find_line(order.line)
    base = builder.build(order.base, line)
    require_turn()
    head = builder.build(order.head, line)
    require_turn()
    return base, head


def compare(
    order: RequestOrder, known: Offerings, means: Means, notice: Callable[[Event], None]
) -> Measured:
    """Measures an order; the caller holds the machine's lock.

    Raises ``BuildFailed``, ``EnvironmentProblem`` where nothing can be measured,
    ``BenchmarkFailed`` when no fork of any benchmark ended well, and ``RefusedResult`` when head
    measured something else than base.
    """
    base, head = build_both(order, means.builder, means.require_turn)
    line = find_line(order.line)
    java = choose_java(None, None, line.jdks, dict(means.environ))
    box = describe_box(ask_jdk(java), means.box)
    if base.digest == head.digest:
        notice(Event.SAME)
        return Measured(order=order, same=True, quiet="", box=box)
    notice(Event.BUILT)
    launch = means.launch
    if launch is not None:
        foretold = known.seconds(order.names, order.pairs)
        most = _PATIENCE * foretold + _PATIENCE_SECONDS
        launch = PatientForks(launch, most, require_turn=means.require_turn)
    heard = _Heard(means.store, means.progress)
    work = _Comparison(order, known, means, base, head, java, box, launch, heard)
    first, forks = work.measure(order.names, "first")
    again = suspects(speedups(first, forks))
    second, fresh = work.measure(again, "again") if again else (None, ())
    if not forks:
        failed = work.heard.failures
        first_one = f" The first one {reason_text(failed[0].reason)}." if failed else ""
        raise BenchmarkFailed(
            f"No fork of either commit ended well.{first_one}",
            f"Read the logs in {store.run_path(means.store, first.run_id) / 'forks'}.",
            first.run_id,
        )
    notice(Event.MEASURED)
    found = Measured(
        order=order,
        same=False,
        quiet=work.quiet(first, second),
        stored=work.look is None,
        box=box,
        first=first,
        forks=forks,
        again=second,
        forks_again=fresh,
        failures=tuple(work.heard.failures),
    )
    if not order.profile:
        return found
    paths = rerun_class_paths(means.stock_of(line), base, head)
    return with_profiles(found, means.store, paths, java, means.environ, means.record)


class _Heard:
    """Tells on how forks go, and remembers why some failed: their logs alone do not."""

    def __init__(self, results: Path, progress: runner.Progress) -> None:
        self.failures: list[FailedFork] = []
        self._results = results
        self._progress = progress

    def started(self, info: RunInfo, number: int, planned: fork_files.PlannedFork) -> None:
        self._progress.started(info, number, planned)

    def ended(self, info: RunInfo, step: runner.EndedFork) -> None:
        if isinstance(failure := step.outcome, runner.Failure):
            run = self._results / info.run_id
            self.failures.append(note_failure(run, step.planned, failure.reason))
        self._progress.ended(info, step)


@dataclass
class _Comparison:
    order: RequestOrder
    known: Offerings
    means: Means
    base: Build
    head: Build
    java: str
    box: Box
    launch: ForkLaunch | None
    heard: _Heard
    look: QuietLook | None = None  # of this call, before its first fork

    def quiet(self, first: RunInfo, again: RunInfo | None) -> str:
        """What is to be said of the machine when the forks of both runs began."""
        runs = [info for info in (first, again) if info is not None]
        found = (look for info in runs for look in looks_at(self.means.store / info.run_id))
        return quiet_text(tuple(found), self.look, first.started)

    def _look(self, run: Path) -> None:
        if self.look is None:
            self.look = QuietLook(at=self.means.now(), reason=self.means.look().reason)
        note_look(run, self.look)

    def measure(self, names: Sequence[str], stage: str) -> tuple[RunInfo, tuple[Fork, ...]]:
        offered = [self.known.by_name[name] for name in names]
        group = Group(
            name="custom",
            title="A request",
            quick_look=False,
            pairs=self.order.pairs,
            cells=tuple(one.cell for one in offered),
            timings=tuple(one.timing for one in offered),
        )
        stock = self.means.stock_of(find_line(self.order.line))
        plan = plan_comparison(
            group,
            find_line(self.order.line),
            self.base,
            self.head,
            asked=f"{stage} {'isolated' if self.launch else 'trusted'} {self.order.asked}",
            purpose=Purpose.REQUEST,
            started=self.means.now(),
            box=self.box,
            commit=current_commit(),
            version=__version__,
            stock=stock,
        )
        results = self.means.store
        make_folder(results)
        with store.lock(results):
            info, failed = _begun(results, plan)
            self.heard.failures.extend(failed)
            if left := without_failed(fork_files.missing_forks(results, info), failed):
                self._look(results / info.run_id)
                with suppress(BenchmarkFailed):  # what failed is told in its row; its log stays
                    runner.run_missing_forks(
                        results,
                        info,
                        rerun_class_paths(stock, self.base, self.head),
                        java=self.java,
                        environment=self.means.environ,
                        progress=self.heard,
                        launch=self.launch,
                        only=left,
                    )
            elif not store.state(results, info.run_id).is_final:
                finalize.finish(results, info)
            forks = fork_files.read_forks(results, info).forks
            if strange := unlike_base(forks):
                self._set_aside(info, strange)
                raise RefusedResult(
                    f"The result of a fork is not what was asked for:"
                    f" {unlike_text(strange, forks)}.",
                    NEXT_STEP,
                )
            return info, forks

    def _set_aside(self, info: RunInfo, strange: Sequence[Fork]) -> None:
        """Nothing of them counts, here or on the dashboard; the same call measures them again."""
        for fork in strange:
            missing = MissingFork(cell=fork.cell, side=fork.side, pair=fork.pair)
            fork_files.set_aside(self.means.store, info, missing)
        finalize.finish(self.means.store, info)


def _begun(results: Path, plan: RunInfo) -> tuple[RunInfo, tuple[KeptFailure, ...]]:
    """The run, and which of its forks are not tried again, as they failed in a call before."""
    if plan.run_id not in store.run_ids(results):
        store.create_run(results, plan)
        return plan, ()
    info = store.load_run(results, plan.run_id)
    if not fork_files.read_forks(results, info).forks:
        # Where nothing at all ended well, the machine may be to blame: all are tried again.
        (results / info.run_id / FAILURES).unlink(missing_ok=True)
    failed = failures_of(results / info.run_id)
    finalize.reopen(
        results, info, lambda fork: any(one.is_of(fork) for one in failed), together=True
    )
    return info, failed


class PatientForks:
    """A ``ForkLaunch`` that starts others' until its time is over.

    ``seconds`` is for all forks together, from now on. A benchmark of which two forks hung is not
    tried again: base and head only count in pairs. Before each ``require_turn`` is asked.
    """

    def __init__(
        self,
        launch: ForkLaunch,
        seconds: float,
        clock: Callable[[], float] = time.monotonic,
        require_turn: Callable[[], None] = lambda: None,
    ) -> None:
        self._launch = launch
        self._require_turn = require_turn
        self._clock = clock
        self._end = clock() + seconds
        self._hung: Counter[Cell] = Counter()

    def launch(self, order: ForkOrder, attempt: Attempt) -> int:
        """As the protocol says; ``RefusedResult`` for a fork that is not started.

        Raises ``MachineBusy`` where the rest is for later.
        """
        self._require_turn()
        if self._hung[order.cell] >= _MOST_HANGING:
            raise _unstarted(attempt, f"{_MOST_HANGING} forks of its benchmark hung")
        if self._clock() >= self._end:
            raise _unstarted(attempt, "the comparison had taken far longer than it should")
        try:
            return self._launch.launch(order, attempt)
        except CommandTimeoutError:
            self._hung[order.cell] += 1
            raise


def _unstarted(attempt: Attempt, why: str) -> RefusedResult:
    sentence = f"It was not started, as {why}."
    attempt.log.write_text(f"{sentence}\n", encoding="utf-8")
    return RefusedResult(sentence, "Look at what the change does, or ask for fewer benchmarks.")
