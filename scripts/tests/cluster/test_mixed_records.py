"""Stock and patched TaskManagers in one cluster exchange records of each kind."""

from __future__ import annotations

from collections import Counter
from itertools import product
from pathlib import Path

import pytest
from exchange import SLOTS
from flink_installation import (
    DEFAULT_PLATFORM,
    START_SECONDS,
    FlinkInstallation,
    Install,
    eventually,
)
from generated_code import assert_flink_moves_records, assert_generated_code_moves_records
from running_job import RunningJob

COUNT = 4000

pytestmark = [
    pytest.mark.parametrize("platform", DEFAULT_PLATFORM, ids=str, indirect=True),
    pytest.mark.timeout(1800),
]


def test_records_arrive_as_they_were_made(
    install: Install, dropin_jar: Path, jobs_jar: Path, tmp_path: Path
) -> None:
    with (
        install(tmp_path / "flink-stock", options=SLOTS) as stock,
        install(tmp_path / "flink-patched", [dropin_jar], options=SLOTS, joins=stock) as patched,
    ):
        exchange_records(stock, patched, jobs_jar, tmp_path).wait_for_end()
        (stock_pid,), (patched_pid,) = stock.task_managers(), patched.task_managers()
        loaded = {"stock": stock.loaded_by(stock_pid), "patched": patched.loaded_by(patched_pid)}
        log = patched.log("taskexecutor")

    routes = routes_in(tmp_path)
    assert sum(routes.values()) == COUNT
    # From each TaskManager to each, on both exchanges.
    assert set(routes) == set(product((stock_pid, patched_pid), repeat=3)), routes
    assert min(routes.values()) > COUNT // 100
    assert_generated_code_moves_records(
        log, loaded["patched"], tmp_path, patched_pid, reads=COUNT // 10
    )
    assert_flink_moves_records(loaded["stock"], tmp_path, stock_pid)


@pytest.mark.test_all
def test_a_record_that_changes_on_the_way_is_found_out(
    install: Install, dropin_jar: Path, jobs_jar: Path, tmp_path: Path
) -> None:
    with (
        install(tmp_path / "flink-stock", options=SLOTS) as stock,
        install(tmp_path / "flink-patched", [dropin_jar], options=SLOTS, joins=stock) as patched,
    ):
        job = exchange_records(stock, patched, jobs_jar, tmp_path, "spoil")
        with pytest.raises(AssertionError, match="IllegalStateException: Became"):
            job.wait_for_end()


def exchange_records(
    stock: FlinkInstallation,
    other: FlinkInstallation,
    jar: Path,
    folder: Path,
    *arguments: str,
) -> RunningJob:
    """Runs the job on JobManager and one TaskManager of ``stock``, and one of the other."""
    stock.start_cluster()
    other.start_task_manager("two")
    assert eventually(lambda: stock.slots() == 4, START_SECONDS), other.everything_logged()
    return RunningJob.submit_without_client(
        stock, jar, "RecordExchangeJob", folder, str(COUNT), *arguments
    )


def routes_in(folder: Path) -> Counter[tuple[int, ...]]:
    """Process ids of source, first and second receiver, and how many records took that way."""
    found: Counter[tuple[int, ...]] = Counter()
    for file in folder.glob("routes-*.txt"):
        for line in file.read_text().splitlines():
            pids, _, count = line.partition(",")
            found[tuple(map(int, pids.split()))] += int(count)
    return found
