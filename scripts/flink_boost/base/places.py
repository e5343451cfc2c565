"""Where the source tree is, and what a wheel carries instead of one."""

from __future__ import annotations

from pathlib import Path

PROJECT_ROOT = Path(__file__).resolve().parents[3]

# What a wheel brings with it (see ``carried``); the source tree has no such folder.
CARRIED = Path(__file__).resolve().parents[1] / "data"
