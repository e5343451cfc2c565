"""One benchmark over all runs of a box, or all benchmarks as small plots."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC
from typing import Any
from urllib.parse import urlencode

from codespeed import models
from django.conf import settings
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe

from boost_dashboard.alarms import told_alarms
from boost_dashboard.nights import box_changes
from boost_dashboard.parameters import Choice, Field, Name, Number, Numbers, for_programs, page
from boost_dashboard.reading.rows import RATIO_SUFFIX, Benchmark, Executable, Run
from boost_dashboard.reading.scope import (
    Missing,
    Scope,
    read_benchmarks,
    read_executables,
    read_newest_runs,
    read_runs,
)
from boost_dashboard.reading.series import Series, read_series
from boost_dashboard.reading.steps import find_steps
from boost_dashboard.views.answers import COLOURS, chosen_executables, no_results, with_scope

RUNS = (30, 60, 200, 1000, 2000)  # how many may be shown
DEFAULT_RUNS = 60
_ALL = ("grid", "show_none")  # Codespeed's words for no benchmark in particular
_AT_ONCE = 24  # benchmarks in one answer to a page

_SCOPE: dict[str, Field] = {"env": Name(), "bran": Name(32)}
_QUERY: dict[str, Field] = {
    **_SCOPE,
    "ben": Name(),
    "exe": Numbers(),
    "revs": Number(most=RUNS[-1]),
    "show": Choice(("ratio", "values")),
    # What Codespeed's own page had; its links still work.
    **{name: Name() for name in ("base", "equid", "quarts", "extr")},
}
_POINTS: dict[str, Field] = {
    "env": Number(required=True),
    "bran": Name(32, required=True),
    "ben": Numbers(_AT_ONCE, required=True),
    "exe": Numbers(required=True),
    "revs": Number(most=RUNS[-1], required=True),
}


@require_safe
@page(_QUERY)
@with_scope
def timeline(request: HttpRequest, query: dict[str, Any], scope: Scope) -> HttpResponse:
    """The page; its script asks :func:`points` for what is in sight."""
    most = query["revs"] or DEFAULT_RUNS
    runs = read_runs(scope.box, scope.branch, most)
    if not runs and not models.Result.objects.exists():
        return no_results(request)
    measured = set(read_newest_runs(scope.box, runs))
    known = read_executables()
    chosen = chosen_executables(known, query["exe"], measured)
    name = query["ben"] if query["ben"] not in (None, "", *_ALL) else None
    show = query["show"] or "ratio"
    panels = _panels_of_one(name) if name else _panels_of_all(show)
    here = {"env": scope.box.id, "bran": scope.branch, "revs": most}
    return render(
        request,
        "timeline.html",
        {
            "scope": scope,
            "benchmark": name,
            "panels": panels,
            "show": show,
            "runs": len(runs),
            "most": most,
            "choices": sorted({*RUNS, most}),
            "executables": [
                {"item": each, "checked": each in chosen, "measured": each.id in measured}
                for each in known.values()
                if each.id in measured or each in chosen
            ],
            "here": urlencode(here),
            "has_plots": (settings.PLOTS / "uPlot.iife.min.js").is_file(),
            "settings": {
                **here,
                **plot_settings(chosen, known, large=name is not None),
            },
        },
    )


def plot_settings(
    chosen: Sequence[Executable], known: dict[int, Executable], *, large: bool
) -> dict[str, Any]:
    """What the plots' script is told, but for box, branch and number of runs."""
    return {
        "exe": ",".join(str(each.id) for each in chosen),
        "points": reverse("timeline-points"),
        "changes": reverse("changes"),
        "atOnce": _AT_ONCE,
        "large": large,
        "executables": {each.id: _described(each, known) for each in chosen},
    }


def _described(executable: Executable, known: dict[int, Executable]) -> dict[str, Any]:
    """How an executable looks in every plot: by its place among all of them."""
    return {
        "label": executable.label,
        "colour": list(known).index(executable.id) % COLOURS,
        "dashed": executable.name.startswith("stock"),
    }


def _panels_of_one(name: str) -> list[dict[str, Any]]:
    subject = name.removesuffix(RATIO_SUFFIX)
    found = read_benchmarks(name__in=[subject, subject + RATIO_SUFFIX])
    if not found:
        raise Missing(f"benchmark {name}")
    return [panel_of(each) for each in sorted(found, key=lambda each: not each.is_ratio)]


def _panels_of_all(show: str) -> list[dict[str, Any]]:
    """One panel per benchmark: its ratio where that is wanted and there is one."""
    chosen: dict[str, Benchmark] = {}
    for each in read_benchmarks():
        if each.subject not in chosen or each.is_ratio is (show == "ratio"):
            chosen[each.subject] = each
    return [panel_of(each) for each in chosen.values()]


def panel_of(benchmark: Benchmark) -> dict[str, Any]:
    direction = "less is better" if benchmark.less_is_better else "more is better"
    unit = "patched to stock" if benchmark.is_ratio else benchmark.units
    return {
        "benchmark": benchmark,
        "axis": f"{benchmark.title} ({unit}), {direction}",
        "settings": {"ratio": benchmark.is_ratio, "units": benchmark.units},
    }


@require_safe
@for_programs(_POINTS)
def points(_request: HttpRequest, query: dict[str, Any]) -> HttpResponse:
    """The newest ``revs`` runs of a box, oldest first, and the points of some benchmarks::

        {"runs": [{"commit", "seconds"}],
         "marks": [{"seconds", "text", "address"}],
         "alarms": {id: [{"run", "text", "address"}]},
         "benchmarks": {id: [{"executable": id, "points": [[run, value, low, high]],
                              "steps": [{"run", "change"}]}]}}

    ``run`` is a place in the list of runs, ``seconds`` since 1970, ``change`` per cent; an unknown
    bound is null. Steps are those of ratios, where a benchmark has one: what moves stock and
    patched alike is the box.
    """
    box = models.Environment.objects.filter(id=query["env"]).first()
    if box is None:
        return JsonResponse({"error": f"There is no box {query['env']}."}, status=404)
    runs = read_runs(box, query["bran"], query["revs"])[::-1]
    benchmarks = read_benchmarks(id__in=query["ben"])
    series = read_series(benchmarks, box, runs, query["exe"])
    with_ratio = {
        name.removesuffix(RATIO_SUFFIX)
        for name in models.Benchmark.objects.filter(
            name__in=[each.name + RATIO_SUFFIX for each in benchmarks]
        ).values_list("name", flat=True)
    }
    return JsonResponse(
        {
            "runs": [{"commit": run.commit, "seconds": run.seconds} for run in runs],
            "marks": box_marks(box.id, runs),
            "alarms": alarm_marks(box.id, benchmarks, query["exe"], runs),
            "benchmarks": {
                each.id: [
                    _line(executable, series[each.id, executable], runs, each, with_ratio)
                    for executable in query["exe"]
                    if (each.id, executable) in series
                ]
                for each in benchmarks
            },
        }
    )


def _line(
    executable: int,
    series: Series,
    runs: tuple[Run, ...],
    benchmark: Benchmark,
    with_ratio: set[str],
) -> dict[str, Any]:
    places = [place for place, run in enumerate(runs) if run.id in series]
    values = [series[runs[place].id] for place in places]
    steps = (
        ()
        if benchmark.name in with_ratio
        else find_steps([each.value for each in values], settings.CHANGE_THRESHOLD)
    )
    return {
        "executable": executable,
        "points": [
            [place, each.value, each.low, each.high]
            for place, each in zip(places, values, strict=True)
        ],
        "steps": [{"run": places[step.index], "change": step.change} for step in steps],
    }


def box_marks(box_id: int, runs: Sequence[Run]) -> list[dict[str, Any]]:
    """Nights between these runs, oldest first, in which something of the box had changed."""
    if not runs:
        return []
    return [
        {
            "seconds": int(night.told.slot.replace(tzinfo=UTC).timestamp()),
            "text": " ".join(
                (
                    f"Box changed: {night.told.changes_text}",
                    *(one.sentence for one in night.told.old_against_new),
                )
            ),
            "address": reverse("night", args=[night.told.night]),
        }
        for night in box_changes(box_id, runs[0].date, runs[-1].date)
    ]


def alarm_marks(
    box_id: int, benchmarks: Iterable[Benchmark], executables: Iterable[int], runs: Sequence[Run]
) -> dict[int, list[dict[str, Any]]]:
    """By benchmark: alarms that begin with one of these runs; ``run`` is its place."""
    places = {run.commit: place for place, run in enumerate(runs)}
    names = set(models.Executable.objects.filter(id__in=executables).values_list("name", flat=True))
    by_subject: dict[str, list[int]] = {}
    for benchmark in benchmarks:
        by_subject.setdefault(benchmark.subject, []).append(benchmark.id)
    found: dict[int, list[dict[str, Any]]] = {}
    for alarm in told_alarms(environment_id=box_id, benchmark__in=list(by_subject)):
        if alarm.told is None or alarm.said.since not in places:
            continue
        if alarm.said.executable in names:
            mark = {
                "run": places[alarm.said.since],
                "text": f"{alarm.change}, {alarm.state}",
                "address": f"{reverse('alarm', args=[alarm.told.id])}?env={box_id}",
            }
            for number in by_subject[alarm.benchmark]:
                found.setdefault(number, []).append(mark)
    return found
