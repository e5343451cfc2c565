"""`flink-boost upload`, killed with SIGKILL at seeded random moments, loses and doubles nothing."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from failing_codespeed import (
    TOKEN,
    FailingCodespeed,
    Request,
    accept,
    failing_codespeed,
    key_of,
    store_and_drop,
)
from stored_runs import store_complete_run
from synthetic import make_forks, make_run

from flink_boost.flink.side import Side
from flink_boost.measure.model import RunInfo
from flink_boost.measure.summary import summarise
from flink_boost.publish.codespeed import entries_of, entry_keys
from flink_boost.publish.spool import Spool

pytestmark = pytest.mark.quiet

NIGHTS = 12
KILLS = 8


@contextmanager
def uploading(build: Path, url: str) -> Iterator[subprocess.Popen[str]]:
    """The command, running in a process of its own."""
    environ = {key: value for key, value in os.environ.items() if "FLINK_BOOST" not in key}
    environ |= {"FLINK_BOOST_TOKEN": TOKEN, "FLINK_BOOST_ENVIRONMENT": "box-1"}
    command = [sys.executable, "-m", "flink_boost.cli", "--build", str(build), "upload"]
    with subprocess.Popen(
        [*command, "--url", url],
        env=environ,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ) as process:
        yield process


def slowly(seed: int) -> object:
    """Accepts after a moment, and sometimes breaks off after storing."""
    source = random.Random(seed)

    def trouble(request: Request, body: bytes) -> None:
        time.sleep(source.uniform(0.0, 0.12))
        (store_and_drop if source.random() < 0.15 else accept)(request, body)

    return trouble


def wait_for_request(server: FailingCodespeed, process: subprocess.Popen[str]) -> None:
    before = server.requests
    deadline = time.monotonic() + 30
    while server.requests == before and process.poll() is None:
        assert time.monotonic() < deadline, "the command sends nothing"
        time.sleep(0.005)


@pytest.fixture
def runs(tmp_path: Path) -> list[RunInfo]:
    """Complete runs in the results store, one of them A/A."""
    runs = [make_run(night) for night in range(NIGHTS)]
    runs.append(make_run(NIGHTS, sides=(Side.STOCK, Side.CONTROL)))
    for night, run in enumerate(runs):
        store_complete_run(tmp_path / "results", run, make_forks(run, noise=0.02, seed=night))
    return runs


def results_expected(runs: list[RunInfo]) -> dict[tuple[str, ...], float]:
    return {
        key_of(result.model_dump()): result.result_value
        for night, run in enumerate(runs)
        for entry in entries_of(summarise(run, make_forks(run, noise=0.02, seed=night)), "box-1")
        for result in entry.results
    }


@pytest.mark.parametrize("seed", [1, 2])
def test_killed_while_it_spools_and_sends(tmp_path: Path, runs: list[RunInfo], seed: int) -> None:
    source = random.Random(seed)
    spool = Spool(tmp_path / "spool")
    every_key = {key for run in runs for key in entry_keys(summarise(run, make_forks(run)))}
    killed = 0
    with failing_codespeed(default=slowly(seed)) as server:  # type: ignore[arg-type]
        for kill in range(KILLS):
            with uploading(tmp_path, server.url) as process:
                if kill % 2:
                    wait_for_request(server, process)
                    time.sleep(source.uniform(0.0, 0.2))
                else:  # while it starts, reads the store and spools
                    time.sleep(source.uniform(0.2, 1.2))
                process.send_signal(signal.SIGKILL)
                killed += process.wait() == -signal.SIGKILL
            sent, unsent = set(spool.sent_keys()), set(spool.unsent_keys())
            assert sent | unsent <= every_key
            assert not sent & unsent
            accepted = {key[2] + key[3] for key in server.stored}
            assert {run_and_side(key) for key in sent} <= accepted, "sent only if accepted"
        assert killed >= KILLS // 2, "most kills must hit a running command"
        with uploading(tmp_path, server.url) as process:
            output, _ = process.communicate(timeout=120)
            assert process.returncode == 0, output
        assert {key: entry["result_value"] for key, entry in server.stored.items()} == (
            pytest.approx(results_expected(runs))
        )
        assert set(spool.sent_keys()) == every_key
        assert spool.unsent_keys() == ()
        assert TOKEN not in output
        requests = server.requests
        with uploading(tmp_path, server.url) as process:
            output, _ = process.communicate(timeout=60)
        assert "Everything is sent already." in output
        assert server.requests == requests


def run_and_side(key: str) -> str:
    """Commit id and executable, as the server knows them, from an entry's key."""
    commit, _, executable = key.partition(".")
    return commit + executable.replace("-", " ", 1)


def test_two_uploads_at_once_send_everything_once(tmp_path: Path, runs: list[RunInfo]) -> None:
    with (
        failing_codespeed() as server,
        uploading(tmp_path, server.url) as first,
        uploading(tmp_path, server.url) as second,
    ):
        outputs = [process.communicate(timeout=60)[0] for process in (first, second)]
        assert [first.returncode, second.returncode] == [0, 0], outputs
        assert set(server.times_stored.values()) == {1}
        assert len(server.stored) == len(results_expected(runs))


def test_with_the_server_down_it_ends_with_code_5_and_says_how_to_send_later(
    tmp_path: Path, runs: list[RunInfo]
) -> None:
    with failing_codespeed() as server:
        url = server.url
    environ = os.environ | {"FLINK_BOOST_TOKEN": TOKEN}
    done = subprocess.run(
        [
            *(sys.executable, "-m", "flink_boost.cli", "--build", str(tmp_path)),
            *("upload", "--url", url, "--attempts", "2"),
        ],
        env=environ,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 5
    assert "cannot be reached" in done.stderr
    assert "run `flink-boost upload` to send it later" in done.stderr
    assert "Traceback" not in done.stderr
    assert TOKEN not in done.stdout + done.stderr
    assert len(Spool(tmp_path / "spool").unsent_keys()) == 2 * NIGHTS
