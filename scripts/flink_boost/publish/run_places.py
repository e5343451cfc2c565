"""Where runs and what is made of them lie."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from flink_boost.measure.history import HistoryReader


@dataclass(frozen=True)
class Places:
    """Folders that publishing reads and writes."""

    results: Path
    spool: Path
    build: Path

    @property
    def codespeed(self) -> Path:
        """Data of the embedded dashboard."""
        return self.build / "codespeed"

    @cached_property
    def history(self) -> HistoryReader:
        """The runs that have ended; whoever works at one place reads each of them once."""
        return HistoryReader(self.results)
