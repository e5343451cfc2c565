"""Stock and patched TaskManagers in one cluster exchange strings of all alphabets."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from pathlib import Path

import pytest
from exchange import SLOTS, Exchange, all_pairs
from flink_installation import (
    DEFAULT_PLATFORM,
    ONE_PER_LINE,
    START_SECONDS,
    FlinkInstallation,
    Install,
    eventually,
)
from generic_state import keys, owner_of, written_otherwise_when_shared
from installations import damaged_dropin
from our_classes import CODEC
from running_job import checkpoint_options
from string_state import differences
from texts import encode, shown

from flink_boost.flink.lines import Line

STRING_VALUE = "org.apache.flink.types.StringValue"
ROUNDS = 3

pytestmark = pytest.mark.in_full_form_only


@pytest.mark.parametrize("platform", ONE_PER_LINE, ids=str, indirect=True)
@pytest.mark.timeout(1800)
def test_a_mixed_cluster_gives_what_stock_gives(
    line: Line, install: Install, dropin_jar: Path, jobs_jar: Path, tmp_path: Path
) -> None:
    options = {**checkpoint_options(line, "rocksdb", tmp_path), **SLOTS}
    with (
        install(tmp_path / "flink-stock", options=options) as stock,
        install(tmp_path / "flink-patched", [dropin_jar], options=options, joins=stock) as patched,
    ):
        mixed = exchange_between(stock, patched, jobs_jar, all_pairs(), tmp_path / "mixed")
        (stock_pid,), (patched_pid,) = stock.task_managers(), patched.task_managers()
        origins = {pid: f.loaded_by(pid) for f in (stock, patched) for pid in f.task_managers()}
        # The other TaskManager of stock takes the place of the patched one.
        patched.stop_task_manager("two")
        assert eventually(lambda: task_managers_of(stock) == 1, START_SECONDS)
        other_pid = stock.start_task_manager("two")
        assert eventually(lambda: task_managers_of(stock) == 2, START_SECONDS)
        alone = Exchange.start(stock, jobs_jar, tmp_path / "alone", all_pairs(), rounds=ROUNDS)
        alone.release()

    for run, pids in ((mixed, {stock_pid, patched_pid}), (alone, {stock_pid, other_pid})):
        assert not run.miscounted(), "\n".join(run.miscounted().values())
        found = differences(run.counted(), run.expected())
        assert not found, (run.folder.name, len(found), shown(found))
        # From each TaskManager to each, on both exchanges.
        assert set(run.routes()) == set(product(pids, repeat=3)), run.routes()
        assert min(run.routes().values()) > 100
    assert mixed.counted() == alone.counted()
    assert {origins[patched_pid][name] for name in (STRING_VALUE, *CODEC)} == {dropin_jar.name}
    assert origins[stock_pid][STRING_VALUE].startswith("flink-dist")
    assert not set(CODEC) & set(origins[stock_pid])


@pytest.mark.parametrize("platform", DEFAULT_PLATFORM, ids=str, indirect=True)
@pytest.mark.timeout(1800)
def test_a_task_manager_that_changes_one_code_point_is_found_out(
    line: Line, install: Install, jobs_jar: Path, tmp_path: Path
) -> None:
    damaged = damaged_dropin(tmp_path / "flink-boost-damaged.jar", "write")
    changed = encode("\ua123")
    # A key that changes on the way reaches the wrong subtask, and the job fails.
    pairs = [pair for pair in all_pairs() if changed not in pair.split(",")[0]]
    options = {**checkpoint_options(line, "rocksdb", tmp_path), **SLOTS}
    with (
        install(tmp_path / "flink-stock", options=options) as stock,
        install(tmp_path / "flink-damaged", [damaged], options=options, joins=stock) as patched,
    ):
        run = exchange_between(stock, patched, jobs_jar, pairs, tmp_path / "mixed")

    missing = [s for s in differences(run.counted(), run.expected()) if s.startswith("-")]
    assert missing
    assert all(changed in line for line in missing), shown(missing)


@pytest.mark.parametrize("platform", DEFAULT_PLATFORM, ids=str, indirect=True)
@pytest.mark.timeout(1800)
def test_a_task_manager_that_shares_short_strings_is_found_out(
    line: Line, install: Install, jobs_jar: Path, tmp_path: Path
) -> None:
    """A key has two counts, one under the bytes of each TaskManager that it came from."""
    damaged = damaged_dropin(tmp_path / "flink-boost-damaged.jar", "share")
    options = {**checkpoint_options(line, "rocksdb", tmp_path), **SLOTS}
    with (
        install(tmp_path / "flink-stock", options=options) as stock,
        install(tmp_path / "flink-damaged", [damaged], options=options, joins=stock) as patched,
    ):
        run = exchange_between(stock, patched, jobs_jar, all_pairs(), tmp_path / "mixed")

    changed = {owner_of(key) for key in keys() if written_otherwise_when_shared(key)}
    assert set(run.miscounted()) & changed
    assert set(run.miscounted()) <= changed
    assert not [line for line in differences(run.counted(), run.expected()) if "pair" in line]


def exchange_between(
    stock: FlinkInstallation,
    other: FlinkInstallation,
    jar: Path,
    pairs: Sequence[str],
    folder: Path,
) -> Exchange:
    """Runs the job on JobManager and one TaskManager of ``stock``, and one of the other."""
    stock.start_cluster()
    other.start_task_manager("two")
    assert eventually(lambda: task_managers_of(stock) == 2, START_SECONDS)
    run = Exchange.start(stock, jar, folder, pairs, rounds=ROUNDS)
    run.release()
    return run


def task_managers_of(flink: FlinkInstallation) -> int:
    """How many TaskManagers the JobManager knows of."""
    return len(flink.ask("/taskmanagers")["taskmanagers"])
