"""Calls of ``flink-boost dashboard`` for the tests."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from conftest import PROJECT_FOLDER, clean_environ

CALL_SECONDS = 120


def operate(data: Path, *words: str, **environ: str) -> subprocess.CompletedProcess[str]:
    """``flink-boost dashboard`` on a data folder, which has to be called ``codespeed``."""
    assert data.name == "codespeed"
    return subprocess.run(
        [sys.executable, "-m", "flink_boost.cli", "--build", str(data.parent), "dashboard", *words],
        env={**clean_environ(), "PYTHONPATH": str(PROJECT_FOLDER.parent / "scripts"), **environ},
        capture_output=True,
        text=True,
        timeout=CALL_SECONDS,
        check=False,
    )


def facts(data: Path, *words: str, **environ: str) -> dict[str, Any]:
    """What a call answers that has to end well."""
    done = operate(data, *words, "--json", **environ)
    assert done.returncode == 0, done.stdout + done.stderr
    answer: dict[str, Any] = json.loads(done.stdout)
    assert answer["ok"] is True
    return answer


def refused(data: Path, code: int, *words: str, **environ: str) -> str:
    """The sentence of a call that has to end with that code."""
    done = operate(data, *words, **environ)
    assert done.returncode == code, done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""
    return done.stderr
