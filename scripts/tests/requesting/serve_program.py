"""Serves requests of a hub by HTTP with made-up measurements, until it is killed.

Arguments: data folder and lock; seeds on standard input. The hub is in the usual variables.
"""

from __future__ import annotations

import os
import random
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

from flink_boost.base.errors import HubAway
from flink_boost.measure.machine_priority import USUAL_ORDER
from flink_boost.service.requests.database import open_database
from flink_boost.service.requests.desk import Desk
from flink_boost.service.requests.hub.account import find_account
from flink_boost.service.requests.hub.client import GitHubClient
from flink_boost.service.requests.hub.github import GitHubRepository
from flink_boost.service.requests.hub.rate_limit import RateLimit
from flink_boost.service.requests.queue import RequestQueue
from flink_boost.service.requests.request import Measured, RequestOrder
from flink_boost.service.requests.request_states import Event
from flink_boost.service.requests.serving import Serving, turn_of
from flink_boost.service.requests.worker import Worker
from requesting.samples import BOUNDS, KNOWN, STILL, TUPLE, measured

REPOSITORY = "apache/flink-boost"


def shortly(seconds: float) -> None:
    """The second that GitHub wants between two writes would be where nearly every kill hits."""
    time.sleep(seconds / 20)


def main(data: Path, lock: Path, seed: int) -> None:
    open_database(data, os.environ)
    chance = random.Random(seed)
    client = GitHubClient(find_account(os.environ), RateLimit(sleep=shortly))
    hub = GitHubRepository(REPOSITORY, client)
    queue = RequestQueue(REPOSITORY)

    def now() -> datetime:
        return datetime.now(UTC)

    def measure(order: RequestOrder, notice: Callable[[Event], None]) -> Measured:
        time.sleep(chance.random() / 20)
        notice(Event.BUILT)
        time.sleep(chance.random() / 20)
        notice(Event.MEASURED)
        return measured({TUPLE: STILL}).model_copy(update={"order": order})

    desk = Desk(hub, queue, KNOWN, BOUNDS, "flink-boost", now)
    worker = Worker(
        "box-1",
        hub,
        queue,
        KNOWN,
        BOUNDS,
        measure,
        lambda: turn_of(lock, USUAL_ORDER, lambda: (), now, 60),
        now,
    )
    serving = Serving([desk], [worker], 1.0, lambda _: None)
    while True:
        with suppress(HubAway):
            serving.once()
        time.sleep(0.02)


def lives(data: Path, lock: Path) -> None:
    """A new process for each line of input, which is its seed; its id is the answer.

    What is imported is so once: a life begins in no time, and may be short.
    """
    for line in sys.stdin:
        child = os.fork()
        if child == 0:
            main(data, lock, int(line))
        sys.stdout.write(f"{child}\n")
        sys.stdout.flush()
        _, how = os.waitpid(child, 0)
        sys.stdout.write(f"{os.waitstatus_to_exitcode(how)}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    lives(Path(sys.argv[1]), Path(sys.argv[2]))
