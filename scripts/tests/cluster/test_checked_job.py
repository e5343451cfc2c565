"""A job whose records are held against stock's as it runs, and what doctor reads of it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from exchange import Exchange, all_pairs
from flink_installation import PLATFORMS, FlinkInstallation, Install, Platform, eventually
from record_state import RecordState, record_commands
from running_job import checkpoint_options
from state_runs import run_state_job, savepoint_of
from string_state import written_down

from flink_boost.cli.main import main
from flink_boost.flink.jdks import java_home

CURRENT = [platform for platform in PLATFORMS if str(platform) == "2.3.0-jdk17"]
SLOTS = {"taskmanager.numberOfTaskSlots": "4"}
STRING = "StringSerializer"
CHECK = "-Dflink.boost.records=check"
PAIR = f"org.apache.flink.api.java.tuple.Tuple3 ({STRING}, {STRING}, {STRING})"


def told_by_doctor(flink: FlinkInstallation, capsys: pytest.CaptureFixture[str]) -> list[str]:
    capsys.readouterr()
    main(["doctor", str(flink.home), "--json"])
    findings = json.loads(capsys.readouterr().out)["findings"]
    return [f["text"] for f in findings if " told last: checked " in f["text"]]


@pytest.mark.test_all
@pytest.mark.parametrize("platform", CURRENT, ids=str, indirect=True)
def test_records_in_state_are_checked_and_equal(
    platform: Platform,
    install: Install,
    jobs_jar: Path,
    evolved_jobs_jar: Path,
    dropin_jar: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Written, and read again by classes that have changed."""
    monkeypatch.setenv("JAVA_HOME", str(java_home(17)))
    options = {
        **checkpoint_options(platform.line, "rocksdb", tmp_path),
        "taskmanager.numberOfTaskSlots": "2",
    }
    expected = RecordState()
    changes = record_commands(0)
    for change in changes:
        expected.keep(*change.split(",")[1:])
    with install(tmp_path / "flink", [dropin_jar], CHECK, options) as flink:
        flink.start_cluster()
        run_state_job(flink, jobs_jar, "", changes, tmp_path / "first")
        found = told_by_doctor(flink, capsys)
        expected.restore(evolved=True)
        savepoint = savepoint_of(tmp_path / "first")
        run_state_job(flink, evolved_jobs_jar, savepoint, expected.finds(), tmp_path / "last")
        found += told_by_doctor(flink, capsys)
        log = flink.log("taskexecutor")
    written = written_down(tmp_path / "last")
    assert [line for line in written if line.startswith("record-")] == expected.lines()
    for kind in ("Purchase", "Visit", "Address", "Tuple3", "Row"):
        assert any(kind in text for text in found), (kind, found)
    assert [text for text in found if not text.endswith(": equal.")] == []
    assert f"records on, checked by {CHECK}" in log
    assert "ERROR" not in log
    assert "flink-boost does not" not in log


@pytest.mark.parametrize("platform", CURRENT, ids=str, indirect=True)
def test_a_job_is_checked_and_doctor_tells_it(
    install: Install,
    jobs_jar: Path,
    dropin_jar: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("JAVA_HOME", str(java_home(17)))
    with install(tmp_path / "flink", [dropin_jar], CHECK, SLOTS) as flink:

        def told() -> list[str]:
            return told_by_doctor(flink, capsys)

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
        assert f"records on, checked by {CHECK}" in log
        assert f" records of {PAIR}: equal" in log
        assert "flink-boost does not" not in log
