"""A flame graph of a TaskManager that runs a job, as an operator takes it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from exchange import Exchange, all_pairs
from flink_installation import PLATFORMS, Install, eventually

from flink_boost.flink.stacks import MARK

CURRENT = [platform for platform in PLATFORMS if str(platform) == "2.3.0-jdk17"]
COMMAND = Path(sys.executable).with_name("flink-boost")
SLOTS = {"taskmanager.numberOfTaskSlots": "4"}


def flame(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(COMMAND), "flame", *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


@pytest.mark.parametrize("platform", CURRENT, ids=str, indirect=True)
def test_a_running_task_manager_is_profiled_and_goes_on(
    install: Install, jobs_jar: Path, dropin_jar: Path, tmp_path: Path
) -> None:
    with install(tmp_path / "flink", [dropin_jar], options=SLOTS) as flink:
        flink.start_cluster()
        run = Exchange.start(flink, jobs_jar, tmp_path / "job", all_pairs(), rounds=1_000_000)
        assert eventually(lambda: run.job.state() == "RUNNING", 120)
        (pid,) = flink.task_managers()
        out = tmp_path / "flames"
        answer = flame("--cluster", flink.home, "--seconds", "3", "--json", "--out", out)
        assert answer.returncode == 0, answer.stderr + answer.stdout
        (found,) = json.loads(answer.stdout)["flames"]
        assert found["pid"] == pid
        page = Path(found["page"]).read_text(encoding="utf-8")
        # Names are packed; a mark beyond the legend is one in the picture.
        assert f"{MARK} marks methods" in page
        assert page.count(MARK) > 1
        assert 0 < found["ours"] < 1
        assert len(found["top"]) == 5

        # By its number, of allocations: the profiler is in the process already.
        again = flame(str(pid), "--seconds", "1", "--event", "alloc", "--out", out)
        assert again.returncode == 0, again.stderr
        assert (out / f"flame-{pid}-alloc.html").is_file()
        assert "file://" in again.stdout
        assert run.job.state() == "RUNNING"
        assert flink.task_managers() == [pid]
        flink.run("taskmanager.sh", "stop-all", seconds=60)
        assert eventually(lambda: not flink.task_managers(), 60)
        stopped = flame("--cluster", flink.home)
        assert stopped.returncode == 23
        assert "No TaskManager runs from" in stopped.stderr
