"""``request check``, as the timer calls it: people are told of what stands still."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

from slack_server import slack_server

from flink_boost.base.places import PROJECT_ROOT

REPOSITORY = "apache/flink-boost"
NOBODY = "http://127.0.0.1:9/services/T/B/x"
COLUMNS = "repository, cursor, polled, problem"


def check(build: Path, webhook: str) -> subprocess.CompletedProcess[str]:
    config = build / "requests.toml"
    config.write_text(f'repository = "{REPOSITORY}"\n', encoding="utf-8")
    named = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("FLINK_BOOST_") and name != "DATABASE_URL"
    }
    return subprocess.run(
        [
            *(sys.executable, "-m", "flink_boost.cli", "--build", str(build)),
            *("request", "check", "--config", str(config)),
        ],
        cwd=PROJECT_ROOT / "scripts",
        env={**named, "FLINK_BOOST_SLACK_WEBHOOK": webhook},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def polled(build: Path, moment: datetime | None) -> None:
    """When comments were last read."""
    (file,) = (build / "codespeed").glob("*.sqlite3")
    with sqlite3.connect(file) as database:
        database.execute("DELETE FROM benchmark_requests_hubcursor")
        if moment is not None:
            row = (REPOSITORY, "1", moment.replace(tzinfo=None).isoformat(" "), "")
            database.execute(
                f"INSERT INTO benchmark_requests_hubcursor ({COLUMNS}) VALUES (?, ?, ?, ?)",  # noqa: S608
                row,
            )
    database.close()


def test_people_are_told_once_it_reaches_them_and_of_the_next_trouble_again(
    tmp_path: Path,
) -> None:
    away = check(tmp_path, NOBODY)
    assert away.returncode == 26, away.stderr
    assert "Not told by Slack" in away.stderr
    with slack_server() as server:
        assert check(tmp_path, server.webhook).returncode == 26
        assert len(server.taken) == 1
        assert check(tmp_path, server.webhook).returncode == 26
        assert len(server.taken) == 1, "once in six hours"
        polled(tmp_path, datetime.now(UTC))
        moves = check(tmp_path, server.webhook)
        assert (moves.returncode, moves.stdout) == (0, "The queue moves.\n")
        polled(tmp_path, None)
        assert check(tmp_path, server.webhook).returncode == 26
        assert len(server.taken) == 2
