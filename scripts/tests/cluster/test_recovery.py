"""A TaskManager is killed in the middle of a job: its counts stay exact."""

from __future__ import annotations

import os
import signal
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
from our_classes import CODEC
from running_job import checkpoint_options
from string_state import differences
from texts import shown

from flink_boost.flink.lines import Line

ROUNDS = 12
PAUSE_MILLIS = 20

pytestmark = pytest.mark.in_full_form_only


@pytest.mark.parametrize("platform", ONE_PER_LINE, ids=str, indirect=True)
@pytest.mark.parametrize("backend", ["heap", "rocksdb"])
@pytest.mark.timeout(1800)
def test_a_killed_task_manager_costs_no_record_and_doubles_none(
    backend: str, line: Line, install: Install, dropin_jar: Path, jobs_jar: Path, tmp_path: Path
) -> None:
    options = {**checkpoint_options(line, backend, tmp_path), **SLOTS}
    with install(tmp_path / "flink", [dropin_jar], options=options) as flink:
        killed, run = kill_in_mid_job(flink, jobs_jar, tmp_path / "run")
        run.release()
        survivors = flink.task_managers()
        loaded = [flink.loaded_by(pid) for pid in (killed, *survivors)]

    assert not run.miscounted(), "\n".join(run.miscounted().values())
    found = differences(run.counted(), run.expected())
    assert not found, (len(found), shown(found))
    # Every process that took part ran our code.
    for classes in loaded:
        assert {classes[name] for name in CODEC} == {dropin_jar.name}
    assert len(survivors) == 2
    assert {pid for route in run.routes() for pid in route} == set(survivors)
    # It was in the middle: what came after the failure is not all, and not nothing.
    assert 1000 < sum(run.routes().values()) < ROUNDS * len(run.pairs)


@pytest.mark.parametrize("platform", DEFAULT_PLATFORM, ids=str, indirect=True)
@pytest.mark.timeout(1800)
def test_a_job_that_starts_over_is_found_out(
    line: Line, install: Install, dropin_jar: Path, jobs_jar: Path, tmp_path: Path
) -> None:
    """Its state is restored, its sources are not: pairs are counted twice, and more often."""
    options = {**checkpoint_options(line, "heap", tmp_path), **SLOTS}
    with install(tmp_path / "flink", [dropin_jar], options=options) as flink:
        _, run = kill_in_mid_job(flink, jobs_jar, tmp_path / "run", forget=True)
        run.release()

    found = differences(run.counted(), run.expected())
    counts = [int(line.rsplit(",", 1)[1]) for line in found if line.startswith("+pair")]
    assert counts
    assert min(counts) > ROUNDS


def kill_in_mid_job(
    flink: FlinkInstallation, jar: Path, folder: Path, *, forget: bool = False
) -> tuple[int, Exchange]:
    """Kills one of two TaskManagers after some checkpoints, starts another, and waits for more."""
    flink.start_cluster()
    killed = flink.start_task_manager("two")
    assert eventually(lambda: flink.slots() == 4, START_SECONDS), flink.everything_logged()
    run = Exchange.start(
        flink,
        jar,
        folder,
        all_pairs(),
        rounds=ROUNDS,
        pause_millis=PAUSE_MILLIS,
        forget=forget,
    )
    run.job.wait_for_checkpoints(2)
    assert run.job.restored() == 0
    os.kill(killed, signal.SIGKILL)
    assert eventually(lambda: killed not in flink.task_managers(), START_SECONDS)
    flink.start_task_manager("three")
    run.job.wait_for_recovery(before=0)
    return killed, run
