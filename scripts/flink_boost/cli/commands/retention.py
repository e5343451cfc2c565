"""``flink-boost retention``: Show what is kept, how large it is, and delete what is too old."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

import click

from flink_boost.base.files import refuse_root
from flink_boost.base.text import size_text
from flink_boost.cli.answers import json_option, print_json
from flink_boost.cli.context import Settings
from flink_boost.measure.machine_lock import lock_file
from flink_boost.measure.run_listing import size_of
from flink_boost.publish.run_places import Places
from flink_boost.publish.sheet import Column, Entry, Sheet, print_sheets
from flink_boost.service.retention.kept_kinds import KeptKind, Old, files_below
from flink_boost.service.retention.references import References, load_references
from flink_boost.service.retention.retention_settings import Retention, load_retention
from flink_boost.service.retention.sweep import Swept, kinds_of, sweep

_MEANING = {name: found.description or "" for name, found in Retention.model_fields.items()}


@dataclass
class _Row:
    days: int
    files: int = 0
    bytes: int = 0
    old: list[Old] = field(default_factory=list)


@click.command(name="retention")
@click.option("--yes", is_flag=True, help="Delete or pack it; without this it is only listed.")
@click.option("--details", is_flag=True, help="Name each thing that goes.")
@json_option
@click.pass_obj
def command(settings: Settings, yes: bool, details: bool, as_json: bool) -> None:
    """Show what is kept, for how many days, how large it is, and what would go now.

    A night does with its step `prune` what this does with --yes. Days are set per kind in the
    table [retention] of /etc/flink-boost/retention.toml, or of the file in
    FLINK_BOOST_RETENTION. Results, records of nights and alarms stay for ever, and so does
    what is unfinished, not sent yet, or named by an alarm that is not closed.

    \b
    Examples:
      flink-boost retention
      flink-boost retention --details
      flink-boost retention --yes
    """
    retention = load_retention(os.environ)
    places = Places(settings.results, settings.spool, settings.build)
    machine = lock_file(os.environ)
    references = load_references(settings.build)
    now = datetime.now(UTC)
    rows = _rows(kinds_of(places, retention, machine), now, references)
    sizes = {name: sum(one.bytes for one in row.old) for name, row in rows.items()}
    if yes:
        refuse_root(settings.build)
    swept = sweep(places, retention, now, machine) if yes else ()
    gone = Counter(dict.fromkeys(rows, 0))
    for one in swept:
        gone[one.kind] += len(one.gone)
    if as_json:
        document = {
            name: {
                "days": row.days,
                "files": row.files,
                "bytes": row.bytes,
                "too_old": [one.what for one in row.old],
                "too_old_bytes": sizes[name],
                "gone": gone[name],
            }
            for name, row in rows.items()
        }
        stays = [one.sentence for one in swept if one.stays]
        print_json(0, {"deleted": yes, "kinds": document, "stays": stays})
        return
    print_sheets((_sheet(rows, sizes, retention),), "table")
    _say(rows, swept, yes=yes, details=details, builds=size_of(files_below(*_builds(settings))))


def _rows(kinds: Sequence[KeptKind], now: datetime, references: References) -> dict[str, _Row]:
    rows: dict[str, _Row] = {}
    for kind in kinds:
        row = rows.setdefault(kind.name, _Row(kind.days))
        files = tuple(kind.files())
        row.files += len(files)
        row.bytes += size_of(files)
        row.old += kind.too_old(now, references)
    return rows


def _sheet(rows: dict[str, _Row], sizes: dict[str, int], retention: Retention) -> Sheet:
    numbers = [Column(name, True) for name in ("days", "files", "size", "too old", "its size")]
    shown = [
        (name, row.days, row.files, size_text(row.bytes), len(row.old), size_text(sizes[name]))
        for name, row in rows.items()
    ]
    database = ("comments", retention.comments, "", "", "", "")
    return Sheet(
        "What is kept",
        (Column("kind"), *numbers, Column("what it is")),
        tuple(
            (*(Entry(str(value)) for value in row), Entry(_MEANING[row[0]]))
            for row in (*shown, database)
        ),
    )


def _say(
    rows: dict[str, _Row], swept: Sequence[Swept], *, yes: bool, details: bool, builds: int
) -> None:
    click.echo(
        "Comments are in the dashboard's database; `flink-boost request serve` deletes them."
    )
    click.echo(f"Builds are {size_text(builds)}: as many stay as `keep` in their recipe says.")
    if details:
        for row in rows.values():
            for one in row.old:
                click.echo(f"Too old: {one.what}")
    for sentence in dict.fromkeys(one.sentence for one in swept if one.stays):
        click.echo(sentence)
    if yes:
        click.echo(f"Deleted or packed: {sum(len(one.gone) for one in swept)}.")
    elif any(row.old for row in rows.values()):
        click.echo("Nothing was deleted: repeat the command with --yes.")
    else:
        click.echo("Nothing is too old.")


def _builds(settings: Settings) -> tuple[Path, ...]:
    return settings.build / "builds", settings.build / "isolated" / "builds"
