"""What a request is, and what became of it."""

from __future__ import annotations

import hashlib
from datetime import datetime
from typing import Annotated

from pydantic import Field

from flink_boost.flink.side import Side
from flink_boost.measure.fork import Fork
from flink_boost.measure.model import Box, Frozen, RunInfo
from flink_boost.service.requests.request_states import RequestState

SHA = r"^[0-9a-f]{40}([0-9a-f]{24})?$"


class RequestOrder(Frozen):
    """What is to be measured; fixed when the comment is read.

    ``base`` is the commit at which ``head`` left the branch that it is to be merged into.
    ``head_from`` and ``base_from`` are where Git takes them from; empty: they are here. ``recipe``
    is what others call it; empty: a file of this machine.
    """

    base: Annotated[str, Field(pattern=SHA)]
    head: Annotated[str, Field(pattern=SHA)]
    line: str
    names: tuple[str, ...] = Field(min_length=1, description="of benchmarks")
    pairs: Annotated[int, Field(ge=1)]
    profile: bool = False
    recipe: str = "flink-boost"
    head_from: str = ""
    base_from: str = ""
    isolated: bool = False
    asked: str = Field(default="", description="by which request: each measures for itself")


class Request(Frozen):
    """A request in the queue. Times are aware, in UTC.

    ``started`` is when a worker first began, ``resumed`` when one began after it last waited: for
    the machine, the network or a token. ``beat`` is when its worker last said that it lives,
    ``attempts`` how many workers have begun.
    """

    id: str
    repository: str
    number: int
    comment_id: int
    author: str
    order: RequestOrder
    state: RequestState
    stale: bool = False
    asked: datetime = Field(description="when the comment was written")
    queued: datetime
    started: datetime | None = None
    resumed: datetime | None = None
    ended: datetime | None = None
    beat: datetime | None = None
    worker: str = ""
    attempts: int = 0
    cancel: bool = Field(default=False, description="somebody wants it to stop")
    expected: float = Field(default=0.0, description="seconds of work that were foretold")
    answer: str = Field(default="", description="Markdown; empty until it is there")
    note: str = Field(default="", description="why it failed, or what it is doing")


class FailedFork(Frozen):
    """A fork that gave no score, and what became of it: ``was stopped after 145 s``."""

    name: str
    side: Side
    reason: str


class Measured(Frozen):
    """What the forks of one comparison gave, with what they were made of.

    ``first`` has every benchmark; ``again`` fresh pairs of those that seemed to differ. Both are
    empty for builds that are the same bytes.
    """

    order: RequestOrder
    same: bool
    quiet: str = Field(description="a sentence: was the machine quiet when the forks began?")
    stored: bool = Field(default=False, description="all forks are of calls before")
    box: Box
    first: RunInfo | None = None
    forks: tuple[Fork, ...] = ()
    again: RunInfo | None = None
    forks_again: tuple[Fork, ...] = ()
    failures: tuple[FailedFork, ...] = Field(default=(), description="in the order of time")
    profile_links: tuple[tuple[str, str], ...] = ()
    profile_texts: tuple[tuple[str, tuple[str, ...]], ...] = Field(
        default=(), description="of each benchmark profiled the frames that differ most"
    )
    profile_note: str = Field(default="", description="why there is no flame graph")

    @property
    def sides(self) -> tuple[Side, Side]:
        """Base and head."""
        return Side.BEFORE, Side.AFTER


def request_id(*parts: str) -> str:
    """``r`` and ten hexadecimal digits: the same parts, the same id."""
    return "r" + hashlib.sha256("\0".join(parts).encode()).hexdigest()[:10]
