"""Nights as the nightly told them: what was measured, how the box was, which steps there were.

``POST nights/add/`` takes one JSON document, which replaces what was known of that night and box.
"""

from __future__ import annotations

import itertools
import statistics
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from codespeed.models import Environment
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST

from boost_dashboard.incoming import RefusedParcelError
from boost_dashboard.models import AlarmRegister, NightRecord
from boost_dashboard.parcels import body_for_all, box_named, read_parcel
from flink_boost.measure.night_record import NightRecord as ToldNight

LARGEST_BODY = 512 * 1024
LATEST = 14  # nights that the first page counts
_GRACE = timedelta(hours=2)
_SHORTEST = timedelta(hours=6)  # from one night of a timer's to the next


@dataclass(frozen=True)
class Night:
    """A night with the name that its box has by now."""

    box_id: int
    box: str
    told: ToldNight

    def as_json(self) -> dict[str, Any]:
        """The document."""
        return {**self.told.model_dump(mode="json"), "box": self.box}


@dataclass(frozen=True)
class LatestNights:
    """The newest night of a box; how the latest ended; when one was due that nobody told of.

    Of a ``retired`` box none is due any more.
    """

    newest: Night
    counts: tuple[tuple[str, int], ...]
    overdue: datetime | None
    retired: datetime | None = None

    @property
    def all_whole(self) -> bool:
        return all(state in ("complete", "running") for state, _ in self.counts)

    @property
    def number(self) -> int:
        return sum(number for _, number in self.counts)


@csrf_exempt
@require_POST
def add(request: HttpRequest) -> HttpResponse:
    """Takes a night in; 202, or 400 with field and reason."""
    try:
        told = read_parcel(ToldNight, body_for_all(request, "nights", LARGEST_BODY))
        with transaction.atomic():
            NightRecord.objects.update_or_create(
                environment=box_named(told.box),
                night=told.night,
                defaults={
                    "slot": told.slot,
                    "state": told.state,
                    "changed": bool(told.box_changes),
                    "document": told.model_dump_json(),
                },
            )
    except RefusedParcelError as error:
        return error.answer()
    return HttpResponse("", status=202)


def read_nights(most: int, **conditions: object) -> list[Night]:
    """The newest first."""
    rows = NightRecord.objects.filter(**conditions).select_related("environment")
    return [
        Night(row.environment_id, row.environment.name, ToldNight.model_validate_json(row.document))
        for row in rows.order_by("-slot", "environment__name")[:most]
    ]


def latest_nights(now: datetime) -> list[LatestNights]:
    """One per box that has nights; ``now`` is naive and in UTC."""
    found = []
    retired = retired_boxes()
    for box in Environment.objects.order_by("name"):
        nights = read_nights(LATEST, environment=box)
        if nights:
            states = Counter(night.told.state for night in nights)
            slots = list(dict.fromkeys(night.told.slot for night in nights))
            # Of the parts of one night the one that is not whole is what there is to see.
            parts = [night for night in nights if night.told.slot == slots[0]]
            newest = min(parts, key=lambda night: night.told.is_whole)
            gone = retired.get(box.id)
            due = overdue(slots, now) if gone is None else None
            found.append(LatestNights(newest, tuple(states.items()), due, gone))
    return found


def retired_boxes() -> dict[int, datetime]:
    """When boxes were retired, by their number."""
    rows = AlarmRegister.objects.exclude(retired=None)
    return dict(rows.values_list("environment_id", "retired"))


def retired_names() -> list[str]:
    """Boxes that were retired, whether a night of them is known or not."""
    rows = AlarmRegister.objects.exclude(retired=None).order_by("environment__name")
    return list(rows.values_list("environment__name", flat=True))


def overdue(newest_first: Sequence[datetime], now: datetime) -> datetime | None:
    """The slot of which nothing was told within two hours, by how far apart they usually are.

    Nights by hand may follow one another within hours: those gaps say nothing.
    """
    gaps = [later - earlier for later, earlier in itertools.pairwise(newest_first)]
    usual = [gap.total_seconds() for gap in gaps if gap >= _SHORTEST]
    if not usual:
        return None
    due = newest_first[0] + timedelta(seconds=statistics.median(usual))
    return due if now > due + _GRACE else None


def box_changes(box_id: int, since: datetime, until: datetime) -> list[Night]:
    """Nights in which something of the box was not what it was, oldest first."""
    found = read_nights(500, environment_id=box_id, changed=True, slot__gte=since, slot__lte=until)
    return found[::-1]
