"""Measures the canary of a line on a night, and says whether it has moved."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from flink_boost.base.errors import FlinkBoostError, UsageProblem
from flink_boost.flink.lines import Line
from flink_boost.judge.canary_verdict import CanaryReading, nights_of, read_canary
from flink_boost.measure import finalize, frozen_canary, run_plan, runner, store
from flink_boost.measure.classpaths import ClassPaths
from flink_boost.measure.frozen_canary import FrozenCanary
from flink_boost.measure.history import HistoryReader, load_history
from flink_boost.measure.model import Box, Purpose, RunInfo
from flink_boost.measure.store import RunState


@dataclass(frozen=True)
class CanaryNightWork:
    """Where a canary is measured, and with what; ``since`` is when the night began, UTC."""

    results: Path
    build: Path
    line: Line
    java: str
    box: Box
    since: datetime


def measure_canary(
    work: CanaryNightWork,
    progress: runner.Progress,
    tell: Callable[[str], None] = lambda _: None,
    environment: Mapping[str, str] = os.environ,
) -> str:
    """Measures the canary once a night, and returns its run; one that was begun goes on.

    The caller holds the machine's lock and ``store.lock``. Raises ``UsageProblem`` when the line
    has no canary, ``BrokenData`` when a frozen file has changed, and the errors of the runner:
    after ``BenchmarkFailed`` its run can be judged by what was measured.
    """
    frozen = require_canary(work.build, work.line.version)
    paths = frozen_canary.class_paths(work.build, frozen)
    info = _begun(work, frozen, paths, tell) or _begin(work, frozen, paths)
    if store.state(work.results, info.run_id) is not RunState.COMPLETE:
        runner.run_missing_forks(
            work.results, info, paths, java=work.java, environment=environment, progress=progress
        )
    return info.run_id


def reading_of(results: Path, run_id: str, reader: HistoryReader | None = None) -> CanaryReading:
    """What that run says, judged by the runs of the same canary before it."""
    return readings_until(results, run_id, reader)[-1]


def readings_until(
    results: Path, run_id: str, reader: HistoryReader | None = None
) -> tuple[CanaryReading, ...]:
    """The readings of that canary's nights up to this one, oldest first, this one last."""
    info = store.load_run(results, run_id)
    if info.purpose is not Purpose.CANARY:
        raise UsageProblem(
            f"The run {run_id} is no canary: its purpose is {info.purpose.value}.",
            "List them with `flink-boost canary show`.",
        )
    reader = reader or HistoryReader(results)
    history = reader.load(lambda run: run.purpose is Purpose.CANARY)
    readings = read_canary(nights_of(history.runs, info))
    if not readings or readings[-1].run_id != run_id:
        raise UsageProblem(
            f"The canary run {run_id} has no whole pair.",
            f"Run `flink-boost canary run --line {info.line}`.",
        )
    return readings


def newest_canary_run(results: Path, frozen: FrozenCanary) -> str | None:
    """The newest run of that canary with a whole pair; None when there is none."""
    history = load_history(
        results,
        lambda run: (
            run.purpose is Purpose.CANARY
            and (run.line, run.dropin_sha256) == (frozen.line, frozen.dropin.sha256)
        ),
    )
    with_pairs = [run.info.run_id for run in history.runs if run.has_pairs]
    return with_pairs[-1] if with_pairs else None


def require_canary(build: Path, line: str) -> FrozenCanary:
    """The canary of a line. Raises ``UsageProblem`` when none was frozen."""
    frozen = frozen_canary.load(build, line)
    if frozen is None:
        raise UsageProblem(
            f"Flink {line} has no canary.",
            f"Keep one with `flink-boost canary freeze {line} JAR`, JAR being an older release.",
        )
    return frozen


def _begun(
    work: CanaryNightWork,
    frozen: FrozenCanary,
    paths: ClassPaths,
    tell: Callable[[str], None],
) -> RunInfo | None:
    for run_id in reversed(store.run_ids(work.results)):
        try:
            info = store.load_run(work.results, run_id)
        except FlinkBoostError:
            continue
        if info.started < work.since:
            return None
        same = info.purpose is Purpose.CANARY and info.line == work.line.version
        same = same and (info.cells, info.pairs) == (frozen.cells, frozen.pairs)
        if not same or store.state(work.results, run_id) is RunState.ABANDONED:
            continue
        try:
            run_plan.require_same_circumstances(info, paths, work.box)
            if damaged := finalize.reopen(work.results, info):
                tell(damaged)
        except FlinkBoostError as error:
            tell(f"{error.message} The canary is measured from the start.")
            store.abandon(work.results, run_id)
            continue
        return info
    return None


def _begin(work: CanaryNightWork, frozen: FrozenCanary, paths: ClassPaths) -> RunInfo:
    started = datetime.now(UTC).replace(microsecond=0)
    info = frozen_canary.plan_canary(
        frozen,
        paths,
        run_id=store.new_run_id(work.results, started, f"{work.line.version}-canary"),
        started=started,
        line=work.line,
        box=work.box,
    )
    store.create_run(work.results, info)
    return info
