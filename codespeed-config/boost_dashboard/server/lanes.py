"""Which thread answers a request: no kind of work waits for another, no client for a greedy one."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING

from waitress.task import ThreadedTaskDispatcher

from boost_dashboard.server import refusals
from boost_dashboard.server.clients import account
from boost_dashboard.server.requests import HEALTH, READING_METHODS

if TYPE_CHECKING:
    from boost_dashboard.server.channels import GuardedChannel

_IMAGES = "/makeimage"


@dataclass(frozen=True)
class Lane:
    """Threads for requests of one kind, and how many may wait: of all clients, and of one."""

    threads: int
    waiting: int
    waiting_of_one: int


# Drawing holds the interpreter, so more than one at a time only makes all slower. Writers wait for
# the database, some of them for long; pages and the health check do not wait behind them.
LANES = {
    "health": Lane(1, 50, 50),
    "refusals": Lane(1, 1000, 1000),
    "images": Lane(1, 8, 4),
    "writers": Lane(4, 100, 50),
    "pages": Lane(8, 200, 60),
}


def lane_of(method: str, path: str) -> str:
    """Which lane a request takes."""
    if path == HEALTH:
        return "health"
    if method not in READING_METHODS:
        return "writers"
    return "images" if path.startswith(_IMAGES) else "pages"


class FairQueue:
    """Channels with a request, clients by turns; in the place of the dispatcher's own queue.

    The dispatcher calls it with its lock held.
    """

    def __init__(self) -> None:
        self._lines: dict[str, deque[GuardedChannel]] = {}
        self._length = 0

    def __len__(self) -> int:
        return self._length

    def waiting_of(self, client: str) -> int:
        """How many requests of that client wait."""
        return len(self._lines.get(client, ()))

    def append(self, channel: GuardedChannel) -> None:
        """Queues it behind others of its client."""
        self._lines.setdefault(_client(channel), deque()).append(channel)
        self._length += 1

    def popleft(self) -> GuardedChannel:
        """The oldest of the client whose turn it is, which then is the last one's."""
        client = next(iter(self._lines))
        line = self._lines.pop(client)
        channel = line.popleft()
        if line:
            self._lines[client] = line
        self._length -= 1
        return channel


class Lanes:
    """A pool of threads for each lane."""

    def __init__(self) -> None:
        self._pools = {name: ThreadedTaskDispatcher() for name in LANES}
        for name, lane in LANES.items():
            self._pools[name].queue = FairQueue()
            self._pools[name].set_thread_count(lane.threads)

    def add_task(self, channel: GuardedChannel) -> None:
        """Queues the channel's first request; in a full lane it becomes a refusal."""
        request = channel.requests[0]
        if request.error is None:
            name = lane_of(request.command, request.path_key)
            queue, lane = self._pools[name].queue, LANES[name]
            mine = queue.waiting_of(_client(channel))
            if len(queue) < lane.waiting and mine < lane.waiting_of_one:
                self._pools[name].add_task(channel)
                return
            request.error = refusals.too_busy()
        self._pools["refusals"].add_task(channel)

    def shutdown(self, timeout: float) -> None:
        """Ends the threads; what waits in a queue is dropped."""
        for pool in self._pools.values():
            pool.shutdown(cancel_pending=True, timeout=timeout)


def _client(channel: GuardedChannel) -> str:
    return account(channel.requests[0].client)
