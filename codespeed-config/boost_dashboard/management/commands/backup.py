"""``manage.py backup FILE``: all results into one file, while the server runs."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from boost_dashboard.operation.backup import write_backup
from boost_dashboard.operation.command import OperationCommand
from flink_boost.publish.dashboard_commands import Answered


class Command(OperationCommand):
    """Reads in one transaction, so the file holds the state of one moment."""

    help = __doc__

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("file", type=Path)

    def operate(self, options: dict[str, Any]) -> Answered:
        path = options["file"]
        counts = write_backup(path).counts
        size = path.stat().st_size
        sentence = (
            f"{counts['result']:,} results of {counts['revision']:,} runs are in {path}, "
            f"{size / 1e6:.1f} MB."
        )
        return Answered((sentence,), {"file": str(path), "bytes": size, "rows": counts})
