"""Runs on releases that are no measured lines: which classes they load, and what is refused.

Needs what ``make jars`` leaves.
"""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from called import called
from synthetic import make_run

from flink_boost.base.places import PROJECT_ROOT
from flink_boost.flink.lines import find_line, measured_lines
from flink_boost.flink.side import Side
from flink_boost.measure import fork_files, store
from flink_boost.measure.fork_files import PlannedFork
from flink_boost.measure.model import Built, Purpose
from flink_boost.measure.other_release import benchmarks_for
from flink_boost.measure.release import flink_of, release_of
from flink_boost.publish.run_note import bench_command

pytestmark = [pytest.mark.forks, pytest.mark.needs_jars]

# Its line has a jar and no benchmarks; its distribution is one of those that clusters start from.
RELEASE = "1.17.0"
HEAVY = "SerializationFrameworkMiniBenchmarks.serializerHeavyString"


def bench(results: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return called("--results", results, "bench", *arguments)


@pytest.mark.test_all
def test_each_side_loads_the_classes_of_the_release(tmp_path: Path) -> None:
    chosen = ("--group", "smoke", "StringSerializationBenchmark.read", HEAVY)
    answer = bench(tmp_path, "--release", RELEASE, "--jvm-arg=-Xlog:class+load", *chosen)
    assert answer.returncode == 0, answer.stderr
    assert f"Flink {RELEASE}, JDK 11" in answer.stdout
    (run_id,) = store.run_ids(tmp_path)
    assert run_id.endswith(f"-{RELEASE}")
    info = store.load_run(tmp_path, run_id)
    assert (info.line, release_of(info), len(info.cells)) == (RELEASE, RELEASE, 2)
    for side, jar in ((Side.STOCK, "flink-dist-1.17.0.jar"), (Side.PATCHED, "flink-boost-1.17.0-")):
        for cell in info.cells:
            log = fork_files.log_path(tmp_path, run_id, PlannedFork(1, side, cell)).read_text()
            loaded = [line for line in log.splitlines() if " org.apache.flink." in line]
            of_string = [line for line in loaded if ".types.StringValue " in line]
            assert of_string
            assert all(jar in line for line in of_string)
            others = [line for line in loaded if ".flink.core.memory.MemorySegment " in line]
            assert all("flink-dist-1.17.0.jar" in line for line in others)
            # Loaded by the codec alone: the guard leaves it off beside classes of another release.
            codec = [line for line in loaded if ".boost.strings.StringReader " in line]
            assert bool(codec) is (side is Side.PATCHED)

    # Its group makes points of a trend, of lines.
    assert info.purpose is Purpose.BY_HAND
    again = bench(tmp_path, "--resume", run_id)
    assert again.returncode == 0, again.stderr


@pytest.mark.test_all
def test_a_run_on_which_our_code_would_stay_off_is_refused(tmp_path: Path) -> None:
    (tmp_path / "jars").mkdir()
    (other,) = (PROJECT_ROOT / "build" / "jars").glob("flink-boost-1.9.3-*.jar")
    own_name = other.name.replace("1.9.3", RELEASE)
    shutil.copyfile(other, tmp_path / "jars" / own_name)
    answer = called("--build", tmp_path, "bench", "--release", RELEASE)
    assert answer.returncode == 4, answer.stderr
    assert f"On Flink {RELEASE} our code would stay off" in answer.stderr
    assert not store.run_ids(tmp_path / "results")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--release", "1.8.3"], "There is no jar for Flink 1.8.3."),
        (["--release", "../../x"], "There is no jar for Flink ../../x."),
        (["--release", "1.9.1"], "PyPI has no distribution of it"),
        (["--release", RELEASE, "--line", "1.20.5"], "--line cannot be given with --release"),
        (["--release", RELEASE, "--third", "upstream"], "--third cannot be given with --release"),
        (["--release", RELEASE, "--purpose", "nightly"], "A trend is of a line"),
        (["--resume", "20260101T000000Z-1.17.0", "--release", RELEASE], "with --resume"),
    ],
)
def test_what_cannot_be_measured_is_refused(
    tmp_path: Path, arguments: list[str], said: str
) -> None:
    answer = bench(tmp_path, *arguments)
    assert answer.returncode == 2, answer.stdout + answer.stderr
    assert said in answer.stderr


@pytest.mark.parametrize(
    ("line", "benchmarks"),
    [("1.9.3", "1.9.3"), ("1.17.0", "1.9.3"), ("1.20.5", "1.20.5"), ("2.0.2", "2.3.0")],
)
def test_the_benchmarks_are_those_of_the_oldest_line_of_the_major_release(
    line: str, benchmarks: str
) -> None:
    assert benchmarks_for(find_line(line), measured_lines()).version == benchmarks


@pytest.mark.parametrize(
    ("baseline", "release"),
    [
        (None, "2.3.0"),
        ({"project": "flink", "version": "2.3.0"}, "2.3.0"),
        ({"project": "flink", "version": "2.1.0"}, "2.1.0"),
        ({"project": "flink", "version": "2.4-SNAPSHOT", "commit": "a" * 40}, "2.3.0"),
    ],
)
def test_a_run_knows_its_release(baseline: dict[str, Any] | None, release: str) -> None:
    built = Built.model_validate(baseline) if baseline else None
    info = make_run().model_copy(update={"line": "2.3.0", "baseline": built})
    assert release_of(info) == release
    is_own = release == "2.3.0"
    assert flink_of(info) == ("2.3.0" if is_own else "2.1.0 with the jar of 2.3.0")
    wanted = "--line 2.3.0" if is_own else "--release 2.1.0"
    assert f" {wanted} " in bench_command(info) + " "
