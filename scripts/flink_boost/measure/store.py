"""The results store: one folder per run, laid out as ``flink_boost.measure.model`` says.

Runs and their states are here; ``fork_files`` looks after the forks of a run.
"""

from __future__ import annotations

import re
from contextlib import AbstractContextManager
from datetime import datetime
from enum import StrEnum
from itertools import count
from pathlib import Path

from pydantic import ValidationError

from flink_boost.base.errors import BrokenData, MachineBusy, UsageProblem
from flink_boost.base.files import exclusive_lock, make_folder, write_durably
from flink_boost.base.text import alike
from flink_boost.measure.model import RunInfo
from flink_boost.measure.schema import RUN_FILES, refuse_newer

LOCK_FILE = ".bench.lock"
_RUN_FILE = "run.json"
_SHOWN = 5
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


def lock(results: Path) -> AbstractContextManager[None]:
    """Context manager: only one ``bench`` writes to a results folder.

    Raises ``MachineBusy`` with the other's pid, without waiting.
    """
    return exclusive_lock(results / LOCK_FILE, "flink-boost bench", MachineBusy)


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
    """Gives a run up: it is no point of anything and is not resumed.

    Works for a run with a damaged plan, too. Raises ``UsageProblem`` when there is no such run,
    ``NewerResults`` when a newer flink-boost wrote it.
    """
    path = require_run(results, run_id)
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
    path = require_run(results, run_id)
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


def run_path(results: Path, run_id: str) -> Path:
    """Where the plan of a run is."""
    return results / run_id / _RUN_FILE


def require_run(results: Path, run_id: str) -> Path:
    """Where the plan of that run is, which may be damaged.

    Raises ``UsageProblem`` when there is no such run; it names those that may have been meant.
    """
    path = run_path(results, run_id)
    # The pattern keeps a run id that comes from outside from naming a file elsewhere.
    if not _RUN_ID.fullmatch(run_id) or not path.exists():
        raise UsageProblem(f"There is no run {run_id!r} in {results}.", _known(results, run_id))
    return path


def _known(results: Path, run_id: str) -> str:
    newest_first = run_ids(results)[::-1]
    if not newest_first:
        return "There is none yet; `flink-boost bench --group quick` makes one."
    near = alike(run_id, newest_first)
    shown = (
        f"Near are: {', '.join(near)}"
        if near
        else f"The newest are: {', '.join(newest_first[:_SHOWN])}"
    )
    return f"{shown}; `flink-boost runs` lists them."


def _first_message(error: ValidationError) -> str:
    return error.errors(include_url=False)[0]["msg"]
