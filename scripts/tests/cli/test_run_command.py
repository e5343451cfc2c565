"""`flink-boost run`: goes on with an interrupted quick look and publishes it, whatever fails.

Needs the benchmarks and the drop-in jar of `make build`. Nothing is measured here: the forks of the
interrupted run are all there, only its end is missing.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import socket
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from failing_codespeed import TOKEN, FailingCodespeed, failing_codespeed
from stored_runs import store_complete_run
from synthetic import make_forks

from flink_boost import __version__
from flink_boost.base.places import PROJECT_ROOT
from flink_boost.flink.jdks import ask_jdk, find_java
from flink_boost.flink.lines import Line, default_line, find_line
from flink_boost.measure import classpaths, run_plan, store
from flink_boost.measure.box import describe_box
from flink_boost.measure.groups import Group, find_group, load_groups
from flink_boost.measure.model import Box, Mode, RunInfo
from flink_boost.publish import liveness
from flink_boost.publish.quick_look import GROUP, SIDES, find_interrupted

pytestmark = pytest.mark.needs_jars

JAR = f"flink-boost-{default_line()}-{__version__}.jar"


@pytest.fixture
def build(tmp_path: Path) -> Path:
    """A build folder with the real drop-in jar and nothing else."""
    (tmp_path / "jars").mkdir()
    shutil.copy(PROJECT_ROOT / "build" / "jars" / JAR, tmp_path / "jars" / JAR)
    return tmp_path


@pytest.fixture(scope="module")
def box() -> Box:
    return describe_box(ask_jdk(find_java(None, dict(os.environ))))


@pytest.fixture
def group() -> Group:
    return find_group(load_groups(), GROUP)


@pytest.fixture
def line() -> Line:
    return find_line(default_line())


@pytest.fixture
def interrupted(build: Path, box: Box, group: Group, line: Line) -> RunInfo:
    """A quick look of this checkout that was killed just before its end."""
    info = run_plan.plan_run(
        run_id="20260301T223005Z-2.3.0",
        started=datetime(2026, 3, 1, 22, 30, 5, tzinfo=UTC),
        group=group,
        line=line,
        sides=SIDES,
        pairs=group.pairs,
        opened=True,
        extra_options=(),
        class_paths=classpaths.find_class_paths(line, build, __version__, SIDES),
        box=box,
        commit=run_plan.current_commit(),
        version=__version__,
    )
    modes = [Mode.AVERAGE_TIME] * len(info.cells)
    folder = store_complete_run(
        build / "results", info, make_forks(info, ratio=2.0, noise=0.01, modes=modes)
    )
    (folder / "complete").unlink()
    return info


def run_command(build: Path, *options: str, **environ: str) -> subprocess.CompletedProcess[str]:
    inherited = {key: value for key, value in os.environ.items() if "FLINK_BOOST" not in key}
    return subprocess.run(
        [sys.executable, "-m", "flink_boost.cli", "--build", str(build), "run", *options],
        env=inherited | environ,
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )


def failing_java(path: Path) -> Path:
    """A java whose forks of JMH end at once."""
    path.write_text(
        '#!/bin/sh\ncase "$*" in *org.openjdk.jmh.Main*) echo it broke; exit 3 ;; esac\n'
        'exec java "$@"\n'
    )
    path.chmod(0o755)
    return path


def reach(server: FailingCodespeed) -> dict[str, str]:
    return {"FLINK_BOOST_CODESPEED_URL": server.url, "FLINK_BOOST_TOKEN": TOKEN}


def test_it_goes_on_publishes_and_names_report_and_dashboard(
    build: Path, interrupted: RunInfo
) -> None:
    try:
        done = run_command(build, "--port", "0")
        assert done.returncode == 0, done.stderr
        running = liveness.find_running(build / "codespeed")
        assert running is not None, "the dashboard stays"
    finally:
        liveness.stop(build / "codespeed")
    assert f"Going on with {interrupted.run_id}, which was interrupted." in done.stderr
    assert "Sent 2 results" in done.stderr
    assert "serializerHeavyString" in done.stdout
    assert re.search(r"\b(1\.9|2\.0)\dx", done.stdout)
    assert f"Report:    {(build / 'report' / 'index.html').as_uri()}" in done.stdout
    assert f"Dashboard: {running.url}" in done.stdout
    assert "Learning: 1 run so far" in done.stdout
    page = (build / "report" / "index.html").read_text(encoding="utf-8")
    assert "Quick look." in page
    assert page.count("<svg") == len(interrupted.cells)


def test_it_begins_a_quick_look_where_none_was_interrupted(build: Path, group: Group) -> None:
    """As after a fresh checkout; the forks end at once, so that nothing is measured."""
    java = failing_java(build / "java")
    with failing_codespeed() as server:
        done = run_command(build, "--java", str(java), **reach(server))
    assert done.returncode == 6, done.stderr
    assert "forks failed. They are: " in done.stderr
    assert "Going on with" not in done.stderr
    (run_id,) = store.run_ids(build / "results")
    info = store.load_run(build / "results", run_id)
    assert (info.group, info.line, info.pairs) == (GROUP, default_line(), group.pairs)
    assert (info.heap, info.threads, info.opened) == ("", 1, True)
    assert (info.sides, info.quick_look) == (SIDES, True)
    assert len(info.cells) > 1


@pytest.mark.test_all
def test_both_answer_a_program_with_one_object(build: Path, interrupted: RunInfo) -> None:
    with failing_codespeed() as server:
        done = run_command(build, "--json", **reach(server))
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    assert (answer["ok"], answer["run"], answer["problems"]) == (True, interrupted.run_id, [])
    assert answer["dashboard"] == server.url
    assert Path(answer["report"]).is_file()
    assert {one["kind"] for one in answer["trends"]} == {"learning"}
    assert "serializerHeavyString" in done.stderr
    refused = run_command(build, "--json", "--line", "1.0.0")
    assert refused.returncode == 2
    told = json.loads(refused.stdout)
    assert (told["ok"], told["exit_code"]) == (False, refused.returncode)
    assert told["error"]

    bench = subprocess.run(
        [
            *(sys.executable, "-m", "flink_boost.cli", "--build", str(build)),
            *("bench", "--resume", interrupted.run_id, "--json"),
        ],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert bench.returncode == 0, bench.stderr
    measured = json.loads(bench.stdout)
    assert (measured["command"], measured["ok"]) == ("bench", True)
    assert measured["run"]["run_id"] == interrupted.run_id
    assert len(measured["comparisons"]) == len(interrupted.cells)


def test_a_failed_fork_is_a_gap_the_rest_is_published_and_the_next_call_repairs_it(
    build: Path, interrupted: RunInfo
) -> None:
    lost, *_ = (build / "results" / interrupted.run_id / "forks").glob("p01.stock.*.json")
    whole = lost.read_bytes()
    lost.unlink()
    java = failing_java(build / "java")
    with failing_codespeed() as server:
        done = run_command(build, "--java", str(java), **reach(server))
        assert done.returncode == 6, done.stderr
        assert "1 of 48 forks failed. They are: " in done.stderr
        assert f"Run {interrupted.run_id} has gaps: 1 of 48 forks are missing" in done.stderr
        assert "Report:" in done.stdout
        assert len(server.stored) == 3 * len(interrupted.cells)
        # The repair, without measuring: the fork is there again.
        lost.write_bytes(whole)
        again = run_command(build, "--java", str(java), **reach(server))
        assert again.returncode == 0, again.stderr
        assert f"Going on with {interrupted.run_id}" in again.stderr
        assert len(server.stored) == 3 * len(interrupted.cells)
        assert set(server.times_stored.values()) == {2}
    assert store.state(build / "results", interrupted.run_id) is store.RunState.COMPLETE


def test_with_a_busy_port_it_ends_with_code_4_and_its_report(
    build: Path, interrupted: RunInfo
) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = str(other.getsockname()[1])
        done = run_command(build, "--port", port)
    assert done.returncode == 4
    assert f"Port {port}" in done.stderr
    assert "flink-boost upload" in done.stderr
    assert "Traceback" not in done.stderr
    assert "Report:" in done.stdout
    assert (build / "report" / "index.html").exists()
    with failing_codespeed() as server:
        later = subprocess.run(
            [sys.executable, "-m", "flink_boost.cli", "--build", str(build), "upload"],
            env=os.environ | reach(server),
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert later.returncode == 0, later.stderr
        assert len(server.stored) == 3 * len(interrupted.cells)


@pytest.mark.parametrize(
    "change",
    [
        {"commit": "0" * 40},
        {"pairs": 99},
        {"jvm_options": ("-Xmx1g",)},
        {"opened": False},
        {"dropin_sha256": "0" * 64},
        {"group": "spine"},
        {"timings": ()},
    ],
    ids=lambda change: next(iter(change)),
)
def test_another_plan_is_not_gone_on_with(
    build: Path,
    interrupted: RunInfo,
    box: Box,
    group: Group,
    line: Line,
    change: dict[str, Any],
) -> None:
    results, commit = build / "results", interrupted.commit
    assert find_interrupted(results, build, group, line, box, commit) == interrupted.run_id
    other = interrupted.model_copy(update=change)
    (results / interrupted.run_id / "run.json").write_text(other.model_dump_json())
    assert find_interrupted(results, build, group, line, box, commit) is None


def test_a_complete_or_damaged_run_is_not_gone_on_with(
    build: Path, interrupted: RunInfo, box: Box, group: Group, line: Line
) -> None:
    results, commit = build / "results", interrupted.commit
    fork = next((results / interrupted.run_id / "forks").glob("*.json"))
    whole = fork.read_bytes()
    fork.write_bytes(whole[:100])
    # A damaged fork is measured again; a damaged plan cannot be gone on with.
    assert find_interrupted(results, build, group, line, box, commit) == interrupted.run_id
    fork.write_bytes(whole)
    plan_file = results / interrupted.run_id / "run.json"
    planned = plan_file.read_bytes()
    plan_file.write_bytes(planned[:100])
    assert find_interrupted(results, build, group, line, box, commit) is None
    plan_file.write_bytes(planned)
    (results / interrupted.run_id / "abandoned").touch()
    assert find_interrupted(results, build, group, line, box, commit) is None
    (results / interrupted.run_id / "abandoned").unlink()
    (results / interrupted.run_id / "complete-with-failures").touch()
    assert find_interrupted(results, build, group, line, box, commit) == interrupted.run_id
    (results / interrupted.run_id / "complete").touch()
    assert find_interrupted(results, build, group, line, box, commit) is None
    faster = box.model_copy(update={"cpu": "another"})
    (results / interrupted.run_id / "complete").unlink()
    assert find_interrupted(results, build, group, line, faster, commit) is None
