"""Flink's published example jobs that end by themselves write what they write on stock."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from flink_installation import FlinkInstallation, Install, Platform, run_example
from installations import private_copy

from flink_boost.cli.main import main
from flink_boost.flink.distribution import ensure_example
from flink_boost.flink.jdks import java_home
from flink_boost.flink.lines import Line

CODEC = "org.apache.flink.boost.strings.StringWriter"

pytestmark = pytest.mark.in_full_form_only


@pytest.mark.timeout(1800)
def test_examples_write_what_they_write_on_stock(
    line: Line, install: Install, dropin_jar: Path, tmp_path: Path
) -> None:
    jobs = {name: ensure_example(line, name) for name in line.examples}

    def run_all(flink: FlinkInstallation) -> dict[str, list[str]]:
        flink.start_cluster()
        return {name: run_example(flink, jobs[name], flink.home / "tmp" / name) for name in jobs}

    with (
        install(tmp_path / "flink-stock") as stock,
        install(tmp_path / "flink-patched", [dropin_jar]) as patched,
        ThreadPoolExecutor() as pool,
    ):
        on_stock, on_patched = pool.map(run_all, (stock, patched))
        (task_manager,) = patched.task_managers()
        loaded = patched.loaded_by(task_manager)

    assert on_patched == on_stock
    assert len(on_stock) == len(line.examples) > 0
    assert all(len(lines) > 1 for lines in on_stock.values()), on_stock
    assert loaded[CODEC] == dropin_jar.name


@pytest.mark.timeout(1800)
def test_verify_runs_its_job_on_every_platform(
    platform: Platform,
    distribution: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    home = private_copy(distribution, tmp_path / "flink")
    monkeypatch.setenv("JAVA_HOME", str(java_home(platform.jdk)))
    assert main(["install", str(home)]) == 0
    capsys.readouterr()

    exit_code = main(["verify", str(home), "--job", "--json"])

    answer = json.loads(capsys.readouterr().out)
    assert exit_code == 0, answer
    assert [c["name"] for c in answer["checks"] if not c["passed"]] == []
    job = answer["checks"][-1]
    assert job["name"] == "job"
    assert " lines with our codec, the same as without the jar." in job["detail"]
