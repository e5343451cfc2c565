"""Measure stock and patched forks in turn."""

from __future__ import annotations

import os
from datetime import UTC, datetime

import click
from rich.console import Console

from flink_boost import __version__
from flink_boost.base.errors import BenchmarkFailed, BrokenData, UsageProblem
from flink_boost.base.processes import terminated_like_interrupted
from flink_boost.cli.answers import json_option, print_json, told_aside
from flink_boost.cli.bench_profiles import Profiling
from flink_boost.cli.context import Settings
from flink_boost.cli.measured_box import require_box
from flink_boost.cli.measured_release import class_paths_of, measured_release
from flink_boost.cli.options import (
    group_option,
    heap_option,
    java_option,
    jdk_option,
    line_option,
    measured_as_option,
    pairs_option,
)
from flink_boost.flink.lines import find_line
from flink_boost.flink.side import Side
from flink_boost.judge.ratio import DEFAULT_CONFIDENCE
from flink_boost.measure import classpaths, finalize, fork_files, run_plan, runner, store
from flink_boost.measure.box import choose_java
from flink_boost.measure.groups import choose_cells, find_group, load_groups
from flink_boost.measure.machine_lock import lock_file, machine_lock
from flink_boost.measure.model import Purpose, RunInfo
from flink_boost.measure.other_release import find_release
from flink_boost.measure.release import is_on_its_line, release_of
from flink_boost.measure.store import RunState
from flink_boost.publish.comparison import comparison_document, comparison_sheets
from flink_boost.publish.progress import shown_progress
from flink_boost.publish.sheet import print_sheets

DEFAULT_GROUP = "quick"
PLAN_OPTIONS = (
    *(
        "group",
        "line",
        "release",
        "jdk",
        "pairs",
        "aa",
        "third",
        "opened",
        "threads",
        "heap",
        "jvm_arg",
        "purpose",
    ),
)
# A group makes the one; `flink-boost canary run`, with a jar of its own, the other.
MADE_OTHERWISE = (Purpose.QUICK_LOOK, Purpose.CANARY)


@click.command(name="bench")
@click.argument("patterns", nargs=-1)
@group_option(DEFAULT_GROUP)
@line_option
@click.option(
    "--release",
    metavar="VERSION",
    help="Measure on this release's own distribution, with the jar of its line.",
)
@jdk_option
@pairs_option
@click.option("--aa", is_flag=True, help="Stock against stock: a test of the harness.")
@click.option(
    "--third",
    metavar="NAME",
    help="A third side beside stock and patched: 'upstream' is upstream's own later fix (1.9.3);"
    " the path of a flink-boost jar is another build of ours.",
)
@click.option(
    "--opened/--not-opened",
    default=True,
    show_default=True,
    help="Whether java.lang is opened, as Flink's own configuration does.",
)
@click.option(
    "--threads",
    type=click.IntRange(1, 256),
    default=1,
    show_default=True,
    help="Threads that measure at once in each JVM.",
)
@heap_option
@click.option("--jvm-arg", multiple=True, help="Further option of the measured JVMs; repeatable.")
@click.option(
    "--purpose",
    type=click.Choice([purpose.value for purpose in Purpose if purpose not in MADE_OTHERWISE]),
    help="What the run is for: only nightly ones become points of the trend. Default: by-hand;"
    " quick-look in a group of quick looks.",
)
@measured_as_option
@click.option("--resume", metavar="RUN_ID", help="Go on with a run that is unfinished or has gaps.")
@click.option(
    "--profile",
    is_flag=True,
    help="Then take flame graphs of each benchmark on both sides, in forks of their own. With"
    " --resume also for a run that is complete.",
)
@java_option
@json_option
@click.pass_context
def command(
    ctx: click.Context,
    patterns: tuple[str, ...],
    group: str,
    line: str | None,
    release: str | None,
    jdk: int | None,
    pairs: int | None,
    aa: bool,
    third: str | None,
    opened: bool,
    threads: int,
    heap: str,
    jvm_arg: tuple[str, ...],
    purpose: str | None,
    environment: str | None,
    resume: str | None,
    profile: bool,
    java: str | None,
    as_json: bool,
) -> RunInfo:
    """Measure stock and patched forks in turn, then compare them.

    PATTERNS choose benchmarks of the group: names as any page, mail or file has them, parts of
    one, or regular expressions. Every fork is kept as soon as it ends; a run that was interrupted
    or killed goes on with --resume.

    \b
    Examples:
      flink-boost bench                                  the quick look
      flink-boost bench --group spine 'write.*ascii'     some benchmarks of a group
      flink-boost bench --group spine --purpose nightly  a point of the trend
      flink-boost bench --group spine --aa               is the harness sound?
      flink-boost bench --group spine --line 1.20.5 --jdk 11
      flink-boost bench --group releases --release 1.14.0
      flink-boost bench --group spine --line 1.9.3 --third upstream
      flink-boost bench --group spine --third ../before/flink-boost-2.3.0-0.1.0.jar
      flink-boost bench --group spine --threads 8 --heap 64m
      flink-boost bench --group spine --profile 'write.*ascii'   flame graphs, too
      flink-boost bench --resume 20260301T223005Z-2.3.0
    """
    settings: Settings = ctx.obj
    errors = Console(stderr=True, highlight=False, soft_wrap=True)
    measuring = machine_lock(lock_file(os.environ), f"flink-boost bench into {settings.results}")
    with (
        told_aside(as_json),
        terminated_like_interrupted(),
        store.lock(settings.results),
        measuring,
    ):
        if resume:
            _refuse_plan_options(ctx, patterns)
            info, paths, java = _resume(settings, resume, java, environment)
        else:
            sides = _sides(aa, third)
            flink, own = measured_release(line, release, third, purpose)
            java = choose_java(java, jdk, own.jdks, dict(os.environ))
            groups = load_groups()
            chosen = choose_cells(find_group(groups, group), patterns, groups)
            version = __version__
            paths = class_paths_of(settings, flink, own, version, sides, third, java)
            started = datetime.now(UTC).replace(microsecond=0)
            jdks = (jdk,) if jdk else own.jdks
            box = require_box(java, jdks, own.version, environment)
            _hint_at_unfinished(settings, errors)
            suffix = f"{own.version}-aa" if aa else own.version
            info = run_plan.plan_run(
                run_id=store.new_run_id(settings.results, started, suffix),
                started=started,
                group=chosen,
                line=flink,
                release=own.version,
                sides=sides,
                pairs=pairs,
                opened=opened,
                extra_options=jvm_arg,
                class_paths=paths,
                box=box,
                commit=run_plan.current_commit(),
                version=version,
                purpose=Purpose(purpose) if purpose else None,
                threads=threads,
                heap=heap,
            )
            store.create_run(settings.results, info)
        errors.out(f"Run {info.run_id} in {settings.results / info.run_id}")
        profiling = Profiling(settings.results, info, paths, java, errors) if profile else None
        failure = _carry_out(settings, info, paths, java, errors)
        if profiling is not None and failure is None:
            profiling.take_missing()
    if as_json:
        _print_json(settings, info, failure)
    if failure is not None:
        raise failure
    return info


def _carry_out(
    settings: Settings, info: RunInfo, paths: classpaths.ClassPaths, java: str, errors: Console
) -> BenchmarkFailed | None:
    """Measures what is missing and shows it all; what is returned is to be raised in the end."""
    failure: BenchmarkFailed | None = None
    try:
        with shown_progress(errors) as progress:
            runner.run_missing_forks(
                settings.results, info, paths, java=java, environment=os.environ, progress=progress
            )
    except BenchmarkFailed as error:
        # What was measured is shown all the same.
        failure = error
    except KeyboardInterrupt:
        errors.out(f"Continue with `flink-boost bench --resume {info.run_id}`.")
        raise
    forks = fork_files.load_forks(settings.results, info.run_id)
    print_sheets(comparison_sheets(info, forks, DEFAULT_CONFIDENCE, as_grid=False), "table")
    click.echo(f"Run: {info.run_id}")
    if not info.purpose.makes_a_point and Side.CONTROL not in info.sides:
        errors.out(f"Its purpose is {info.purpose.value}: it is no point of the trend.")
    return failure


def _print_json(settings: Settings, info: RunInfo, failure: BenchmarkFailed | None) -> None:
    forks = fork_files.load_forks(settings.results, info.run_id)
    found = comparison_document(info, forks, DEFAULT_CONFIDENCE)
    problem = {"error": failure.message, "next_step": failure.next_step} if failure else {}
    print_json(failure.exit_code if failure else 0, {**found, **problem}, "It is measured")


def _sides(aa: bool, third: str | None) -> tuple[Side, ...]:
    if aa and third:
        raise UsageProblem(
            "--aa compares stock with itself; a third side would have nothing to be compared with.",
            "Leave out one of --aa and --third.",
        )
    if aa:
        return (Side.STOCK, Side.CONTROL)
    return (Side.STOCK, Side.PATCHED, *((Side.UPSTREAM,) if third else ()))


def _resume(
    settings: Settings, run_id: str, java: str | None, environment: str | None
) -> tuple[RunInfo, classpaths.ClassPaths, str]:
    info = store.load_run(settings.results, run_id)
    if not info.timings:
        raise BrokenData(f"The run {run_id} does not say how to measure.", "Start a new run.")
    store.refuse_abandoned(settings.results, run_id)
    if info.purpose is Purpose.CANARY:
        raise UsageProblem(
            f"The run {run_id} is a canary, whose jars are not those of the build.",
            f"Run `flink-boost canary run --line {info.line}`.",
        )
    if info.recipe_project:
        raise UsageProblem(
            f"The run {run_id} measures builds of {info.recipe_project}, by a recipe.",
            "`flink-boost nightly --resume` goes on with it.",
        )
    flink = own = find_line(info.line)
    if not (flink.measured and is_on_its_line(info)):
        flink, own = find_release(release_of(info))
    java = choose_java(java, info.jdk_feature, own.jdks, dict(os.environ))
    paths = class_paths_of(settings, flink, own, info.boost_version, info.sides, info.third, java)
    box = require_box(java, own.jdks, own.version, environment)
    run_plan.require_same_circumstances(info, paths, box)
    if damaged := finalize.reopen(settings.results, info):
        click.echo(damaged, err=True)
    return info, paths, java


def _refuse_plan_options(ctx: click.Context, patterns: tuple[str, ...]) -> None:
    given = [
        name
        for name in PLAN_OPTIONS
        if ctx.get_parameter_source(name) is click.core.ParameterSource.COMMANDLINE
    ]
    if given or patterns:
        what = f"--{given[0].replace('_', '-')}" if given else "a pattern"
        raise UsageProblem(
            f"{what} cannot be given with --resume: the plan of a run is fixed when it begins.",
            "Leave it out, or start a new run.",
        )


def _hint_at_unfinished(settings: Settings, errors: Console) -> None:
    results = settings.results
    unfinished = [
        run for run in store.run_ids(results) if store.state(results, run) is RunState.UNFINISHED
    ]
    if unfinished:
        errors.out(
            f"The run {unfinished[-1]} is unfinished;"
            f" `flink-boost bench --resume {unfinished[-1]}` would go on with it."
        )
