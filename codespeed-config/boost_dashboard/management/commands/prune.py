"""``manage.py prune --keep N --keep-days DAYS``: old runs out of the database."""

from __future__ import annotations

import argparse
from typing import Any

from boost_dashboard.operation.command import OperationCommand
from boost_dashboard.operation.database import alone
from boost_dashboard.operation.runs import (
    prunable,
    removal_answer,
    remove,
    remove_closed_alarms,
    remove_old_nights,
    utc_now,
)
from boost_dashboard.reading.scope import TREND
from flink_boost.base.errors import UsageProblem
from flink_boost.publish.dashboard_commands import Answered


class Command(OperationCommand):
    """With both, a run stays that either of them keeps."""

    help = __doc__

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--keep", type=int)
        parser.add_argument("--keep-days", type=int)
        parser.add_argument("--branch", action="append", default=[])
        parser.add_argument("--dry-run", action="store_true")

    def operate(self, options: dict[str, Any]) -> Answered:
        keep, days = options["keep"], options["keep_days"]
        given = [number for number in (keep, days) if number is not None]
        if not given or min(given) < 1:
            raise UsageProblem(
                "It is not said what to keep.", "Give --keep RUNS or --keep-days DAYS, 1 or more."
            )
        with alone(dry_run=options["dry_run"]):
            removal = remove(prunable(keep, days, options["branch"], utc_now()))
            nights = alarms = 0
            if not options["branch"] or TREND in options["branch"]:
                nights = remove_old_nights(keep, days, utc_now())
                alarms = remove_closed_alarms()
        return removal_answer(removal, dry_run=options["dry_run"], nights=nights, alarms=alarms)
