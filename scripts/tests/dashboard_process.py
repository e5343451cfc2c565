"""Starts the real dashboard, in processes of its own, for as long as a test needs it."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from flink_boost.publish import liveness


@contextmanager
def dashboard(build: Path) -> Iterator[Path]:
    """The data folder of a dashboard that listens on a free port."""
    command = [sys.executable, "-m", "flink_boost.cli", "--build", str(build), "serve"]
    subprocess.run(
        [*command, "--port", "0", "--background"],
        check=True,
        timeout=120,
        stdout=subprocess.DEVNULL,
    )
    try:
        yield build / "codespeed"
    finally:
        liveness.stop(build / "codespeed")
