"""The record of a night: what was to be measured, what was, and how each step went.

``<build>/nights/<night>/night.json`` is this document, replaced as a whole after every step; it is
what the dashboard is sent. ``order.json`` beside it says what the night is about, and is written
once, before anything else.
"""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Annotated, Literal

from pydantic import Field, FiniteFloat

from flink_boost.judge.shift import Shift
from flink_boost.measure.model import Frozen

# Boxes of one name that share a night each have their part: ``2026-11-24T0100-2of3``.
NIGHT_PATTERN = r"\d{4}-\d\d-\d\dT\d{4}(-[1-9]\d?of[1-9]\d?)?"
SHARD_PATTERN = r"[1-9]\d*/[1-9]\d*"


class NightState(StrEnum):
    """How far a night has come."""

    RUNNING = "running"
    COMPLETE = "complete"  # every benchmark that was to be measured was
    SHORT = "short"  # some were
    EMPTY = "empty"  # none was
    MISSING = "missing"  # it never began
    REFUSED = "refused"  # the box was not fit to measure
    FAILED = "failed"  # everything was measured, but a step failed

    @property
    def has_ended(self) -> bool:
        """Whether a plain start leaves it alone. One that never measured may still begin."""
        return self not in (NightState.RUNNING, NightState.MISSING, NightState.REFUSED)

    @property
    def is_alarm(self) -> bool:
        """Whether somebody has to be told."""
        return self not in (NightState.RUNNING, NightState.COMPLETE)


class StepState(StrEnum):
    """How far a step has come."""

    WAITING = "waiting"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    SKIPPED = "skipped"


class StepRecord(Frozen):
    """One step; ``seconds`` are summed over all sittings of the night."""

    name: str
    state: StepState = StepState.WAITING
    seconds: Annotated[float, Field(ge=0)] | None = None
    note: str = ""


class CanaryRecord(Frozen):
    """What the canary said: ratio of this night's speed to the usual one, with its interval."""

    moved: bool
    ratio: FiniteFloat | None = None
    low: FiniteFloat | None = None
    high: FiniteFloat | None = None


class BoxChangeRecord(Frozen):
    """Something about the box that is not as it is recorded."""

    what: str
    before: str
    after: str


class UndecidedRecord(Frozen):
    """Suspects of this night that no rerun has decided, and what kept it from that."""

    count: Annotated[int, Field(ge=1)]
    why: str = Field(default="", description="empty: the night's pairs were used up")


class LearningRecord(Frozen):
    """Benchmarks of this night whose series is too short to be judged, and for how long yet."""

    count: Annotated[int, Field(ge=1)]
    nights: Annotated[int, Field(ge=1)]


class OldAgainstNew(Frozen):
    """What an update of the box has changed on a line, and what the code has since.

    ``box`` is how fast the build of the night before is against stock now, to then; None where the
    benchmarks are others by now. ``code`` is tonight's build to it; None where both are the same.
    """

    line: str
    before: str = Field(description="commit of the last complete night before the update")
    after: str = Field(description="tonight's commit")
    run: str = Field(description="in the store of reruns")
    same: bool
    box: Shift | None
    code: Shift | None
    sentence: str = Field(description="the same for people")


class NightRecord(Frozen):
    """A night; ``night`` is its id, ``expected`` and ``measured`` count benchmarks of all lines."""

    schema_version: Literal[1] = 1
    box: str
    night: Annotated[str, Field(pattern=rf"^{NIGHT_PATTERN}$")]
    slot: datetime
    state: NightState = NightState.RUNNING
    expected: Annotated[int, Field(ge=0)] = 0
    measured: Annotated[int, Field(ge=0)] = 0
    runs: tuple[str, ...] = ()
    quiet: bool | None = None
    reason: str = ""
    canary: CanaryRecord | None = None
    box_changes: tuple[BoxChangeRecord, ...] = ()
    steps: tuple[StepRecord, ...] = ()
    old_against_new: tuple[OldAgainstNew, ...] = ()
    undecided: UndecidedRecord | None = None
    learning: LearningRecord | None = None

    def step(self, name: str) -> StepRecord:
        """The record of that step; ``KeyError`` when there is none."""
        for one in self.steps:
            if one.name == name:
                return one
        raise KeyError(name)

    def with_step(self, changed: StepRecord) -> NightRecord:
        """The same night with another record of one step."""
        steps = tuple(changed if one.name == changed.name else one for one in self.steps)
        return self.model_copy(update={"steps": steps})


class Against(StrEnum):
    """What a recipe's commit is compared with."""

    RELEASE = "release"
    NIGHT_BEFORE = "night-before"
    COMMIT = "commit"


class Order(Frozen):
    """What a night is about; fixed when it begins, so that going on means the same."""

    schema_version: Literal[1] = 1
    lines: Annotated[tuple[str, ...], Field(min_length=1)]
    group: str
    patterns: tuple[str, ...] = ()
    shard: Annotated[str, Field(pattern=rf"^{SHARD_PATTERN}$")] = "1/1"
    pairs: Annotated[int, Field(ge=1, le=999)] | None = Field(
        default=None, description="None: as many as the group says"
    )
    build: bool = Field(default=True, description="False: what is built is measured")
    strings: Annotated[int, Field(ge=1)] = Field(description="that each line is verified with")
    recipe: str = Field(default="", description="path of a recipe; empty: the tree against stock")
    project: str = Field(default="", description="whose commits it builds, where not ours")
    revision: str = Field(default="", description="what was asked for; empty: the branch")
    commit: str = Field(default="", description="of the project: pinned when the night begins")
    against: Against = Field(default=Against.RELEASE, description="what it is compared with")
    reference: str = Field(default="", description="commit to compare with; empty: the release")
    environment: str = Field(default="", description="other name of the box on the dashboard")


class Runs(Frozen):
    """Which run measures which line; a run is named here before it exists."""

    by_line: dict[str, str] = Field(default_factory=dict)
    given_up: tuple[str, ...] = ()
