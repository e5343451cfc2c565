"""A job of 20 POJO classes that is started again and again leaves nothing in a TaskManager."""

from __future__ import annotations

from pathlib import Path

import pytest
from flink_installation import DEFAULT_PLATFORM, Install, eventually
from restarts import CLASSES, look, restart_job
from running_job import RunningJob

FEW, MANY = 10, 30
# Between half of many restarts and the end; the classes of one take more than 300.
GROWTH_KIB = 1500
SECONDS = 120


@pytest.mark.parametrize("restarts", [FEW, pytest.param(MANY, marks=pytest.mark.test_all)])
@pytest.mark.parametrize("platform", DEFAULT_PLATFORM, ids=str, indirect=True)
@pytest.mark.timeout(1800)
def test_no_class_of_a_job_is_kept_when_it_has_ended(
    install: Install, dropin_jar: Path, jobs_jar: Path, tmp_path: Path, restarts: int
) -> None:
    with install(tmp_path / "flink", [dropin_jar]) as flink:
        flink.start_cluster()
        (pid,) = flink.task_managers()
        kept = list(restart_job(flink, jobs_jar, restarts, tmp_path / "runs", samples=2))
        ended = eventually(lambda: look(pid, restarts).loaders == 0, SECONDS, pause=1)
        # By lines: a name comes again when its class is gone.
        log = (flink.home / "log" / f"classes.{pid}.txt").read_text().splitlines()
        # While a job runs, it is seen.
        arguments = (tmp_path / "one-more.txt", "4000", "5")
        job = RunningJob.submit_without_client(flink, jobs_jar, "RestartJob", *arguments)
        seen = eventually(lambda: look(pid, 1).generated >= CLASSES, SECONDS, pause=1)
        loaders = look(pid, 1).loaders
        job.wait_for_end()

    assert ended, kept
    assert len([line for line in log if "$FlinkBoostAccess/0x" in line]) >= CLASSES * restarts
    half, end = kept
    if restarts == MANY:  # fewer take less than the JVM's own classes may
        assert end.metaspace_kib - half.metaspace_kib < GROWTH_KIB, kept
    assert seen
    assert loaders == 1
