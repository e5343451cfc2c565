"""Send finished runs to Codespeed."""

from __future__ import annotations

import os

import click

from flink_boost.cli.context import Settings
from flink_boost.cli.options import environment_option
from flink_boost.publish.spool import Spool, spool_new_runs
from flink_boost.publish.target import URL_VARIABLE, find_target
from flink_boost.publish.upload import RetryPolicy, make_client, send_unsent


@click.command(name="upload")
@click.option(
    "--url", help=f"Address of Codespeed; default: {URL_VARIABLE}, else the embedded server's."
)
@environment_option
@click.option(
    "--attempts",
    type=click.IntRange(1, 20),
    default=RetryPolicy.attempts,
    show_default=True,
    help="How often a result is sent before it is left for later.",
)
@click.pass_obj
def command(settings: Settings, url: str | None, environment: str | None, attempts: int) -> None:
    """Send finished runs to Codespeed.

    Every complete run is spooled first, so nothing is lost when the server does not answer, and
    nothing is counted twice when this command is repeated or killed. Ends with code 5 when a
    result stays unsent.
    """
    spool = Spool(settings.spool)
    for problem in spool_new_runs(spool, settings.results, environment):
        click.echo(problem, err=True)
    if not spool.unsent_keys():
        click.echo("Everything is sent already.")
        return
    target = find_target(os.environ, settings.build / "codespeed" / "token", url)
    policy = RetryPolicy(attempts=attempts)
    with make_client(target, policy) as client:
        report = send_unsent(
            spool, target, client, policy, tell=lambda line: click.echo(line, err=True)
        )
    for key in report.sent:
        click.echo(f"Sent {key}")
    for unsent in report.unsent:
        click.echo(f"Not sent: {unsent.key}: {unsent.reason}", err=True)
    report.require_all_sent()
