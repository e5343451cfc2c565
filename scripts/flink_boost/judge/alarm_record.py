"""Alarms as they are remembered: what was told once, what became of it, and who decided.

Detection sees its alarms anew each night; ``merging`` recognises them.
"""

from __future__ import annotations

import hashlib
import statistics
from collections.abc import Iterable, Sequence
from enum import StrEnum
from itertools import groupby, pairwise
from typing import Annotated, Literal

from pydantic import BaseModel, Field, FiniteFloat

from flink_boost.base.errors import UsageProblem
from flink_boost.judge.bisection import BisectRecord
from flink_boost.measure.field_checks import (
    MOST_ROWS,
    BoxName,
    Command,
    Commit,
    Count,
    Label,
    LineName,
    Link,
    Moment,
    Ratio,
    RatioRange,
    RunName,
    Sentence,
    at_most,
    matching,
    name,
    within,
)
from flink_boost.measure.model import Cell, Frozen

MOST_ALARMS = 2000  # of a document


class AlarmState(StrEnum):
    """What became of an alarm; the last five are its end."""

    WATCHING = "watching"  # no rerun has decided yet: nobody has been told
    WITHHELD = "withheld"  # confirmed in a night in which the canary moved: nobody is told yet
    OPEN = "open"
    RECOVERED = "recovered"
    ACCEPTED = "accepted"
    REJECTED = "rejected"
    ENVIRONMENT = "environment"
    RETIRED = "retired"  # the box measures no more: nobody can decide it


_ENDED_ALONE = (AlarmState.RECOVERED, AlarmState.RETIRED)  # nobody has decided it
CURRENT = (AlarmState.OPEN, AlarmState.WATCHING, AlarmState.WITHHELD)


class RerunRecord(RatioRange):
    """Two builds that were rerun; ratios are new speed ÷ old. ``before``, ``after``: commits."""

    when: Moment
    before: Label
    after: Label
    pairs: Count
    outcome: Literal["confirmed", "cleared", "inconclusive"]


class AlarmDecision(Frozen):
    """What a person decided."""

    state: AlarmState
    by: Label
    reason: Sentence
    when: Moment


class AlarmEvent(Frozen):
    """One line of an alarm's history."""

    when: Moment
    state: AlarmState
    note: Sentence


class ChangeFacts(BaseModel):
    """A change of one benchmark between two commits. Names are the dashboard's.

    ``effect``, ``low`` and ``high`` are new speed ÷ old. ``commits`` are the last one on the old
    level and the first on the new one. ``report`` and ``profile`` are addresses that a reader can
    open, where there are such pages.
    """

    box: BoxName
    executable: Annotated[str, name(30)]
    benchmark: Annotated[str, name(94)]
    effect: Annotated[Ratio, Field(gt=0)]
    low: Ratio | None
    high: Ratio | None
    commits: tuple[Commit, Commit]
    command: Command
    report: Link | None = None
    profile: Link | None = None


class AlarmFacts(ChangeFacts):
    """What everybody is told of such a change; ``told`` is the night in which it was told."""

    id: Annotated[str, matching("a[0-9a-f]{10}")]
    line: LineName
    kind: Literal["step", "drift", "recovery"]
    direction: Literal["regression", "improvement"]
    state: AlarmState
    told: Label
    nights: Annotated[int, within(0, 100_000)]


class GrownAlarm(AlarmFacts):
    """The same, with how often it has grown since."""

    growth: int = Field(default=0, ge=0, description="how often it has grown and was told again")

    @property
    def notice(self) -> str:
        """What people are told once of: the alarm, and each time that it has grown."""
        return f"{self.id}+{self.growth}" if self.growth else self.id


class PublishedAlarm(AlarmFacts, Frozen):
    """An alarm as the dashboard has it: a change that reruns were asked about.

    ``before`` and ``since`` are the dashboard's ids of the runs of ``commits``.
    """

    before: RunName
    since: RunName
    reruns: Annotated[tuple[RerunRecord, ...], at_most(MOST_ROWS)] = ()
    bisect: BisectRecord | None = None
    decision: AlarmDecision | None = None
    history: Annotated[tuple[AlarmEvent, ...], at_most(MOST_ROWS)] = ()


class AlarmRecord(PublishedAlarm, GrownAlarm):
    """One change as it is remembered, with what is ours alone.

    ``series`` is the track's key, ``first`` the number of the first changed night in it, ``delay``
    how many nights later it was told.
    """

    series: str
    cell: Cell
    first: int
    delay: int = Field(ge=0)
    before_run: str
    since_run: str
    way_back: bool = Field(default=False, description="to the level from before another alarm")
    back_to: int | None = Field(default=None, description="first night of the oldest it undoes")
    steps_back_to: int = Field(
        default=-1, description="of what began before that night it undoes only what crept"
    )
    beside: str | None = Field(default=None, description="a told alarm near it, of another size")
    seen: bool = Field(default=True, description="by detection in the newest night")

    def was_told(self) -> bool:
        """Whether somebody has been told, though it may have ended since.

        What a night opens and closes at once, as on a retired box, or where the level from before
        is back when the canary is steady again: nobody was told.
        """
        if self.state in _ENDED_ALONE and self.kind != "recovery":
            return any(
                event.state is AlarmState.OPEN
                and (later.state is not self.state or event.when < later.when)
                for event, later in pairwise(self.history)
            )
        return self.state not in (AlarmState.WATCHING, AlarmState.WITHHELD)

    @property
    def group(self) -> tuple[str, tuple[str, str], str]:
        """Alarms of one group were caused by the same commits, on one line."""
        return (self.line, self.commits, self.direction)


OURS_ALONE = {*AlarmRecord.model_fields} - {*PublishedAlarm.model_fields}


class AlarmFigures(Frozen):
    """How right the alarms were. ``told`` counts changes, without the ways back.

    ``missed`` are regressions that people reported and no alarm told, see ``judge.misses``; None in
    documents from before they were counted.
    """

    told: Count
    accepted: Count
    rejected: Count
    environment: Count
    recovered: Count
    median_delay_nights: Annotated[FiniteFloat, within(0, 1e5)] | None
    rerun_pairs: Annotated[int, within(0, 10**9)]
    missed: Count | None = None

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


class RetiredBox(Frozen):
    """A box that measures no more; its name is the dashboard's, as in alarms.

    One that was taken ``back`` stays known as such, as the dashboard has to hear of it.
    """

    box: BoxName
    by: Label
    when: Moment
    back: Moment | None = None


class AlarmDocument(Frozen):
    """All alarms that there ever were on some boxes, with their history: what is sent since reruns
    confirm them. Takes the place of what was told of these boxes before.

    ``retired`` may be other boxes, of which the dashboard closes what it has.
    """

    schema_version: Literal[2] = 2
    made: Moment
    boxes: Annotated[tuple[BoxName, ...], at_most(100)]
    alarms: Annotated[tuple[PublishedAlarm, ...], at_most(MOST_ALARMS)]
    figures: AlarmFigures | None = None
    retired: Annotated[tuple[RetiredBox, ...], at_most(100)] = ()


class SuspectedChange(ChangeFacts, Frozen):
    """A series whose ratio has changed, by itself: no rerun was asked about it.

    ``before`` and ``since`` are the dashboard's ids of the runs of ``commits``.
    """

    kind: Literal["regression", "improvement"]
    before: RunName
    since: RunName
    nights: Annotated[int, within(1, 100_000)]


class SuspicionSheet(Frozen):
    """All suspicions of some boxes; a box without one is named all the same."""

    schema_version: Literal[1] = 1
    made: Moment
    boxes: Annotated[tuple[BoxName, ...], at_most(100)]
    alarms: Annotated[tuple[SuspectedChange, ...], at_most(MOST_ALARMS)]


def alarm_of(notice: str) -> str:
    """The id of the alarm that a ``notice`` is of."""
    return notice.partition("+")[0]


def alarm_id(series: str, suspected: str) -> str:
    """The id of an alarm: of its track and the run in which it was first suspected.

    The change point is not in it, so that it may still move.
    """
    return "a" + hashlib.sha256(f"{series}\n{suspected}".encode()).hexdigest()[:10]


def decided(record: AlarmRecord, decision: AlarmDecision) -> AlarmRecord:
    """The alarm after a person's decision. Raises ``UsageProblem`` where there is none to make."""
    if record.state in (AlarmState.WATCHING, AlarmState.WITHHELD):
        raise UsageProblem(
            f"{record.id} has not been told yet: it is {record.state.value}.",
            "Wait for the next night.",
        )
    # Its build would be the anchor: the way back from it would be found as a change.
    states = {record.state, *(event.state for event in record.history)}
    if decision.state is AlarmState.ACCEPTED and AlarmState.RECOVERED in states:
        raise UsageProblem(
            f"{record.id} has recovered: there is no new speed to accept.",
            "Leave it as it is; where it was a false alarm, `flink-boost alarm reject` or"
            " `flink-boost alarm environment` says so.",
        )
    event = AlarmEvent(when=decision.when, state=decision.state, note=decision.reason)
    return record.model_copy(
        update={
            "state": decision.state,
            "decision": decision,
            "history": (*record.history, event),
        }
    )


def figures(records: Sequence[AlarmRecord], rerun_pairs: int, missed: int = 0) -> AlarmFigures:
    """How right they were."""
    told = [one for one in records if one.was_told() and one.kind != "recovery"]
    count = {state: sum(one.state is state for one in told) for state in AlarmState}
    return AlarmFigures(
        told=len(told),
        accepted=count[AlarmState.ACCEPTED],
        rejected=count[AlarmState.REJECTED],
        environment=count[AlarmState.ENVIRONMENT],
        recovered=count[AlarmState.RECOVERED],
        median_delay_nights=statistics.median(one.delay for one in told) if told else None,
        rerun_pairs=rerun_pairs,
        missed=missed,
    )


def grouped(records: Iterable[AlarmRecord]) -> tuple[tuple[AlarmRecord, ...], ...]:
    """Alarms that the same commits caused, together; newest groups first."""
    groups = [
        tuple(sorted(group, key=lambda one: one.effect))
        for _, group in groupby(sorted(records, key=lambda one: one.group), lambda one: one.group)
    ]
    return tuple(sorted(groups, key=lambda group: max(map(by_night, group)), reverse=True))


def by_night(record: AlarmRecord) -> tuple[str, str]:
    """The order in which alarms were told."""
    return (record.told, record.id)
