"""What a night deletes: logs and profiles of old runs, logs of old nights, builds; never a result.

What an open alarm points to stays, however old it is. A canary has files of its own.
"""

from __future__ import annotations

import json
import shutil
from contextlib import suppress
from datetime import datetime, timedelta
from itertools import islice
from pathlib import Path

from flink_boost.base.errors import BrokenData, EnvironmentProblem, FlinkBoostError
from flink_boost.measure import store
from flink_boost.publish.codespeed import commit_id
from flink_boost.publish.raw_data import RAW_DATA, pack_raw_data
from flink_boost.service.alarming import commits_in_use, load_registry
from flink_boost.service.builds.builder import RecipeBuilder
from flink_boost.service.builds.recipe import Recipe
from flink_boost.service.nightly.journal import NightJournal
from flink_boost.service.nightly.model import Order
from flink_boost.service.nightly.parts import StepSkipped
from flink_boost.service.nightly.recipes import complete_nights
from flink_boost.service.nightly.slots import night_id

_NEWEST_NIGHTS = 3
_CLOSED = frozenset({"recovered", "accepted", "rejected", "environment"})


def prune_old(results: Path, build: Path, now: datetime, keep: timedelta) -> str:
    """Deletes what is older than that and returns what it was, in words.

    Raises ``StepSkipped`` when the alarms cannot be read: then nobody knows what they point to.
    """
    pointed_at = _pointed_at(build / "alarms")
    pruned = 0
    for run_id in store.final_run_ids(results):
        try:
            info = store.load_run(results, run_id)
        except FlinkBoostError:
            continue
        if now - info.started <= keep or commit_id(info) in pointed_at:
            continue
        if delete_logs(results / run_id):
            pruned += 1
            report = build / "report" / run_id
            if (report / RAW_DATA).exists():  # its pages lead there, so it stays without the logs
                pack_raw_data(results, info, report)
    _delete_profiles(build, now - keep)
    nights = _delete_night_logs(build / "nights", night_id(now - keep))
    return f"{pruned} runs and {nights} nights older than {keep.days} days: logs and profiles"


def prune_builds(
    results: Path, build: Path, journal: NightJournal, recipe: Recipe, order: Order
) -> str:
    """Deletes builds that were not used lately, as many as the recipe says; in words how many.

    Those that alarms, unfinished bisects and the last nights need stay. While somebody builds,
    nothing is deleted.
    """
    wanted = {
        *commits_in_use(load_registry(build)),
        *commits_of_nights(journal, results, order.project),
    }
    builder = RecipeBuilder(recipe, build, {}, lambda _: None)
    try:
        deleted = [commit for line in order.lines for commit in builder.prune(line, wanted)]
    except EnvironmentProblem:
        return "builds stay, as one is being made"
    return f"{len(deleted)} builds of {recipe.project}"


def commits_of_nights(journal: NightJournal, results: Path, project: str) -> frozenset[str]:
    """Commits that the newest nights of a project and its last complete one have measured."""
    complete = [name for name, _, _ in islice(complete_nights(journal, project), 1)]
    found: set[str] = set()
    for name in (*journal.nights()[-_NEWEST_NIGHTS:], *complete):
        try:
            order, runs = journal.order(name), journal.runs(name)
        except BrokenData:
            continue
        if order.project != project:
            continue
        found.update((order.commit, order.reference))
        for run in runs.by_line.values():
            with suppress(FlinkBoostError):  # named, and not begun or given up
                found.add(store.load_run(results, run).subject_commit)
    return frozenset(found - {""})


def delete_logs(run: Path) -> bool:
    """Deletes a run's logs and profiles; its results stay. False when there were none."""
    found = [*(run / "forks").glob("*.log")]
    for log in found:
        log.unlink(missing_ok=True)
    profiles = run / "profiles"
    if profiles.is_dir() and not profiles.is_symlink():
        shutil.rmtree(profiles)
        return True
    return bool(found)


def _delete_profiles(build: Path, before: datetime) -> None:
    """Those of alarms that are closed, or not known any more, and were taken before that time."""
    current = _current_alarms(build / "alarms")
    for folder in (build / "alarms" / "profiles", build / "report" / "alarms"):
        for one in folder.glob("a*"):
            if one.name not in current and one.stat().st_mtime < before.timestamp():
                shutil.rmtree(one)


def _current_alarms(alarms: Path) -> frozenset[str]:
    found: set[str] = set()
    for path in alarms.glob("*.json"):
        document = json.loads(path.read_text(encoding="utf-8"))
        found.update(one["id"] for one in document["alarms"] if one["state"] not in _CLOSED)
    return frozenset(found)


def _delete_night_logs(nights: Path, before: str) -> int:
    old = [path for path in nights.glob("*/logs") if path.parent.name < before]
    for path in old:
        shutil.rmtree(path)
    return len(old)


def _pointed_at(alarms: Path) -> frozenset[str]:
    """The dashboard's ids of the runs that alarms which are not closed lead to."""
    found: set[str] = set()
    for path in sorted(alarms.glob("*.json")):
        try:
            document = json.loads(path.read_text(encoding="utf-8"))
            open_ones = [one for one in document["alarms"] if one["state"] not in _CLOSED]
            found.update(str(one[key]) for one in open_ones for key in ("before", "since"))
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise StepSkipped(f"{path} is no list of alarms") from error
    return frozenset(found)
