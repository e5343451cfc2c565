"""What a proof on real forks keeps on disk; each file is whole or not there.

::

    <folder>/order.json         ProofOrder: what it is about, fixed when it begins
    <folder>/jars/              the drop-in jar as it was then, and slower ones made of it
    <folder>/runs/              the nights, each a run of the runner
    <folder>/runs/reruns/       what reruns measured
    <folder>/known.jsonl        RealCase: what is known of each case
    <folder>/cases.jsonl        the cases as detection takes them
    <folder>/result.json        ProofResult
"""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, FiniteFloat

from flink_boost.base.errors import UsageProblem
from flink_boost.base.files import make_folder, write_durably
from flink_boost.measure.model import Box, Cell, Frozen
from lab.cases import ToldAlarm

KNOWN = "known.jsonl"
CASES = "cases.jsonl"
RESULT = "result.json"
_ORDER = "order.json"


class ProofOrder(Frozen):
    """What a proof is about. ``delays`` are in percent of the time of an operation."""

    schema_version: Literal[1] = 1
    line: str
    cells: Annotated[tuple[Cell, ...], Field(min_length=1)]
    group: str
    nights: Annotated[int, Field(ge=1)] = Field(description="of equal builds")
    slow_nights: Annotated[int, Field(ge=1)] = Field(description="after a delay has come")
    pairs: Annotated[int, Field(ge=1)] = Field(description="of each benchmark and night")
    delays: tuple[Annotated[float, Field(gt=0)], ...]
    dropin_sha256: str
    cpu_time: bool = Field(
        default=False, description="scores are CPU time; compilers run in the foreground"
    )


class RealCase(Frozen):
    """What is known of a case. Equal builds all along have no ``rounds``.

    ``time`` is of an operation of the clean build, ``delay`` what was put in, in the unit of the
    scores.
    """

    id: str
    cell: Cell
    rounds: int = 0
    time: FiniteFloat = 0.0
    delay: FiniteFloat = 0.0

    @property
    def slowdown(self) -> float:
        """The delay in percent of the time without it."""
        return 100 * self.delay / self.time if self.rounds else 0.0


class RealOutcome(Frozen):
    """What detection told of a case; nights count from 1.

    ``alarm`` is the one about the delay, ``false_alarms`` are all others. ``pairs`` were rerun in
    nights from the delay on, of equal builds in all nights.
    """

    case: RealCase
    nights: int
    alarm: ToldAlarm | None = None
    delay_nights: int | None = Field(default=None, description="from the first slow night")
    named_off: int | None = Field(default=None, description="nights by which it was misnamed")
    false_alarms: tuple[ToldAlarm, ...] = ()
    pairs: int = 0
    night_noise: FiniteFloat = Field(description="standard deviation, relative, of a night")
    pair_noise: FiniteFloat = Field(description="of a pair")


class ProofResult(Frozen):
    """All outcomes, and what is still to do."""

    schema_version: Literal[1] = 1
    made: datetime
    order: ProofOrder
    box: Box
    outcomes: tuple[RealOutcome, ...]
    open_cases: tuple[str, ...] = Field(default=(), description="ids of those not walked to an end")


def begin_or_go_on(folder: Path, wanted: ProofOrder) -> bool:
    """Fixes what a proof is about, or finds it so; whether it goes on.

    Raises ``UsageProblem`` when the folder holds a proof about something else.
    """
    path = folder / _ORDER
    if not path.exists():
        make_folder(folder)
        write_durably(path, wanted.model_dump_json(indent=1) + "\n")
        return False
    if read_order(folder) != wanted:
        raise UsageProblem(
            f"{folder} holds a proof with other options, or of another jar.",
            "Give the same options, or another --folder.",
        )
    return True


def read_order(folder: Path) -> ProofOrder:
    """What the proof in that folder is about. Raises ``UsageProblem`` where there is none."""
    try:
        return ProofOrder.model_validate_json((folder / _ORDER).read_bytes())
    except (OSError, ValueError) as error:
        raise UsageProblem(
            f"{folder} holds no proof that this version can read.",
            "Name the folder of `flink-boost evaluate-detection real`.",
        ) from error
