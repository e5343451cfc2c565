"""Keeps the newest verdicts of detection in a file, and shows them as a table."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

from pydantic import ValidationError
from rich.box import SIMPLE_HEAD
from rich.console import Console, JustifyMethod
from rich.table import Table
from rich.text import Text

from flink_boost.base.files import make_folder, write_durably
from flink_boost.base.text import NOTHING
from flink_boost.judge.trend import TrendKind, TrendVerdict
from flink_boost.measure.model import Frozen

FILE_NAME = "verdicts.json"

_FILE_WIDTH = 200


class StoredVerdicts(Frozen):
    """What ``verdicts.json`` holds."""

    schema_version: int = 1
    made: datetime
    verdicts: tuple[TrendVerdict, ...]


def store_verdicts(path: Path, verdicts: Sequence[TrendVerdict], made: datetime) -> None:
    """Replaces the file at once: a reader sees the old verdicts or the new ones."""
    make_folder(path.parent)
    stored = StoredVerdicts(made=made, verdicts=tuple(verdicts))
    write_durably(path, stored.model_dump_json(indent=1) + "\n")


def load_verdicts(path: Path) -> tuple[TrendVerdict, ...]:
    """The newest verdicts; none where there are none yet, or none that can be read."""
    try:
        return StoredVerdicts.model_validate_json(path.read_bytes()).verdicts
    except (OSError, ValidationError):
        return ()


def print_verdicts(verdicts: Sequence[TrendVerdict]) -> None:
    """Prints the table to standard output, as wide as it is when that is no terminal."""
    console = Console(highlight=False)
    if not console.is_terminal:
        console.width = _FILE_WIDTH
    console.print(verdict_table(verdicts))


def verdict_table(verdicts: Sequence[TrendVerdict]) -> Table:
    """One row per series."""
    table = Table(box=SIMPLE_HEAD)
    for title in ("benchmark", "settings", "points", "verdict", "change", "since commit", "finds"):
        justify: JustifyMethod = "right" if title in ("points", "change") else "left"
        table.add_column(title, justify=justify, overflow="fold")
    for verdict in verdicts:
        change = verdict.change
        texts = (
            verdict.cell.name,
            _settings(verdict),
            f"{verdict.points}" + (f" ({verdict.gaps} missing)" if verdict.gaps else ""),
            verdict.kind.value,
            "" if change is None else f"{change.ratio - 1:+.1%}",
            "" if change is None else change.after_commit[:12],
            NOTHING if verdict.smallest_change is None else str(verdict.smallest_change),
        )
        table.add_row(*map(Text, texts), style=_STYLES[verdict.kind])
    return table


_STYLES = {
    TrendKind.LEARNING: "dim",
    TrendKind.STEADY: "",
    TrendKind.CANDIDATE_REGRESSION: "bold red",
    TrendKind.CANDIDATE_IMPROVEMENT: "bold green",
}


def _settings(verdict: TrendVerdict) -> str:
    settings = verdict.settings
    parts = [settings.project] if settings.project else []
    parts += [settings.line, f"JDK {settings.jdk}", settings.environment]
    parts += ["against the commit before"] if settings.reference else []
    parts += ["quick look"] if settings.quick_look else []
    parts += [] if settings.opened else ["not opened"]
    parts += [f"{settings.threads} threads"] if settings.threads > 1 else []
    parts += [f"heap {settings.heap}"] if settings.heap else []
    return ", ".join(parts)
