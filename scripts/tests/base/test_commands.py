"""Commands of others: what they get, what is kept of them, and what is said when they fail."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from flink_boost.base.commands import run_captured
from flink_boost.base.errors import EnvironmentProblem


def test_code_output_and_errors_are_kept(tmp_path: Path) -> None:
    script = "echo out; echo wrong >&2; printf '\\377'; cat; pwd; exit 3"
    done = run_captured(["sh", "-c", script], 60, folder=tmp_path)
    assert done.returncode == 3
    assert done.stdout == f"out\nwrong\n\N{REPLACEMENT CHARACTER}{tmp_path}\n"


def test_a_command_sees_our_environment_without_our_secrets(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("FLINK_BOOST_TOKEN", "secret")
    monkeypatch.setenv("MAVEN_OPTS", "-Xmx1g")
    script = 'echo "$FLINK_BOOST_TOKEN,$MAVEN_OPTS"'
    assert run_captured(["sh", "-c", script], 60).stdout == ",-Xmx1g\n"
    own = {**os.environ, "MAVEN_OPTS": "other"}
    assert run_captured(["sh", "-c", script], 60, environment=own).stdout == ",other\n"


def test_a_program_that_is_missing_is_named_with_the_next_step() -> None:
    with pytest.raises(EnvironmentProblem) as problem:
        run_captured(["/opt/no-such-program", "-x"], 60, install="Install Maven 3.8.")
    assert str(problem.value) == "no-such-program is not installed. Install Maven 3.8."


def test_a_folder_that_is_missing_is_not_taken_for_a_program(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        run_captured(["true"], 60, folder=tmp_path / "missing")


def test_a_command_that_does_not_end_is_ended() -> None:
    with pytest.raises(EnvironmentProblem) as problem:
        run_captured([sys.executable, "-c", "import time; time.sleep(60)"], 0.5)
    assert problem.value.message.endswith(" did not finish within 0 s.")
    assert isinstance(problem.value.__cause__, subprocess.TimeoutExpired)
