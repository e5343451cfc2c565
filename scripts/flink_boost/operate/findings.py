"""What ``doctor`` says: one sentence, how much it matters, and the next step."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from flink_boost.base.errors import FlinkBoostError


class Level(StrEnum):
    """How much a finding matters: a problem stops install, verify or Flink itself."""

    FINE = "fine"
    WARNING = "warning"
    PROBLEM = "problem"


@dataclass(frozen=True)
class Finding:
    """What was found, in one sentence, with the next step; ``exit_code`` is 0 without a problem."""

    level: Level
    text: str
    next_step: str = ""
    exit_code: int = 0


def problem(error: FlinkBoostError) -> Finding:
    """What another command would end with."""
    return Finding(Level.PROBLEM, error.message, error.next_step, error.exit_code)
