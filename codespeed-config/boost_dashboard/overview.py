"""The first page: last night on every box, stock beside patched, as a page and as JSON."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict

from codespeed.models import Branch, Environment, Executable, Result, Revision
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from boost_dashboard.alarm_plots import PLOT_HEIGHT, PLOT_WIDTH, plotted
from boost_dashboard.alarms import active_alarms, grouped_alarms
from boost_dashboard.landing import (
    SPARK_HEIGHT,
    SPARK_WIDTH,
    Measured,
    Run,
    grouped,
    rows_of,
)
from boost_dashboard.nights import latest_nights
from boost_dashboard.notes import note_of
from boost_dashboard.operation.runs import utc_now
from boost_dashboard.reading.latest import latest_ratios, latest_revisions

REFERENCE = "stock "
CANDIDATE = "patched "
NIGHTS_SHOWN = 30  # of the small plots
ALARMS_SHOWN = 40  # the most urgent ones


@require_safe
def home(request: HttpRequest) -> HttpResponse:
    """The overview."""
    runs = newest_runs()
    alarms = active_alarms()
    context = {
        "latest": latest_nights(utc_now()),
        "more_alarms": max(0, len(alarms) - ALARMS_SHOWN),
        "nights": [run for run in runs if not run.branch],
        "others": [run for run in runs if run.branch],
        "alarm_groups": plotted(grouped_alarms(alarms[:ALARMS_SHOWN])),
        "plot_size": {"width": PLOT_WIDTH, "height": PLOT_HEIGHT},
        "spark": {"width": SPARK_WIDTH, "height": SPARK_HEIGHT},
    }
    return render(request, "home.html", context)


@require_safe
def as_json(_request: HttpRequest) -> JsonResponse:
    """What the overview shows, for programs: ``{"runs": [{"environment", "rows": [...]}]}``."""
    runs = [
        {
            "environment": run.environment,
            "branch": run.branch or None,
            "line": run.line,
            "commit": run.commit,
            "date": f"{run.date.isoformat()}Z",
            "note": None if run.note is None else run.note.model_dump(),
            "quiet": None if run.note is None else run.note.is_quiet,
            "counts": {str(verdict): number for verdict, number in run.counts},
            "rows": [
                {
                    **{key: value for key, value in asdict(row).items() if key != "spark"},
                    "direction": row.verdict.direction,
                }
                for row in run.rows
            ],
        }
        for run in newest_runs()
    ]
    nights = [
        {
            **latest.newest.as_json(),
            "latest": dict(latest.counts),
            "overdue": None if latest.overdue is None else f"{latest.overdue.isoformat()}Z",
            "retired": None if latest.retired is None else f"{latest.retired.isoformat()}Z",
        }
        for latest in latest_nights(utc_now())
    ]
    alarms = [alarm.as_json() for alarm in active_alarms()]
    return JsonResponse({"schema_version": 2, "runs": runs, "nights": nights, "alarms": alarms})


def newest_runs() -> list[Run]:
    """One run per environment, pair of executables and branch, the nights first, newest first."""
    runs = [_run(*found) for found in _newest_revisions()]
    newest_first = sorted(runs, key=lambda run: run.date, reverse=True)
    return sorted(newest_first, key=lambda run: run.branch != "")


def _newest_revisions() -> Iterable[tuple[Environment, Executable, Revision]]:
    environments = Environment.objects.order_by("name")
    candidates = Executable.objects.filter(name__startswith=CANDIDATE).order_by("name")
    branches = Branch.objects.select_related("project").order_by("name")
    for environment in environments:
        for candidate in candidates:
            for branch in branches:
                revisions = latest_revisions(environment, candidate, branch, 1)
                if revisions:
                    yield environment, candidate, revisions[0]


def _run(environment: Environment, candidate: Executable, revision: Revision) -> Run:
    line = candidate.name.removeprefix(CANDIDATE)
    branch = revision.branch
    nights = latest_revisions(environment, candidate, branch, NIGHTS_SHOWN)
    reference = Executable.objects.filter(name=REFERENCE + line, project=candidate.project).first()
    rows = rows_of(
        _measured(environment, reference, revision) if reference else [],
        _measured(environment, candidate, revision),
        latest_ratios(environment, candidate, nights),
    )
    return Run(
        environment=environment.name,
        environment_id=environment.id,
        branch="" if branch.name == branch.project.default_branch else branch.name,
        line=line,
        commit=revision.commitid,
        date=revision.date,
        note=note_of(revision),
        groups=grouped(rows),
    )


def _measured(
    environment: Environment, executable: Executable, revision: Revision
) -> list[Measured]:
    results = Result.objects.filter(
        environment=environment, executable=executable, revision=revision
    ).select_related("benchmark")
    return [
        Measured(
            benchmark=result.benchmark.name,
            value=result.value,
            low=result.val_min,
            high=result.val_max,
            units=result.benchmark.units,
            less_is_better=result.benchmark.lessisbetter,
            description=result.benchmark.description,
        )
        for result in results
    ]
