"""Write the HTML report of a run."""

from __future__ import annotations

from datetime import UTC, datetime

import click

from flink_boost.cli.answers import json_option, print_json
from flink_boost.cli.context import Settings
from flink_boost.publish import liveness
from flink_boost.publish.report import WrittenReport, write_report


@click.command(name="report")
@click.argument("run_id", default="latest")
@json_option
@click.pass_obj
def command(settings: Settings, run_id: str, as_json: bool) -> None:
    """Write the report of RUN_ID, or of the newest run that has ended.

    It is one HTML file that needs no server and no network, and its tables once more in Markdown.
    Each run has a folder of its own under build/report; build/report/index.html is the newest page.

    \b
    Examples:
      flink-boost report                              the newest run that has ended
      flink-boost report 20260301T223005Z-2.3.0
      flink-boost report --json | jq -r .markdown
    """
    written = _write(settings, run_id)
    if as_json:
        print_json(
            0,
            {
                "run": written.run_id,
                "newest": written.newest,
                "page": written.page,
                "markdown": written.markdown,
            },
        )
        return
    click.echo(f"The report is at {written.newest.resolve().as_uri()}")
    click.echo(f"It stays at      {written.page.resolve().as_uri()}")
    click.echo(f"In Markdown:     {written.markdown.resolve()}")


def _write(settings: Settings, run_id: str) -> WrittenReport:
    running = liveness.find_running(settings.build / "codespeed")
    return write_report(
        settings.results,
        settings.build / "report",
        run_id,
        dashboard_url=None if running is None else running.url,
        made=datetime.now(UTC),
        tell=lambda line: click.echo(line, err=True),
    )
