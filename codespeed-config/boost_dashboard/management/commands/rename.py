"""``manage.py rename OLD NEW``: another name for a box or a benchmark."""

from __future__ import annotations

import argparse
from typing import Any

from boost_dashboard.operation.command import OperationCommand
from boost_dashboard.operation.database import alone
from boost_dashboard.operation.rename import KINDS, kind_of, rename
from flink_boost.publish.dashboard_commands import Answered


class Command(OperationCommand):
    """Results stay where they are; only the name that they are shown under changes."""

    help = __doc__

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("old")
        parser.add_argument("new")
        parser.add_argument("--kind", choices=sorted(KINDS))
        parser.add_argument("--merge", action="store_true")
        parser.add_argument("--dry-run", action="store_true")

    def operate(self, options: dict[str, Any]) -> Answered:
        old, new, dry_run = options["old"], options["new"], options["dry_run"]
        with alone(dry_run=dry_run):
            kind = kind_of(old, options["kind"])
            changed = rename(kind, old, new, merge=options["merge"])
        done = "Would rename" if dry_run else "Renamed"
        facts = {"kind": kind, "old": old, "new": new, "renamed": changed, "dry_run": dry_run}
        return Answered(tuple(f"{done} the {kind} {one}." for one in changed), facts)
