"""Which series have changed: alarms of the nightly, and suspicions of ``flink-boost detect``.

``POST alarms/add/`` takes one JSON document, which replaces what was known of the boxes that it
names. Version 2 is the register of the nightly; version 1 are suspicions of ``detect --send``, and
leaves alarms of version 2 alone. Only the token of all may send either: alarms are about nights.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any, Literal

from codespeed.models import Environment
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST
from pydantic import BaseModel, ConfigDict, Field

from boost_dashboard.documents import (
    ACTIVE,
    MOST_ALARMS,
    BoxName,
    Commit,
    DetectionFigures,
    Document,
    Link,
    Moment,
    Ratio,
    RunName,
    ToldAlarm,
    ToldSheet,
    per_cent,
)
from boost_dashboard.incoming import Name
from boost_dashboard.models import AlarmRecord, AlarmRegister, AlarmSheet
from boost_dashboard.notes import Command
from boost_dashboard.parcels import RefusedParcelError, body_for_all, box_named, read_parcel

LARGEST_BODY = 4 * 1024 * 1024
SUSPECTED = "suspected"
_URGENCY = (*ACTIVE, SUSPECTED)


class Suspicion(Document):
    """A series whose ratio has changed; ``flink_boost.publish.alarms.Alarm`` says what is what."""

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


class _SuspicionSheet(Document):
    schema_version: Literal[1]
    made: Moment
    boxes: Annotated[tuple[BoxName, ...], Field(max_length=100)]
    alarms: Annotated[tuple[Suspicion, ...], Field(max_length=MOST_ALARMS)]


class _Version(BaseModel):
    model_config = ConfigDict(extra="ignore")

    schema_version: Literal[1, 2]


@dataclass(frozen=True)
class Alarm:
    """An alarm or a suspicion as pages show it.

    ``told`` is None for a suspicion, which has no page; ``benchmark`` is its name here by now.
    """

    box_id: int
    box: str
    made: datetime
    state: str
    direction: str
    benchmark: str
    said: ToldAlarm | Suspicion
    told: ToldAlarm | None = None

    @property
    def is_regression(self) -> bool:
        return self.direction == "regression"

    @property
    def change(self) -> str:
        """The effect in per cent: ``−5.2 %``."""
        return per_cent(self.said.effect)

    @property
    def interval(self) -> str:
        """Both ends of its interval in per cent; empty where there is none."""
        if self.said.low is None or self.said.high is None:
            return ""
        return f"{per_cent(self.said.low)} to {per_cent(self.said.high)}"

    @property
    def order(self) -> tuple[Any, ...]:
        """What is open before what is closed, regressions first, the largest first."""
        place = _URGENCY.index(self.state) if self.state in _URGENCY else len(_URGENCY)
        return (place, not self.is_regression, self.said.effect, self.benchmark, self.box)

    def as_json(self) -> dict[str, Any]:
        """The document, with the names that box and benchmark have by now."""
        here = {"box": self.box, "benchmark": self.benchmark, "state": self.state}
        return {**self.said.model_dump(mode="json"), **here}


@dataclass(frozen=True)
class AlarmGroup:
    """Alarms that begin with one run of a box, and so have one cause to be looked for."""

    box: str
    box_id: int
    since: str
    before: str
    commits: tuple[str, str]
    made: datetime
    alarms: tuple[Alarm, ...]

    @property
    def regressions(self) -> int:
        """How many of them are regressions."""
        return sum(alarm.is_regression for alarm in self.alarms)

    @property
    def order(self) -> tuple[Any, ...]:
        """Those with something open first, then with most regressions."""
        return (self.alarms[0].order[0], -self.regressions, self.box, self.since)


@csrf_exempt
@require_POST
def add(request: HttpRequest) -> HttpResponse:
    """Takes a sheet in; 202, or 400 with field and reason."""
    try:
        body = body_for_all(request, "alarms", LARGEST_BODY)
        if read_parcel(_Version, body).schema_version == 1:
            _keep_suspicions(read_parcel(_SuspicionSheet, body))
        else:
            _keep_told(read_parcel(ToldSheet, body))
    except RefusedParcelError as error:
        return error.answer()
    return HttpResponse("", status=202)


def _require_named(boxes: Iterable[str], alarms: Sequence[ToldAlarm | Suspicion]) -> None:
    strangers = {alarm.box for alarm in alarms} - set(boxes)
    if strangers:
        raise RefusedParcelError(f"boxes: {min(strangers)} has an alarm and is not named.")


def _keep_suspicions(sheet: _SuspicionSheet) -> None:
    _require_named(sheet.boxes, sheet.alarms)
    with transaction.atomic():
        for box in sheet.boxes:
            alarms = [alarm.model_dump() for alarm in sheet.alarms if alarm.box == box]
            AlarmSheet.objects.update_or_create(
                environment=box_named(box),
                defaults={"made": sheet.made, "alarms": json.dumps(alarms)},
            )


def _keep_told(sheet: ToldSheet) -> None:
    _require_named(sheet.boxes, sheet.alarms)
    keys = [(alarm.box, alarm.id) for alarm in sheet.alarms]
    if len(set(keys)) != len(keys):
        twice = next(key for box, key in keys if keys.count((box, key)) > 1)
        raise RefusedParcelError(f"alarms: {twice} is there twice.")
    figures = sheet.figures.model_dump_json() if sheet.figures else ""
    with transaction.atomic():
        for name in sheet.boxes:
            box = box_named(name)
            # The nightly knows more than a suspicion.
            AlarmSheet.objects.filter(environment=box).delete()
            # Also a lock: of two sheets of one box, the second waits here.
            AlarmRegister.objects.update_or_create(
                environment=box, defaults={"made": sheet.made, "figures": figures}
            )
            AlarmRecord.objects.filter(environment=box).delete()
            AlarmRecord.objects.bulk_create(
                AlarmRecord(
                    environment=box,
                    key=alarm.id,
                    state=alarm.state,
                    benchmark=alarm.benchmark,
                    document=alarm.model_dump_json(),
                )
                for alarm in sheet.alarms
                if alarm.box == name
            )


def told_alarms(**conditions: object) -> list[Alarm]:
    """Alarms of the nightly, the most urgent first."""
    made = dict(AlarmRegister.objects.values_list("environment_id", "made"))
    rows = AlarmRecord.objects.filter(**conditions).select_related("environment")
    found = []
    for row in rows:
        told = ToldAlarm.model_validate_json(row.document)
        found.append(
            Alarm(
                box_id=row.environment_id,
                box=row.environment.name,
                made=made[row.environment_id],
                state=told.state,
                direction=told.direction,
                benchmark=row.benchmark,
                said=told,
                told=told,
            )
        )
    return sorted(found, key=lambda alarm: alarm.order)


def suspicions() -> list[Alarm]:
    """What ``detect`` told last of each box, in its order."""
    found = []
    for sheet in AlarmSheet.objects.select_related("environment").order_by("environment__name"):
        for one in json.loads(sheet.alarms):
            said = Suspicion.model_validate(one)
            found.append(
                Alarm(
                    box_id=sheet.environment_id,
                    box=sheet.environment.name,
                    made=sheet.made,
                    state=SUSPECTED,
                    direction=said.kind,
                    benchmark=said.benchmark,
                    said=said,
                )
            )
    return found


def active_alarms() -> list[Alarm]:
    """What is not closed, with the suspicions, the most urgent first."""
    found = [*told_alarms(state__in=ACTIVE), *suspicions()]
    return sorted(found, key=lambda alarm: alarm.order)


def grouped_alarms(alarms: Iterable[Alarm]) -> list[AlarmGroup]:
    """By box and first run."""
    by_run: dict[tuple[int, str], list[Alarm]] = {}
    for alarm in alarms:
        by_run.setdefault((alarm.box_id, alarm.said.since), []).append(alarm)
    groups = []
    for members in by_run.values():
        members.sort(key=lambda alarm: alarm.order)
        first = members[0]
        groups.append(
            AlarmGroup(
                box=first.box,
                box_id=first.box_id,
                since=first.said.since,
                before=first.said.before,
                commits=first.said.commits,
                made=first.made,
                alarms=tuple(members),
            )
        )
    return sorted(groups, key=lambda group: group.order)


@dataclass(frozen=True)
class Figures:
    """Figures of detection, and the boxes that one document told them of."""

    boxes: tuple[str, ...]
    made: datetime
    figures: DetectionFigures


def read_figures() -> list[Figures]:
    """One for each document that brought some."""
    rows = AlarmRegister.objects.exclude(figures="").select_related("environment")
    by_document: dict[tuple[datetime, str], list[str]] = {}
    for row in rows.order_by("environment__name"):
        by_document.setdefault((row.made, row.figures), []).append(row.environment.name)
    return [
        Figures(tuple(boxes), made, DetectionFigures.model_validate_json(text))
        for (made, text), boxes in by_document.items()
    ]


def boxes_told() -> dict[str, datetime]:
    """When alarms or suspicions of each box were told last, by its name."""
    found: dict[str, datetime] = {}
    for model in (AlarmSheet, AlarmRegister):
        for name, made in model.objects.values_list("environment__name", "made"):
            found[name] = max(made, found.get(name, made))
    return dict(sorted(found.items()))


def box_by_name_or_number(text: str) -> Environment | None:
    """As the other pages take ``env``."""
    if text.isascii() and text.isdecimal() and len(text) <= 9:
        return Environment.objects.filter(id=int(text)).first()
    return Environment.objects.filter(name=text).first()
