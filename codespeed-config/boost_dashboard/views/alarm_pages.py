"""All alarms, and one of them: its history, reruns, decision, bisect and plot."""

from __future__ import annotations

from typing import Any

from codespeed import models
from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe

from boost_dashboard.alarm_plots import PLOT_HEIGHT, PLOT_WIDTH, plotted
from boost_dashboard.alarms import (
    Alarm,
    box_by_name_or_number,
    boxes_told,
    grouped_alarms,
    read_figures,
    suspicions,
    told_alarms,
)
from boost_dashboard.models import NightRecord
from boost_dashboard.nights import box_changes
from boost_dashboard.parameters import Field, Name, page
from boost_dashboard.reading.rows import RATIO_SUFFIX, Box
from boost_dashboard.reading.scope import (
    TREND,
    Missing,
    read_benchmarks,
    read_executables,
    read_runs,
)
from boost_dashboard.views.answers import not_found
from boost_dashboard.views.timeline import RUNS, panel_of, plot_settings
from flink_boost.judge.alarm_record import CURRENT

_ONE: dict[str, Field] = {"env": Name()}
_AROUND = 30  # runs of the plot before the change


@require_safe
@page({})
def alarm_list(request: HttpRequest, _query: dict[str, Any]) -> HttpResponse:
    """All of them, open ones first; whoever does not ask for a page gets the JSON."""
    if "text/html" not in request.headers.get("Accept", ""):
        return _json()
    alarms = told_alarms()
    return render(
        request,
        "alarms.html",
        {
            "active": [*(one for one in alarms if one.state in CURRENT), *suspicions()],
            "closed": [one for one in alarms if one.state not in CURRENT],
            "figures": read_figures(),
        },
    )


@require_safe
@page({})
def as_json(_request: HttpRequest, _query: dict[str, Any]) -> HttpResponse:
    """All alarms, for programs: ``{"boxes": [{"box", "made", "alarms"}], "figures": […]}``."""
    return _json()


def _json() -> JsonResponse:
    alarms = [*told_alarms(), *suspicions()]
    boxes = [
        {
            "box": box,
            "made": f"{made.isoformat()}Z",
            "alarms": [alarm.as_json() for alarm in alarms if alarm.box == box],
        }
        for box, made in boxes_told().items()
    ]
    figures = [
        {
            "boxes": one.boxes,
            "made": f"{one.made.isoformat()}Z",
            "precision": one.figures.precision,
            **one.figures.model_dump(),
        }
        for one in read_figures()
    ]
    return JsonResponse({"schema_version": 2, "boxes": boxes, "figures": figures})


@require_safe
@page(_ONE)
def alarm(request: HttpRequest, query: dict[str, Any], key: str) -> HttpResponse:
    """The page of one alarm; ``env`` names its box, where several have that id."""
    found = told_alarms(key=key) if len(key) <= 11 and key.isascii() and key.isalnum() else []
    if query["env"]:
        box = box_by_name_or_number(query["env"])
        found = [one for one in found if box is not None and one.box_id == box.id]
    if not found:
        return not_found(request, Missing("such alarm"))
    newest = max(found, key=lambda one: one.made)
    others = [one for one in found if one is not newest]
    return render(request, "alarm.html", {**_context(newest), "others": others})


def _context(shown: Alarm) -> dict[str, Any]:
    told = shown.told
    if told is None:
        raise Http404
    (group,) = plotted(grouped_alarms([shown]))
    context: dict[str, Any] = {
        "alarm": shown,
        "told": told,
        "plotted": group.alarms[0],
        "has_run": group.has_run,
        "has_night": NightRecord.objects.filter(
            environment_id=shown.box_id, night=told.told
        ).exists(),
        "plot_size": {"width": PLOT_WIDTH, "height": PLOT_HEIGHT},
        "has_plots": (settings.PLOTS / "uPlot.iife.min.js").is_file(),
    }
    return context | _plot(shown, group.alarms[0].branch or TREND)


def _plot(shown: Alarm, branch: str) -> dict[str, Any]:
    """What the timeline's script needs to draw the ratio around the change."""
    box = Box(shown.box_id, shown.box)
    benchmarks = read_benchmarks(name=shown.benchmark + RATIO_SUFFIX)
    known = read_executables()
    executables = [one for one in known.values() if one.name == shown.said.executable]
    if not benchmarks or not executables:
        return {"panels": []}
    since = models.Revision.objects.filter(commitid=shown.said.since, date__isnull=False).first()
    most = 60
    if since is not None:
        newer = models.Revision.objects.filter(branch__name=branch, date__gte=since.date).count()
        most = min(newer + _AROUND, RUNS[-1])
    runs = read_runs(box, branch, most)
    changes = box_changes(box.id, runs[-1].date, runs[0].date) if runs else []
    return {
        "panels": [panel_of(benchmarks[0])],
        "changes": changes,
        "settings": {
            "env": box.id,
            "bran": branch,
            "revs": most,
            **plot_settings(executables, known, large=True),
            "points": reverse("timeline-points"),
        },
    }
