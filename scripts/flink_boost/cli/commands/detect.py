"""Say for each benchmark whether its ratio has changed lately."""

from __future__ import annotations

from datetime import UTC, datetime

import click

from flink_boost.cli.context import Settings
from flink_boost.judge.series import build_series
from flink_boost.judge.trend import Rules, detect
from flink_boost.measure.history import load_history
from flink_boost.publish.trends import FILE_NAME, print_verdicts, store_verdicts


@click.command(name="detect")
@click.pass_obj
def command(settings: Settings) -> None:
    """Say for each benchmark whether its ratio has changed lately.

    Reads the complete runs in the results store, prints a verdict per benchmark and stores them in
    verdicts.json. With fewer than 10 runs of the same settings the verdict is "learning".
    """
    history = load_history(settings.results)
    for problem in history.broken:
        click.echo(problem, err=True)
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
