"""What the report of a night and its messages are made of.

The night and the alarms have the form in which the dashboard takes them (``nights/add/`` and
``alarms/add/``, version 2), so that those documents are read as they are.
"""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, FiniteFloat

from flink_boost.judge.alarm_record import AlarmDecision, AlarmState, GrownAlarm
from flink_boost.judge.bisection import BisectRecord
from flink_boost.measure.night_record import (
    BoxChangeRecord,
    LearningRecord,
    NightState,
    StepRecord,
    UndecidedRecord,
)

# It names a folder, so it may not be a path.
NightId = Annotated[str, Field(pattern=r"^[0-9A-Za-z][0-9A-Za-z_.+-]{0,79}$")]


class Told(BaseModel):
    """A part of what is told: immutable, and read although a newer writer added to it."""

    model_config = ConfigDict(frozen=True, extra="ignore")


class ReportedCanary(Told):
    """The frozen jar against frozen stock tonight, over the same in earlier nights."""

    moved: bool
    ratio: FiniteFloat
    low: FiniteFloat
    high: FiniteFloat


class ReportedShift(Told):
    """How far benchmarks lie apart together; above 1 is faster."""

    ratio: FiniteFloat = Field(gt=0)
    low: FiniteFloat = Field(gt=0)
    high: FiniteFloat = Field(gt=0)


class ReportedOldAgainstNew(Told):
    """What an update of the box has changed on a line: the sentence says it all."""

    line: str
    sentence: str
    box: ReportedShift | None = None
    code: ReportedShift | None = None


class ReportedNight(Told):
    """A night of one box. ``expected`` and ``measured`` count benchmarks."""

    box: str
    night: NightId
    slot: datetime
    state: NightState
    expected: int
    measured: int
    runs: tuple[str, ...] = ()
    quiet: bool | None = None
    reason: str = ""
    canary: ReportedCanary | None = None
    box_changes: tuple[BoxChangeRecord, ...] = ()
    steps: tuple[StepRecord, ...] = ()
    old_against_new: tuple[ReportedOldAgainstNew, ...] = ()
    undecided: UndecidedRecord | None = None
    learning: LearningRecord | None = None


class ReportedAlarm(GrownAlarm, Told):
    """An alarm, as far as it is told."""

    bisect: BisectRecord | None = None
    decision: AlarmDecision | None = None


class ReportedProfile(Told):
    """The flame graphs of an alarm: pages relative to the reports' folder, by title, and text."""

    alarm: str
    links: tuple[
        tuple[str, Annotated[str, Field(pattern=r"^alarms/a[0-9a-f]+/[a-z-]+\.html$")]], ...
    ]
    text: tuple[str, ...] = ()


class ReportedRawData(Told):
    """The archive of a run: relative to the reports' folder, and what is in it, in words."""

    line: str
    link: Annotated[str, Field(pattern=r"^[A-Za-z0-9._%-]+/raw-data\.zip$")]
    title: str


class CommitNote(Told):
    """Whose a commit is, and its first line."""

    commit: str
    author: str
    subject: str


class ReportedRow(Told):
    """A benchmark tonight: patched ÷ stock. ``verdict`` is the word of the comparison.

    ``before`` is the ratio of the last night that has one; ``finds`` says how small a change of it
    this box finds, empty while that is not known.
    """

    line: str
    benchmark: str
    ratio: FiniteFloat
    low: FiniteFloat | None
    high: FiniteFloat | None
    pairs: int
    verdict: str
    before: FiniteFloat | None = None
    finds: str = ""


class NightReport(Told):
    """All that is told of a night.

    ``alarms`` are all of the registry, ``alarms_before`` the state that each had after the night
    before, by id; on the first night of a box that of the box before, which ``moved_from`` names.
    ``missing`` are names of benchmarks without a pair, with their line.
    ``warnings`` are sentences about what is not set up right.
    """

    schema_version: Literal[1] = 1
    made: datetime
    night: ReportedNight
    alarms: tuple[ReportedAlarm, ...] = ()
    alarms_before: dict[str, AlarmState] = {}
    growth_before: dict[str, int] = {}
    bisected_before: tuple[str, ...] = ()
    commits: tuple[CommitNote, ...] = ()
    rows: tuple[ReportedRow, ...] = ()
    missing: tuple[str, ...] = ()
    previous: NightId | None = None
    moved_from: str = ""
    dashboard: str | None = None
    report: str | None = None
    profiles: tuple[ReportedProfile, ...] = ()
    raw: tuple[ReportedRawData, ...] = ()
    warnings: tuple[str, ...] = ()
