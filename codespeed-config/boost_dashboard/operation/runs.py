"""Takes runs out of a dashboard, with what nothing uses after that.

A run is a revision of Codespeed's: one commit id on one branch.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta

from codespeed.models import Benchmark, Branch, Report, Result, Revision
from django.db.models import F

from boost_dashboard.models import AlarmRecord, NightRecord
from flink_boost.base.errors import UsageProblem
from flink_boost.judge.alarm_record import CURRENT, PublishedAlarm
from flink_boost.publish.dashboard_commands import Answered

_AT_ONCE = 500
_NAMED = 5
_STAMP = len("20260301T223005")


@dataclass(frozen=True)
class Removal:
    """What is gone: runs by their commit ids, oldest first, and benchmarks by their names."""

    runs: tuple[str, ...]
    results: int
    reports: int
    benchmarks: tuple[str, ...]


def ending_of(run_id: str) -> str:
    """How the commit id of that run of the results store ends: `publish.codespeed.commit_id`."""
    distinct = hashlib.sha256(run_id.encode()).hexdigest()[:6]
    return f"-{run_id[:_STAMP]}-{distinct}"


def find_run(name: str, branch: str | None) -> Revision:
    """The run of that commit id, or of that id in the results store.

    Raises ``UsageProblem`` when there is none, or when several branches have it.
    """
    runs = Revision.objects.select_related("branch")
    if branch is not None:
        runs = runs.filter(branch__name=branch)
    found = list(runs.filter(commitid=name)) or list(
        runs.filter(commitid__endswith=ending_of(name))
    )
    if not found:
        newest = Revision.objects.order_by(F("date").desc(nulls_last=True))[:3]
        names = ", ".join(run.commitid for run in newest) or "none"
        raise UsageProblem(f"There is no run {name!r}.", f"The newest are: {names}.")
    if len(found) > 1:
        names = ", ".join(sorted(run.branch.name for run in found))
        raise UsageProblem(
            f"The run {name} is on several branches: {names}.", "Name one with --branch."
        )
    return found[0]


def prunable(
    keep: int | None, keep_days: int | None, branches: Collection[str], now: datetime
) -> list[Revision]:
    """Runs that neither count nor age keep, and those without results; ``now`` is naive, in UTC.

    ``keep`` counts per box, branch and executable, as nights of several Flink lines are runs of
    their own. The newest of each on its project's default branch, the trend, always stays. Raises
    ``UsageProblem`` for a branch that is not there.
    """
    known = {branch.name: branch for branch in Branch.objects.select_related("project")}
    missing = sorted(set(branches) - known.keys())
    if missing:
        raise UsageProblem(
            f"There is no branch {missing[0]!r}.", f"There are: {', '.join(sorted(known))}."
        )
    series = defaultdict(set)
    columns = ("revision_id", "environment_id", "executable_id")
    for revision, box, executable in Result.objects.values_list(*columns).distinct():
        series[revision].add((box, executable))
    oldest = None if keep_days is None else now - timedelta(days=keep_days)
    found: list[Revision] = []
    for branch in known.values():
        if not branches or branch.name in branches:
            trend = branch.name == branch.project.default_branch
            newest = max(keep or 0, 1 if trend else 0)
            runs = branch.revisions.order_by(F("date").desc(nulls_last=True), "-pk")
            found += _dispensable(runs, series, newest, oldest)
    return sorted(found, key=lambda run: (run.date is not None, run.date or 0, run.pk))


def _dispensable(
    newest_first: Iterable[Revision],
    series: dict[int, set[tuple[int, int]]],
    newest: int,
    oldest: datetime | None,
) -> Iterator[Revision]:
    seen: dict[tuple[int, int], int] = defaultdict(int)
    for run in newest_first:
        counted = False
        for one in series.get(run.pk, ()):
            seen[one] += 1
            counted = counted or seen[one] <= newest
        young = oldest is not None and run.date is not None and run.date >= oldest
        if not counted and not young:
            yield run


def remove(runs: Sequence[Revision]) -> Removal:
    """Deletes runs, their results and reports, and benchmarks that only they had.

    To be called inside ``database.alone``.
    """
    ids = [run.pk for run in runs]
    results = reports = 0
    benchmarks: set[int] = set()
    for start in range(0, len(ids), _AT_ONCE):
        chunk = ids[start : start + _AT_ONCE]
        gone = Result.objects.filter(revision__in=chunk)
        benchmarks.update(gone.values_list("benchmark_id", flat=True).distinct())
        results += gone.delete()[0]
        reports += Report.objects.filter(revision__in=chunk).delete()[0]
        Revision.objects.filter(pk__in=chunk).delete()
    return Removal(
        tuple(run.commitid for run in runs), results, reports, tuple(_remove_unused(benchmarks))
    )


def _remove_unused(candidates: Collection[int]) -> list[str]:
    """Only those that lost results: what the suite has told beforehand stays."""
    used = set(
        Result.objects.filter(benchmark__in=candidates)
        .order_by()
        .values_list("benchmark_id", flat=True)
        .distinct()
    )
    parents = set(
        Benchmark.objects.exclude(parent=None)
        .exclude(pk__in=set(candidates) - used)
        .values_list("parent_id", flat=True)
    )
    unused = Benchmark.objects.filter(pk__in=set(candidates) - used - parents)
    names = sorted(unused.values_list("name", flat=True))
    unused.delete()
    return names


def remove_old_nights(keep: int | None, keep_days: int | None, now: datetime) -> int:
    """How many nights are gone that neither count nor age keep; the newest of each box stays.

    ``keep`` counts per box. To be called inside ``database.alone``.
    """
    oldest = None if keep_days is None else now - timedelta(days=keep_days)
    gone = []
    seen: dict[int, int] = defaultdict(int)
    rows = NightRecord.objects.order_by("-slot", "-pk").values_list("pk", "environment_id", "slot")
    for key, box, slot in rows:
        seen[box] += 1
        young = oldest is not None and slot >= oldest
        if seen[box] > max(keep or 0, 1) and not young:
            gone.append(key)
    for start in range(0, len(gone), _AT_ONCE):
        NightRecord.objects.filter(pk__in=gone[start : start + _AT_ONCE]).delete()
    return len(gone)


def remove_closed_alarms() -> int:
    """How many alarms are gone that are closed and whose runs are no longer here.

    A box whose nightly still has them tells them again. To be called inside ``database.alone``.
    """
    known = set(Revision.objects.values_list("commitid", flat=True))
    gone = [
        row.pk
        for row in AlarmRecord.objects.exclude(state__in=CURRENT)
        if not known
        & {(told := PublishedAlarm.model_validate_json(row.document)).since, told.before}
    ]
    for start in range(0, len(gone), _AT_ONCE):
        AlarmRecord.objects.filter(pk__in=gone[start : start + _AT_ONCE]).delete()
    return len(gone)


def utc_now() -> datetime:
    """As Codespeed keeps it."""
    return datetime.now(UTC).replace(tzinfo=None)


def removal_answer(
    removal: Removal, *, dry_run: bool, nights: int = 0, alarms: int = 0
) -> Answered:
    """Names a few and counts the rest; ``nights`` and ``alarms`` are those that went as well."""
    facts = {**asdict(removal), "dry_run": dry_run, "nights": nights, "alarms": alarms}
    if not removal.runs and not nights and not alarms:
        return Answered(("There is nothing to remove.",), facts)
    done = "Would delete" if dry_run else "Deleted"
    sentences = []
    if removal.runs:
        sentences.append(
            f"{done} {_some(removal.runs)}: {removal.results:,} results,"
            f" {removal.reports:,} reports."
        )
    if nights or alarms:
        sentences.append(f"{done} {nights:,} records of nights and {alarms:,} closed alarms.")
    if removal.benchmarks:
        gone = "would be" if dry_run else "are"
        sentences.append(f"No run has {_some(removal.benchmarks)} any more, which {gone} gone too.")
    return Answered(tuple(sentences), facts)


def _some(names: tuple[str, ...]) -> str:
    more = len(names) - _NAMED
    return ", ".join(names[:_NAMED]) + (f" and {more:,} more" if more > 0 else "")
