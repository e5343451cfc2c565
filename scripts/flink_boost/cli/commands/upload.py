"""Send finished runs to Codespeed."""

from __future__ import annotations

import os

import click

from flink_boost.base.errors import BrokenData, UploadFailed
from flink_boost.cli.answers import json_option, print_json
from flink_boost.cli.context import Settings
from flink_boost.cli.options import environment_option, url_option
from flink_boost.publish.spool import Spool
from flink_boost.publish.spool_runs import Spooled, spool_new_runs
from flink_boost.publish.target import find_target
from flink_boost.publish.upload import RetryPolicy, make_client, send_unsent
from flink_boost.publish.upload_report import UploadReport


@click.command(name="upload")
@url_option
@environment_option
@click.option(
    "--attempts",
    type=click.IntRange(1, 20),
    default=RetryPolicy.attempts,
    show_default=True,
    help="How often a result is sent before it is left for later.",
)
@click.option("--drop", metavar="KEY", help="Give an unsent result up instead of sending.")
@json_option
@click.pass_obj
def command(
    settings: Settings,
    url: str | None,
    environment: str | None,
    attempts: int,
    drop: str | None,
    as_json: bool,
) -> None:
    """Send finished runs to Codespeed.

    Every run that has ended is spooled first, so nothing is lost when the server does not answer,
    and nothing is counted twice when this command is repeated or killed. Benchmarks of which a fork
    failed are sent as far as they have pairs. Ends with code 5 when a result stays unsent or a run
    could not be sent whole.

    \b
    Examples:
      flink-boost upload
      flink-boost upload --drop 0123abcd-20260301T223005-a1b2c3.patched-2.3.0
    """
    spool = Spool(settings.spool)
    if drop is not None:
        _drop(spool, drop, as_json=as_json)
        return
    spooled = spool_new_runs(spool, settings.results, environment)
    for sentence in spooled.sentences:
        click.echo(sentence, err=True)
    waiting = bool(spool.unsent_keys())
    report = UploadReport((), ())
    if waiting:
        report = _send(settings, spool, url, RetryPolicy(attempts=attempts))
    if as_json:
        unsent = [{"key": one.key, "reason": one.reason} for one in report.unsent]
        content = {"sent": report.sent, "unsent": unsent, "problems": spooled.sentences}
        whole = not (report.unsent or spooled.not_spooled or spooled.partial)
        print_json(0 if whole else UploadFailed.exit_code, content)
    else:
        _show(report, spooled, waiting=waiting)
    report.require_all_sent()
    spooled.require_whole()


def _show(report: UploadReport, spooled: Spooled, *, waiting: bool) -> None:
    for key in report.replaced:
        click.echo(f"Dropped {key}: a later revision takes its place")
    for key in report.sent:
        update = " (in place of what was sent before its run was repaired)"
        click.echo(f"Sent {key}" + (update if key in report.updated else ""))
    for unsent in report.unsent:
        click.echo(f"Not sent: {unsent.key}: {unsent.reason}", err=True)
    if not waiting and not spooled.not_spooled:
        click.echo("Everything is sent already.")
    if spooled.told_before:
        one = spooled.told_before == 1
        runs = "1 run of before has" if one else f"{spooled.told_before} runs of before have"
        click.echo(f"{runs} gaps, which `flink-boost detect` names.")


def _send(settings: Settings, spool: Spool, url: str | None, policy: RetryPolicy) -> UploadReport:
    target = find_target(os.environ, settings.build / "codespeed" / "token", url)
    with make_client(target, policy) as client:
        return send_unsent(
            spool, target, client, policy, tell=lambda line: click.echo(line, err=True)
        )


def _drop(spool: Spool, key: str, *, as_json: bool) -> None:
    with spool.sender_lock():
        try:
            results = spool.load_unsent(key).results if key in spool.unsent_keys() else ()
        except BrokenData:
            results = ()  # whoever drops it may not be able to read it
        reason = spool.trouble(key).reason
        path = spool.drop(key)
    if as_json:
        print_json(0, {"dropped": key, "reason": reason, "file": path})
        return
    click.echo(f"Dropped {key}: {len(results)} results" + (f", {reason}" if reason else ""))
    for result in results:
        click.echo(f"  {result.benchmark} {result.result_value:.6g} {result.units}")
    click.echo(f"It is not sent any more; its file is kept in {path}.")
