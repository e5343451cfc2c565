"""Write the HTML report of a run."""

from __future__ import annotations

from datetime import UTC, datetime

import click

from flink_boost.cli.context import Settings
from flink_boost.publish import liveness
from flink_boost.publish.report import write_report


@click.command(name="report")
@click.argument("run_id", default="latest")
@click.pass_obj
def command(settings: Settings, run_id: str) -> None:
    """Write the report of RUN_ID, or of the newest run that has ended.

    It is one HTML file that needs no server and no network.
    """
    running = liveness.find_running(settings.build / "codespeed")
    path = write_report(
        settings.results,
        settings.build / "report" / "index.html",
        run_id,
        dashboard_url=None if running is None else running.url,
        made=datetime.now(UTC),
        tell=lambda line: click.echo(line, err=True),
    )
    click.echo(f"The report is at {path.resolve().as_uri()}")
