"""The newest runs of a box and branch, and the ratios that they have."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

from codespeed.models import Branch, Environment, Executable, Result, Revision
from django.db.models import Exists, OuterRef

from boost_dashboard.reading.rows import RATIO_SUFFIX


def latest_revisions(
    environment: Environment, candidate: Executable, branch: Branch, number: int
) -> list[Revision]:
    """The newest runs of that branch with results of that executable and box, newest first."""
    # From runs to results, newest first: the results of years are not read for one night.
    here = Result.objects.filter(
        revision=OuterRef("pk"), environment=environment, executable=candidate
    )
    found = Revision.objects.filter(Exists(here), branch=branch, date__isnull=False)
    return list(found.select_related("branch__project").order_by("-date", "-id")[:number])


def ratios_by_run(
    environment: Environment, candidate: Executable, newest_first: Sequence[Revision]
) -> Mapping[str, Sequence[tuple[int, float]]]:
    """Place of the run, 0 for the oldest, and ratio, by benchmark; in the order of the runs."""
    order = {revision.id: index for index, revision in enumerate(reversed(newest_first))}
    values = Result.objects.filter(
        environment=environment,
        executable=candidate,
        revision_id__in=list(order),
        benchmark__name__endswith=RATIO_SUFFIX,
    ).values_list("benchmark__name", "revision_id", "value")
    points: dict[str, list[tuple[int, float]]] = defaultdict(list)
    for name, revision_id, value in values:
        points[name.removesuffix(RATIO_SUFFIX)].append((order[revision_id], value))
    return {name: sorted(found) for name, found in points.items()}


def latest_ratios(
    environment: Environment, candidate: Executable, newest_first: Sequence[Revision]
) -> Mapping[str, Sequence[float]]:
    """The ratios of those runs by benchmark, oldest first; runs without one are left out."""
    found = ratios_by_run(environment, candidate, newest_first)
    return {name: [value for _, value in points] for name, points in found.items()}
