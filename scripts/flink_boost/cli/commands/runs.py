"""``flink-boost runs``: List, show, abandon or prune what is in the results store."""

from __future__ import annotations

import os
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import click

from flink_boost.base.errors import BrokenData
from flink_boost.base.text import size_text
from flink_boost.cli.answers import json_option, print_json, refuse_options_before
from flink_boost.cli.context import Settings
from flink_boost.cli.problems import explain
from flink_boost.measure import fork_files, store
from flink_boost.measure.model import RunInfo
from flink_boost.measure.release import flink_of
from flink_boost.measure.run_listing import (
    StoredRun,
    describe_run,
    list_runs,
)
from flink_boost.measure.third_side import side_name
from flink_boost.publish.codespeed import commit_id
from flink_boost.publish.nightly.words import counted
from flink_boost.publish.sheet import Column, Entry, Sheet, print_sheets
from flink_boost.publish.spool import Spool
from flink_boost.publish.spool_runs import take_back_abandoned
from flink_boost.service.retention.kept_kinds import Old, delete_all
from flink_boost.service.retention.references import load_references
from flink_boost.service.retention.retention_settings import load_retention
from flink_boost.service.retention.runs import abandoned, old_logs

NEWEST = 30


@click.group(name="runs", invoke_without_command=True)
@json_option
@click.pass_context
def command(ctx: click.Context, as_json: bool) -> None:
    """List, show, abandon or prune what is in the results store.

    \b
    Examples:
      flink-boost runs                                     the newest runs
      flink-boost runs show latest --json
      flink-boost runs abandon 20260301T223005Z-2.3.0      give an unfinished run up
      flink-boost runs prune --logs-older-than 90 --yes
    """
    if ctx.invoked_subcommand is None:
        ctx.invoke(list_command, as_json=as_json)
    else:
        refuse_options_before(ctx, as_json)


@command.command(name="list")
@click.option("--all", "everything", is_flag=True, help=f"All of them, not the newest {NEWEST}.")
@json_option
@click.pass_obj
def list_command(settings: Settings, everything: bool = False, as_json: bool = False) -> None:
    """List the runs, oldest first, with state, forks and size.

    \b
    Examples:
      flink-boost runs list
      flink-boost runs list --all --json
    """
    runs = list_runs(settings.results)
    shown = runs if everything or as_json else runs[-NEWEST:]
    if as_json:
        print_json(0, {"runs": [_document(run) for run in shown]})
        return
    if not runs:
        click.echo(f"There is no run in {settings.results}; `flink-boost bench` makes one.")
        return
    print_sheets((_sheet(shown, len(runs)),), "table")


@command.command(name="show")
@click.argument("run_id")
@json_option
@click.pass_obj
def show_command(settings: Settings, run_id: str, as_json: bool) -> None:
    """Show one run: plan, machine, state, and the logs of forks that failed.

    RUN_ID may be "latest".

    \b
    Examples:
      flink-boost runs show latest
      flink-boost runs show 20260301T223005Z-2.3.0 --json
    """
    run = describe_run(settings.results, _existing(settings, run_id))
    missing = _missing_logs(settings, run)
    if as_json:
        print_json(0, {**_document(run), "missing": missing})
        return
    for name, value in _facts(settings, run):
        click.echo(f"{name + ':':<14}{value}")
    for log in missing:
        click.echo(f"{'Missing:':<14}{log}")
    if run.state is store.RunState.UNFINISHED and run.info is not None:
        click.echo(
            f"Go on with `flink-boost bench --resume {run.run_id}`, or give it up with"
            f" `flink-boost runs abandon {run.run_id}`."
        )


@command.command(name="abandon")
@click.argument("run_ids", nargs=-1, required=True)
@json_option
@click.pass_obj
def abandon_command(settings: Settings, run_ids: Sequence[str], as_json: bool) -> None:
    """Give runs up: they are no point of anything and are not resumed.

    Their files stay for 90 days, or as many as `abandoned` in the table [retention] says, unless
    `flink-boost runs prune --yes` deletes them before.

    \b
    Examples:
      flink-boost runs abandon 20260301T223005Z-2.3.0
    """
    with store.lock(settings.results):
        days = load_retention(os.environ).abandoned
        found = [_existing(settings, run_id) for run_id in run_ids]
        for run_id in found:
            store.abandon(settings.results, run_id)
        taken_back = take_back_abandoned(Spool(settings.spool), settings.results)
    sent = [run_id for run_id in found if _is_sent(settings, run_id)]
    if as_json:
        print_json(0, {"abandoned": found, "sent_before": sent})
        return
    for run_id in found:
        click.echo(f"Abandoned {run_id}. Its files stay for {counted(days, 'day')}.")
    for sentence in taken_back:
        click.echo(sentence)
    for run_id in sent:
        click.echo(f"Codespeed keeps the points of {run_id}, which were sent before.")


@command.command(name="prune")
@click.option(
    "--logs-older-than",
    type=click.IntRange(1),
    metavar="DAYS",
    help="Logs and flame graphs of runs that ended as well, with failures or not, when they are"
    " older, and these logs in reports; results stay.",
)
@click.option("--yes", is_flag=True, help="Delete it; without this it is only listed.")
@json_option
@click.pass_obj
def prune_command(
    settings: Settings, logs_older_than: int | None, yes: bool, as_json: bool
) -> None:
    """Delete abandoned runs, and old logs and flame graphs when asked.

    Without --yes they are only listed. What cannot go is named, and the others go.

    Results of runs that count are never deleted. `flink-boost retention` shows what else is
    kept, and for how long.

    \b
    Examples:
      flink-boost runs prune
      flink-boost runs prune --logs-older-than 90 --yes
    """
    with store.lock(settings.results):
        found = [*abandoned(settings.results, Spool(settings.spool))]
        if logs_older_than:
            before = datetime.now(UTC) - timedelta(days=logs_older_than)
            references = load_references(settings.build)
            reports = settings.build / "report"
            found += old_logs(settings.results, before, references, reports)
        sizes = [one.bytes for one in found]
        gone, stays = delete_all(found) if yes else ((), ())
    if as_json:
        rows = [
            {"run": one.run_id, "what": one.what, "bytes": size}
            for one, size in zip(found, sizes, strict=True)
        ]
        content = {"deleted": yes, "found": rows, "stays": [str(one) for one in stays]}
        print_json(explain(stays[0]).exit_code if stays else 0, content)
    else:
        _say_pruned(found, sizes, gone, yes=yes)
    if stays:
        raise stays[0]


def _say_pruned(
    found: Sequence[Old], sizes: Sequence[int], gone: Sequence[Old], *, yes: bool
) -> None:
    for one, size in zip(found, sizes, strict=True):
        done = "Would delete" if not yes else "Deleted" if one in gone else "Could not delete"
        click.echo(f"{done} {one.what}, {size_text(size)}")
    if not found:
        click.echo("There is nothing to prune.")
    elif not yes:
        click.echo("Nothing was deleted: repeat the command with --yes.")


def _existing(settings: Settings, run_id: str) -> str:
    known = store.run_ids(settings.results)
    if run_id == "latest" and known:
        return known[-1]
    store.require_run(settings.results, run_id)
    return run_id


def _is_sent(settings: Settings, run_id: str) -> bool:
    try:
        stem = commit_id(store.load_run(settings.results, run_id))
    except BrokenData:
        return False
    return any(key.startswith(f"{stem}.") for key in Spool(settings.spool).sent_keys())


def _missing_logs(settings: Settings, run: StoredRun) -> list[str]:
    """The forks without a result that were tried: each with its log."""
    if run.info is None:
        return []
    logs = (
        fork_files.log_path(settings.results, run.run_id, fork)
        for fork in fork_files.missing_forks(settings.results, run.info)
    )
    return [str(log) for log in logs if log.exists()]


def _sides(info: RunInfo | None, between: str = ", ") -> str:
    return between.join(side_name(info, side) for side in info.sides) if info else ""


def _facts(settings: Settings, run: StoredRun) -> list[tuple[str, str]]:
    facts = [("Run", run.run_id), ("Folder", str(settings.results / run.run_id))]
    if run.info is None:
        return [*facts, ("Damaged", run.problem)]
    info = run.info
    return [
        *facts,
        ("State", f"{run.state.value}, {run.forks} of {run.planned} forks"),
        ("Purpose", info.purpose.value),
        ("Group", f"{info.group}, {len(info.cells)} benchmarks, {info.pairs_text}"),
        (
            "Flink",
            f"{flink_of(info)}, {_sides(info, ' against ')}",
        ),
        ("Options", " ".join(info.jvm_options)),
        ("Commit", info.commit),
        ("Box", f"{info.box.label}: {info.box.cpu}, {info.box.cores} cores, JDK {info.box.jdk}"),
        ("Started", f"{info.started:%Y-%m-%d %H:%M} UTC"),
        ("Size", size_text(run.bytes)),
    ]


def _sheet(runs: Sequence[StoredRun], total: int) -> Sheet:
    return Sheet(
        f"{len(runs)} of {total} runs",
        (
            *map(Column, ("run", "purpose", "group", "sides", "state")),
            Column("forks", True),
            Column("size", True),
        ),
        tuple(
            (
                Entry(run.run_id),
                Entry(run.info.purpose.value if run.info else "damaged"),
                Entry(run.info.group if run.info else ""),
                Entry(_sides(run.info)),
                Entry(run.state.value),
                Entry(f"{run.forks}/{run.planned}"),
                Entry(size_text(run.bytes)),
            )
            for run in runs
        ),
    )


def _document(run: StoredRun) -> dict[str, object]:
    return {
        "run": run.run_id,
        "state": run.state.value,
        "forks": run.forks,
        "planned": run.planned,
        "bytes": run.bytes,
        "problem": run.problem,
        "info": run.info,
    }
