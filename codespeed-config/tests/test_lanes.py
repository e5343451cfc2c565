"""Work in lanes: kinds of requests, and clients, do not wait for each other."""

from __future__ import annotations

import threading
import time
from types import SimpleNamespace
from typing import Any

import pytest

from boost_dashboard.server.lanes import LANES, FairQueue, Lanes, lane_of


def channel(client: str, path: str = "/", method: str = "GET", work: Any = None) -> Any:
    """As much of a connection as lanes see."""
    request = SimpleNamespace(client=client, path_key=path, command=method, error=None)
    return SimpleNamespace(requests=[request], service=work or (lambda: None), cancel=lambda: None)


@pytest.mark.parametrize(
    ("method", "path", "lane"),
    [
        ("GET", "/healthz", "health"),
        ("GET", "/", "pages"),
        ("HEAD", "/healthzz", "pages"),
        ("GET", "/makeimage/", "images"),
        ("POST", "/result/add/json/", "writers"),
        ("POST", "/makeimage/", "writers"),
    ],
)
def test_kinds_of_requests_do_not_wait_for_each_other(method: str, path: str, lane: str) -> None:
    assert lane_of(method, path) == lane


def test_clients_take_turns() -> None:
    queue = FairQueue()
    order = ["greedy", "greedy", "greedy", "modest", "greedy", "late"]
    for client in order:
        queue.append(channel(client))

    assert (len(queue), queue.waiting_of("greedy"), queue.waiting_of("nobody")) == (6, 4, 0)
    taken = [queue.popleft().requests[0].client for _ in order]
    assert taken == ["greedy", "modest", "late", "greedy", "greedy", "greedy"]
    assert not queue


def test_a_greedy_client_is_refused_and_another_one_served() -> None:
    lanes = Lanes()
    go, served = threading.Event(), threading.Event()
    try:
        pages = LANES["pages"]
        crowd = [
            channel("greedy", work=lambda: go.wait(60))
            for _ in range(pages.threads + pages.waiting_of_one + 5)
        ]
        for number, one in enumerate(crowd):
            lanes.add_task(one)
            if number < pages.threads:
                time.sleep(0.05)  # until a thread has it
        refused = [one for one in crowd if one.requests[0].error is not None]
        modest = channel("modest", work=served.set)
        lanes.add_task(modest)
        checked = threading.Event()
        lanes.add_task(channel("greedy", "/healthz", work=checked.set))

        assert len(refused) == 5
        assert "503" in refused[0].requests[0].error.status
        assert modest.requests[0].error is None
        assert checked.wait(20)
    finally:
        go.set()
        assert served.wait(20)
        lanes.shutdown(timeout=5)
