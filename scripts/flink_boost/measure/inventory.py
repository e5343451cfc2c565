"""What is in a results store: each run with its state and size, and what may be deleted of it."""

from __future__ import annotations

import shutil
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

from flink_boost.base.errors import FlinkBoostError, UsageProblem
from flink_boost.base.files import make_folder
from flink_boost.measure import forkfiles, store
from flink_boost.measure.model import RunInfo
from flink_boost.measure.schema import RUN_FILES, is_newer
from flink_boost.measure.store import RunState

_DELETED = ".deleted"


@dataclass(frozen=True)
class StoredRun:
    """A run as it lies in the store; ``info`` is None, and ``problem`` says why, when damaged."""

    run_id: str
    state: RunState
    info: RunInfo | None
    problem: str
    forks: int
    planned: int
    bytes: int


@dataclass(frozen=True)
class Prunable:
    """Something that may be deleted: a whole run that was given up, or the logs of an old one."""

    run_id: str
    what: str
    logs: tuple[Path, ...]
    bytes: int


def list_runs(results: Path) -> tuple[StoredRun, ...]:
    """All runs of the store, oldest first, damaged ones among them."""
    return tuple(describe_run(results, run_id) for run_id in store.run_ids(results))


def describe_run(results: Path, run_id: str) -> StoredRun:
    """One run. Counts files, and does not read the forks."""
    info: RunInfo | None = None
    problem = ""
    planned: tuple[forkfiles.PlannedFork, ...] = ()
    try:
        info = store.load_run(results, run_id)
        planned = forkfiles.planned_forks(info)
    except FlinkBoostError as error:
        problem = str(error)
    return StoredRun(
        run_id=run_id,
        state=store.state(results, run_id),
        info=info,
        problem=problem,
        forks=sum(forkfiles.json_path(results, run_id, fork).is_file() for fork in planned),
        planned=len(planned),
        bytes=_size((results / run_id).rglob("*")),
    )


def prunable(
    results: Path, now: datetime, logs_after: timedelta | None = None
) -> tuple[Prunable, ...]:
    """Abandoned runs, and with ``logs_after`` the logs of complete runs that are older than that.

    Results are never among them: the JSON of every fork of a complete run stays, and so does all
    of a run that a newer flink-boost wrote.
    """
    found: list[Prunable] = []
    for run in list_runs(results):
        folder = results / run.run_id
        if any(is_newer(folder / name) for name in RUN_FILES):
            continue
        if run.state is RunState.ABANDONED:
            found.append(Prunable(run.run_id, "abandoned run", (), run.bytes))
        elif (
            logs_after is not None
            and run.info is not None
            and run.state is RunState.COMPLETE
            and now - run.info.started > logs_after
        ):
            logs = tuple(sorted((folder / "forks").glob("*.log")))
            if logs:
                found.append(Prunable(run.run_id, f"{len(logs)} logs", logs, _size(logs)))
    return tuple(found)


def prune(results: Path, found: Prunable) -> None:
    """Deletes it."""
    if not found.logs:
        _delete_run(results, found.run_id)
    for log in found.logs:
        log.unlink(missing_ok=True)


def _delete_run(results: Path, run_id: str) -> None:
    """Deletes a run with all its files; at once it is none any more.

    Raises ``UsageProblem`` when it is a link to another place.
    """
    folder = results / run_id
    if folder.is_symlink():
        raise UsageProblem(
            f"{folder} is a link.", "Delete what it leads to, and the link, by hand."
        )
    make_folder(results / _DELETED)
    folder.rename(results / _DELETED / run_id)
    delete_leftovers(results)


def delete_leftovers(results: Path) -> None:
    """Deletes what a deletion that was killed has left behind."""
    if (results / _DELETED).is_dir():
        shutil.rmtree(results / _DELETED)


def _size(files: Iterable[Path]) -> int:
    size = 0
    for file in files:
        # A run that is being measured moves its files about.
        with suppress(FileNotFoundError):
            size += file.stat().st_size if file.is_file() else 0
    return size
