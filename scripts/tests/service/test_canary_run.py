"""A canary is frozen, measured, judged by its own nights, and uploaded apart.

Needs what ``make build`` leaves.
"""

from __future__ import annotations

import json
import shutil
from datetime import timedelta
from pathlib import Path

import pytest
from jmh_java import BY_DOUBLE_AND_JMH
from stored_runs import complete_run_ids

from flink_boost.base.places import PROJECT_ROOT
from flink_boost.cli.main import main
from flink_boost.flink.lines import default_line
from flink_boost.judge.series import build_series
from flink_boost.measure import frozen_canary, store
from flink_boost.measure.history import load_history
from flink_boost.measure.model import Purpose
from flink_boost.publish.codespeed import entries_of
from flink_boost.service.nightly.canary_night import reading_of

LINE = default_line()

pytestmark = [pytest.mark.needs_jars, pytest.mark.usefixtures("jmh")]


@pytest.fixture
def frozen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A build folder with a canary of one short benchmark."""
    monkeypatch.setenv("FLINK_BOOST_MACHINE_LOCK", str(tmp_path / "lock" / "measuring.lock"))
    build = tmp_path / "build"
    jars = sorted((PROJECT_ROOT / "build" / "jars").glob(f"flink-boost-{LINE}-*.jar"))
    old = tmp_path / "older" / jars[-1].name
    old.parent.mkdir()
    shutil.copyfile(jars[-1], old)
    assert main(["--build", str(build), "canary", "run"]) == 2
    assert (
        main(["--build", str(build), "canary", "freeze", LINE, str(old), "--group", "smoke"]) == 0
    )
    # Of the smoke group one cell is enough.
    kept = frozen_canary.load(build, LINE)
    assert kept is not None
    short = kept.model_copy(update={"cells": kept.cells[:1], "timings": kept.timings[:1]})
    manifest = frozen_canary.folder_of(build, LINE) / "canary.json"
    manifest.write_text(short.model_dump_json())
    old.unlink()
    return build


@BY_DOUBLE_AND_JMH
def test_a_night_of_the_canary(frozen: Path, capsys: pytest.CaptureFixture[str], by: str) -> None:
    capsys.readouterr()
    run = ["--build", str(frozen), "canary", "run", "--json"]
    assert main(run) == 0
    answer = json.loads(capsys.readouterr().out)
    assert (answer["moved"], answer["ratio"], answer["nights"]) == (False, None, 0)
    results = frozen / "results"
    (run_id,) = complete_run_ids(results)
    assert answer["run_id"] == run_id
    assert run_id.endswith(f"-{LINE}-canary")

    info = store.load_run(results, run_id)
    assert info.purpose is Purpose.CANARY
    logs = [path.read_text() for path in (results / run_id / "forks").glob("*.log")]
    assert len(logs) == 2
    # Both sides ran from the frozen files: not from what is built here.
    forks = [json.loads(path.read_text()) for path in (results / run_id / "forks").glob("*.json")]
    assert len(forks) == 2

    assert main(["--build", str(frozen), "bench", "--resume", run_id]) == 2
    assert "canary run --line" in capsys.readouterr().err

    # The same night again measures nothing; a fork that was lost is measured again.
    before = sorted(results.glob("*/forks/*.json"))
    assert main(run) == 0
    assert sorted(results.glob("*/forks/*.json")) == before
    (results / run_id / "complete").unlink()
    before[0].unlink()
    assert main(run) == 0
    assert complete_run_ids(results) == (run_id,)
    assert sorted(results.glob("*/forks/*.json")) == before

    # It is no point of the product's trend, and has a branch of its own.
    summary = load_history(results).runs[0]
    assert build_series([summary]) == ()
    assert {one.branch for entry in entries_of(summary, None) for one in entry.results} == {
        "canary"
    }

    # Twelve nights before it, in which the box was four times as fast.
    for night in range(1, 13):
        _copy_of(results, run_id, night, faster=4 * (1 + 0.001 * (night % 3)))
    reading = reading_of(results, run_id)
    assert reading.moved
    assert "the speed of frozen stock" in reading.reason
    assert reading.ratio == pytest.approx(0.25, rel=0.05)
    capsys.readouterr()
    assert main(run) == 34
    assert json.loads(capsys.readouterr().out)["moved"] is True
    assert main(["--build", str(frozen), "canary", "show"]) == 0
    shown = capsys.readouterr().out
    assert f"{run_id}  moved" in shown
    assert shown.count("steady") == 2
    assert shown.count("learning") == 10

    # A file that is not what was frozen stops it.
    paths = frozen_canary.folder_of(frozen, LINE) / "files"
    next(iter(paths.glob("*/flink-core-*.jar"))).write_bytes(b"another")
    assert main(run) == 3


def _copy_of(results: Path, run_id: str, nights_ago: int, faster: float) -> None:
    """The same run as it would have been so many nights ago on a faster box."""
    info = store.load_run(results, run_id)
    started = info.started - timedelta(days=nights_ago)
    copy = f"{started:%Y%m%dT%H%M%SZ}-{LINE}-canary"
    shutil.copytree(results / run_id, results / copy)
    (results / copy / "summary.json").unlink()
    old = info.model_copy(update={"run_id": copy, "started": started})
    (results / copy / "run.json").write_text(old.model_dump_json())
    for path in (results / copy / "forks").glob("*.json"):
        (result,) = json.loads(path.read_text())
        metric = result["primaryMetric"]
        metric["score"] /= faster
        metric["rawData"] = [[value / faster for value in fork] for fork in metric["rawData"]]
        path.write_text(json.dumps([result]))
