"""Nights on disk: read, begun, changed step by step, and held by one process at a time."""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TypeVar

from pydantic import ValidationError

from flink_boost.base.errors import BrokenData, NightRunning
from flink_boost.base.files import (
    PARTIAL_SUFFIX,
    exclusive_lock,
    make_folder,
    refuse_root,
    write_durably,
)
from flink_boost.measure.model import Frozen
from flink_boost.measure.night_record import (
    NIGHT_PATTERN,
    NightRecord,
    Order,
    Runs,
    StepState,
)

_LOCK = ".nightly.lock"
_NIGHT, _ORDER, _RUNS = "night.json", "order.json", "runs.json"

_Document = TypeVar("_Document", bound=Frozen)


class NightJournal:
    """The nights of one machine, below ``<build>/nights``."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def held(self) -> AbstractContextManager[None]:
        """Only one process works on nights at a time. Raises ``NightRunning`` for the second.

        Raises ``EnvironmentProblem`` when this user may not write there, and for root where the
        folder is another user's, whom root's files would lock out.
        """
        refuse_root(self.folder)
        let_it = "Let it end; nothing has to be done."
        return exclusive_lock(self.folder / _LOCK, "flink-boost nightly", NightRunning, let_it)

    def nights(self) -> tuple[str, ...]:
        """The names of all nights, oldest first."""
        found = self.folder.glob(f"*/{_NIGHT}")
        return tuple(
            sorted(p.parent.name for p in found if re.fullmatch(NIGHT_PATTERN, p.parent.name))
        )

    def load(self, night: str) -> NightRecord:
        """The record of a night. Raises ``BrokenData``."""
        return self._read(night, _NIGHT, NightRecord)

    def order(self, night: str) -> Order:
        """What a night is about. Raises ``BrokenData``."""
        return self._read(night, _ORDER, Order)

    def runs(self, night: str) -> Runs:
        """Which runs a night has; none yet where there is no such file. Raises ``BrokenData``."""
        path = self.folder / night / _RUNS
        return self._read(night, _RUNS, Runs) if path.exists() else Runs()

    def begin(self, night: NightRecord, order: Order) -> None:
        """Writes a night down; the order first, so that a night that is there has one."""
        make_folder(self.folder / night.night)
        write_durably(self.folder / night.night / _ORDER, order.model_dump_json(indent=1) + "\n")
        self.write(night)

    def write(self, night: NightRecord) -> None:
        """Replaces the record of a night; halves that a killed call left beside it go.

        The caller holds the journal, so that none is being written.
        """
        folder = self.folder / night.night
        make_folder(folder)
        for half in folder.glob(f".*{PARTIAL_SUFFIX}"):
            half.unlink()
        write_durably(folder / _NIGHT, night.model_dump_json(indent=1) + "\n")

    def write_runs(self, night: str, runs: Runs) -> None:
        """Replaces which runs a night has."""
        write_durably(self.folder / night / _RUNS, runs.model_dump_json(indent=1) + "\n")

    def note_commit(self, night: str, line: str, commit: str) -> None:
        """Notes what the jars of a line are built from; another one may be checked out later."""
        runs = self.runs(night)
        commits = {**runs.commits, line: commit}
        self.write_runs(night, runs.model_copy(update={"commits": commits}))

    def note_jar(self, night: str, line: str, digest: str) -> None:
        """Notes the SHA-256 of a line's drop-in jar; another one may be built later."""
        runs = self.runs(night)
        self.write_runs(night, runs.model_copy(update={"jars": {**runs.jars, line: digest}}))

    def log(self, night: str, step: str) -> Path:
        """Where a step of a night leaves what its programs print."""
        make_folder(self.folder / night / "logs")
        return self.folder / night / "logs" / f"{step.replace(' ', '-')}.log"

    def seconds_before(self, night: str) -> Mapping[str, float]:
        """How long each step took when it was last done, on an earlier night."""
        taken: dict[str, float] = {}
        for name in self.nights()[-14:]:
            if name >= night:
                break
            try:
                steps = self.load(name).steps
            except BrokenData:
                continue
            taken |= {
                one.name: one.seconds
                for one in steps
                if one.state is StepState.DONE and one.seconds is not None
            }
        return taken

    def _read(self, night: str, name: str, kind: type[_Document]) -> _Document:
        path = self.folder / night / name
        try:
            return kind.model_validate_json(path.read_bytes())
        except (OSError, ValidationError) as error:
            detail = (
                error.strerror
                if isinstance(error, OSError)
                else error.errors(include_url=False)[0]["msg"]
            )
            raise BrokenData(
                f"{path} is no record of a night ({detail}).",
                f"Move {path.parent} elsewhere; the next night begins anew.",
            ) from error
