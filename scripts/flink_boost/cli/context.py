"""Where a call works: what every command is handed."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Settings:
    """Where a call works; handed to every subcommand as the Click context object."""

    results: Path
    spool: Path
    build: Path
    debug: bool
