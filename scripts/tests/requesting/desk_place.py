"""A desk and a worker at a hub in memory, and what they are asked."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime

from flink_boost.base.errors import (
    MachineBusy,
)
from flink_boost.service.requests.desk import Desk
from flink_boost.service.requests.queue import RequestQueue
from flink_boost.service.requests.request import Measured, RequestOrder
from flink_boost.service.requests.request_states import Event, RequestState
from flink_boost.service.requests.worker import Worker
from requesting.memory_hub import MemoryHub
from requesting.samples import BOUNDS, KNOWN, NOON, SLOW, TUPLE, measured

ASK = "/benchmark-request serializerTuple"


@dataclass
class Place:
    """A desk and a worker at a hub, with a clock that stands until it is moved."""

    queue: RequestQueue
    hub: MemoryHub = field(default_factory=MemoryHub)
    now: datetime = NOON
    busy: bool = False
    worked: int = 0
    problem: Exception | None = None
    found: Measured = field(default_factory=lambda: measured({TUPLE: SLOW}, {TUPLE: SLOW}))

    def clock(self) -> datetime:
        return self.now

    @property
    def desk(self) -> Desk:
        return Desk(self.hub, self.queue, KNOWN, BOUNDS, "flink-boost", self.clock)

    def worker(self, name: str = "box-1") -> Worker:
        return Worker(
            name, self.hub, self.queue, KNOWN, BOUNDS, self.measure, self.turn, self.clock
        )

    @contextmanager
    def turn(self) -> Iterator[None]:
        if self.busy:
            raise MachineBusy("A night measures.", "Wait.")
        yield

    def measure(self, order: RequestOrder, notice: object) -> Measured:
        self.worked += 1
        if self.problem is not None:
            raise self.problem
        notice(Event.BUILT)  # type: ignore[operator]
        notice(Event.MEASURED)  # type: ignore[operator]
        return self.found.model_copy(update={"order": order})

    def run(self) -> None:
        self.desk.once()
        while self.worker().once():
            self.desk.once()
        self.desk.once()


def states(queue: RequestQueue) -> list[RequestState]:
    return [one.state for one in (*queue.live(), *queue.latest(50))]
