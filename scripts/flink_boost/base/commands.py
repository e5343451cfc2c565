"""Runs a command of others to its end and keeps what it says: Maven, pip, git, uv."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from flink_boost.base.errors import EnvironmentProblem
from flink_boost.base.processes import foreign_environment

_AGAIN = "Check the network, then run the command again."


def run_captured(
    command: Sequence[str],
    seconds: float,
    *,
    folder: Path | None = None,
    environment: Mapping[str, str] | None = None,
    install: str = "Install it.",
    again: str = _AGAIN,
) -> subprocess.CompletedProcess[str]:
    """The ended command: its exit code, and its output and errors together as ``stdout``.

    It gets no input, and none of our own variables, the write token's among them. Without an
    ``environment`` it gets all others of ours. Raises ``EnvironmentProblem`` when there is no such
    program, with ``install`` as the next step, and when it runs longer than ``seconds``, with
    ``again``.
    """
    name = Path(command[0]).name
    try:
        return subprocess.run(
            command,
            cwd=folder,
            env=foreign_environment(os.environ if environment is None else environment),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            timeout=seconds,
            check=False,
        )
    except FileNotFoundError as error:
        if folder is not None and not folder.is_dir():
            raise
        raise EnvironmentProblem(f"{name} is not installed.", install) from error
    except subprocess.TimeoutExpired as error:
        raise EnvironmentProblem(f"{name} did not finish within {seconds:.0f} s.", again) from error
