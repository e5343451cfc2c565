"""Keeps the newest verdicts of detection in a file, and shows them as a table."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

from rich.table import Table

from flink_boost.detect import TrendKind, TrendVerdict
from flink_boost.files import make_folder, write_durably
from flink_boost.model import Frozen

FILE_NAME = "verdicts.json"


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


def verdict_table(verdicts: Sequence[TrendVerdict]) -> Table:
    """One row per series."""
    table = Table(box=None, header_style="bold", pad_edge=False)
    for title in ("Benchmark", "Settings", "Points", "Verdict", "Change", "Since commit"):
        table.add_column(title, justify="right" if title in ("Points", "Change") else "left")
    for verdict in verdicts:
        change = verdict.change
        table.add_row(
            _plain(verdict.cell.name),
            _plain(_settings(verdict)),
            f"{verdict.points}" + (f" (+{verdict.gaps} gaps)" if verdict.gaps else ""),
            _STYLED[verdict.kind],
            "" if change is None else f"{change.ratio - 1:+.1%}",
            "" if change is None else _plain(change.after_commit[:12]),
        )
    return table


_STYLED = {
    TrendKind.LEARNING: "[dim]learning[/]",
    TrendKind.STEADY: "steady",
    TrendKind.CANDIDATE_REGRESSION: "[bold red]candidate-regression[/]",
    TrendKind.CANDIDATE_IMPROVEMENT: "[bold green]candidate-improvement[/]",
}


def _settings(verdict: TrendVerdict) -> str:
    settings = verdict.settings
    parts = [settings.line, settings.environment]
    parts += ["quick look"] if settings.quick_look else []
    parts += [] if settings.opened else ["not opened"]
    return ", ".join(parts)


def _plain(text: str) -> str:
    """``[length=16]`` is part of a name here, not markup."""
    return text.replace("[", r"\[")
