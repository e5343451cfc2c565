"""Runs of ``StateJob``, each from a savepoint to the next one."""

from __future__ import annotations

from pathlib import Path

from flink_installation import FlinkInstallation
from running_job import RunningJob


def run_state_job(
    flink: FlinkInstallation,
    jar: Path,
    savepoint: str,
    commanded: list[str],
    folder: Path,
    *,
    with_client: bool = True,
    native: bool = False,
) -> None:
    """From a savepoint to the next one, which is left in ``savepoint`` of the folder.

    ``native``: the savepoint is in the backend's own form.
    The client's scripts and JVMs take longer than the job: ``with_client`` is for some of the runs.
    """
    folder.mkdir(parents=True)
    lines = (f"{command}\n" for command in commanded)
    (folder / "commands.txt").write_text("".join(lines))
    submit = RunningJob.submit if with_client else RunningJob.submit_without_client
    job = submit(flink, jar, "StateJob", folder, savepoint=savepoint)
    job.wait_for_file(folder / "ready")
    # All commands have done their work when the savepoint is complete.
    if with_client:
        job.stop_with_savepoint(folder / "savepoint", native=native)
    else:
        job.stop_without_client(folder / "savepoint", native=native)


def savepoint_of(folder: Path) -> str:
    (savepoint,) = (folder / "savepoint").iterdir()
    return savepoint.as_uri()
