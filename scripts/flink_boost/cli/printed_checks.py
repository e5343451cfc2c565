"""Prints what ``verify`` checked, each in a line."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext, suppress

from flink_boost.base.errors import AnswerLost
from flink_boost.cli.answers import say
from flink_boost.operate.verify import Check

_MARKS = {True: "ok    ", False: "FAILED", None: "-     "}


def show_checks(checks: Sequence[Check]) -> None:
    """For people, in their order."""
    with telling(checks):
        for check in checks:
            say(f"{_MARKS[check.passed]}  {check.name:<8} {check.detail}")


def telling(checks: Sequence[Check]) -> AbstractContextManager[object]:
    """Around the answer: it may be lost if a check failed, which the error at the end tells too."""
    failed = any(check.failed for check in checks)
    return suppress(AnswerLost) if failed else nullcontext()
