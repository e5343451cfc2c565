"""What a run says of itself besides its results: how much was measured, and how quiet the box was.

It comes in the form field ``run`` beside ``json``, as a JSON object, and is kept with the run.
"""

from __future__ import annotations

from typing import Annotated

from codespeed.models import Revision
from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from boost_dashboard.incoming import Name
from boost_dashboard.models import RunNote
from boost_dashboard.parcels import read_parcel

QUIET_LOAD = 0.25  # of a core, on the average; a box that does more measures that, too

_Count = Annotated[int, Field(ge=0, le=1_000_000)]
# Shown as text to be copied; it has quotation marks, so it is no name.
Command = Annotated[str, StringConstraints(strict=True, max_length=500, pattern=r"^[ -~]*$")]


class Note(BaseModel):
    """``flink_boost.publish.codespeed.RunNote`` says what is what."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    run_id: Annotated[Name, Field(max_length=100)]
    group: Annotated[Name, Field(max_length=100)]
    pairs: _Count
    planned: _Count
    measured: _Count
    load: Annotated[float, Field(ge=0, le=1e6, allow_inf_nan=False)]
    cores: Annotated[int, Field(ge=1, le=100_000)]
    command: Command

    @property
    def is_quiet(self) -> bool:
        """Whether the box had nothing else to do when the run began."""
        return self.load <= QUIET_LOAD * self.cores

    @property
    def missing(self) -> int:
        """Benchmarks that were planned and have no result."""
        return max(0, self.planned - self.measured)


def read_note(text: str | None) -> Note | None:
    """The note of an upload, None without one. Raises ``RefusedParcelError``."""
    if not text:
        return None
    return read_parcel(Note, text, within="run")


def keep_note(note: Note, commitid: str, branch: str) -> None:
    """Keeps it with that run, in place of one that is there. The run has to be stored."""
    revision = Revision.objects.get(commitid=commitid, branch__name=branch)
    RunNote.objects.update_or_create(revision=revision, defaults={"note": note.model_dump_json()})


def note_of(revision: Revision) -> Note | None:
    """What is kept of a run; None for one that was sent without."""
    kept = RunNote.objects.filter(revision=revision).first()
    return None if kept is None else Note.model_validate_json(kept.note)
