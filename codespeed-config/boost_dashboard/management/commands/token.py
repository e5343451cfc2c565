"""``manage.py token new|list|revoke``: tokens of single writers."""

from __future__ import annotations

import argparse
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from django.conf import settings

from boost_dashboard.operation import tokens
from boost_dashboard.operation.command import OperationCommand
from boost_dashboard.writers import Writer
from flink_boost.publish.dashboard_commands import Answered


class Command(OperationCommand):
    """A running server takes each change with its next upload."""

    help = __doc__
    needs_tables = False

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("action", choices=("new", "list", "revoke"))
        parser.add_argument("name", nargs="?", default="")
        parser.add_argument("--branch", action="append", default=[])
        parser.add_argument("--output", type=Path)

    def operate(self, options: dict[str, Any]) -> Answered:
        match options["action"]:
            case "new":
                return _new(options["name"], options["branch"], options["output"])
            case "revoke":
                return _revoke(options["name"])
        return _list()


def _new(name: str, branches: list[str], output: Path | None) -> Answered:
    writers = settings.CONFIGURATION.writers
    today = datetime.now(UTC).date()
    where = ", ".join(branches) or "all branches"
    said = f"{name} may write into {where}; {writers.path} has the SHA-256 of the token."
    facts: dict[str, Any] = {"name": name, "branches": branches or None, "file": str(writers.path)}
    if output is not None:
        with tokens.private_file(output) as write:
            write(tokens.new_token(writers, name, branches, today))
        return Answered((said, f"The token is in {output}."), {**facts, "output": str(output)})
    token = tokens.new_token(writers, name, branches, today)
    once = "The token is not shown again."
    return Answered((said, once), {**facts, "token": token}, shown=token)


def _list() -> Answered:
    writers = settings.CONFIGURATION.writers
    known = writers.read()
    facts = {"file": str(writers.path), "writers": [_row(writer) for writer in known]}
    if not known:
        return Answered((f"There is no writer in {writers.path}, only the token of all.",), facts)
    width = max(len(writer.name) for writer in known)
    lines = [
        f"{writer.name:<{width}}  {writer.created or 'by hand':<10}  {writer.fingerprint}  "
        f"{', '.join(sorted(writer.branches)) if writer.branches else 'all branches'}"
        for writer in known
    ]
    return Answered(tuple(lines), facts)


def _revoke(name: str) -> Answered:
    writers = settings.CONFIGURATION.writers
    writer = tokens.revoke(writers, name)
    return Answered(
        (f"The token of {name} ({writer.fingerprint}) lets nobody in any more.",),
        {"name": name, "fingerprint": writer.fingerprint, "file": str(writers.path)},
    )


def _row(writer: Writer) -> dict[str, Any]:
    return {
        "name": writer.name,
        "branches": sorted(writer.branches) if writer.branches else None,
        "created": writer.created.isoformat() if writer.created else None,
        "fingerprint": writer.fingerprint,
    }
