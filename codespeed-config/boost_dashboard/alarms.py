"""Which series have changed: alarms of the nightly, and suspicions of ``flink-boost detect``.

They are read from the database as pages show them; ``alarm_intake`` puts them there.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from codespeed.models import Environment

from boost_dashboard.models import AlarmRecord, AlarmRegister, AlarmSheet
from flink_boost.judge.alarm_record import CURRENT, AlarmFigures, PublishedAlarm, SuspectedChange
from flink_boost.measure.field_checks import per_cent

SUSPECTED = "suspected"
_URGENCY = (*CURRENT, SUSPECTED)


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
    said: PublishedAlarm | SuspectedChange
    told: PublishedAlarm | None = None

    @property
    def is_regression(self) -> bool:
        return self.direction == "regression"

    @property
    def first_told(self) -> str:
        """The night that told it; of a suspicion, which has none, when ``detect`` named it last."""
        return self.told.told if self.told else f"{self.made:%Y-%m-%d %H:%M}"

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
    alarms: tuple[Alarm, ...]

    @property
    def first_told(self) -> str:
        """When the first of them was told."""
        return min(alarm.first_told for alarm in self.alarms)

    @property
    def regressions(self) -> int:
        """How many of them are regressions."""
        return sum(alarm.is_regression for alarm in self.alarms)

    @property
    def order(self) -> tuple[Any, ...]:
        """Those with something open first, then with most regressions."""
        return (self.alarms[0].order[0], -self.regressions, self.box, self.since)


def told_alarms(**conditions: object) -> list[Alarm]:
    """Alarms of the nightly, the most urgent first."""
    made = dict(AlarmRegister.objects.values_list("environment_id", "made"))
    rows = AlarmRecord.objects.filter(**conditions).select_related("environment")
    found = []
    for row in rows:
        told = PublishedAlarm.model_validate_json(row.document)
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
            said = SuspectedChange.model_validate(one)
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
    found = [*told_alarms(state__in=CURRENT), *suspicions()]
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
                alarms=tuple(members),
            )
        )
    return sorted(groups, key=lambda group: group.order)


@dataclass(frozen=True)
class Figures:
    """Figures of detection, and the boxes that one document told them of."""

    boxes: tuple[str, ...]
    made: datetime
    figures: AlarmFigures


def read_figures() -> list[Figures]:
    """One for each document that brought some."""
    rows = AlarmRegister.objects.exclude(figures="").select_related("environment")
    by_document: dict[tuple[datetime, str], list[str]] = {}
    for row in rows.order_by("environment__name"):
        by_document.setdefault((row.made, row.figures), []).append(row.environment.name)
    return [
        Figures(tuple(boxes), made, AlarmFigures.model_validate_json(text))
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
