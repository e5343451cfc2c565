"""What is told besides results: suspicions, alarms and nights.

Every field has a range, a length and characters that no page can misread; what does not fit is
refused at the door.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    StringConstraints,
)

from boost_dashboard.incoming import FIRST_YEAR, LAST_YEAR, Name
from boost_dashboard.notes import Command

MOST_ALARMS = 2000
MOST_ROWS = 200  # of a history, of reruns, of steps

AlarmState = Literal[
    "open", "watching", "withheld", "recovered", "accepted", "rejected", "environment", "retired"
]
ACTIVE = ("open", "watching", "withheld")
NightState = Literal["running", "complete", "short", "empty", "missing", "refused", "failed"]


def per_cent(ratio: float) -> str:
    """A ratio as a change: ``−5.2 %``."""
    return f"{100 * (ratio - 1):+.1f} %".replace("-", "−")


def _sayable(text: str) -> str:
    bad = next((char for char in text if not char.isprintable()), None)
    if bad is not None:
        raise ValueError(f"has the character {bad!a}, which no text may have")
    return text


def _utc(moment: datetime) -> datetime:
    """Naive and in UTC, as all of Codespeed's times."""
    # At either end of the calendar an offset would leave it.
    if FIRST_YEAR <= moment.year < LAST_YEAR:
        moment = (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).astimezone(UTC)
    if not FIRST_YEAR <= moment.year < LAST_YEAR:
        raise ValueError(f"is not between {FIRST_YEAR} and {LAST_YEAR}")
    return moment.replace(tzinfo=None)


def _as_text(value: Any) -> Any:
    if value is None:
        return "unknown"
    return str(value) if isinstance(value, bool | float) or type(value) is int else value


# Sentences for people: any printable character, as pages escape them.
Sentence = Annotated[str, StringConstraints(strict=True, max_length=1000), AfterValidator(_sayable)]
Moment = Annotated[datetime, AfterValidator(_utc)]
Ratio = Annotated[float, Field(gt=0, le=1e6, allow_inf_nan=False)]
# A link that a reader may follow: to a page, never to a script.
Link = Annotated[
    str, StringConstraints(strict=True, max_length=500, pattern=r"^https?://[!#-;=?-~]+$")
]
Commit = Annotated[str, StringConstraints(strict=True, pattern=r"^[0-9A-Za-z-]{0,60}$")]
BoxName = Annotated[Name, Field(max_length=100)]
RunName = Annotated[Name, Field(max_length=42)]
AlarmId = Annotated[str, StringConstraints(strict=True, pattern=r"^a[0-9a-f]{10}$")]
NightId = Annotated[
    str,
    # Boxes of one name that share a night each tell their part: ``…T0100-2of3``.
    StringConstraints(
        strict=True,
        pattern=r"^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{4}(-[1-9][0-9]?of[1-9][0-9]?)?$",
    ),
]
_Label = Annotated[Name, Field(max_length=100)]
_Fact = Annotated[
    str,
    BeforeValidator(_as_text),
    StringConstraints(strict=True, max_length=200),
    AfterValidator(_sayable),
]
_Count = Annotated[int, Field(ge=0, le=1_000_000)]


class Document(BaseModel):
    """Frozen, and no field that is not known."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class _Interval(Document):
    ratio: Ratio | None = None
    low: Ratio | None = None
    high: Ratio | None = None

    @property
    def change(self) -> str:
        """In per cent; a dash where there is none."""
        return "–" if self.ratio is None else per_cent(self.ratio)

    @property
    def interval(self) -> str:
        """Both ends in per cent; empty where there is none."""
        if self.low is None or self.high is None:
            return ""
        return f"{per_cent(self.low)} to {per_cent(self.high)}"


class Suspicion(Document):
    """A series whose ratio has changed; see ``flink_boost.publish.alarm_upload.Alarm``."""

    box: BoxName
    executable: Annotated[Name, Field(max_length=30)]
    benchmark: Annotated[Name, Field(max_length=94)]
    kind: Literal["regression", "improvement"]
    effect: Ratio
    low: Ratio | None
    high: Ratio | None
    before: RunName
    since: RunName
    commits: tuple[Commit, Commit]
    nights: Annotated[int, Field(ge=1, le=100_000)]
    command: Command
    report: Link | None = None
    profile: Link | None = None


class SuspicionSheet(Document):
    """The suspicions of some boxes."""

    schema_version: Literal[1]
    made: Moment
    boxes: Annotated[tuple[BoxName, ...], Field(max_length=100)]
    alarms: Annotated[tuple[Suspicion, ...], Field(max_length=MOST_ALARMS)]


class Rerun(_Interval):
    """Two builds measured again in turns."""

    when: Moment
    before: _Label
    after: _Label
    pairs: _Count
    outcome: Literal["confirmed", "cleared", "inconclusive"]


class BisectStep(_Interval):
    """A commit between the two, and what was seen of it."""

    commit: Commit
    outcome: Literal["good", "bad", "skipped", "unclear"]
    against: Commit | None = None


class BisectPart(Document):
    """A commit that brought a part of the change, 1 for all of it."""

    commit: Commit
    share: Annotated[float, Field(ge=0, le=1)]

    @property
    def per_cent(self) -> str:
        """The share in words; nothing for all of it."""
        return "" if self.share == 1 else f"about {self.share * 100:.0f} % of it"


class Bisect(Document):
    """The search for the commits with the change; ``left`` may hold what was not found yet."""

    state: Literal["running", "done", "stopped"]
    first_bad: Commit | None
    left: _Count
    steps: Annotated[tuple[BisectStep, ...], Field(max_length=MOST_ROWS)]
    parts: Annotated[tuple[BisectPart, ...], Field(max_length=MOST_ROWS)] = ()


class Decision(Document):
    """What a person said of an alarm."""

    state: Annotated[Name, Field(max_length=30)]
    by: _Label
    reason: Sentence
    when: Moment


class Event(Document):
    """A line of an alarm's history."""

    when: Moment
    state: Annotated[Name, Field(max_length=30)]
    note: Sentence


class ToldAlarm(Document):
    """A change that reruns were asked about; ``flink_boost.judge.alarm_record`` keeps them.

    ``effect`` is new speed over old; ``before`` and ``since`` are the dashboard's commit ids.
    """

    id: AlarmId
    box: BoxName
    executable: Annotated[Name, Field(max_length=30)]
    benchmark: Annotated[Name, Field(max_length=94)]
    line: Annotated[Name, Field(max_length=30)]
    kind: Literal["step", "drift", "recovery"]
    direction: Literal["regression", "improvement"]
    state: AlarmState
    effect: Ratio
    low: Ratio | None
    high: Ratio | None
    before: RunName
    since: RunName
    told: Annotated[Name, Field(max_length=100)]
    commits: tuple[Commit, Commit]
    nights: Annotated[int, Field(ge=0, le=100_000)]
    command: Command
    report: Link | None = None
    profile: Link | None = None
    reruns: Annotated[tuple[Rerun, ...], Field(max_length=MOST_ROWS)] = ()
    bisect: Bisect | None = None
    decision: Decision | None = None
    history: Annotated[tuple[Event, ...], Field(max_length=MOST_ROWS)] = ()


class DetectionFigures(Document):
    """How good detection has been; ``missed`` are changes that people found and it did not."""

    told: _Count
    accepted: _Count
    rejected: _Count
    environment: _Count
    recovered: _Count
    median_delay_nights: Annotated[float, Field(ge=0, le=1e5, allow_inf_nan=False)] | None
    rerun_pairs: Annotated[int, Field(ge=0, le=10**9)]
    missed: _Count | None = None

    @property
    def judged(self) -> int:
        """Alarms of which the outcome is known."""
        return self.right + self.rejected + self.environment

    @property
    def right(self) -> int:
        """Those that were a change of the product."""
        return self.accepted + self.recovered

    @property
    def precision(self) -> float | None:
        """In per cent; None before the first judgement."""
        return 100 * self.right / self.judged if self.judged else None


class RetiredBox(Document):
    """A box that measures no more, or was taken ``back``."""

    box: BoxName
    by: _Label
    when: Moment
    back: Moment | None = None


class ToldSheet(Document):
    """All alarms of some boxes; ``retired`` may be others, whose alarms it does not know."""

    schema_version: Literal[2]
    made: Moment
    boxes: Annotated[tuple[BoxName, ...], Field(max_length=100)]
    alarms: Annotated[tuple[ToldAlarm, ...], Field(max_length=MOST_ALARMS)]
    figures: DetectionFigures | None = None
    retired: Annotated[tuple[RetiredBox, ...], Field(max_length=100)] = ()


class Canary(_Interval):
    """Frozen builds, measured again: when they move, it is the box."""

    moved: bool


class BoxChange(Document):
    """Something of the box that is not what it was."""

    what: _Label
    before: _Fact
    after: _Fact

    @property
    def text(self) -> str:
        """``kernel 6.1 → 6.2``."""
        return f"{self.what} {self.before} → {self.after}"


class Shift(Document):
    """How far benchmarks lie apart together; above 1 is faster."""

    ratio: Ratio
    low: Ratio
    high: Ratio
    benchmarks: Annotated[int, Field(ge=1, le=1_000_000)]


class OldAgainstNew(Document):
    """What an update of the box has changed on a line, and what the code has."""

    line: Annotated[Name, Field(max_length=30)]
    before: Commit
    after: Commit
    run: _Label
    same: bool
    box: Shift | None
    code: Shift | None
    sentence: Sentence


class Undecided(Document):
    """Suspects that no rerun has decided; without ``why`` the night's pairs were used up."""

    count: _Count
    why: Sentence = ""


class Learning(Document):
    """Benchmarks whose series is too short to be judged, and for how many nights yet."""

    count: _Count
    nights: _Count


class NightStep(Document):
    """A step of a night."""

    name: Annotated[Name, Field(max_length=60)]
    state: Literal["done", "failed", "skipped", "running", "waiting"]
    seconds: Annotated[float, Field(ge=0, le=1e7, allow_inf_nan=False)] | None
    note: Sentence


class ToldNight(Document):
    """A night of a box; ``slot`` is when it was due, in UTC."""

    schema_version: Literal[1]
    box: BoxName
    night: NightId
    slot: Moment
    state: NightState
    expected: _Count
    measured: _Count
    runs: Annotated[tuple[_Label, ...], Field(max_length=MOST_ROWS)]
    quiet: bool | None
    reason: Sentence
    canary: Canary | None
    box_changes: Annotated[tuple[BoxChange, ...], Field(max_length=50)]
    steps: Annotated[tuple[NightStep, ...], Field(max_length=MOST_ROWS)]
    old_against_new: Annotated[tuple[OldAgainstNew, ...], Field(max_length=50)] = ()
    undecided: Undecided | None = None
    learning: Learning | None = None

    @property
    def is_whole(self) -> bool:
        """Whether all of it was measured, or still is."""
        return self.state in ("complete", "running")

    @property
    def changes_text(self) -> str:
        """What changed in the box, in one line."""
        return ", ".join(change.text for change in self.box_changes)
