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
    """The command line on a data folder, which has to be called ``codespeed``."""
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
    """What a call answers to programs that has to end well."""
    return _answer(data, 0, *words, **environ)


def refused(data: Path, code: int, *words: str, **environ: str) -> str:
    """The sentence and the next step of a call that has to end with that code."""
    answer = _answer(data, code, *words, **environ)
    assert answer["next_step"]
    return f"{answer['error']} {answer['next_step']}"


def _answer(data: Path, code: int, *words: str, **environ: str) -> dict[str, Any]:
    done = operate(data, *words, "--json", **environ)
    assert done.returncode == code, done.stderr
    assert "Traceback" not in done.stderr
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer
