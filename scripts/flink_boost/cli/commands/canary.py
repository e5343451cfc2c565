"""``flink-boost canary``: Measure an old jar each night, to tell the box from the code."""

from __future__ import annotations

import os
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path

import click
from rich.console import Console

from flink_boost.base.errors import BenchmarkFailed, UsageProblem
from flink_boost.base.processes import terminated_like_interrupted
from flink_boost.cli.answers import json_option, print_json
from flink_boost.cli.context import Settings
from flink_boost.cli.options import java_option, line_option, measured_as_option
from flink_boost.flink.jdks import ask_jdk
from flink_boost.flink.lines import default_line, find_measured_line, measured_lines
from flink_boost.judge.canary_verdict import CanaryReading
from flink_boost.measure import classpaths, frozen_canary, store
from flink_boost.measure.box import choose_java, describe_box
from flink_boost.measure.box_file import read_box_file
from flink_boost.measure.frozen_canary import FrozenCanary
from flink_boost.measure.groups import find_group, load_groups
from flink_boost.measure.machine_lock import lock_file, machine_lock
from flink_boost.measure.runner import Progress
from flink_boost.publish.progress import shown_progress
from flink_boost.service.nightly.canary_night import (
    CanaryNightWork,
    measure_canary,
    newest_canary_run,
    readings_until,
    require_canary,
)

MOVED = 34


@click.group(name="canary")
def command() -> None:
    """Measure an old jar each night, to tell the box from the code.

    Nothing in a canary changes: when it becomes faster or slower, it is the machine, and what
    changed in the product that night is not to be believed.

    \b
    Examples:
      flink-boost canary freeze 2.3.0 ../release-0.1.0/flink-boost-2.3.0-0.1.0.jar
      flink-boost canary run --line 2.3.0
      flink-boost canary show
    """


@command.command(name="freeze")
@click.argument("line")
@click.argument("jar", type=click.Path(path_type=Path, dir_okay=False))
@click.option(
    "--group", default=frozen_canary.GROUP, show_default=True, help="What to measure with it."
)
@click.option("--replace", is_flag=True, help="Give up the canary that there is.")
@json_option
@click.pass_context
def freeze(
    ctx: click.Context, line: str, jar: Path, group: str, replace: bool, as_json: bool
) -> None:
    """Keep JAR and stock's class path of LINE, benchmarks among it, under build/canary/.

    JAR is an older release of ours, or tonight's. Keep a copy of build/canary: a canary that is
    frozen anew learns anew.

    \b
    Examples:
      flink-boost canary freeze 2.3.0 flink-boost-2.3.0-0.1.0.jar
    """
    settings: Settings = ctx.obj
    flink = find_measured_line(line)
    paths = classpaths.find_class_paths(flink, settings.build, "", ())
    kept = frozen_canary.freeze(
        settings.build,
        flink.version,
        jar,
        paths.stock,
        find_group(load_groups(), group),
        datetime.now(UTC).replace(microsecond=0),
        replace=replace,
    )
    folder = frozen_canary.folder_of(settings.build, flink.version)
    if as_json:
        print_json(0, {**_described(kept), "folder": folder})
        return
    click.echo(f"{_sentence(kept)} It is in {folder}.")


@command.command(name="show")
@click.option("--line", help="Default: all that have a canary.")
@json_option
@click.pass_context
def show(ctx: click.Context, line: str | None, as_json: bool) -> None:
    """Show what is frozen, whether its files are whole, and what its nights said.

    \b
    Examples:
      flink-boost canary show
      flink-boost canary show --line 2.3.0 --json
    """
    settings: Settings = ctx.obj
    shown = []
    lines = [find_measured_line(line)] if line else measured_lines()
    for flink in lines:
        kept = frozen_canary.load(settings.build, flink.version)
        if kept is None:
            continue
        frozen_canary.class_paths(settings.build, kept)
        newest = newest_canary_run(settings.results, kept)
        readings = readings_until(settings.results, newest) if newest else ()
        shown.append((kept, readings))
    if line and not shown:
        require_canary(settings.build, line)
    if as_json:
        answer = [
            {**_described(kept), "nights": [asdict(one) for one in readings]}
            for kept, readings in shown
        ]
        print_json(0, {"canaries": answer})
        return
    for kept, readings in shown:
        click.echo(_sentence(kept))
        for one in readings:
            click.echo(f"  {one.run_id}  {_state(one):8}  {one.reason}")
    if not shown:
        click.echo("No line has a canary: `flink-boost canary freeze LINE JAR` keeps one.")


@command.command(name="run")
@line_option
@java_option
@measured_as_option
@json_option
@click.pass_context
def run(
    ctx: click.Context, line: str | None, java: str | None, environment: str | None, as_json: bool
) -> int:
    """Measure the canary of a line, and say whether it has moved; 34 is the code when it has.

    What was begun today (UTC) goes on.

    \b
    Examples:
      flink-boost canary run --line 2.3.0
    """
    settings: Settings = ctx.obj
    errors = Console(stderr=True, highlight=False, soft_wrap=True)
    flink = find_measured_line(line or default_line())
    require_canary(settings.build, flink.version)
    java = choose_java(java, None, flink.jdks, dict(os.environ))
    box = describe_box(ask_jdk(java), read_box_file(os.environ), environment=environment)
    today = datetime.now(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    work = CanaryNightWork(settings.results, settings.build, flink, java, box, since=today)
    purpose = f"flink-boost canary run into {settings.results}"
    measuring = machine_lock(lock_file(os.environ), purpose)
    with (
        terminated_like_interrupted(),
        store.lock(settings.results),
        measuring,
        shown_progress(errors) as progress,
    ):
        run_id, failure = _measured(work, progress, errors)
    reading = _reading(settings.results, run_id, failure)
    code = MOVED if reading.moved else failure.exit_code if failure else 0
    if as_json:
        problem = {"error": failure.message, "next_step": failure.next_step} if failure else {}
        print_json(code, {**asdict(reading), **problem})
    else:
        click.echo(f"{run_id}: {_state(reading)}, {reading.reason}")
    if failure is not None and not reading.moved:
        raise failure
    if failure is not None:
        errors.out(str(failure))
    return code


def _measured(
    work: CanaryNightWork, progress: Progress, errors: Console
) -> tuple[str, BenchmarkFailed | None]:
    """The run, and what is to be told of forks that failed."""
    try:
        return measure_canary(work, progress, errors.out), None
    except BenchmarkFailed as failure:
        return failure.run_id, failure


def _reading(results: Path, run_id: str, failure: BenchmarkFailed | None) -> CanaryReading:
    """What the run says; where no pair is whole, the failure of its forks is raised."""
    try:
        return readings_until(results, run_id)[-1]
    except UsageProblem as problem:
        raise failure or problem from None


def _state(reading: CanaryReading) -> str:
    if reading.learning:
        return "learning"
    return "moved" if reading.moved else "steady"


def _sentence(kept: FrozenCanary) -> str:
    return (
        f"Flink {kept.line}: flink-boost {kept.boost_version}, frozen on {kept.frozen:%Y-%m-%d},"
        f" {len(kept.cells)} benchmarks, {kept.pairs} pairs ({kept.identity})."
    )


def _described(kept: FrozenCanary) -> dict[str, object]:
    return {
        "line": kept.line,
        "version": kept.boost_version,
        "frozen": kept.frozen.isoformat(),
        "identity": kept.identity,
        "benchmarks": [cell.name for cell in kept.cells],
        "pairs": kept.pairs,
    }
