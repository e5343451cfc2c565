"""How a run ends, is opened again, and is remembered: its state and its summary on disk.

The summary is written before the state, so a run that counts has one; while a repair goes on, the
old one stands. Readers make it from the forks where it is missing, which is so in stores from
before there were summaries, and keep it if they may write.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

from pydantic import ValidationError

from flink_boost.base.files import PARTIAL_SUFFIX, sha256, write_durably
from flink_boost.measure import fork_files, packing, store
from flink_boost.measure.model import RunInfo
from flink_boost.measure.schema import refuse_newer
from flink_boost.measure.store import RunState
from flink_boost.measure.summary import MissingFork, PlanStamp, RunSummary, named_forks, summarise

SUMMARY_FILE = "summary.json"


def finish(results: Path, info: RunInfo) -> RunState:
    """Ends a run whose missing forks have all been tried; returns the state that it reached."""
    fork_files.discard_attempts(results, info.run_id)
    path = results / info.run_id / SUMMARY_FILE
    summary = _following(_read(path), _from_forks(results, info))
    write_durably(path, summary.model_dump_json() + "\n")
    reached = RunState.WITH_FAILURES if summary.missing else RunState.COMPLETE
    store.set_state(results, info.run_id, reached)
    return reached


def reopen(
    results: Path,
    info: RunInfo,
    failed: Callable[[fork_files.PlannedFork], bool] = lambda _: False,
    *,
    together: bool = False,
) -> str:
    """Prepares a run for measuring what is missing: sets damaged fork files aside.

    Of a run that had ended, the other half of a missing fork is set aside as well: the box may be
    in another mood by now, and only halves that are measured together cancel it out. With
    ``together`` also of one that had not: it may go on a night later. ``failed`` tells of a missing
    fork that it stays missing, so that its other half stays as it is.

    Returns a sentence about what was set aside, or nothing. Raises ``UsageProblem`` for an
    abandoned run, ``BrokenData`` where its forks cannot be unpacked. The caller holds
    ``store.lock``.
    """
    store.refuse_abandoned(results, info.run_id)
    is_final = store.state(results, info.run_id).is_final
    if is_final:
        # What was told of the run until now is remembered, so that a repair is seen to change it.
        load_summary(results, info.run_id)
    missing = fork_files.read_forks(results, info).missing
    packing.unpack(results / info.run_id)
    damaged = [one for one in missing if one.damage]
    for one in damaged:
        # One that was packed is aside already, in its archive.
        if os.path.lexists(fork_files.json_path(results, info.run_id, _planned(one))):
            fork_files.set_aside(results, info, one)
    if is_final and missing:
        store.set_state(results, info.run_id, RunState.WITH_FAILURES)
    if is_final or together:
        again = [one for one in missing if not failed(_planned(one))]
        _set_halves_aside(results, info, again, missing)
    if not damaged:
        return ""
    folder = results / info.run_id / packing.DAMAGED
    forks = "1 damaged fork is" if len(damaged) == 1 else f"{len(damaged)} damaged forks are"
    return f"{forks} measured again, and kept in {folder}: {named_forks(info, damaged)}."


def extend(results: Path, info: RunInfo, pairs: int) -> RunInfo:
    """Gives a run further pairs, for a question that is asked again until it is decided.

    The run is unfinished until they are measured. The caller holds ``store.lock``.
    """
    packing.unpack(results / info.run_id)
    longer = info.model_copy(update={"pairs": max(pairs, info.pairs)})
    for reached in (RunState.COMPLETE, RunState.WITH_FAILURES):
        (results / info.run_id / reached.value).unlink(missing_ok=True)
    write_durably(store.run_path(results, info.run_id), longer.model_dump_json(indent=1) + "\n")
    return longer


def _planned(missing: MissingFork) -> fork_files.PlannedFork:
    return fork_files.PlannedFork(missing.pair, missing.side, missing.cell)


def _set_halves_aside(
    results: Path, info: RunInfo, again: Sequence[MissingFork], missing: Sequence[MissingFork]
) -> None:
    """Of the pairs that are measured ``again`` those halves that are there."""
    pairs = {(one.cell, one.pair) for one in again}
    absent = {(one.cell, one.pair, one.side) for one in missing}
    for planned in fork_files.planned_forks(info):
        place = (planned.cell, planned.pair)
        if place in pairs and (*place, planned.side) not in absent:
            half = MissingFork(cell=planned.cell, side=planned.side, pair=planned.pair)
            fork_files.set_aside(results, info, half, fork_files.HALVES)


def load_summary(results: Path, run_id: str) -> RunSummary:
    """What a final run has measured; reads one file where the summary is in order.

    Raises ``UsageProblem`` when there is no such run, ``BrokenData`` when its plan is damaged,
    ``NewerResults`` when a newer flink-boost wrote one of both.
    """
    path = results / run_id / SUMMARY_FILE
    seen = _identity(path)
    found = _read(path)
    if found is not None and _belongs(found, results, run_id):
        return found
    info = store.load_run(results, run_id)
    # Somebody's copy of the store has other times: the content decides.
    if found is not None and found.plan.sha256 == plan_stamp(results, run_id).sha256:
        return found
    summary = _following(found, _from_forks(results, info))
    if store.state(results, run_id).is_final:
        # A store may be read-only; the next reader then makes it again.
        with suppress(OSError):
            _keep(path, summary.model_dump_json() + "\n", instead_of=seen)
    return summary


def plan_stamp(results: Path, run_id: str) -> PlanStamp:
    """What tells the plan of a run from another, for its summary."""
    path = store.run_path(results, run_id)
    status = path.stat()
    return PlanStamp(size=status.st_size, mtime_ns=status.st_mtime_ns, sha256=sha256(path))


def _from_forks(results: Path, info: RunInfo) -> RunSummary:
    stored = fork_files.read_forks(results, info)
    return summarise(info, stored.forks, stored.missing, plan=plan_stamp(results, info.run_id))


def _following(before: RunSummary | None, summary: RunSummary) -> RunSummary:
    """The summary with the number that it has after the one before: another, if scores differ."""
    if before is None:
        return summary
    revision = before.revision + (before.cells != summary.cells)
    return summary.model_copy(update={"revision": revision})


def _read(path: Path) -> RunSummary | None:
    try:
        return RunSummary.model_validate_json(path.read_bytes())
    except (OSError, ValidationError):
        refuse_newer(path)
        return None


def _belongs(summary: RunSummary, results: Path, run_id: str) -> bool:
    try:
        status = store.run_path(results, run_id).stat()
    except OSError:
        return False
    stamp = summary.plan
    same_file = (stamp.size, stamp.mtime_ns) == (status.st_size, status.st_mtime_ns)
    return same_file and summary.info.run_id == run_id


def _identity(path: Path) -> tuple[int, int] | None:
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_ino, status.st_mtime_ns


def _keep(path: Path, content: str, instead_of: tuple[int, int] | None) -> None:
    """Writes a reader's summary, unless there is another than the unusable one it replaces.

    The run may have been repaired meanwhile, and what ``finish`` wrote is newer than what we read.
    """
    partial = path.with_name(f".{path.name}.{os.urandom(6).hex()}{PARTIAL_SUFFIX}")
    try:
        write_durably(partial, content)
        if instead_of is not None and _identity(path) == instead_of:
            path.unlink()
        os.link(partial, path)  # fails where there is one
    finally:
        partial.unlink(missing_ok=True)
