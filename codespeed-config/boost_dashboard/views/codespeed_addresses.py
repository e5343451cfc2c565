"""Codespeed's addresses for programs: its views where they are safe, behind checks of the query."""

from __future__ import annotations

import re
import threading
from dataclasses import dataclass
from typing import Any

from codespeed import models, views
from django.core.exceptions import ObjectDoesNotExist
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from boost_dashboard.changes import table_of
from boost_dashboard.parameters import Choice, Field, Name, Number, Numbers, for_programs
from boost_dashboard.reading.rows import Box, Run
from boost_dashboard.reading.scope import (
    Missing,
    find_run,
    read_run_after,
    read_runs,
)

LARGEST_IMAGE = 2000  # pixels, either way: memory grows with the product
_MOST_IN_IMAGE = 200  # results; each gets a label
_IMAGE_WAIT = 10.0  # seconds for those before it

_drawing = threading.BoundedSemaphore(1)


@dataclass(frozen=True)
class Baseline:
    """``<executable>+<revision>``, or none."""

    required: bool = False

    def read(self, text: str) -> str:
        # A plus that was not escaped arrives as a space; Codespeed splits at the plus.
        if text not in ("none", "undefined") and not re.fullmatch(r"[0-9]{1,9}\+[0-9]{1,9}", text):
            raise ValueError("has to be none, or <executable>%2B<revision> as numbers")
        return text


_TIMELINE: dict[str, Field] = {
    "exe": Numbers(50),
    "env": Number(required=True),
    "ben": Name(required=True),
    "base": Baseline(),
    "revs": Number(most=1000),
    "nextBenchmarks": Number(least=0, most=100_000),
    "_": Name(),  # with which jQuery passes caches by
}
_TABLE: dict[str, Field] = {
    "exe": Number(required=True),
    "env": Number(required=True),
    "rev": Name(42, required=True),
    "tre": Number(most=100, required=True),
    "_": Name(),
}
_LOGS: dict[str, Field] = {"revisionid": Number(required=True), "_": Name()}
_IMAGE: dict[str, Field] = {
    "env": Name(required=True),
    "proj": Name(30, required=True),
    "branch": Name(32, required=True),
    "exe": Name(30, required=True),
    "ben": Name(required=True),
    "revs": Number(most=_MOST_IN_IMAGE),
    "width": Number(most=LARGEST_IMAGE),
    "height": Number(most=LARGEST_IMAGE),
    "relative": Choice(("0", "1", "yes", "no")),
    "base_commit": Name(42),
    "base_env": Name(),
    "base_proj": Name(30),
    "base_exe": Name(30),
    "base_branch": Name(32),
}


def _text(status: int, sentence: str) -> HttpResponse:
    return HttpResponse(f"{sentence}\n", status=status, content_type="text/plain; charset=utf-8")


@require_GET
@for_programs(_TIMELINE)
def timeline_json(request: HttpRequest, query: dict[str, Any]) -> HttpResponse:
    """The points of a benchmark, newest first, as Codespeed gives them."""
    if not models.Environment.objects.filter(id=query["env"]).exists():
        return _text(404, f"There is no environment {query['env']}.")
    undated = models.Result.objects.filter(
        revision__date__isnull=True,
        environment_id=query["env"],
        executable_id__in=query["exe"],
    )
    if undated.exists():
        return _text(422, "A run of these executables has no date; delete it from the database.")
    try:
        answer = views.gettimelinedata(request)
        content = b"".join(answer) if answer.streaming else answer.content
    except ObjectDoesNotExist as missing:
        return _text(404, str(missing))
    return HttpResponse(content, content_type="application/json")


@require_GET
@for_programs({"_": Name()})
def comparison_json(request: HttpRequest, _query: dict[str, Any]) -> HttpResponse:
    """The newest results of everything, as Codespeed gives them."""
    answer = views.getcomparisondata(request)
    answer["Content-Type"] = "application/json"
    return answer


@require_GET
@for_programs(_TABLE)
def changes_table(request: HttpRequest, query: dict[str, Any]) -> HttpResponse:
    """Codespeed's table of changes as HTML, over the runs of that box: nothing is stored."""
    environment = models.Environment.objects.filter(id=query["env"]).first()
    executable = models.Executable.objects.filter(id=query["exe"]).first()
    if environment is None or executable is None:
        return _text(404, "There is no such environment or executable.")
    box = Box(environment.id, environment.name)
    try:
        run = find_run(box, query["rev"], None)
    except Missing as missing:
        return _text(404, f"There is no {missing}.")
    earlier = read_runs(box, run.branch, query["tre"], before=run)
    runs = [run.id, *(each.id for each in earlier)]
    table = [each for each in table_of(runs, box.id, executable.id, query["tre"]) if each["rows"]]
    if not table:
        return HttpResponse(
            '<table id="results" class="tablesorter"></table>'
            '<p class="errormessage">No results for this parameters</p>'
        )
    later = read_run_after(box, run)
    return render(
        request,
        "codespeed/changes_data.html",
        {
            "tablelist": table,
            "trendconfig": query["tre"],
            "rev": models.Revision.objects.get(id=run.id),
            "exe": executable,
            "env": environment,
            "prev": _neighbour(earlier[0], box, executable.id) if earlier else None,
            "next": _neighbour(later, box, executable.id) if later else None,
        },
    )


def _neighbour(run: Run, box: Box, executable: int) -> dict[str, str]:
    report = models.Report.objects.filter(
        revision_id=run.id, environment_id=box.id, executable_id=executable
    ).first()
    return {
        "desc": f"{run.date:%b %d, %H:%M} - {run.commit}",
        "rev": run.commit,
        "short_rev": run.commit,
        "summary": report.item_description() if report is not None else "",
    }


@require_GET
@for_programs(_LOGS)
def changes_logs(request: HttpRequest, query: dict[str, Any]) -> HttpResponse:
    """What Codespeed knows of a commit; our projects have no repository to ask."""
    run = models.Revision.objects.filter(id=query["revisionid"])
    if not run.exists():
        return _text(404, f"There is no revision {query['revisionid']}.")
    if not run.filter(date__isnull=False).exists():
        return _text(422, "That run has no date; delete it from the database.")
    return views.displaylogs(request)


@require_GET
@for_programs(_IMAGE)
def image(request: HttpRequest, query: dict[str, Any]) -> HttpResponse:
    """A plot as PNG, one at a time; Codespeed would draw it in any size."""
    undated = models.Result.objects.filter(
        date__isnull=True,
        environment__name=query["env"],
        executable__name=query["exe"],
        benchmark__name=query["ben"],
    )
    if undated.exists():
        return _text(422, "A result of this benchmark has no date; delete it from the database.")
    if not _drawing.acquire(timeout=_IMAGE_WAIT):
        answer = _text(503, "Other images are being drawn. Ask again in a minute.")
        answer["Retry-After"] = "60"
        return answer
    try:
        return views.makeimage(request)
    except (ValueError, ArithmeticError) as error:
        # A stored value that is not finite, a reference of 0, a name that matplotlib takes for TeX.
        return _text(422, f"These results cannot be drawn ({type(error).__name__}).")
    finally:
        _drawing.release()
