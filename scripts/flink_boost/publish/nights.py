"""Tells the dashboard how a night went: what was measured, how the box was, which steps there were.

A document takes the place of what was told of the same box and night before, so it may be sent
after every step, again, or later. Nothing is spooled: the night's own file is what is sent.
"""

from __future__ import annotations

from datetime import datetime
from typing import Literal
from urllib.parse import urljoin

import httpx
from pydantic import FiniteFloat

from flink_boost.base.errors import UploadFailed
from flink_boost.measure.model import Frozen
from flink_boost.publish.target import SET_TOKEN, Target

PATH = "nights/add/"
_AGAIN = "Send the night again once the dashboard answers."
_QUOTED_CHARACTERS = 200


class SentCanary(Frozen):
    """What frozen builds said of the box; ratios are this night's speed over the usual one."""

    moved: bool
    ratio: FiniteFloat | None = None
    low: FiniteFloat | None = None
    high: FiniteFloat | None = None


class SentBoxChange(Frozen):
    """A fact of the box that is not what was recorded."""

    what: str
    before: str
    after: str


class SentStep(Frozen):
    """A step of the night; ``seconds`` is None before it has ended."""

    name: str
    state: Literal["done", "failed", "skipped", "running", "waiting"]
    seconds: FiniteFloat | None = None
    note: str = ""


class SentNight(Frozen):
    """A night of a box. ``night`` is the slot's UTC date and time, as in ``2026-11-24T0100``.

    ``expected`` and ``measured`` count benchmarks; ``runs`` are ids of the results store; ``quiet``
    is None where nobody looked.
    """

    schema_version: Literal[1] = 1
    box: str
    night: str
    slot: datetime
    state: Literal["running", "complete", "short", "empty", "missing", "refused", "failed"]
    expected: int
    measured: int
    runs: tuple[str, ...] = ()
    quiet: bool | None = None
    reason: str = ""
    canary: SentCanary | None = None
    box_changes: tuple[SentBoxChange, ...] = ()
    steps: tuple[SentStep, ...] = ()


def send_night(night: SentNight, target: Target, client: httpx.Client) -> None:
    """Raises ``UploadFailed`` with the server's words when the dashboard does not take it."""
    try:
        answer = client.post(
            urljoin(target.url, PATH),
            content=night.model_dump_json(),
            headers={
                "Authorization": f"Bearer {target.token}",
                "Content-Type": "application/json",
            },
        )
    except httpx.HTTPError as error:
        raise UploadFailed(
            f"The night could not be told to {target.url} ({type(error).__name__}).", _AGAIN
        ) from error
    if answer.status_code in (401, 403):
        raise UploadFailed(f"{target.url} does not take the token.", SET_TOKEN)
    if answer.status_code != httpx.codes.ACCEPTED:
        words = answer.text[:_QUOTED_CHARACTERS].replace(target.token, "***")
        shown = " ".join("".join(c if c.isprintable() else " " for c in words).split())
        raise UploadFailed(
            f"{target.url} did not take the night ({answer.status_code}: {shown}).", _AGAIN
        )
