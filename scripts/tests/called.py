"""A call of the command in this process, for tests of what it answers.

A process of its own takes a second of a processor to begin; tests of signals, of the code that an
operating system gets, and of what others do meanwhile start one.
"""

from __future__ import annotations

import io
import subprocess
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

from flink_boost.cli.main import main


def called(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    """The exit code of the command, and what it printed."""
    words = [str(argument) for argument in arguments]
    with redirect_stdout(io.StringIO()) as output, redirect_stderr(io.StringIO()) as errors:
        code = main(words)
    return subprocess.CompletedProcess(words, code, output.getvalue(), errors.getvalue())
