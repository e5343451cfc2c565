"""Swapping the jar in and out under a running cluster, one process after the other."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from flink_installation import (
    PLATFORMS,
    START_SECONDS,
    FlinkInstallation,
    Install,
    count_words,
    eventually,
)

from flink_boost.base.errors import FlinkRunning
from flink_boost.cli.main import main
from flink_boost.flink.jdks import java_home

CURRENT = [platform for platform in PLATFORMS if str(platform) == "2.3.0-jdk17"]
JOB_MANAGER = "StandaloneSessionClusterEntrypoint"
TASK_MANAGER = "TaskManagerRunner"


@pytest.mark.parametrize("platform", CURRENT, ids=str, indirect=True)
def test_a_cluster_is_swapped_process_by_process_and_back(
    install: Install,
    word_count: Path,
    stock_counts: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("JAVA_HOME", str(java_home(17)))

    def call(*arguments: str) -> dict[str, Any]:
        capsys.readouterr()
        main([*arguments, str(flink.home), "--json"])
        answer: dict[str, Any] = json.loads(capsys.readouterr().out)
        return answer

    def to_restart() -> set[str]:
        findings = call("doctor")["findings"]
        return {f["text"].split()[0] for f in findings if f["next_step"].startswith("Restart")}

    with install(tmp_path / "flink") as flink:
        flink.start_cluster()
        refused = call("install")
        assert refused["exit_code"] == FlinkRunning.exit_code
        assert JOB_MANAGER in refused["error"]
        assert TASK_MANAGER in refused["error"]

        assert call("install", "--rolling")["action"] == "installed"
        assert to_restart() == {JOB_MANAGER, TASK_MANAGER}
        restart(flink, "taskmanager.sh")
        assert to_restart() == {JOB_MANAGER}
        # The JobManager is stock's, client and TaskManager have our classes.
        assert count_words(flink, word_count, tmp_path / "mixed") == stock_counts
        assert "mode on" in flink.log("taskexecutor")
        assert "flink-boost" not in flink.log("standalonesession")

        assert call("uninstall")["exit_code"] == FlinkRunning.exit_code
        assert call("uninstall", "--rolling")["action"] == "removed"
        assert to_restart() == {TASK_MANAGER}
        restart(flink, "taskmanager.sh")
        assert to_restart() == set()


def restart(flink: FlinkInstallation, script: str) -> None:
    """Stops one process of a cluster, starts it again, and waits until a slot is offered."""
    before = set(flink.daemons())
    assert flink.run(script, "stop", seconds=START_SECONDS).exit_code == 0
    assert eventually(lambda: len(flink.daemons()) == 1, START_SECONDS)
    assert flink.run(script, "start", seconds=START_SECONDS).exit_code == 0
    # The JobManager answers before its TaskManager has found it again.
    assert eventually(lambda: len(set(flink.daemons()) - before) == 1, START_SECONDS)
    assert eventually(lambda: flink.slots() > 0, START_SECONDS), flink.everything_logged()
