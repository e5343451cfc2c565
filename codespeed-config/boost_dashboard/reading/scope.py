"""Which box and branch a page is about, and what there is to choose from."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from codespeed import models
from django.db.models import Exists, F, OuterRef, Q

from boost_dashboard.natural_order import natural_key
from boost_dashboard.reading.rows import Benchmark, Box, Executable, Run

TREND = "master"  # the branch of the nights


class Missing(Exception):
    """Something that an address names does not exist; the text completes "There is no …"."""


@dataclass(frozen=True)
class Scope:
    """A box and a branch, among all there are."""

    box: Box
    branch: str
    boxes: tuple[Box, ...]
    branches: tuple[str, ...]


def read_scope(env: str | None, branch: str | None) -> Scope | None:
    """The chosen box (by number or name) and branch, else the newest box and its nights.

    Where that box has no night, its newest branch. None while there is no box or no branch at all.
    Raises ``Missing`` for an unknown one.
    """
    rows = models.Environment.objects.values_list("id", "name")
    boxes = tuple(sorted((Box(*row) for row in rows), key=lambda box: natural_key(box.name)))
    names = set(models.Branch.objects.values_list("name", flat=True))
    branches = tuple(sorted(names, key=lambda name: (name != TREND, natural_key(name))))
    if not boxes or not branches:
        return None
    if branch and branch not in names:
        raise Missing(f"branch {branch}")
    chosen = _newest_box(boxes) if not env else _named_box(boxes, env)
    return Scope(chosen, branch or _nights_or_newest(chosen, branches), boxes, branches)


def _nights_or_newest(box: Box, branches: tuple[str, ...]) -> str:
    measured = models.Result.objects.filter(environment_id=box.id)
    if measured.filter(revision__branch__name=TREND).exists():
        return TREND
    newest = measured.order_by("-id").values_list("revision__branch__name", flat=True).first()
    return newest or branches[0]


def _named_box(boxes: tuple[Box, ...], env: str) -> Box:
    for box in boxes:
        if str(box.id) == env:
            return box
    for box in boxes:
        if box.name == env:
            return box
    raise Missing(f"box {env}")


def _newest_box(boxes: tuple[Box, ...]) -> Box:
    newest = models.Result.objects.order_by("-id").values_list("environment_id", flat=True).first()
    return next((box for box in boxes if box.id == newest), boxes[0])


def results_of(box: Box) -> Any:
    """Results of that box.

    The box is compared as a sum: no database shall begin with the index of the box, which nearly
    every row has, where it has that of the run.
    """
    return models.Result.objects.annotate(box=F("environment_id") + 0).filter(box=box.id)


def read_runs(box: Box, branch: str, most: int, before: Run | None = None) -> tuple[Run, ...]:
    """The newest runs that have results of that box, newest first."""
    here = results_of(box).filter(revision=OuterRef("pk"))
    revisions = models.Revision.objects.filter(branch__name=branch, date__isnull=False)
    if before is not None:
        older = Q(date__lt=before.date) | Q(date=before.date, id__lt=before.id)
        revisions = revisions.filter(older).exclude(id=before.id)
    rows = revisions.filter(Exists(here)).order_by("-date", "-id")[:most]
    return tuple(Run(*row) for row in rows.values_list("id", "commitid", "branch__name", "date"))


def read_run_after(box: Box, run: Run) -> Run | None:
    """The next run of that box on the same branch."""
    here = results_of(box).filter(revision=OuterRef("pk"))
    newer = Q(date__gt=run.date) | Q(date=run.date, id__gt=run.id)
    rows = models.Revision.objects.filter(newer, Exists(here), branch__name=run.branch)
    row = rows.order_by("date", "id").values_list("id", "commitid", "branch__name", "date").first()
    return None if row is None else Run(*row)


def find_run(box: Box, commit: str, branch: str | None) -> Run:
    """The run of that commit id, on that branch or, without one, on the nights' if it is there.

    Raises ``Missing``.
    """
    rows = models.Revision.objects.filter(commitid=commit, date__isnull=False)
    if branch:
        rows = rows.filter(branch__name=branch)
    here = results_of(box).filter(revision=OuterRef("pk"))
    found = [
        (Run(*row[:4]), row[4])
        for row in rows.annotate(here=Exists(here)).values_list(
            "id", "commitid", "branch__name", "date", "here"
        )
    ]
    if not found:
        raise Missing(f"run {commit}" + (f" on branch {branch}" if branch else ""))
    return min(found, key=lambda pair: (not pair[1], pair[0].branch != TREND, -pair[0].id))[0]


def read_executables() -> dict[int, Executable]:
    """All of them, by number, in natural order of their names."""
    rows = list(models.Executable.objects.values_list("id", "name", "project__name"))
    count = Counter(name for _, name, _ in rows)
    found = [
        Executable(number, name, name if count[name] == 1 else f"{name} ({project})")
        for number, name, project in rows
    ]
    return {each.id: each for each in sorted(found, key=lambda each: natural_key(each.label))}


def read_newest_runs(box: Box, runs: Iterable[Run]) -> dict[int, Run]:
    """The newest of those runs for each executable that has a result in one of them."""
    by_id = {run.id: run for run in runs}
    newest: dict[int, Run] = {}
    for executable in models.Executable.objects.values_list("id", flat=True):
        # One look into the index per run, however many results a run has.
        here = results_of(box).filter(revision=OuterRef("pk"), executable_id=executable)
        found = models.Revision.objects.filter(Exists(here), id__in=list(by_id))
        number = found.order_by("-date", "-id").values_list("id", flat=True).first()
        if number is not None:
            newest[executable] = by_id[number]
    return newest


def read_benchmarks(**conditions: object) -> tuple[Benchmark, ...]:
    """Benchmarks in natural order."""
    rows = models.Benchmark.objects.filter(**conditions).values_list(
        "id", "name", "units", "units_title", "lessisbetter", "description"
    )
    return tuple(sorted((Benchmark(*row) for row in rows), key=lambda each: natural_key(each.name)))
