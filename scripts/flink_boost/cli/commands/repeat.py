"""``flink-boost repeat``: Measure a run's plan again on today's build, and compare."""

from __future__ import annotations

import json
import os
from datetime import UTC, datetime
from typing import Any

import click
from rich.console import Console

from flink_boost import __version__
from flink_boost.base.errors import BenchmarkFailed, UsageProblem
from flink_boost.base.files import sha256
from flink_boost.base.processes import terminated_like_interrupted
from flink_boost.cli.answers import json_option, print_json
from flink_boost.cli.context import Settings
from flink_boost.cli.measured_box import require_box
from flink_boost.flink.lines import find_line
from flink_boost.flink.side import Side
from flink_boost.judge.repetition import differences, missing_now, set_against
from flink_boost.measure import classpaths, run_plan, runner, store
from flink_boost.measure.box import choose_java
from flink_boost.measure.finalize import load_summary
from flink_boost.measure.groups import Group
from flink_boost.measure.history import newest_run
from flink_boost.measure.machine_lock import lock_file, machine_lock
from flink_boost.measure.model import Box, Cell, Purpose, RunInfo, Timing
from flink_boost.measure.release import is_on_its_line, release_of
from flink_boost.measure.summary import RunSummary, gap_sentence
from flink_boost.measure.third_side import ensure_third
from flink_boost.publish.progress import shown_progress
from flink_boost.publish.repetition_sheet import repetition_sheet
from flink_boost.publish.run_note import bench_command
from flink_boost.publish.sheet import print_sheets

LATEST = "latest"


@click.command(name="repeat")
@click.argument("run_id", metavar="RUN")
@click.option(
    "--with",
    "other",
    metavar="RUN",
    help="Measure nothing: compare with this run, which repeated RUN before.",
)
@click.option("--java", help="The java to run; default: the JDK that the run had.")
@json_option
@click.pass_obj
def command(
    settings: Settings, run_id: str, other: str | None, java: str | None, as_json: bool
) -> None:
    """Measure the plan of RUN again on today's build, and compare the ratios with those of then.

    Line, JDK, benchmarks, pairs, timings, options, threads and heap are those of RUN. What differs
    is said: the jar, an update of the JDK, the kernel, the box. The new run is by hand, and no
    point of the trend. One that was interrupted goes on with `bench --resume`; --with compares
    afterwards. RUN may be "latest".

    \b
    Examples:
      flink-boost repeat 20260301T223005Z-2.3.0
      flink-boost repeat 20260301T223005Z-2.3.0 --with 20260302T091500Z-2.3.0
    """
    errors = Console(stderr=True, highlight=False, soft_wrap=True)
    failure: BenchmarkFailed | None = None
    then = _summary(settings, run_id, errors)
    if other:
        now = _summary(settings, other, errors)
        require_same_plan(then.info, now.info)
    else:
        now, failure = _measure(settings, then.info, java, errors)
    rows = set_against(then, now)
    missing = missing_now(then, rows)
    if as_json:
        answer: dict[str, Any] = {
            "then": then.info.run_id,
            "now": now.info.run_id,
            "differences": [
                {"what": what, "then": old, "now": new}
                for what, old, new in differences(then.info, now.info)
            ],
            "benchmarks": [
                {"name": row.cell.name, **json.loads(row.model_dump_json())} for row in rows
            ],
            "not_compared": [cell.name for cell in missing],
        }
        print_json(failure.exit_code if failure else 0, answer)
    else:
        print_sheets((repetition_sheet(then.info, now.info, rows, missing),), "table")
    if failure is not None:
        raise failure


def require_same_plan(then: RunInfo, now: RunInfo) -> None:
    """Raises ``UsageProblem`` when one run does not repeat the other."""
    what = {
        "Flink line": (then.line, release_of(then)) == (now.line, release_of(now)),
        "sides": then.sides == now.sides,
        "JDK": then.jdk_feature == now.jdk_feature,
        "threads": then.threads == now.threads,
        "heap": then.heap == now.heap,
        "opened modules": then.opened == now.opened,
        "timings": _shared_timings(then, now) == _shared_timings(now, then),
    }
    other = [name for name, same in what.items() if not same]
    if other:
        raise UsageProblem(
            f"{now.run_id} is no repetition of {then.run_id}: it has other {' and '.join(other)}.",
            f"Leave out --with to measure {then.run_id} again.",
        )


def repeated_plan(then: RunInfo, fresh: RunInfo) -> RunInfo:
    """Today's circumstances with the plan of then."""
    facts = {name: getattr(fresh, name) for name in RunInfo.model_fields}
    same = ("group", "quick_look", "pairs", "cell_pairs", "cells", "timings", "jvm_options")
    return RunInfo(**{**facts, **{name: getattr(then, name) for name in same}})


def _shared_timings(one: RunInfo, other: RunInfo) -> dict[Cell, Timing]:
    """How long the benchmarks of one run that both have are measured; old runs do not say."""
    if not (one.timings and other.timings):
        return {}
    timings = zip(one.cells, one.timings, strict=True)
    return {cell: timing for cell, timing in timings if cell in other.cells}


def _measure(
    settings: Settings, then: RunInfo, java: str | None, errors: Console
) -> tuple[RunSummary, BenchmarkFailed | None]:
    results = settings.results
    if not then.timings:
        raise UsageProblem(
            f"The run {then.run_id} cannot be repeated: it does not say how long it measured.",
            f"Measure its group anew: `flink-boost bench --group {then.group}`.",
        )
    if then.recipe_project:
        raise UsageProblem(
            f"The run {then.run_id} measured builds of {then.recipe_project}, by a recipe.",
            f"Measure them again by `{bench_command(then)}`.",
        )
    if not is_on_its_line(then):
        raise UsageProblem(
            f"The run {then.run_id} measured on Flink {release_of(then)}, which is no line.",
            f"Measure it again by `{bench_command(then)}`, and give that run with --with.",
        )
    measuring = machine_lock(lock_file(os.environ), f"flink-boost repeat into {results}")
    with terminated_like_interrupted(), store.lock(results), measuring:
        flink = find_line(then.line)
        java = choose_java(java, then.jdk_feature, flink.jdks, dict(os.environ))
        box = require_box(java, flink.jdks, flink.version)
        if box.jdk_feature != then.jdk_feature:
            raise UsageProblem(
                f"The run {then.run_id} had JDK {then.jdk_feature}, and {java} is JDK"
                f" {box.jdk_feature}: that would not be the same.",
                "Leave out --java, or name that JDK's.",
            )
        info, paths = _plan(settings, then, box)
        store.create_run(results, info)
        errors.out(f"Run {info.run_id} in {results / info.run_id}, as {then.run_id} was")
        failure = None
        try:
            with shown_progress(errors) as progress:
                runner.run_missing_forks(
                    results, info, paths, java=java, environment=os.environ, progress=progress
                )
        except BenchmarkFailed as error:
            failure = error
        except KeyboardInterrupt:
            errors.out(
                f"Continue with `flink-boost bench --resume {info.run_id}`, then compare with"
                f" `flink-boost repeat {then.run_id} --with {info.run_id}`."
            )
            raise
    return load_summary(results, info.run_id), failure


def _plan(settings: Settings, then: RunInfo, box: Box) -> tuple[RunInfo, classpaths.ClassPaths]:
    flink = find_line(then.line)
    version = __version__
    third = ensure_third(then.line, then.third, settings.build) if then.third else None
    paths = classpaths.find_class_paths(flink, settings.build, version, then.sides, third=third)
    if then.third_is_a_build and third and sha256(third.jar) != then.third_sha256:
        raise UsageProblem(
            f"The run {then.run_id} cannot be repeated: {third.jar} is another build by now.",
            "Bring the old one back.",
        )
    started = datetime.now(UTC).replace(microsecond=0)
    suffix = f"{then.line}-aa" if Side.CONTROL in then.sides else then.line
    fresh = run_plan.plan_run(
        run_id=store.new_run_id(settings.results, started, suffix),
        started=started,
        group=Group(then.group, then.group, then.quick_look, then.pairs, then.cells, then.timings),
        line=flink,
        sides=then.sides,
        opened=then.opened,
        extra_options=(),
        class_paths=paths,
        box=box,
        commit=run_plan.current_commit(),
        version=version,
        purpose=Purpose.BY_HAND,
        threads=then.threads,
        heap=then.heap,
    )
    return repeated_plan(then, fresh), paths


def _summary(settings: Settings, run_id: str, errors: Console) -> RunSummary:
    if run_id == LATEST:
        run_id = newest_run(settings.results, errors.out).run_id
    info = store.load_run(settings.results, run_id)
    state = store.state(settings.results, info.run_id)
    if not state.is_final:
        raise UsageProblem(
            f"The run {run_id} is {state.value}; only one that has ended has something to compare.",
            f"Run `flink-boost bench --resume {run_id}` first, or choose another.",
        )
    summary = load_summary(settings.results, run_id)
    if gaps := gap_sentence(summary.info, summary.missing):
        errors.out(gaps)
    return summary
