"""Show ratio, interval and verdict per benchmark."""

from __future__ import annotations

import click

from flink_boost import compare as statistics
from flink_boost import store
from flink_boost.cli import Settings
from flink_boost.model import Fork, RunInfo
from flink_boost.table import print_comparison

LATEST = "latest"


@click.command(name="compare")
@click.argument("run_ids", nargs=-1, metavar="[RUN_ID|latest]...")
@click.option(
    "--confidence",
    type=click.FloatRange(0.5, 0.9999),
    default=statistics.DEFAULT_CONFIDENCE,
    show_default=True,
    help="Confidence of the two-sided interval.",
)
@click.option(
    "--format",
    "form",
    type=click.Choice(["table", "markdown", "json"]),
    default="table",
    show_default=True,
)
@click.pass_obj
def command(settings: Settings, run_ids: tuple[str, ...], confidence: float, form: str) -> None:
    """Show ratio, interval and verdict per benchmark of a run.

    Several runs of one plan are pooled: their pairs are taken together. An unfinished run is shown
    with the pairs that it has.

    \b
    Examples:
      flink-boost compare                             the newest complete run
      flink-boost compare latest --format markdown
      flink-boost compare 20260301T223005Z-2.3.0 20260302T223011Z-2.3.0
    """
    runs = [_load(settings, run_id) for run_id in run_ids or (LATEST,)]
    info, forks = statistics.pool(runs) if len(runs) > 1 else runs[0]
    print_comparison(info, forks, confidence, form)


def _load(settings: Settings, run_id: str) -> tuple[RunInfo, tuple[Fork, ...]]:
    if run_id == LATEST:
        run_id = store.newest_run_id(settings.results)
    return store.load_run(settings.results, run_id), store.load_forks(settings.results, run_id)
