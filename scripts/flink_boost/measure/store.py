"""The results store: one folder per run, laid out as ``flink_boost.measure.model`` says.

All paths are built here. A fork counts as finished when its JSON file has its final name, which it
gets last and atomically; so what a killed run has to do is what is planned minus what is there.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime
from itertools import count
from pathlib import Path

from pydantic import ValidationError

from flink_boost.base.errors import BrokenData, UsageProblem
from flink_boost.base.files import exclusive_lock, make_folder, publish, write_durably
from flink_boost.flink.side import Side
from flink_boost.measure import jmh
from flink_boost.measure.model import Cell, Fork, RunInfo

LOCK_FILE = ".bench.lock"
_RUN_FILE = "run.json"
_COMPLETE_FILE = "complete"
_RUN_ID = re.compile(r"[0-9A-Za-z][0-9A-Za-z._-]*")


@dataclass(frozen=True)
class PlannedFork:
    """One JVM that a run wants: which half of which pair of which cell."""

    pair: int
    side: Side
    cell: Cell

    @property
    def stem(self) -> str:
        """File name in ``forks/`` without its ending."""
        return f"p{self.pair:02d}.{self.side.value}.{self.cell.slug}"


@dataclass(frozen=True)
class Attempt:
    """Files that one try at a fork writes to, before it is known to be good."""

    json: Path
    log: Path


def lock(results: Path) -> AbstractContextManager[None]:
    """Context manager: only one ``bench`` writes to a results folder.

    Raises ``EnvironmentProblem`` with the other's pid.
    """
    return exclusive_lock(results / LOCK_FILE, "flink-boost bench")


def new_run_id(results: Path, started: datetime, suffix: str) -> str:
    """A name that is free and sorts by time: ``20260301T223005Z-2.3.0``."""
    base = f"{started:%Y%m%dT%H%M%SZ}-{suffix}"
    candidates = (base if n == 1 else f"{base}-{n}" for n in count(1))
    return next(name for name in candidates if not (results / name).exists())


def create_run(results: Path, info: RunInfo) -> None:
    """Writes the plan of a run; from here on it can be resumed."""
    run = results / info.run_id
    make_folder(run / "forks")
    write_durably(run / _RUN_FILE, info.model_dump_json(indent=1) + "\n")


def run_ids(results: Path) -> tuple[str, ...]:
    """All runs, complete or not, oldest first. A folder without a plan is none."""
    if not results.is_dir():
        return ()
    return tuple(sorted(path.parent.name for path in results.glob(f"*/{_RUN_FILE}")))


def complete_run_ids(results: Path) -> tuple[str, ...]:
    """The runs that have all their forks, oldest first."""
    return tuple(run_id for run_id in run_ids(results) if is_complete(results, run_id))


def is_complete(results: Path, run_id: str) -> bool:
    """True when every planned fork is there."""
    return (results / run_id / _COMPLETE_FILE).exists()


def load_run(results: Path, run_id: str) -> RunInfo:
    """The plan of a run.

    Raises ``UsageProblem`` when there is no such run, ``BrokenData`` when its plan is damaged.
    """
    path = results / run_id / _RUN_FILE
    # The pattern keeps a run id that comes from outside from naming a file elsewhere.
    if not _RUN_ID.fullmatch(run_id) or not path.is_file():
        known = ", ".join(run_ids(results)[-5:]) or "none yet"
        raise UsageProblem(
            f"There is no run {run_id!r} in {results}.", f"The newest runs are: {known}."
        )
    try:
        info = RunInfo.model_validate_json(path.read_bytes())
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        raise BrokenData(
            f"{path} is damaged ({first['msg']}).",
            f"Move the folder {path.parent} away and measure again.",
        ) from error
    if info.run_id != run_id:
        raise BrokenData(
            f"{path} belongs to the run {info.run_id}.", f"Rename the folder to {info.run_id}."
        )
    return info


def newest_run_id(results: Path, wanted: Callable[[RunInfo], bool] = lambda _: True) -> str:
    """The newest complete run for which ``wanted`` holds, passing over damaged ones.

    Raises ``UsageProblem`` when there is none.
    """
    for run_id in reversed(complete_run_ids(results)):
        try:
            if wanted(load_run(results, run_id)):
                return run_id
        except BrokenData:
            continue
    raise UsageProblem(
        f"There is no complete run in {results}.", "Run `flink-boost bench --group quick` first."
    )


def planned_forks(info: RunInfo) -> tuple[PlannedFork, ...]:
    """All forks of a run in the order in which they run: pair, then cell, then side."""
    return tuple(
        PlannedFork(pair, side, cell)
        for pair in range(1, info.pairs + 1)
        for cell in info.cells
        for side in info.sides_of(cell)
    )


def missing_forks(results: Path, info: RunInfo) -> tuple[PlannedFork, ...]:
    """The planned forks that are not finished, in order."""
    return tuple(
        planned
        for planned in planned_forks(info)
        if not json_path(results, info.run_id, planned).exists()
    )


def load_forks(results: Path, run_id: str) -> tuple[Fork, ...]:
    """The finished forks of a run, in the order of the plan.

    Raises ``BrokenData`` naming the file that is cut off or not JMH's.
    """
    return tuple(_finished_forks(results, load_run(results, run_id)))


def json_path(results: Path, run_id: str, planned: PlannedFork) -> Path:
    """Where the raw JMH JSON of a finished fork is."""
    return results / run_id / "forks" / f"{planned.stem}.json"


def log_path(results: Path, run_id: str, planned: PlannedFork) -> Path:
    """Where the output of the latest try at a fork is."""
    return results / run_id / "forks" / f"{planned.stem}.log"


def new_attempt(results: Path, run_id: str, planned: PlannedFork) -> Attempt:
    """Names that no other try uses: a process that outlives its try cannot damage the next one."""
    folder = results / run_id / "attempts"
    make_folder(folder)
    unique = f"{planned.stem}.{os.urandom(6).hex()}"
    return Attempt(json=folder / f"{unique}.json", log=folder / f"{unique}.log")


def accept_attempt(results: Path, info: RunInfo, planned: PlannedFork, attempt: Attempt) -> Fork:
    """Makes an attempt a finished fork, if its result is whole.

    The log goes first, so a fork that counts has its log. Raises ``BrokenData`` and changes nothing
    when the result is not one of JMH's for this cell.
    """
    content = attempt.json.read_bytes() if attempt.json.exists() else b""
    fork = _parse(content, attempt.json.name, info, planned)
    publish(attempt.log, log_path(results, info.run_id, planned))
    publish(attempt.json, json_path(results, info.run_id, planned))
    return fork


def reject_attempt(results: Path, info: RunInfo, planned: PlannedFork, attempt: Attempt) -> Path:
    """Keeps the log of a failed try, drops what it measured, and returns the log's path."""
    attempt.json.unlink(missing_ok=True)
    path = log_path(results, info.run_id, planned)
    publish(attempt.log, path)
    return path


def finish(results: Path, info: RunInfo) -> bool:
    """Marks a run as complete if all its forks are there; returns whether they are."""
    if missing_forks(results, info):
        return False
    discard_attempts(results, info.run_id)
    write_durably(results / info.run_id / _COMPLETE_FILE, b"")
    return True


def discard_attempts(results: Path, run_id: str) -> None:
    """Removes what killed tries left behind."""
    shutil.rmtree(results / run_id / "attempts", ignore_errors=True)


def _finished_forks(results: Path, info: RunInfo) -> Iterator[Fork]:
    for planned in planned_forks(info):
        path = json_path(results, info.run_id, planned)
        if path.exists():
            yield _parse(path.read_bytes(), str(path), info, planned)


def _parse(content: bytes, origin: str, info: RunInfo, planned: PlannedFork) -> Fork:
    return jmh.parse_fork(
        content, origin, planned.cell, planned.side, planned.pair, threads=info.threads
    )
