"""One run against the run before it."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from codespeed import models
from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from boost_dashboard.notes import note_of
from boost_dashboard.parameters import Choice, Field, Name, Number, page
from boost_dashboard.reading.rows import Executable, Run
from boost_dashboard.reading.run_tables import read_changes
from boost_dashboard.reading.scope import (
    Missing,
    Scope,
    find_run,
    read_executables,
    read_newest_runs,
    read_run_after,
    read_runs,
)
from boost_dashboard.views.answers import no_results, with_scope

TRENDS = (5, 10, 20, 50, 100)  # runs
_LISTED = 60  # runs to choose from

_QUERY: dict[str, Field] = {
    "env": Name(),
    "bran": Name(32),
    "rev": Name(42),
    "exe": Number(),
    "tre": Choice(tuple(map(str, TRENDS))),
    "base": Name(),  # of Codespeed's own page; its links still work
}


@require_safe
@page(_QUERY)
@with_scope
def changes(request: HttpRequest, query: dict[str, Any], scope: Scope) -> HttpResponse:
    """The table of a run and executable; the newest run where none is named."""
    run = find_run(scope.box, query["rev"], query["bran"]) if query["rev"] else None
    branch = run.branch if run is not None else scope.branch
    runs = read_runs(scope.box, branch, _LISTED)
    if not runs and not models.Result.objects.exists():
        return no_results(request)
    run = run or (runs[0] if runs else None)
    known = read_executables()
    measured = read_newest_runs(scope.box, (run, *runs[:_LISTED]) if run is not None else runs)
    of_run = read_newest_runs(scope.box, (run,)) if run is not None else {}
    executable = _chosen(query["exe"], known, set(of_run) or set(measured))
    trend = int(query["tre"] or settings.TREND)
    context: dict[str, Any] = {
        "scope": scope,
        "branch": branch,
        "run": run,
        "runs": runs if run is None or run in runs else (run, *runs),
        "executable": executable,
        "executables": [
            each for each in known.values() if each.id in measured or each == executable
        ],
        "trend": trend,
        "trends": TRENDS,
        "threshold": settings.CHANGE_THRESHOLD,
    }
    if run is not None and executable is not None:
        found = read_changes(scope.box, executable, run, trend, settings.CHANGE_THRESHOLD)
        after = read_run_after(scope.box, run)
        earlier = read_runs(scope.box, run.branch, 1, before=run)
        context |= {
            "note": note_of(models.Revision(id=run.id)),
            "changes": found,
            "has_ratio": any(row.ratio is not None for row in found.rows),
            "marked": sum(row.mark in ("faster", "slower") for row in found.rows),
            "earlier": _address(scope, executable, earlier[0], trend) if earlier else None,
            "later": _address(scope, executable, after, trend) if after else None,
            "before": _address(scope, executable, found.before, trend) if found.before else None,
            "timeline": urlencode({"env": scope.box.id, "bran": branch}),
        }
    return render(request, "changes.html", context)


def _chosen(
    number: int | None, known: dict[int, Executable], measured: set[int]
) -> Executable | None:
    """The named executable, else the one that the settings name, else any with results."""
    if number is not None:
        if number not in known:
            raise Missing(f"executable {number}")
        return known[number]
    with_results = [each for each in known.values() if each.id in measured]
    usual = [each for each in with_results if each.name == settings.DEF_EXECUTABLE]
    return next(iter(usual or with_results), None)


def _address(scope: Scope, executable: Executable, run: Run, trend: int) -> str:
    """The query of another run's page."""
    return urlencode(
        {
            "env": scope.box.id,
            "bran": run.branch,
            "exe": executable.id,
            "rev": run.commit,
            "tre": trend,
        }
    )
