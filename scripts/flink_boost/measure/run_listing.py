"""What is in a results store: each run with its state and size."""

from __future__ import annotations

import shutil
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from flink_boost.base.errors import FlinkBoostError, UsageProblem
from flink_boost.base.files import make_folder
from flink_boost.measure import fork_files, store
from flink_boost.measure.model import RunInfo
from flink_boost.measure.store import RunState

DELETED = ".deleted"


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


def list_runs(results: Path) -> tuple[StoredRun, ...]:
    """All runs of the store, oldest first, damaged ones among them."""
    return tuple(describe_run(results, run_id) for run_id in store.run_ids(results))


def describe_run(results: Path, run_id: str) -> StoredRun:
    """One run. Counts files, and does not read the forks."""
    info: RunInfo | None = None
    problem = ""
    planned = missing = 0
    try:
        info = store.load_run(results, run_id)
        planned = missing = len(fork_files.planned_forks(info))
        missing = len(fork_files.missing_forks(results, info))
    except FlinkBoostError as error:
        problem = str(error)
    return StoredRun(
        run_id=run_id,
        state=store.state(results, run_id),
        info=info,
        problem=problem,
        forks=planned - missing,
        planned=planned,
        bytes=size_of((results / run_id).rglob("*")),
    )


def delete_run(results: Path, run_id: str) -> None:
    """Deletes a run with all its files; at once it is none any more.

    Raises ``UsageProblem`` when it is a link to another place.
    """
    folder = results / run_id
    if folder.is_symlink():
        raise UsageProblem(
            f"{folder} is a link.", "Delete what it leads to, and the link, by hand."
        )
    make_folder(results / DELETED)
    folder.rename(results / DELETED / run_id)
    delete_leftovers(results)


def delete_leftovers(results: Path) -> None:
    """Deletes what a deletion that was killed has left behind."""
    if (results / DELETED).is_dir():
        shutil.rmtree(results / DELETED)


def size_of(files: Iterable[Path]) -> int:
    """How large these files are together; what is gone meanwhile counts nothing."""
    size = 0
    for file in files:
        # A run that is being measured moves its files about.
        with suppress(FileNotFoundError):
            size += file.stat().st_size if file.is_file() else 0
    return size
