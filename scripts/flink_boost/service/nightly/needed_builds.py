"""Which builds nights need, and what goes of the others. A canary has files of its own."""

from __future__ import annotations

from contextlib import suppress
from itertools import islice
from pathlib import Path

from flink_boost.base.errors import BrokenData, EnvironmentProblem, FlinkBoostError
from flink_boost.measure import store
from flink_boost.measure.night_record import Order
from flink_boost.service.builds.builder import RecipeBuilder
from flink_boost.service.builds.recipe import Recipe
from flink_boost.service.detect.alarm_registry import commits_in_use, load_registry
from flink_boost.service.nightly.night_journal import NightJournal
from flink_boost.service.nightly.recipes import complete_nights

_NEWEST_NIGHTS = 3


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
