"""Find the commit that an alarm began with."""

from __future__ import annotations

import os

import click
from rich.console import Console

from flink_boost.base.errors import UsageProblem
from flink_boost.base.processes import terminated_like_interrupted
from flink_boost.cli.answers import json_option, print_json, say
from flink_boost.cli.context import Settings
from flink_boost.cli.options import recipe_option
from flink_boost.flink.lines import find_line
from flink_boost.judge.alarm_record import AlarmRecord
from flink_boost.judge.bisection import BisectRecord
from flink_boost.judge.tracks import current_name
from flink_boost.measure import store
from flink_boost.measure.machine_lock import lock_file, machine_lock
from flink_boost.measure.renamed_benchmarks import load_renamed
from flink_boost.publish.alarm_sheet import alarm_lines
from flink_boost.publish.progress import shown_progress
from flink_boost.service.builds.repository import commits_between, resolve
from flink_boost.service.detect.alarm_registry import load_registry, registry_lock, store_registry
from flink_boost.service.detect.bisecting import BisectJob, bisect
from flink_boost.service.detect.confirming import NIGHT_PAIRS
from flink_boost.service.detect.reruns.rerun_setup import RerunMeans, rerun_means


@click.command(name="bisect")
@click.argument("alarm_id")
@recipe_option
@click.option(
    "--pairs",
    type=click.IntRange(1),
    default=NIGHT_PAIRS,
    show_default=True,
    help="Pairs of reruns in this call; the next one goes on.",
)
@click.option("--again", is_flag=True, help="From the beginning: forget what was found so far.")
@json_option
@click.pass_obj
def command(
    settings: Settings, alarm_id: str, recipe: str, pairs: int, again: bool, as_json: bool
) -> None:
    """Find the commits that an alarm began with.

    Reruns the commits of the last good night and the first bad one, then that in the middle against
    the good one until it is certain, and goes on with the half that is left. A commit that brought
    only a part of the change is told with its share, and the rest is looked for after it. A merge
    counts as one commit. Commits that do not build are passed over. A call that was stopped goes on
    where it was.

    \b
    Examples:
      flink-boost bisect a1b2c3d4e5
      flink-boost bisect a1b2 --recipe flink.toml --pairs 200
    """
    record = _bisect(settings, alarm_id, recipe, pairs, again=again)
    found = record.bisect
    if as_json:
        print_json(0, {"alarm": record})
        return
    say("\n".join(alarm_lines(record)))
    if found and found.state == "stopped":
        say("This call's pairs are used up; the same command goes on.")
    elif found and found.first_bad is None and found.left:
        say(f"{found.left} commits are left: between them nothing builds, or nothing is certain.")


def _bisect(
    settings: Settings, alarm_id: str, recipe: str, pairs: int, *, again: bool
) -> AlarmRecord:
    errors = Console(stderr=True, highlight=False, soft_wrap=True)
    record = load_registry(settings.build).find(alarm_id)
    if again:
        record = record.model_copy(update={"bisect": None})
    measuring = machine_lock(lock_file(os.environ), f"flink-boost bisect of {record.id}")
    with terminated_like_interrupted(), measuring, shown_progress(errors) as progress:
        means = rerun_means(
            recipe, settings.results, settings.build, os.environ, errors.out, progress
        )
        job = bisect_job(settings, record, means)

        def keep(found: BisectRecord) -> None:
            with registry_lock(settings.build):
                registry = load_registry(settings.build)
                newest = registry.find(record.id).model_copy(update={"bisect": found})
                store_registry(settings.build, registry.replaced(newest))

        bisect(job, means.builder, means.bench, pairs, keep, errors.out)
    return load_registry(settings.build).find(record.id)


def bisect_job(settings: Settings, record: AlarmRecord, means: RerunMeans) -> BisectJob:
    """What there is to look for. Raises ``UsageProblem`` where it cannot be looked for."""
    night = store.load_run(settings.results, record.since_run)
    renamed = load_renamed()
    cells = [cell for cell in night.cells if current_name(cell, renamed) == record.cell]
    if not cells:
        raise UsageProblem(
            f"The run {night.run_id} does not have {record.cell.name}.",
            "Look at benchmarks/renamed.toml.",
        )
    repository = means.builder.recipe.repository
    good, bad = (commit.removesuffix("-dirty") for commit in record.commits)
    if resolve(repository, good) == resolve(repository, bad):
        raise UsageProblem(
            f"Both nights of {record.id} measured the commit {good[:12]}.",
            "There is nothing to bisect: look at the box, or at stock.",
        )
    return BisectJob(
        alarm=record,
        good=good,
        commits=commits_between(repository, good, bad),
        line=find_line(record.line),
        night=night,
        cell=cells[0],
    )
