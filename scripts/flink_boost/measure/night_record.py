"""The record of a night: what was to be measured, what was, and how each step went.

``<build>/nights/<night>/night.json`` is this document, replaced as a whole after every step; it is
what the dashboard is sent. ``order.json`` beside it says what the night is about, and is written
once, before anything else.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field

from flink_boost.measure.field_checks import (
    MOST_ROWS,
    BoxName,
    Commit,
    Count,
    Label,
    LineName,
    Moment,
    Ratio,
    RatioRange,
    Sentence,
    at_most,
    name,
    per_cent,
    within,
)
from flink_boost.measure.model import Frozen

# Boxes of one name that share a night each have their part: ``2026-11-24T0100-2of3``.
NIGHT_PATTERN = r"\d{4}-\d\d-\d\dT\d{4}(-[1-9]\d?of[1-9]\d?)?"
SHARD_PATTERN = r"[1-9]\d*/[1-9]\d*"
LEAST_SHIFT = 0.01  # relative; what is smaller disturbs no judgement, as with the canary


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

    name: Annotated[str, name(60)]
    state: StepState = StepState.WAITING
    seconds: Annotated[float, Field(ge=0), within(0, 1e7)] | None = None
    note: Sentence = ""


class CanaryRecord(RatioRange):
    """What the canary said: ratio of this night's speed to the usual one, with its interval."""

    moved: bool


def _as_text(value: Any) -> Any:
    if value is None:
        return "unknown"
    return str(value) if isinstance(value, bool | float) or type(value) is int else value


_Fact = Annotated[Sentence, BeforeValidator(_as_text), at_most(200)]


class BoxChangeRecord(Frozen):
    """Something about the box that is not as it is recorded."""

    what: Label
    before: _Fact
    after: _Fact

    @property
    def text(self) -> str:
        """``kernel 6.1 → 6.2``."""
        return f"{self.what} {self.before} → {self.after}"


class UndecidedRecord(Frozen):
    """Suspects of this night that no rerun has decided, and what kept it from that."""

    count: Annotated[Count, Field(ge=1)]
    why: Sentence = Field(default="", description="empty: the night's pairs were used up")


class LearningRecord(Frozen):
    """Benchmarks of this night whose series is too short to be judged, and for how long yet."""

    count: Annotated[Count, Field(ge=1)]
    nights: Annotated[Count, Field(ge=1)]


class Shift(Frozen):
    """A ratio of speeds over several benchmarks; above 1 is faster."""

    ratio: Annotated[Ratio, Field(gt=0)]
    low: Annotated[Ratio, Field(gt=0)]
    high: Annotated[Ratio, Field(gt=0)]
    benchmarks: Annotated[Count, Field(ge=1)]

    @property
    def shows(self) -> bool:
        """Whether it is certain, and large enough to matter."""
        return (self.low > 1 or self.high < 1) and abs(self.ratio - 1) >= LEAST_SHIFT

    def __str__(self) -> str:
        """``2.1 % slower (95 % interval −2.5 % to −1.7 %)``."""
        word = "faster" if self.ratio >= 1 else "slower"
        ends = f"{per_cent(self.low)} to {per_cent(self.high)}"
        return f"{100 * abs(self.ratio - 1):.1f} % {word} (95 % interval {ends})"


class OldAgainstNew(Frozen):
    """What an update of the box has changed on a line, and what the code has since.

    ``box`` is how fast the build of the night before is against stock now, to then; None where the
    benchmarks are others by now. ``code`` is tonight's build to it; None where both are the same.
    """

    line: LineName
    before: Commit = Field(description="commit of the last complete night before the update")
    after: Commit = Field(description="tonight's commit")
    run: Label = Field(description="in the store of reruns")
    same: bool
    box: Shift | None
    code: Shift | None
    sentence: Sentence = Field(description="the same for people")


class NightRecord(Frozen):
    """A night; ``night`` is its id, ``expected`` and ``measured`` count benchmarks of all lines.

    ``slot`` is when it was due.
    """

    schema_version: Literal[1] = 1
    box: BoxName
    night: Annotated[str, Field(pattern=rf"^{NIGHT_PATTERN}$")]
    slot: Moment
    state: NightState = NightState.RUNNING
    expected: Annotated[Count, Field(ge=0)] = 0
    measured: Annotated[Count, Field(ge=0)] = 0
    runs: Annotated[tuple[Label, ...], at_most(MOST_ROWS)] = ()
    quiet: bool | None = None
    reason: Sentence = ""
    canary: CanaryRecord | None = None
    box_changes: Annotated[tuple[BoxChangeRecord, ...], at_most(50)] = ()
    steps: Annotated[tuple[StepRecord, ...], at_most(MOST_ROWS)] = ()
    old_against_new: Annotated[tuple[OldAgainstNew, ...], at_most(50)] = ()
    undecided: UndecidedRecord | None = None
    learning: LearningRecord | None = None

    @property
    def is_whole(self) -> bool:
        """Whether all of it was measured, or still is."""
        return not self.state.is_alarm

    @property
    def changes_text(self) -> str:
        """What changed in the box, in one line."""
        return ", ".join(change.text for change in self.box_changes)

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

    @property
    def is_chosen(self) -> bool:
        """Whether somebody named its commits, so that it is no point of a trend."""
        return bool(self.revision) or self.against is Against.COMMIT


class Runs(Frozen):
    """Which run measures which line; a run is named here before it exists."""

    by_line: dict[str, str] = Field(default_factory=dict)
    given_up: tuple[str, ...] = ()
    commits: dict[str, str] = Field(default_factory=dict, description="what jars are built from")
    jars: dict[str, str] = Field(default_factory=dict, description="their SHA-256")
