"""Detection over a year opens one file per night, counted, not timed."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from stored_runs import store_complete_run
from synthetic import make_forks, make_run
from year_of_nights import store_year

from flink_boost.judge.trend import TrendKind
from flink_boost.publish.trends import StoredVerdicts

pytestmark = pytest.mark.test_all

NIGHTS = 365
BENCHMARKS = 200

# Counts what a command opens below a folder, and says how long it took.
COUNTED = """
import json, os, sys, time
from flink_boost.cli.main import main
results, build, command = sys.argv[1:]
opened = []
def note(event, arguments):
    if event == "open" and str(arguments[0]).startswith(results):
        opened.append(os.path.relpath(arguments[0], results))
sys.addaudithook(note)
began = time.monotonic()
code = main(["--build", build, "--results", results, command])
json.dump({"code": code, "opened": opened, "seconds": time.monotonic() - began}, sys.stderr)
"""


def counted(results: Path, build: Path, command: str) -> tuple[list[str], float]:
    done = subprocess.run(
        [sys.executable, "-c", COUNTED, str(results), str(build), command],
        capture_output=True,
        text=True,
        timeout=280,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stderr)
    assert told["code"] == 0
    return told["opened"], told["seconds"]


def test_a_year_is_judged_from_one_file_per_night(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    results = tmp_path / "results"
    store_year(results, NIGHTS, BENCHMARKS)
    opened, seconds = counted(results, tmp_path, "detect")
    with capsys.disabled():
        print(f"\n{NIGHTS} nights of {BENCHMARKS} benchmarks: detect took {seconds:.1f} s")  # noqa: T201
    assert len(opened) == len(set(opened)) == NIGHTS
    assert {Path(name).name for name in opened} == {"summary.json"}
    stored = StoredVerdicts.model_validate_json((tmp_path / "verdicts.json").read_bytes())
    assert len(stored.verdicts) == BENCHMARKS
    assert {verdict.points for verdict in stored.verdicts} == {NIGHTS}
    assert stored.verdicts[-1].kind is TrendKind.CANDIDATE_REGRESSION


def test_without_summaries_the_counting_sees_every_fork_and_the_next_call_does_not(
    tmp_path: Path,
) -> None:
    results = tmp_path / "results"
    for night in range(3):
        run = make_run(night)
        store_complete_run(results, run, make_forks(run))
    first, _ = counted(results, tmp_path, "detect")
    forks = [name for name in first if "/forks/" in name]
    assert len(forks) == 3 * 2 * 2 * 5
    again, _ = counted(results, tmp_path, "detect")
    assert sorted(Path(name).name for name in again) == ["summary.json"] * 3
