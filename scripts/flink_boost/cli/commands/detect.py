"""Say for each benchmark whether its ratio has changed lately."""

from __future__ import annotations

import os
from collections.abc import Sequence
from datetime import UTC, datetime

import click
from rich.console import Console

from flink_boost.base.errors import RegressionFound
from flink_boost.base.processes import terminated_like_interrupted
from flink_boost.cli.answers import json_option, print_json
from flink_boost.cli.context import Settings
from flink_boost.cli.options import (
    environment_option,
    recipe_option,
    rerun_pairs_option,
    url_option,
)
from flink_boost.judge.alarm_record import AlarmDocument, AlarmState, SuspicionSheet
from flink_boost.judge.power import NIGHTS, with_smallest_change
from flink_boost.judge.series import build_series
from flink_boost.judge.tracks import build_tracks
from flink_boost.judge.trend import Rules, TrendKind, TrendVerdict, detect
from flink_boost.measure.history import History, load_history
from flink_boost.measure.machine_lock import lock_file, machine_lock
from flink_boost.measure.model import RunInfo
from flink_boost.measure.renamed_benchmarks import load_renamed
from flink_boost.publish.alarm_sheet import alarms_sheet
from flink_boost.publish.alarm_upload import alarm_sheet, pages_address, send_alarms
from flink_boost.publish.progress import shown_progress
from flink_boost.publish.sheet import print_sheets
from flink_boost.publish.target import find_target
from flink_boost.publish.trends import FILE_NAME, store_verdicts, verdict_sheet
from flink_boost.publish.upload import RetryPolicy, make_client
from flink_boost.service.detect.alarm_registry import AlarmRegistry, document_of, load_registry
from flink_boost.service.detect.confirming import NIGHT_PAIRS
from flink_boost.service.detect.night_detection import confirm_tonight
from flink_boost.service.detect.reruns.rerun_setup import rerun_means
from flink_boost.service.nightly.canaries import moved_lately
from flink_boost.service.nightly.night_journal import NightJournal

NAMED_GAPS = 20  # so many runs with gaps are named one by one, the newest
_NAMED_SERIES = 5


@click.command(name="detect")
@click.option(
    "--fail-on-regression",
    is_flag=True,
    help="End with code 8 when a series has become slower lately.",
)
@click.option(
    "--confirm",
    is_flag=True,
    help="Build and rerun what the newest night is suspected of: minutes to hours.",
)
@recipe_option
@rerun_pairs_option(NIGHT_PAIRS)
@click.option(
    "--send",
    is_flag=True,
    help="Tell the dashboard, whose first page then shows what has changed since when.",
)
@url_option
@environment_option
@json_option
@click.pass_obj
def command(
    settings: Settings,
    fail_on_regression: bool,
    confirm: bool,
    recipe: str,
    rerun_pairs: int,
    send: bool,
    url: str | None,
    environment: str | None,
    as_json: bool,
) -> None:
    """Say for each benchmark whether its ratio has changed lately.

    Reads the runs in the results store that have ended, prints a verdict per benchmark and stores
    them in verdicts.json. With fewer than 10 runs of the same settings the verdict is "learning".
    Runs with gaps are named; a benchmark without a pair is a gap in its series. Ends with code 5
    when --send fails.

    With --confirm the builds from before and after are made again and measured in turn, and what is
    certain becomes an alarm, which is told once: see `flink-boost alarm`. --fail-on-regression is
    then about open alarms. A call that was killed goes on where it was.

    \b
    Examples:
      flink-boost detect
      flink-boost detect --confirm --send
      flink-boost detect --confirm --recipe flink.toml --rerun-pairs 200
      flink-boost detect --send --fail-on-regression
    """
    history = load_history(settings.results)
    verdicts = _detect(settings, history)
    if confirm:
        _confirm(settings, history, recipe, rerun_pairs, environment, as_json=as_json)
    registry = load_registry(settings.build)
    sheet = _send(settings, history, verdicts, registry, url, environment) if send else None
    if confirm:
        if sheet is not None and not as_json:
            click.echo("Told the dashboard.")
        _answer_confirmed(registry, as_json=as_json, fail_on_regression=fail_on_regression)
        return
    slower = [one for one in verdicts if one.kind is TrendKind.CANDIDATE_REGRESSION]
    failed = bool(slower) and fail_on_regression
    if as_json:
        print_json(RegressionFound.exit_code if failed else 0, {"verdicts": verdicts})
    elif verdicts:
        print_sheets((verdict_sheet(verdicts),), "table")
        click.echo(
            f"A candidate is a change of the last {Rules().recent_points} points that exceeds "
            f"{Rules().least_change:.0%} and twice the A/A noise."
            f" Stored in {settings.build / FILE_NAME}.\n"
            "“Finds” is the smallest change that `detect --confirm` finds on this box, and how many"
            f" of such are told within {NIGHTS} nights, by the noise of the benchmark's own nights."
        )
    else:
        click.echo("There is no complete run of stock against patched yet.")
    if sheet is not None and not as_json:
        count = len(sheet.alarms)
        click.echo(f"Told the dashboard of {count} change{'' if count == 1 else 's'}.")
    if failed:
        raise RegressionFound(
            f"{len(slower)} of {len(verdicts)} series have become slower lately:"
            f" {', '.join(one.cell.name for one in slower[:_NAMED_SERIES])}.",
            "Look at their candidates in the report.",
        )


def _send(
    settings: Settings,
    history: History,
    verdicts: Sequence[TrendVerdict],
    registry: AlarmRegistry,
    url: str | None,
    environment: str | None,
) -> SuspicionSheet | AlarmDocument:
    """Sends the alarms, as soon as a night was confirmed; until then the candidates.

    Boxes that were retired are told of from the beginning.
    """
    runs = {run.info.run_id: run.info for run in history.runs}
    now = datetime.now(UTC)
    candidates = alarm_sheet(verdicts, runs, now, environment)
    document = document_of(registry, candidates.boxes, now, pages_address(os.environ))
    parcels: list[SuspicionSheet | AlarmDocument] = [candidates] if registry.made is None else []
    if document is not None:
        parcels.append(document)
    target = find_target(os.environ, settings.build / "codespeed" / "token", url)
    if target.warning:
        click.echo(target.warning, err=True)
    with make_client(target, RetryPolicy()) as client:
        for one in parcels:
            if left_out := send_alarms(one, target, client):
                click.echo(left_out, err=True)
    return parcels[0]


def _confirm(
    settings: Settings,
    history: History,
    recipe: str,
    pairs: int,
    environment: str | None,
    *,
    as_json: bool,
) -> None:
    errors = Console(stderr=True, highlight=False, soft_wrap=True)
    measuring = machine_lock(lock_file(os.environ), f"flink-boost detect of {settings.results}")
    with terminated_like_interrupted(), measuring, shown_progress(errors) as progress:
        means = rerun_means(
            recipe, settings.results, settings.build, os.environ, errors.out, progress
        )
        _, findings = confirm_tonight(
            history.runs,
            settings.results,
            settings.build,
            means,
            pairs=pairs,
            canary_moved=moved_lately(NightJournal(settings.build / "nights")),
            environment=environment,
        )
    for problem in findings.problems:
        click.echo(problem, err=True)
    waiting = [one.track.cell.name for one in findings.tracks if one.waits]
    if not as_json:
        click.echo(f"Reran {findings.pairs} of at most {pairs} pairs.")
    if waiting:
        named = ", ".join(waiting[:_NAMED_SERIES])
        click.echo(f"{len(waiting)} suspected and not decided yet: {named}.", err=True)


def _answer_confirmed(registry: AlarmRegistry, *, as_json: bool, fail_on_regression: bool) -> None:
    opened = [one for one in registry.alarms if one.state is AlarmState.OPEN]
    slower = [one for one in opened if one.direction == "regression"]
    failed = bool(slower) and fail_on_regression
    if as_json:
        print_json(RegressionFound.exit_code if failed else 0, {"alarms": opened})
    elif opened:
        print_sheets((alarms_sheet(opened, f"{len(opened)} open alarms"),), "table")
    else:
        click.echo("No alarm is open.")
    if failed:
        raise RegressionFound(
            f"{len(slower)} alarms of slower benchmarks are open:"
            f" {', '.join(one.benchmark for one in slower[:_NAMED_SERIES])}.",
            "Look at them with `flink-boost alarm`.",
        )


def _detect(settings: Settings, history: History) -> tuple[TrendVerdict, ...]:
    for problem in (*history.broken, *history.gaps[-NAMED_GAPS:]):
        click.echo(problem, err=True)
    if len(history.gaps) > NAMED_GAPS:
        click.echo(f"{len(history.gaps) - NAMED_GAPS} older runs have gaps, too.", err=True)
    _tell_of_runs_beside_the_trend([run.info for run in history.runs if not run.is_aa])
    tracks = build_tracks(history.runs, load_renamed())
    verdicts = with_smallest_change(detect(build_series(history.runs)), tracks)
    store_verdicts(settings.build / FILE_NAME, verdicts, datetime.now(UTC))
    return verdicts


def _tell_of_runs_beside_the_trend(runs: Sequence[RunInfo]) -> None:
    nights = [run.started for run in runs if run.purpose.makes_a_point]
    beside = [run for run in runs if not run.purpose.makes_a_point]
    newer = [run for run in beside if not nights or run.started > max(nights)]
    if newer:
        last = newer[-1]
        one = len(newer) == 1
        click.echo(
            f"{len(newer)} newer run{' is no point' if one else 's are no points'} of the trend,"
            f" the last one {last.run_id} ({last.purpose.value});"
            " `flink-boost bench --group spine --purpose nightly` makes points.",
            err=True,
        )
