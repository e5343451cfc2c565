"""Keeps the newest verdicts of detection in a file, and shows them as a table."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

from pydantic import ValidationError

from flink_boost.base.files import make_folder, write_durably
from flink_boost.base.text import NOTHING
from flink_boost.flink.lines import load_lines
from flink_boost.judge.series import SeriesSettings
from flink_boost.judge.trend import TrendKind, TrendVerdict
from flink_boost.measure.model import Frozen
from flink_boost.measure.run_plan import FORK_OPTIONS
from flink_boost.publish.sheet import Column, Entry, Sheet, Tone

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


def load_verdicts(path: Path) -> tuple[TrendVerdict, ...]:
    """The newest verdicts; none where there are none yet, or none that can be read."""
    try:
        return StoredVerdicts.model_validate_json(path.read_bytes()).verdicts
    except (OSError, ValidationError):
        return ()


def verdict_sheet(verdicts: Sequence[TrendVerdict]) -> Sheet:
    """One row per series."""
    return Sheet(
        f"{len(verdicts)} series of benchmarks",
        (
            *(Column("benchmark"), Column("settings"), Column("points", True)),
            *(Column("verdict"), Column("change", True), Column("since commit"), Column("finds")),
        ),
        tuple(map(_row, verdicts)),
    )


def _row(verdict: TrendVerdict) -> tuple[Entry, ...]:
    change, settings = verdict.change, verdict.settings
    tone = _TONES.get(verdict.kind, Tone.PLAIN)
    return (
        Entry(verdict.cell.name),
        Entry(", ".join(filter(None, (settings.project, settings_text(settings))))),
        Entry(f"{verdict.points}" + (f" ({verdict.gaps} missing)" if verdict.gaps else "")),
        Entry(verdict.kind.value, tone),
        Entry("" if change is None else f"{change.ratio - 1:+.1%}", tone),
        Entry("" if change is None else change.after_commit[:12]),
        Entry(NOTHING if verdict.smallest_change is None else str(verdict.smallest_change)),
    )


_TONES = {TrendKind.CANDIDATE_REGRESSION: Tone.BAD, TrendKind.CANDIDATE_IMPROVEMENT: Tone.GOOD}


def settings_text(settings: SeriesSettings) -> str:
    """All by which one series is told from another of the same benchmark and project."""
    parts = [settings.line, f"JDK {settings.jdk}", settings.environment]
    parts += ["against the commit before"] if settings.reference else []
    parts += ["quick look"] if settings.quick_look else []
    parts += [] if settings.opened else ["not opened"]
    parts += [f"{settings.threads} threads"] if settings.threads > 1 else []
    parts += [f"heap {settings.heap}"] if settings.heap else []
    return ", ".join((*parts, *_unusual(settings)))


def _unusual(settings: SeriesSettings) -> list[str]:
    line = load_lines().get(settings.line)
    usual = {*FORK_OPTIONS, *(() if line is None else line.jvm_options)}
    return [option for option in settings.jvm_options if option not in usual]
