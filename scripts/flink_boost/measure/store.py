"""The results store: one folder per run, laid out as ``flink_boost.measure.model`` says.

All paths are built here. A fork counts as finished when its JSON file has its final name, which it
gets last and atomically; so what a killed run has to do is what is planned minus what is there.
"""

from __future__ import annotations

import os
import re
import shutil
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from itertools import count
from pathlib import Path

from pydantic import ValidationError

from flink_boost.base.errors import BrokenData, EnvironmentProblem, UsageProblem
from flink_boost.base.files import exclusive_lock, make_folder, publish, write_durably
from flink_boost.flink.side import Side
from flink_boost.measure import jmh
from flink_boost.measure.fork import Fork
from flink_boost.measure.model import Cell, RunInfo
from flink_boost.measure.order import pairs_in_turn
from flink_boost.measure.schema import RUN_FILES, refuse_newer
from flink_boost.measure.summary import MissingFork

LOCK_FILE = ".bench.lock"
_RUN_FILE = "run.json"
DAMAGED = "damaged"  # fork files that were not whole
HALVES = "halves"  # whole ones that were measured again together with a missing other half
_RUN_ID = re.compile(r"[0-9A-Za-z][0-9A-Za-z._-]*")


class RunState(StrEnum):
    """How far a run has come; all but the first are names of empty files in its folder."""

    UNFINISHED = "unfinished"
    COMPLETE = "complete"
    WITH_FAILURES = "complete-with-failures"  # every planned fork was tried, and some failed
    ABANDONED = "abandoned"  # by hand: no point of anything, and not resumed

    @property
    def is_final(self) -> bool:
        """True for a run whose results count."""
        return self in (RunState.COMPLETE, RunState.WITH_FAILURES)


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


def final_run_ids(results: Path) -> tuple[str, ...]:
    """The runs whose results count, those with failed forks among them, oldest first."""
    return tuple(run_id for run_id in run_ids(results) if state(results, run_id).is_final)


def is_complete(results: Path, run_id: str) -> bool:
    """True when the run ended with every planned fork."""
    return state(results, run_id) is RunState.COMPLETE


def state(results: Path, run_id: str) -> RunState:
    """How far that run has come. ``complete`` alone is what older stores have."""
    # An abandoned run keeps what it was, and one that was repaired is complete from there on.
    for one in (RunState.ABANDONED, RunState.COMPLETE, RunState.WITH_FAILURES):
        if (results / run_id / one.value).exists():
            return one
    return RunState.UNFINISHED


def set_state(results: Path, run_id: str, reached: RunState) -> None:
    """Marks a run as complete or complete with failures, durably."""
    write_durably(results / run_id / reached.value, b"")
    for other in (RunState.COMPLETE, RunState.WITH_FAILURES):
        if other is not reached:
            (results / run_id / other.value).unlink(missing_ok=True)


def abandon(results: Path, run_id: str) -> None:
    """Gives a run up: it is no point of anything and is not resumed; its files stay.

    Works for a run with a damaged plan, too. Raises ``UsageProblem`` when there is no such run,
    ``NewerResults`` when a newer flink-boost wrote it.
    """
    path = _require_run(results, run_id)
    refuse_newer(*(path.with_name(name) for name in RUN_FILES))
    write_durably(results / run_id / RunState.ABANDONED.value, b"")


def refuse_abandoned(results: Path, run_id: str) -> None:
    """Raises ``UsageProblem`` for a run that was given up."""
    if state(results, run_id) is RunState.ABANDONED:
        raise UsageProblem(
            f"The run {run_id} was abandoned.",
            f"Start a new one, or delete {results / run_id / RunState.ABANDONED.value} first.",
        )


def load_run(results: Path, run_id: str) -> RunInfo:
    """The plan of a run.

    Raises ``UsageProblem`` when there is no such run, ``BrokenData`` when its plan is damaged,
    ``NewerResults`` when a newer flink-boost wrote it.
    """
    path = _require_run(results, run_id)
    refuse_newer(*(path.with_name(name) for name in RUN_FILES))
    try:
        info = RunInfo.model_validate_json(path.read_bytes())
    except (OSError, ValidationError) as error:
        detail = error.strerror if isinstance(error, OSError) else _first_message(error)
        raise BrokenData(
            f"{path} is damaged ({detail}).",
            f"Run `flink-boost runs abandon {run_id}` and measure again.",
        ) from error
    if info.run_id != run_id:
        raise BrokenData(
            f"{path} belongs to the run {info.run_id}.", f"Rename the folder to {info.run_id}."
        )
    return info


def planned_forks(info: RunInfo) -> tuple[PlannedFork, ...]:
    """All forks of a run in the order in which they run: the sides of one pair after the other.

    Even pairs of an alternating run begin with the other side, so that a box that slows down
    steadily favours neither.
    """
    return tuple(
        PlannedFork(pair, side, cell)
        for cell, pair in pairs_in_turn(info)
        for side in info.sides_of(cell)[:: -1 if info.alternating and pair % 2 == 0 else 1]
    )


def missing_forks(results: Path, info: RunInfo) -> tuple[PlannedFork, ...]:
    """The planned forks that are not finished, in order."""
    return tuple(
        planned
        for planned in planned_forks(info)
        if not json_path(results, info.run_id, planned).exists()
    )


@dataclass(frozen=True)
class StoredForks:
    """The forks of a run that are whole, in the order of the plan, and those that are not."""

    forks: tuple[Fork, ...]
    missing: tuple[MissingFork, ...]


def read_forks(results: Path, info: RunInfo) -> StoredForks:
    """Reads every planned fork; a damaged file counts as missing and stays where it is."""
    forks: list[Fork] = []
    missing: list[MissingFork] = []
    for planned in planned_forks(info):
        path = json_path(results, info.run_id, planned)
        damage = ""
        try:
            content = path.read_bytes()
            forks.append(_parse(content, f"forks/{path.name}", info, planned))
            continue
        except FileNotFoundError:
            pass
        except OSError as error:
            damage = f"forks/{path.name} cannot be read ({error.strerror})"
        except BrokenData as error:
            damage = error.message.removesuffix(".")
        missing.append(
            MissingFork(cell=planned.cell, side=planned.side, pair=planned.pair, damage=damage)
        )
    return StoredForks(tuple(forks), tuple(missing))


def load_forks(results: Path, run_id: str) -> tuple[Fork, ...]:
    """The finished forks of a run, in the order of the plan; what is damaged is left out."""
    return read_forks(results, load_run(results, run_id)).forks


def set_aside(
    results: Path, info: RunInfo, missing: MissingFork, folder_name: str = DAMAGED
) -> Path:
    """Moves a fork file, or what is in its place, out of the way, and returns where to.

    Raises ``EnvironmentProblem`` when the store does not allow it.
    """
    planned = PlannedFork(missing.pair, missing.side, missing.cell)
    folder = results / info.run_id / folder_name
    try:
        make_folder(folder)
        names = (folder / f"{planned.stem}.{number}.json" for number in count(1))
        free = next(name for name in names if not os.path.lexists(name))
        json_path(results, info.run_id, planned).rename(free)
    except OSError as error:
        raise EnvironmentProblem(
            f"A damaged file of the run {info.run_id} cannot be set aside ({error.strerror}).",
            f"Make {results / info.run_id} writable.",
        ) from error
    return free


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


def discard_attempts(results: Path, run_id: str) -> None:
    """Removes what killed tries left behind."""
    shutil.rmtree(results / run_id / "attempts", ignore_errors=True)


def run_path(results: Path, run_id: str) -> Path:
    """Where the plan of a run is."""
    return results / run_id / _RUN_FILE


def _require_run(results: Path, run_id: str) -> Path:
    path = run_path(results, run_id)
    # The pattern keeps a run id that comes from outside from naming a file elsewhere.
    if not _RUN_ID.fullmatch(run_id) or not path.exists():
        known = ", ".join(run_ids(results)[-5:]) or "none yet"
        raise UsageProblem(
            f"There is no run {run_id!r} in {results}.", f"The newest runs are: {known}."
        )
    return path


def _first_message(error: ValidationError) -> str:
    return error.errors(include_url=False)[0]["msg"]


def _parse(content: bytes, origin: str, info: RunInfo, planned: PlannedFork) -> Fork:
    return jmh.parse_fork(
        content, origin, planned.cell, planned.side, planned.pair, threads=info.threads
    )
