"""What an exception means for the user: one sentence, the next step, and an exit code."""

from __future__ import annotations

from dataclasses import dataclass

import click

from flink_boost.base.errors import EnvironmentProblem, FlinkBoostError
from flink_boost.base.scratch import DISK_FULL

INTERRUPTED = 130  # what a shell reports for a process that ended by Ctrl-C

DEBUG_HINT = "Run the same command with --debug as its first option to see where."


@dataclass(frozen=True)
class Problem:
    """How a call that did not come to its end is reported."""

    message: str
    next_step: str
    exit_code: int

    def __str__(self) -> str:
        return f"{self.message} {self.next_step}".strip()


def explain(error: BaseException) -> Problem:
    """The one mapping of exceptions to sentences and exit codes."""
    match error:
        case FlinkBoostError():
            return Problem(error.message, error.next_step, error.exit_code)
        case click.ClickException():
            context = getattr(error, "ctx", None)
            called = context.command_path if context is not None else "flink-boost"
            return Problem(error.format_message(), f"Run `{called} --help`.", error.exit_code)
        case KeyboardInterrupt() | click.Abort():
            return Problem("Interrupted; what was finished is kept.", "", INTERRUPTED)
        case OSError() if error.errno in DISK_FULL:
            place = f" while writing {error.filename}" if error.filename else ""
            return Problem(
                f"There is no space left on the disk{place}.",
                "Free some space and run the same command again; what was finished is kept.",
                EnvironmentProblem.exit_code,
            )
        case OSError():
            return Problem(f"Unexpected error: {error}.", DEBUG_HINT, 1)
    return Problem(f"Unexpected {type(error).__name__}: {error}.", DEBUG_HINT, 1)
