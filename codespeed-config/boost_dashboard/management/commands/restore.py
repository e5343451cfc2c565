"""``manage.py restore FILE``: what a backup holds, into this database."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from django.core.management import call_command
from django.db import connection

from boost_dashboard.operation.backup import Backup, open_backup
from boost_dashboard.operation.command import OperationCommand
from boost_dashboard.operation.database import is_prepared
from boost_dashboard.operation.restore import restore
from flink_boost.publish.dashboard_commands import Answered


class Command(OperationCommand):
    """Makes the tables first, so the database may be a new one."""

    help = __doc__
    needs_tables = False

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("file", type=Path)
        parser.add_argument("--replace", action="store_true")
        parser.add_argument("--dry-run", action="store_true")

    def operate(self, options: dict[str, Any]) -> Answered:
        with open_backup(options["file"]) as backup:
            before = _restore(backup, replace=options["replace"], dry_run=options["dry_run"])
        counts = backup.header.counts
        done = "Would restore" if options["dry_run"] else "Restored"
        what = f"{counts['result']:,} results of {counts['revision']:,} runs"
        sentences = [f"{done} {what}, as they were at {backup.header.created}."]
        if before["codespeed.result"]:
            gone = "would be" if options["dry_run"] else "are"
            sentences.append(f"{before['codespeed.result']:,} results {gone} gone.")
        facts = {
            "file": str(options["file"]), "created": backup.header.created, "rows": counts,
            "replaced": before["codespeed.result"], "dry_run": options["dry_run"],
        }  # fmt: skip
        return Answered(tuple(sentences), facts)


def _restore(backup: Backup, *, replace: bool, dry_run: bool) -> dict[str, int]:
    """Rows before, by table; the tables are made first, unless nothing is to be changed."""
    if dry_run and not is_prepared():
        return {"codespeed.result": 0}
    if connection.vendor == "sqlite":
        Path(connection.settings_dict["NAME"]).parent.mkdir(parents=True, exist_ok=True)
    call_command("prepare_dashboard", verbosity=0)
    return restore(backup, replace=replace, dry_run=dry_run)
