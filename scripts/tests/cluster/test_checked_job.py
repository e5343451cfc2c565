"""A job whose records are held against stock's as it runs, and what doctor reads of it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from exchange import Exchange, all_pairs
from flink_installation import PLATFORMS, Install, eventually

from flink_boost.cli.main import main
from flink_boost.flink.jdks import java_home

CURRENT = [platform for platform in PLATFORMS if str(platform) == "2.3.0-jdk17"]
SLOTS = {"taskmanager.numberOfTaskSlots": "4"}
STRING = "StringSerializer"
PAIR = f"org.apache.flink.api.java.tuple.Tuple3 ({STRING}, {STRING}, {STRING})"


@pytest.mark.parametrize("platform", CURRENT, ids=str, indirect=True)
@pytest.mark.timeout(600)
def test_a_job_is_checked_and_doctor_tells_it(
    install: Install,
    jobs_jar: Path,
    dropin_jar: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("JAVA_HOME", str(java_home(17)))
    check = "-Dflink.boost.records=check"
    with install(tmp_path / "flink", [dropin_jar], check, SLOTS) as flink:

        def told() -> list[str]:
            capsys.readouterr()
            main(["doctor", str(flink.home), "--json"])
            findings = json.loads(capsys.readouterr().out)["findings"]
            return [f["text"] for f in findings if " told last: checked " in f["text"]]

        flink.start_cluster()
        run = Exchange.start(flink, jobs_jar, tmp_path / "job", all_pairs(), rounds=200)
        assert eventually(lambda: any(PAIR in text for text in told()), 300)
        run.release()
        assert run.counted() == run.expected()
        (pid,) = flink.task_managers()
        found = told()
        assert found
        for text in found:
            assert text.startswith(f"TaskManagerRunner (pid {pid}) told last: checked ")
            assert text.endswith(": equal.")
        log = flink.log("taskexecutor")
        assert f"records on, checked by {check}" in log
        assert f" records of {PAIR}: equal" in log
        assert "flink-boost does not" not in log
