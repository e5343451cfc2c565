"""Tells people of a call of ``nightly`` that could not do what it was started for.

A night that begins has a record, and tells by itself. What keeps it from beginning, such as a
setting with a slip in it, a full disk or another user's files, would else stand in a journal that
nobody reads. Whoever sits at a terminal sees it and sends nothing.
"""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import click

from flink_boost.base.errors import (
    AnswerLost,
    FlinkBoostError,
    MachineBusy,
    NightIncomplete,
    NightRunning,
    UsageProblem,
)
from flink_boost.cli.problems import explain
from flink_boost.publish.notify.channels import channels_from
from flink_boost.publish.notify.deliver import send_one
from flink_boost.publish.notify.message import stop_message
from flink_boost.publish.notify.outbox import Outbox
from flink_boost.service.nightly.night_messages import OUTBOX
from flink_boost.service.nightly.slots import DEFAULT_TIME, parse_time, slot_of
from flink_boost.service.nightly.source_tree import box_label

# These are told by the night's record, or are none of anybody's business.
_TOLD_ELSEWHERE = (NightRunning, NightIncomplete, MachineBusy, AnswerLost)


@contextmanager
def telling_why(
    what: str, build: Path, unwritten: Callable[[], bool] = lambda: True
) -> Iterator[None]:
    """Sends an error that is raised within to all channels, once a day, and passes it on.

    ``what`` could not be done. Where the disk takes no note of what was sent, ``unwritten`` says
    whether to send all the same.
    """
    try:
        yield
    except _TOLD_ELSEWHERE:
        raise
    except Exception as error:
        if not sys.stderr.isatty():
            _tell(what, build, error, unwritten)
        raise


def first_check(at: str, grace: timedelta, now: datetime | None = None) -> bool:
    """Whether this is the first hourly check after a night was due; ``now`` is for tests."""
    try:
        due = parse_time(at)
    except UsageProblem:
        due = parse_time(DEFAULT_TIME)
    late = (now or datetime.now(UTC)) - grace
    return late - slot_of(late, due) < timedelta(hours=1)


def _tell(what: str, build: Path, error: Exception, unwritten: Callable[[], bool]) -> None:
    problem = explain(error)
    lines = tuple(line for line in (problem.message, problem.next_step) if line)
    message = stop_message(datetime.now(UTC), f"{what} on {_box()}", lines)
    channels = channels_from(os.environ).usable
    done = send_one(Outbox(build / OUTBOX), channels, message, unwritten=unwritten)
    for sentence in done.troubles:
        click.echo(f"Not told: {sentence}", err=True)


def _box() -> str:
    try:
        return box_label(os.environ)
    except (FlinkBoostError, OSError):
        return platform.node()
