"""What the dashboard is told of changes, and what becomes of its answers."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import httpx
import pytest
from dashboard_process import dashboard
from failing_codespeed import TOKEN, answer, failing_codespeed
from stored_runs import store_complete_run
from synthetic import JOB, WRITE, make_forks, make_run

from flink_boost.base.errors import UploadFailed
from flink_boost.cli.main import main
from flink_boost.flink.side import Side
from flink_boost.judge.series import build_series
from flink_boost.judge.trend import TrendKind, detect
from flink_boost.measure.fork import Fork
from flink_boost.measure.model import RunInfo
from flink_boost.measure.summary import summarise
from flink_boost.publish import liveness
from flink_boost.publish.alarm_upload import alarm_sheet, send_alarms
from flink_boost.publish.codespeed import commit_id
from flink_boost.publish.target import Target
from flink_boost.publish.upload import RetryPolicy, make_client

NOW = datetime(2026, 4, 1, tzinfo=UTC)
NIGHTS, FIRST_SLOW = 16, 13


def night(number: int) -> tuple[RunInfo, tuple[Fork, ...]]:
    """A night; from FIRST_SLOW on patched writes take a tenth more."""
    run = make_run(number)
    forks = make_forks(run, noise=0.004, seed=number)
    if number < FIRST_SLOW:
        return run, forks
    slower = tuple(
        fork.model_copy(update={"score": fork.score * 1.1})
        if fork.side is Side.PATCHED and fork.cell == WRITE
        else fork
        for fork in forks
    )
    return run, slower


NIGHT_BY_NIGHT = [night(number) for number in range(NIGHTS)]
RUNS = {run.run_id: run for run, _ in NIGHT_BY_NIGHT}


def test_a_change_is_told_by_the_dashboards_names() -> None:
    verdicts = detect(build_series(summarise(run, forks) for run, forks in NIGHT_BY_NIGHT))
    sheet = alarm_sheet(verdicts, RUNS, NOW)
    assert sheet.boxes == ("box-1",)
    (alarm,) = sheet.alarms
    assert (alarm.benchmark, alarm.executable) == ("write.ascii.16", "patched 2.3.0")
    assert alarm.kind == "regression"
    assert alarm.effect == pytest.approx(1 / 1.1, rel=0.02)
    assert alarm.low is not None
    assert alarm.high is not None
    assert alarm.low < alarm.effect < alarm.high < 1
    runs = list(RUNS.values())
    assert alarm.before == commit_id(runs[FIRST_SLOW - 1])
    assert alarm.since == commit_id(runs[FIRST_SLOW])
    assert alarm.nights == NIGHTS - FIRST_SLOW
    assert alarm.command.endswith("'StringSerializationBenchmark.write[length=16,kind=ascii]'")
    assert "--group spine --line 2.3.0 --jdk 17" in alarm.command
    assert {one.kind for one in verdicts if one.cell == JOB} == {TrendKind.STEADY}


def test_the_interval_of_a_step_is_welchs() -> None:
    verdicts = detect(build_series(summarise(run, forks) for run, forks in NIGHT_BY_NIGHT))
    (change,) = [one.change for one in verdicts if one.cell == WRITE]
    assert change is not None
    assert change.low is not None
    assert change.high is not None
    # The noise of a night's mean over 5 pairs is a few tenths of a per cent.
    assert 0.001 < change.high - change.low < 0.03


def test_quick_looks_are_no_alarms() -> None:
    runs = [make_run(number, quick_look=True) for number in range(NIGHTS)]
    forks = [forks for _, forks in NIGHT_BY_NIGHT]
    verdicts = detect(build_series(map(summarise, runs, forks)))
    assert any(one.change for one in verdicts)
    sheet = alarm_sheet(verdicts, {run.run_id: run for run in runs}, NOW)
    assert (sheet.boxes, sheet.alarms) == ((), ())


@pytest.mark.parametrize(
    ("status", "words"),
    [(401, "does not take the token"), (404, "404"), (500, "500"), (200, "200")],
)
def test_any_other_answer_is_a_failure_with_the_next_step(status: int, words: str) -> None:
    sheet = alarm_sheet((), {}, NOW)
    with failing_codespeed(default=answer(status)) as server:
        target = Target(server.url, TOKEN)
        with (
            make_client(target, RetryPolicy()) as client,
            pytest.raises(UploadFailed, match=words) as failed,
        ):
            send_alarms(sheet, target, client)
    assert failed.value.next_step
    assert TOKEN not in str(failed.value)


def test_a_server_that_is_not_there_is_a_failure() -> None:
    target = Target("http://127.0.0.1:9/", TOKEN)
    with (
        make_client(target, RetryPolicy()) as client,
        pytest.raises(UploadFailed, match="could not be sent"),
    ):
        send_alarms(alarm_sheet((), {}, NOW), target, client)


def test_detect_tells_the_dashboard(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    build = tmp_path / "build"
    for run, forks in NIGHT_BY_NIGHT:
        store_complete_run(build / "results", run, forks)
    with dashboard(build) as data:
        running = liveness.find_running(data)
        assert running is not None
        code = main(["--build", str(build), "detect", "--send", "--url", running.url])
        shown = httpx.get(f"{running.url}alarms/", timeout=30).json()
        page = httpx.get(running.url, timeout=30).text
    told = capsys.readouterr()
    assert code == 0, told.err
    assert "Told the dashboard of 1 change." in told.out
    (box,) = shown["boxes"]
    assert [one["benchmark"] for one in box["alarms"]] == ["write.ascii.16"]
    assert "write.ascii.16" in page
