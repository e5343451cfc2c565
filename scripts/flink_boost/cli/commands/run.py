"""Take a quick look and publish it: what `make run` does after the build."""

from __future__ import annotations

import os
from collections.abc import Sequence
from datetime import UTC, datetime

import click

from flink_boost.base.errors import BenchmarkFailed, FlinkBoostError
from flink_boost.cli.answers import json_option, print_json, told_aside
from flink_boost.cli.commands.bench import command as bench_command
from flink_boost.cli.context import Settings
from flink_boost.cli.options import environment_option, java_option, jdk_option, line_option
from flink_boost.flink.jdks import ask_jdk
from flink_boost.flink.lines import Line, default_line, find_measured_line
from flink_boost.measure import run_plan
from flink_boost.measure.box import choose_java, describe_box
from flink_boost.measure.box_file import read_box_file
from flink_boost.measure.groups import find_group, load_groups
from flink_boost.publish import serve
from flink_boost.publish.quick_look import GROUP, Published, find_interrupted, publish
from flink_boost.publish.report_page import trend_headline
from flink_boost.publish.run_places import Places
from flink_boost.publish.upload import RetryPolicy


@click.command(name="run")
@line_option
@jdk_option
@java_option
@environment_option
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    envvar="FLINK_BOOST_PORT",
    default=serve.DEFAULT_PORT,
    show_default=True,
    help="Port of the dashboard, if it is not running yet; 0 takes a free one.",
)
@json_option
@click.pass_context
def command(
    ctx: click.Context,
    line: str | None,
    jdk: int | None,
    java: str | None,
    environment: str | None,
    port: int,
    as_json: bool,
) -> int:
    """Take a quick look at stock against patched and publish it.

    Measures the group "quick", starts the dashboard, uploads, detects and writes the report. A
    quick look that was interrupted goes on where it stopped. When the dashboard cannot be reached
    the report is written all the same, and `flink-boost upload` sends the results later.

    \b
    Examples:
      flink-boost run
      flink-boost run --line 1.20.5 --jdk 17
      flink-boost run --port 0              the dashboard on a free port
    """
    settings: Settings = ctx.obj
    with told_aside(as_json):
        flink = find_measured_line(line or default_line())
        chosen = choose_java(java, jdk, flink.jdks, dict(os.environ))
        run_id, failure = _measure(ctx, flink, chosen)
        published = publish(
            run_id,
            Places(settings.results, settings.spool, settings.build),
            environment=environment,
            address=serve.Address(port=port),
            environ=os.environ,
            policy=RetryPolicy(),
            clock=lambda: datetime.now(UTC),
            tell=lambda sentence: click.echo(sentence, err=True),
        )
        if published.trends:
            click.echo(f"Trend:     {trend_headline(published.trends)}")
        if published.report is not None:
            click.echo(f"Report:    {published.report.as_uri()}")
        if published.dashboard_url is not None:
            click.echo(f"Dashboard: {published.dashboard_url} (`flink-boost stop` ends our own)")
    problems = [*([failure] if failure is not None else []), *published.problems]
    code = problems[0].exit_code if problems else 0
    if as_json:
        print_json(code, _document(run_id, published, problems), "It is measured")
    if failure is not None:
        raise failure
    return code


def _document(
    run_id: str, published: Published, problems: Sequence[FlinkBoostError]
) -> dict[str, object]:
    told = [{"error": one.message, "next_step": one.next_step} for one in problems]
    return {
        "run": run_id,
        "report": published.report,
        "dashboard": published.dashboard_url,
        "trends": published.trends,
        "problems": told,
        **(told[0] if told else {}),
    }


def _measure(ctx: click.Context, flink: Line, java: str) -> tuple[str, BenchmarkFailed | None]:
    """The run, and what is to be reported once the forks that did not fail are published."""
    unfinished = _find_interrupted(ctx.obj, flink, java)
    try:
        if unfinished:
            click.echo(f"Going on with {unfinished}, which was interrupted.", err=True)
            info = ctx.invoke(bench_command, resume=unfinished, java=java)
        else:
            info = ctx.invoke(bench_command, group=GROUP, line=flink.version, java=java)
    except BenchmarkFailed as failure:
        return failure.run_id, failure
    return info.run_id, None


def _find_interrupted(settings: Settings, flink: Line, java: str) -> str | None:
    group = find_group(load_groups(), GROUP)
    box = describe_box(ask_jdk(java), read_box_file(os.environ))
    commit = run_plan.current_commit()
    return find_interrupted(settings.results, settings.build, group, flink, box, commit)
