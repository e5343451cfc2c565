"""The first page: the newest run of every box, stock beside patched."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from urllib.parse import urlencode

from codespeed.models import Branch, Environment, Executable, Result, Revision
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

REFERENCE = "stock "
CANDIDATE = "patched "


@dataclass(frozen=True)
class Row:
    """One benchmark of a run; ``ratio`` is above 1 when patched is better, None when unknown."""

    benchmark: str
    stock: float | None
    patched: float | None
    units: str
    ratio: float | None
    timeline: str


@dataclass(frozen=True)
class Run:
    """The newest run of one pair of executables on one box and branch; ``date`` is in UTC.

    ``branch`` is empty for the one whose runs are points of the trend.
    """

    environment: str
    branch: str
    line: str
    commit: str
    date: datetime
    rows: tuple[Row, ...]


@require_safe
def home(request: HttpRequest) -> HttpResponse:
    """The overview."""
    return render(request, "home.html", {"runs": newest_runs()})


def newest_runs() -> list[Run]:
    """One run per environment, pair of executables and branch, the trend's first, newest first."""
    runs = [
        _run(environment, candidate, revision)
        for branch in Branch.objects.order_by("name")
        for environment in Environment.objects.order_by("name")
        for candidate in Executable.objects.filter(name__startswith=CANDIDATE).order_by("name")
        if (revision := _newest(environment, candidate, branch)) is not None
    ]
    newest_first = sorted(runs, key=lambda run: run.date, reverse=True)
    return sorted(newest_first, key=lambda run: run.branch != "")


def ratio(stock: float | None, patched: float | None, *, less_is_better: bool) -> float | None:
    """Patched over stock for throughput, stock over patched for time."""
    if not stock or not patched:
        return None
    return stock / patched if less_is_better else patched / stock


def _newest(environment: Environment, candidate: Executable, branch: Branch) -> Revision | None:
    return (
        Revision.objects.filter(
            branch=branch,
            results__environment=environment,
            results__executable=candidate,
            date__isnull=False,
        )
        .order_by("-date")
        .first()
    )


def _run(environment: Environment, candidate: Executable, revision: Revision) -> Run:
    line = candidate.name.removeprefix(CANDIDATE)
    named = revision.branch.name
    branch = "" if named == revision.branch.project.default_branch else named
    patched = _values(environment, candidate.name, revision)
    stock = _values(environment, REFERENCE + line, revision)
    rows = []
    for name in sorted(patched.keys() | stock.keys()):
        benchmark = (patched.get(name) or stock[name]).benchmark
        before = stock[name].value if name in stock else None
        after = patched[name].value if name in patched else None
        rows.append(
            Row(
                benchmark=name,
                stock=before,
                patched=after,
                units=benchmark.units,
                ratio=ratio(before, after, less_is_better=benchmark.lessisbetter),
                timeline=urlencode(
                    {"ben": name, "env": environment.id, **({"bran": branch} if branch else {})}
                ),
            )
        )
    return Run(environment.name, branch, line, revision.commitid, revision.date, tuple(rows))


def _values(environment: Environment, executable: str, revision: Revision) -> dict[str, Result]:
    results = Result.objects.filter(
        environment=environment, executable__name=executable, revision=revision
    ).select_related("benchmark")
    return {result.benchmark.name: result for result in results}
