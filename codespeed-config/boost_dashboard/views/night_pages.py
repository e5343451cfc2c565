"""All nights, and one of them: steps, box, canary, and what was measured."""

from __future__ import annotations

from typing import Any

from codespeed.models import Revision
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from boost_dashboard.alarms import Alarm, box_by_name_or_number, told_alarms
from boost_dashboard.nights import Night, read_nights, retired_boxes, retired_names
from boost_dashboard.operation.runs import ending_of
from boost_dashboard.parameters import Choice, Field, Name, for_programs, page
from boost_dashboard.reading.scope import Missing
from boost_dashboard.views.answers import not_found

_COUNTS = ("60", "200", "1000")
_MOST_JSON = ("60", "200", "1000", "5000")
_LEAST_KEY, _LONGEST_KEY = len("2026-03-03T0100"), 24
_LIST: dict[str, Field] = {"env": Name(), "most": Choice(_COUNTS)}
_JSON: dict[str, Field] = {"env": Name(), "most": Choice(_MOST_JSON)}


@require_safe
@page(_LIST)
def night_list(request: HttpRequest, query: dict[str, Any]) -> HttpResponse:
    """The newest nights of all boxes, or of one."""
    try:
        nights = _chosen(query)
    except Missing as missing:
        return not_found(request, missing)
    most = int(query["most"] or _COUNTS[0])
    return render(request, "nights.html", {"nights": nights, "most": most, "counts": _COUNTS})


@require_safe
@for_programs(_JSON)
def as_json(_request: HttpRequest, query: dict[str, Any]) -> HttpResponse:
    """The same for programs, the newest first; and the names of all retired boxes."""
    retired = retired_boxes()
    try:
        nights = [
            {**night.as_json(), "retired": night.box_id in retired} for night in _chosen(query)
        ]
    except Missing as missing:
        return JsonResponse({"error": f"There is no {missing}."}, status=404)
    return JsonResponse({"schema_version": 1, "nights": nights, "retired": retired_names()})


def _chosen(query: dict[str, Any]) -> list[Night]:
    most = int(query["most"] or _COUNTS[0])
    if not query["env"]:
        return read_nights(most)
    box = box_by_name_or_number(query["env"])
    if box is None:
        raise Missing(f"box {query['env']}")
    return read_nights(most, environment=box)


@require_safe
@page({})
def night(request: HttpRequest, _query: dict[str, Any], key: str) -> HttpResponse:
    """That night on every box, with all its parts where boxes share it."""
    part = {"night": key} if "of" in key else {"night__startswith": key}
    usable = _LEAST_KEY <= len(key) <= _LONGEST_KEY and key.isprintable()
    found = read_nights(1000, **part) if usable else []
    if not found:
        return not_found(request, Missing("such night"))
    keys = {one.told.night for one in found}
    alarms: dict[int, list[Alarm]] = {}
    for alarm in told_alarms(environment_id__in=[one.box_id for one in found]):
        if alarm.told is not None and alarm.told.told in keys:
            alarms.setdefault(alarm.box_id, []).append(alarm)
    boxes = [
        {
            "night": one,
            "runs": [{"id": run, "commit": _commit_of(run)} for run in one.told.runs],
            "alarms": alarms.get(one.box_id, []),
        }
        for one in found
    ]
    return render(request, "night.html", {"key": key, "boxes": boxes})


def _commit_of(run: str) -> str | None:
    """The dashboard's id of a run of the results store; None when it is not here."""
    found = Revision.objects.filter(commitid__endswith=ending_of(run))
    return found.values_list("commitid", flat=True).first()
