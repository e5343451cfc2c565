"""Which series have changed lately, as ``flink-boost detect --send`` tells it.

``POST alarms/add/`` takes one JSON document, which replaces what was known of the boxes that it
names. Only the token of all may send it: an alarm is about the nights.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Annotated, Literal

from codespeed.models import Environment
from django.db import transaction
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST, require_safe
from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError

from boost_dashboard.incoming import FIRST_YEAR, LAST_YEAR, Name
from boost_dashboard.middleware import WRITER
from boost_dashboard.models import AlarmSheet
from boost_dashboard.notes import Command

MOST_ALARMS = 2000
LARGEST_BODY = 4 * 1024 * 1024

_Ratio = Annotated[float, Field(gt=0, le=1e6, allow_inf_nan=False)]
# A link that a reader may follow: to a page, never to a script.
_Link = Annotated[
    str, StringConstraints(strict=True, max_length=500, pattern=r"^https?://[!#-;=?-~]+$")
]
_Commit = Annotated[str, StringConstraints(strict=True, pattern=r"^[0-9A-Za-z-]{0,60}$")]


class Alarm(BaseModel):
    """A series whose ratio has changed; ``flink_boost.publish.alarms.Alarm`` says what is what."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    box: Annotated[Name, Field(max_length=100)]
    executable: Annotated[Name, Field(max_length=30)]
    benchmark: Annotated[Name, Field(max_length=94)]
    kind: Literal["regression", "improvement"]
    effect: _Ratio
    low: _Ratio | None
    high: _Ratio | None
    before: Annotated[Name, Field(max_length=42)]
    since: Annotated[Name, Field(max_length=42)]
    commits: tuple[_Commit, _Commit]
    nights: Annotated[int, Field(ge=1, le=100_000)]
    command: Command
    report: _Link | None = None
    profile: _Link | None = None

    @property
    def change(self) -> str:
        """The effect in per cent: ``-5.2 %``."""
        return _per_cent(self.effect)

    @property
    def interval(self) -> str:
        """Both ends of its interval in per cent; empty where there is none."""
        if self.low is None or self.high is None:
            return ""
        return f"{_per_cent(self.low)} to {_per_cent(self.high)}"


class _Sheet(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    schema_version: Literal[1]
    made: datetime
    boxes: Annotated[tuple[Annotated[Name, Field(max_length=100)], ...], Field(max_length=100)]
    alarms: Annotated[tuple[Alarm, ...], Field(max_length=MOST_ALARMS)]


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
        return sum(alarm.kind == "regression" for alarm in self.alarms)


@csrf_exempt
@require_POST
def add(request: HttpRequest) -> HttpResponse:
    """Takes a sheet in; 202, or 400 with field and reason."""
    writer = request.META[WRITER]
    if writer.branches is not None:
        return _refused(f"The token of {writer.name} does not allow alarms.", 422)
    if len(request.body) > LARGEST_BODY:
        return _refused("The document is too large.", 413)
    try:
        sheet = _Sheet.model_validate_json(request.body)
    except ValidationError as error:
        found = error.errors(include_url=False, include_input=False, include_context=False)[0]
        field = ".".join(ascii(part)[:40].strip("'") for part in found["loc"]) or "document"
        return _refused(f"{field}: {found['msg']}.", 400)
    made = sheet.made if sheet.made.tzinfo else sheet.made.replace(tzinfo=UTC)
    if not FIRST_YEAR <= made.year < LAST_YEAR:
        return _refused(f"made: is not between {FIRST_YEAR} and {LAST_YEAR}.", 400)
    strangers = {alarm.box for alarm in sheet.alarms} - set(sheet.boxes)
    if strangers:
        return _refused(f"boxes: {min(strangers)} has an alarm and is not named.", 400)
    with transaction.atomic():
        for box in sheet.boxes:
            environment, _ = Environment.objects.get_or_create(name=box)
            alarms = [alarm.model_dump() for alarm in sheet.alarms if alarm.box == box]
            AlarmSheet.objects.update_or_create(
                environment=environment,
                defaults={
                    "made": made.astimezone(UTC).replace(tzinfo=None),
                    "alarms": json.dumps(alarms),
                },
            )
    return HttpResponse("", status=202)


@require_safe
def as_json(_request: HttpRequest) -> JsonResponse:
    """All open alarms, for programs: ``{"boxes": [{"box", "made", "alarms": [...]}]}``."""
    sheets = AlarmSheet.objects.select_related("environment").order_by("environment__name")
    boxes = [
        {
            "box": sheet.environment.name,
            "made": f"{sheet.made.isoformat()}Z",
            # The box may have got another name since.
            "alarms": [
                {**alarm, "box": sheet.environment.name} for alarm in json.loads(sheet.alarms)
            ],
        }
        for sheet in sheets
    ]
    return JsonResponse({"schema_version": 1, "boxes": boxes})


def open_alarms() -> list[AlarmGroup]:
    """By box and run, those with most regressions first."""
    sheets = AlarmSheet.objects.select_related("environment").order_by("environment__name")
    groups = [group for sheet in sheets for group in _groups_of(sheet)]
    return sorted(groups, key=lambda group: (-group.regressions, group.box, group.since))


def _groups_of(sheet: AlarmSheet) -> Iterable[AlarmGroup]:
    alarms = [Alarm.model_validate(alarm) for alarm in json.loads(sheet.alarms)]
    for since in dict.fromkeys(alarm.since for alarm in alarms):
        members = [alarm for alarm in alarms if alarm.since == since]
        members.sort(key=lambda alarm: (alarm.kind != "regression", alarm.effect, alarm.benchmark))
        yield AlarmGroup(
            box=sheet.environment.name,
            box_id=sheet.environment.id,
            since=since,
            before=members[0].before,
            commits=members[0].commits,
            made=sheet.made,
            alarms=tuple(members),
        )


def _per_cent(ratio: float) -> str:
    return f"{100 * (ratio - 1):+.1f} %".replace("-", "−")


def _refused(reason: str, status: int) -> HttpResponse:
    return HttpResponse(f"{reason}\n", status=status, content_type="text/plain; charset=utf-8")
