"""Calls of ``flink-boost dashboard`` for the tests."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from conftest import PROJECT_FOLDER, clean_environ
from flink_boost.base.errors import FlinkBoostError
from flink_boost.publish.dashboard_commands import Answered
from flink_boost.publish.dashboard_commands import operate as run

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


def answer(data: Path, command: str, *words: str, **environ: str) -> Answered:
    """What the command behind the command line says. Raises as that does."""
    return run(data, command, words, environ={**clean_environ(), **environ})


def facts(data: Path, command: str, *words: str, **environ: str) -> dict[str, Any]:
    """What a call answers to programs that has to end well."""
    return answer(data, command, *words, **environ).facts


def refused(data: Path, code: int, command: str, *words: str, **environ: str) -> str:
    """The sentence and the next step of a call that has to end with that code."""
    with pytest.raises(FlinkBoostError) as problem:
        answer(data, command, *words, **environ)
    assert problem.value.exit_code == code, str(problem.value)
    assert "Traceback" not in str(problem.value)
    assert problem.value.next_step
    return str(problem.value)
