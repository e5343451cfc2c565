"""``manage.py delete_run RUN``: one run out of the database."""

from __future__ import annotations

import argparse
from typing import Any

from boost_dashboard.operation.command import OperationCommand
from boost_dashboard.operation.database import alone
from boost_dashboard.operation.runs import find_run, removal_answer, remove
from flink_boost.publish.dashboard_commands import Answered


class Command(OperationCommand):
    """By its commit id, or by its id in the results store."""

    help = __doc__

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("run")
        parser.add_argument("--branch")
        parser.add_argument("--dry-run", action="store_true")

    def operate(self, options: dict[str, Any]) -> Answered:
        with alone(dry_run=options["dry_run"]):
            removal = remove([find_run(options["run"], options["branch"])])
        return removal_answer(removal, dry_run=options["dry_run"])
