"""The runs of a night: one per line, begun once and gone on with; closed when it is too late."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from flink_boost import __version__
from flink_boost.base.errors import FlinkBoostError
from flink_boost.flink.lines import Line
from flink_boost.flink.side import Side
from flink_boost.measure import finalize, fork_files, run_plan, runner, store
from flink_boost.measure.classpaths import ClassPaths
from flink_boost.measure.commit_jars import BuildPair
from flink_boost.measure.groups import Group
from flink_boost.measure.model import Box, Purpose, RunInfo
from flink_boost.measure.night_record import NightRecord, Order
from flink_boost.measure.store import RunState
from flink_boost.service.nightly.night_journal import NightJournal
from flink_boost.service.nightly.night_parts import Tell

SIDES = (Side.STOCK, Side.PATCHED)


@dataclass(frozen=True)
class LineWork:
    """What measuring a line takes; ``started`` is what a new run is dated.

    ``builds`` are what a recipe's night compares; then ``paths`` are theirs.
    """

    line: Line
    group: Group
    paths: ClassPaths
    java: str
    box: Box
    started: datetime
    builds: BuildPair | None = None


def measure_line(
    journal: NightJournal,
    results: Path,
    night: NightRecord,
    order: Order,
    work: LineWork,
    progress: runner.Progress,
    environ: Mapping[str, str],
    tell: Tell,
    timeout: float | None = None,
) -> str:
    """Measures what is missing of a line and returns the id of its run.

    A run that cannot go on, as jars, machine or JDK have changed, is given up and a new one begun.
    ``timeout`` is for a fork, in seconds; by default it follows from its iterations. Raises
    ``BenchmarkFailed`` at the end when forks failed, and the errors of the runner.
    """
    with store.lock(results):
        info = _begun(journal, results, night, work, tell)
        if info is None:
            info = _begin(journal, results, night, order, work)
        if store.state(results, info.run_id) is not RunState.COMPLETE:
            runner.run_missing_forks(
                results,
                info,
                work.paths,
                java=work.java,
                environment=environ,
                progress=progress,
                timeout=timeout,
            )
    return info.run_id


def _begun(
    journal: NightJournal, results: Path, night: NightRecord, work: LineWork, tell: Tell
) -> RunInfo | None:
    runs = journal.runs(night.night)
    run_id = runs.by_line.get(work.line.version)
    if run_id is None or not store.run_path(results, run_id).exists():
        return None
    try:
        info = store.load_run(results, run_id)
        store.refuse_abandoned(results, run_id)
        run_plan.require_same_circumstances(info, work.paths, work.box)
        if damaged := finalize.reopen(results, info):
            tell(damaged)
    except FlinkBoostError as error:
        tell(f"{error.message} It is given up, and {work.line.version} is measured from the start.")
        left = {line: other for line, other in runs.by_line.items() if other != run_id}
        # Forgotten first: a night that ends here begins a new run and does not count this one.
        forgotten = {"by_line": left, "given_up": (*runs.given_up, run_id)}
        journal.write_runs(night.night, runs.model_copy(update=forgotten))
        store.abandon(results, run_id)
        return None
    return info


def _begin(
    journal: NightJournal, results: Path, night: NightRecord, order: Order, work: LineWork
) -> RunInfo:
    runs = journal.runs(night.night)
    # Named before it exists: a night killed in between does not leave a run that nobody knows.
    words = [work.line.version, *([order.project] if order.project else [])]
    if order.shard != "1/1":
        # Boxes that share a night begin in the same second, and the dashboard goes by this name.
        words.append(order.shard.replace("/", "of"))
    suffix = "-".join(words)
    run_id = runs.by_line.get(work.line.version) or store.new_run_id(results, work.started, suffix)
    by_line = {**runs.by_line, work.line.version: run_id}
    journal.write_runs(night.night, runs.model_copy(update={"by_line": by_line}))
    info = run_plan.plan_run(
        run_id=run_id,
        started=work.started,
        group=work.group,
        line=work.line,
        sides=SIDES,
        pairs=order.pairs,
        opened=True,
        extra_options=(),
        class_paths=work.paths,
        box=work.box,
        commit=runs.commits.get(work.line.version) or run_plan.current_commit(),
        version=__version__,
        purpose=Purpose.BY_HAND if order.is_chosen else Purpose.NIGHTLY,
        builds=work.builds,
    )
    store.create_run(results, info)
    return info


def count_measured(results: Path, run_ids: Iterable[str]) -> int:
    """How many benchmarks of these runs have a whole pair, or a fork where there is one side."""
    return sum(_measured(results, run_id) for run_id in run_ids)


def _measured(results: Path, run_id: str) -> int:
    try:
        info = store.load_run(results, run_id)
    except FlinkBoostError:
        return 0
    absent = {(one.cell, one.pair) for one in fork_files.missing_forks(results, info)}
    planned = {(one.cell, one.pair) for one in fork_files.planned_forks(info)}
    return len({cell for cell, _ in planned - absent})


def close_runs(results: Path, run_ids: Iterable[str]) -> None:
    """Ends the runs of a night that comes to no end: what they have counts, the rest is a gap.

    A run without anything to compare is given up. Raises ``MachineBusy`` where there is something
    to end and another process writes to these results.
    """
    unfinished = [run_id for run_id in run_ids if _is_unfinished(results, run_id)]
    if not unfinished:
        return
    with store.lock(results):
        for run_id in unfinished:
            if not _is_unfinished(results, run_id):
                continue
            if _measured(results, run_id):
                finalize.finish(results, store.load_run(results, run_id))
            else:
                store.abandon(results, run_id)


def _is_unfinished(results: Path, run_id: str) -> bool:
    is_there = store.run_path(results, run_id).exists()
    return is_there and store.state(results, run_id) is RunState.UNFINISHED
