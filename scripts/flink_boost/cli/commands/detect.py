"""Say for each benchmark whether its ratio has changed lately."""

from __future__ import annotations

from datetime import UTC, datetime

import click

from flink_boost.cli.context import Settings
from flink_boost.judge.series import build_series
from flink_boost.judge.trend import Rules, detect
from flink_boost.measure.history import load_history
from flink_boost.publish.trends import FILE_NAME, print_verdicts, store_verdicts

NAMED_GAPS = 20  # so many runs with gaps are named one by one, the newest


@click.command(name="detect")
@click.pass_obj
def command(settings: Settings) -> None:
    """Say for each benchmark whether its ratio has changed lately.

    Reads the runs in the results store that have ended, prints a verdict per benchmark and stores
    them in verdicts.json. With fewer than 10 runs of the same settings the verdict is "learning".
    Runs with gaps are named; a benchmark without a pair is a gap in its series.
    """
    history = load_history(settings.results)
    for problem in (*history.broken, *history.gaps[-NAMED_GAPS:]):
        click.echo(problem, err=True)
    if len(history.gaps) > NAMED_GAPS:
        click.echo(f"{len(history.gaps) - NAMED_GAPS} older runs have gaps, too.", err=True)
    series = build_series(history.runs)
    verdicts = detect(series)
    path = settings.build / FILE_NAME
    store_verdicts(path, verdicts, datetime.now(UTC))
    if not verdicts:
        click.echo("There is no complete run of stock against patched yet.")
        return
    print_verdicts(verdicts)
    click.echo(
        f"A candidate is a change of the last {Rules().recent_points} points that exceeds "
        f"{Rules().least_change:.0%} and twice the A/A noise. Stored in {path}."
    )
