"""The jar goes in and out under a running job, one TaskManager after the other."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from exchange import SLOTS, Exchange, all_pairs
from flink_installation import (
    ONE_PER_LINE,
    START_SECONDS,
    FlinkInstallation,
    Install,
    Platform,
    eventually,
)
from running_job import checkpoint_options
from string_state import differences
from texts import shown

from flink_boost.cli.main import main
from flink_boost.flink.jdks import java_home
from flink_boost.flink.lines import Line

STRING_VALUE = "org.apache.flink.types.StringValue"
JOB_MANAGER = "StandaloneSessionClusterEntrypoint"
TASK_MANAGER = "TaskManagerRunner"
ROUNDS = 20
PAUSE_MILLIS = 40

pytestmark = pytest.mark.in_full_form_only


@pytest.mark.parametrize("platform", ONE_PER_LINE, ids=str, indirect=True)
@pytest.mark.timeout(1800)
def test_a_job_lives_through_a_rolling_swap_and_its_undoing(
    platform: Platform,
    line: Line,
    install: Install,
    dropin_jar: Path,
    jobs_jar: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("JAVA_HOME", str(java_home(platform.jdk)))
    options = {**checkpoint_options(line, "rocksdb", tmp_path), **SLOTS}

    def call(*arguments: str) -> dict[str, Any]:
        capsys.readouterr()
        main([*arguments, str(flink.home), "--json"])
        answer: dict[str, Any] = json.loads(capsys.readouterr().out)
        return answer

    def to_restart() -> list[str]:
        findings = call("doctor")["findings"]
        return sorted(f["text"].split()[0] for f in findings if f["next_step"].startswith("Rest"))

    with install(tmp_path / "flink", options=options) as flink:
        flink.start_cluster()
        flink.start_task_manager("two")
        assert eventually(lambda: flink.slots() == 4, START_SECONDS)
        run = Exchange.start(
            flink,
            jobs_jar,
            tmp_path / "run",
            all_pairs(),
            rounds=ROUNDS,
            pause_millis=PAUSE_MILLIS,
        )
        run.job.wait_for_checkpoints(1)

        assert call("install", "--rolling")["action"] == "installed"
        assert to_restart() == [JOB_MANAGER, TASK_MANAGER, TASK_MANAGER]
        swapped = []
        for count, name in enumerate(("test", "two")):
            swapped.append(restart_under(run, flink, name))
            assert to_restart() == [JOB_MANAGER, TASK_MANAGER][: 2 - count]
        assert origins(flink, swapped) == {dropin_jar.name}

        assert call("uninstall", "--rolling")["action"] == "removed"
        assert to_restart() == [TASK_MANAGER, TASK_MANAGER]
        undone = [restart_under(run, flink, name) for name in ("test", "two")]
        assert to_restart() == []
        assert origins(flink, undone) == {flink.dist.name}
        assert run.job.restored() >= 4
        run.release()

    assert not run.miscounted(), "\n".join(run.miscounted().values())
    found = differences(run.counted(), run.expected())
    assert not found, (len(found), shown(found))
    assert {pid for route in run.routes() for pid in route} == set(undone)


def restart_under(run: Exchange, flink: FlinkInstallation, name: str) -> int:
    """Restarts one TaskManager, and waits until the job goes on with it; its process id."""
    before = run.job.restored()
    flink.stop_task_manager(name)
    pid = flink.start_task_manager(name)
    run.job.wait_for_recovery(before)
    assert pid in flink.task_managers()
    return pid


def origins(flink: FlinkInstallation, pids: list[int]) -> set[str]:
    """The jars that these processes took ``StringValue`` from."""
    return {flink.loaded_by(pid)[STRING_VALUE] for pid in pids}
