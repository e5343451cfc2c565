"""What ends an operator's command, and what it answers otherwise."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

# The exit codes of `flink-boost` for the same things.
USAGE, BROKEN_DATA, ENVIRONMENT = 2, 3, 4


class OperationProblem(Exception):
    """A sentence that says what is wrong, the next step, and the exit code."""

    def __init__(self, message: str, next_step: str, exit_code: int = USAGE) -> None:
        super().__init__(message)
        self.message = message
        self.next_step = next_step
        self.exit_code = exit_code


@dataclass(frozen=True)
class Answer:
    """Sentences for people, and the same facts for programs.

    ``shown`` is what goes to the standard output alone, the sentences then to the error output.
    """

    sentences: tuple[str, ...]
    facts: dict[str, Any] = field(default_factory=dict)
    shown: str = field(default="", repr=False)
