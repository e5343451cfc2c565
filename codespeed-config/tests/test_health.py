"""What the health check tells, how fast, and what it costs."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from urllib.parse import urlsplit

import pytest

from boost_dashboard.health import HealthCheck
from conftest import PROJECT_FOLDER, Dashboard

pytestmark = pytest.mark.quiet

HEALTHCHECK = PROJECT_FOLDER.parent / "docker" / "codespeed-healthcheck.py"


def container_check(dashboard: Dashboard) -> subprocess.CompletedProcess[str]:
    port = str(urlsplit(dashboard.url).port)
    return subprocess.run(
        [sys.executable, str(HEALTHCHECK)],
        env={**os.environ, "PORT": port},
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )


def test_a_healthy_dashboard_says_whose_it_is(dashboard: Dashboard) -> None:
    answer = dashboard.get("healthz")

    assert answer.status_code == 200
    assert set(answer.json()) == {"service", "instance"}
    done = container_check(dashboard)
    assert done.returncode == 0
    assert "flink-boost" in done.stdout


def test_a_locked_database_is_told_and_its_end_too(start: Any) -> None:
    dashboard: Dashboard = start()
    time.sleep(2.5)  # what it found while it started is no longer fresh
    other = sqlite3.connect(dashboard.data / "db.sqlite3", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    try:
        began = time.monotonic()
        answer = dashboard.get("healthz")
        took = time.monotonic() - began
        done = container_check(dashboard)
        page = dashboard.get("")
    finally:
        other.execute("ROLLBACK")
        other.close()

    assert answer.status_code == 503
    assert "locked" in answer.json()["problem"]
    assert answer.json()["instance"]  # `flink-boost stop` finds it still
    assert took < 15
    assert done.returncode == 1
    assert "locked" in done.stderr
    assert page.status_code == 200
    time.sleep(2.5)
    assert dashboard.get("healthz").status_code == 200


def test_a_database_that_cannot_be_opened_is_told(start: Any) -> None:
    dashboard: Dashboard = start()
    time.sleep(2.5)
    for file in dashboard.data.glob("db.sqlite3*"):
        file.unlink()
    (dashboard.data / "db.sqlite3").mkdir()

    answer = dashboard.get("healthz")

    assert answer.status_code == 503
    assert "the database cannot be written" in answer.json()["problem"]


def test_uploads_that_wait_for_the_database_do_not_keep_readers_waiting(start: Any) -> None:
    dashboard: Dashboard = start()
    other = sqlite3.connect(dashboard.data / "db.sqlite3", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with ThreadPoolExecutor(12) as pool:
        try:
            uploads = [pool.submit(dashboard.upload, [{"benchmark": "waits"}]) for _ in range(12)]
            time.sleep(1)
            began = time.monotonic()
            assert dashboard.get("").status_code == 200
            assert dashboard.get("healthz").status_code in (200, 503)
            assert time.monotonic() - began < 15
        finally:
            other.execute("ROLLBACK")
            other.close()
        assert {upload.result(60).status_code for upload in uploads} == {400}


def test_many_who_ask_at_once_cost_one_question() -> None:
    asked: list[int] = []

    def probe() -> str:
        asked.append(1)
        time.sleep(0.2)
        return ""

    check = HealthCheck(probe)
    with ThreadPoolExecutor(20) as pool:
        problems = list(pool.map(lambda _: check.problem(), range(20)))

    assert set(problems) == {""}
    assert len(asked) == 1


def test_a_database_that_hangs_is_told_in_time() -> None:
    hangs = threading.Event()

    def probe() -> str:
        hangs.wait(60)
        return ""

    check = HealthCheck(probe)
    began = time.monotonic()
    try:
        problem = check.problem()
        again = check.problem()
    finally:
        hangs.set()

    assert "has not answered" in problem
    assert again == problem
    assert time.monotonic() - began < 20
