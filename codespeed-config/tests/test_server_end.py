"""How the server's processes end, and what becomes of requests that are in work."""

from __future__ import annotations

import os
import signal
import sqlite3
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from boost_dashboard.server.listener import TcpListener
from conftest import Dashboard, result
from flink_boost.publish import liveness
from raw_http import HALF_HEAD, held
from test_serve import wait_for, wait_until_gone

pytestmark = pytest.mark.quiet


def workers(dashboard: Dashboard) -> set[int]:
    """The processes that serve, by their parent."""
    running = liveness.find_running(dashboard.data)
    assert running is not None
    children = Path(f"/proc/{running.pid}/task/{running.pid}/children")
    return set(map(int, children.read_text(encoding="ascii").split()))


def test_a_stop_waits_for_an_upload_that_is_in_work(start: Any) -> None:
    dashboard: Dashboard = start()
    other = sqlite3.connect(dashboard.data / "db.sqlite3", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with ThreadPoolExecutor(2) as pool:
        upload = pool.submit(dashboard.upload, [result(benchmark="late")])
        time.sleep(1)
        stop = pool.submit(liveness.stop, dashboard.data)
        time.sleep(1)
        other.execute("ROLLBACK")
        other.close()

        assert upload.result(30).status_code == 202
        assert stop.result(30) is True

    again: Dashboard = start()
    assert len(again.timeline("late", "1")) == 1


def test_a_stop_does_not_wait_for_clients_that_send_nothing(start: Any) -> None:
    dashboard: Dashboard = start()

    with held(dashboard, 20, HALF_HEAD):
        assert liveness.stop(dashboard.data) is True


def test_a_worker_that_is_killed_is_replaced(start: Any) -> None:
    dashboard: Dashboard = start()
    (before,) = workers(dashboard)

    os.kill(before, signal.SIGKILL)
    wait_until_gone(before)
    wait_for(lambda: bool(workers(dashboard)), "another worker")

    assert dashboard.get("").status_code == 200


def test_two_workers_serve_one_address(start: Any) -> None:
    dashboard: Dashboard = start(WEB_CONCURRENCY="2")
    # The first one answers while the second is still being started.
    wait_for(lambda: len(workers(dashboard)) == 2, "the second worker")

    with ThreadPoolExecutor(8) as pool:
        uploads = [
            pool.submit(dashboard.upload, [result(benchmark=f"b{number}")]) for number in range(8)
        ]
        assert {upload.result(60).status_code for upload in uploads} == {202}
        assert set(pool.map(lambda _: dashboard.get("").status_code, range(40))) == {200}
    assert liveness.stop(dashboard.data) is True


def test_a_request_that_hangs_is_noticed() -> None:
    begun = [None, 100.0, 40.0]
    channels = {key: SimpleNamespace(working_since=since) for key, since in enumerate(begun)}
    listener: Any = SimpleNamespace(active_channels=channels)

    assert TcpListener.longest_work(listener, 190.0) == 150.0
    assert TcpListener.longest_work(SimpleNamespace(active_channels={}), 1.0) == 0.0  # type: ignore[arg-type]
