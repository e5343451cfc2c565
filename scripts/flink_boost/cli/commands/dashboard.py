"""``flink-boost dashboard``: Tokens, backups, removing and renaming in the dashboard."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import click

from flink_boost.cli.answers import json_option, print_json, say
from flink_boost.cli.context import Settings
from flink_boost.publish.dashboard_commands import Answered, operate

_FILE = click.Path(path_type=Path, dir_okay=False)

dry_run_option = click.option(
    "--dry-run", is_flag=True, help="Say what would be done, and change nothing."
)


@click.group(name="dashboard")
def command() -> None:
    """Tokens, backups, removing and renaming in the dashboard.

    Works on the database of DATABASE_URL, else on the one in build/codespeed, whether or not the
    server runs.

    \b
    Examples:
      flink-boost dashboard token new requests --branch benchmark-request --output requests.token
      flink-boost dashboard backup /backups/dashboard-2026-03-01.gz
      flink-boost dashboard prune --keep 1000 --dry-run
      flink-boost dashboard rename build-7.internal redbox
    """


@command.group(name="token")
def token() -> None:
    """Tokens of single writers, beside the token of all.

    They are kept in the file of FLINK_BOOST_WRITERS, else in build/codespeed/writers.toml, as
    SHA-256 only. A running server takes each change with its next upload.

    \b
    Examples:
      flink-boost dashboard token new requests --branch benchmark-request --output requests.token
      flink-boost dashboard token list
    """


@token.command(name="new")
@click.argument("name")
@click.option("--branch", multiple=True, help="A branch that it may write into; default: all.")
@click.option("--output", type=_FILE, help="Write it there, for its owner only; not to stdout.")
@json_option
@click.pass_obj
def new_command(
    settings: Settings, name: str, branch: Sequence[str], output: Path | None, as_json: bool
) -> None:
    """Make a token for a writer called NAME. It is shown once.

    \b
    Examples:
      flink-boost dashboard token new box-2
      flink-boost dashboard token new requests --branch benchmark-request --output requests.token
    """
    place = output.absolute() if output else None
    _answer(settings, as_json, lambda on: on.new_token(name, branch, place))


@token.command(name="list")
@json_option
@click.pass_obj
def list_command(settings: Settings, as_json: bool) -> None:
    """List the writers: name, day, fingerprint, branches.

    \b
    Examples:
      flink-boost dashboard token list --json
    """
    _answer(settings, as_json, lambda on: on.list_tokens())


@token.command(name="revoke")
@click.argument("name")
@json_option
@click.pass_obj
def revoke_command(settings: Settings, name: str, as_json: bool) -> None:
    """Let the token of the writer NAME in no more.

    \b
    Examples:
      flink-boost dashboard token revoke requests
    """
    _answer(settings, as_json, lambda on: on.revoke_token(name))


@command.command(name="backup")
@click.argument("file", type=_FILE)
@json_option
@click.pass_obj
def backup_command(settings: Settings, file: Path, as_json: bool) -> None:
    """Write all results to FILE, as they are at this moment; uploads go on meanwhile.

    The file can be restored into SQLite and PostgreSQL alike. Secrets are not in it.

    \b
    Examples:
      flink-boost dashboard backup /backups/dashboard-2026-03-01.gz
    """
    _answer(settings, as_json, lambda on: on.backup(file.absolute()))


@command.command(name="restore")
@click.argument("file", type=_FILE)
@click.option("--replace", is_flag=True, help="Delete what is in the database.")
@dry_run_option
@json_option
@click.pass_obj
def restore_command(
    settings: Settings, file: Path, replace: bool, dry_run: bool, as_json: bool
) -> None:
    """Put what FILE holds into an empty database: all of it or nothing.

    \b
    Examples:
      flink-boost dashboard restore /backups/dashboard-2026-03-01.gz --dry-run
      flink-boost dashboard restore /backups/dashboard-2026-03-01.gz --replace
    """
    path, given = file.absolute(), {"replace": replace, "dry_run": dry_run}
    _answer(settings, as_json, lambda on: on.restore(path, **given))


@command.command(name="delete")
@click.argument("run")
@click.option("--branch", help="Needed only when several branches have that commit id.")
@dry_run_option
@json_option
@click.pass_obj
def delete_command(
    settings: Settings, run: str, branch: str | None, dry_run: bool, as_json: bool
) -> None:
    """Delete one run: RUN is its commit id, or its id in the results store.

    Its raw data stay in the results store. `flink-boost upload` does not send it again.

    \b
    Examples:
      flink-boost dashboard delete 20260301T223005Z-2.3.0 --dry-run
    """
    _answer(settings, as_json, lambda on: on.delete(run, branch, dry_run=dry_run))


@command.command(name="prune")
@click.option(
    "--keep", type=click.IntRange(1), metavar="RUNS", help="Newest per box, branch and Flink line."
)
@click.option("--keep-days", type=click.IntRange(1), metavar="DAYS", help="All that are younger.")
@click.option("--branch", multiple=True, help="Prune this branch only; may be given again.")
@dry_run_option
@json_option
@click.pass_obj
def prune_command(
    settings: Settings,
    keep: int | None,
    keep_days: int | None,
    branch: Sequence[str],
    dry_run: bool,
    as_json: bool,
) -> None:
    """Delete old runs. With --keep and --keep-days, a run stays that either of them keeps.

    The newest run of each box in the trend is never deleted.

    \b
    Examples:
      flink-boost dashboard prune --keep 1000 --dry-run
      flink-boost dashboard prune --keep-days 30 --branch benchmark-request
    """
    _answer(settings, as_json, lambda on: on.prune(keep, keep_days, branch, dry_run=dry_run))


@command.command(name="rename")
@click.argument("old")
@click.argument("new")
@click.option("--kind", type=click.Choice(("box", "benchmark")), help="When OLD is both.")
@click.option("--merge", is_flag=True, help="NEW is there already: put their results together.")
@dry_run_option
@json_option
@click.pass_obj
def rename_command(
    settings: Settings,
    old: str,
    new: str,
    kind: str | None,
    merge: bool,
    dry_run: bool,
    as_json: bool,
) -> None:
    """Give a box or a benchmark another name; a benchmark's ratio goes with it.

    Change it where the results come from as well, or the old one is back with the next upload.

    \b
    Examples:
      flink-boost dashboard rename build-7.internal redbox
      flink-boost dashboard rename redbox bluebox --merge --dry-run
    """
    given = {"merge": merge, "dry_run": dry_run}
    _answer(settings, as_json, lambda on: on.rename(old, new, kind, **given))


def _answer(settings: Settings, as_json: bool, work: Callable[[Any], Answered]) -> None:
    answered = operate(settings.build / "codespeed", work)
    if as_json:
        print_json(0, answered.facts, "It is done")
        return
    if answered.shown:
        say(answered.shown, "It is done")
    for sentence in answered.sentences:
        click.echo(sentence, err=bool(answered.shown))
