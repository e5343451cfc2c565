"""Forks of the paired runner: their sides, options, arguments, threads and heap, and failures."""

from __future__ import annotations

import json
import os
import re
import zipfile
from collections.abc import Mapping
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest
from bench_calls import AA, WRITE, finished, planned_run
from jmh_java import make_java

from flink_boost import __version__
from flink_boost.base.errors import BenchmarkFailed
from flink_boost.base.places import PROJECT_ROOT
from flink_boost.flink.lines import default_line, find_line
from flink_boost.flink.side import Side
from flink_boost.judge.comparators import compare_with_comparators
from flink_boost.measure import classpaths, fork_files, run_plan, runner, store
from flink_boost.measure.classpaths import ClassPaths
from flink_boost.measure.fork import Fork
from flink_boost.measure.fork_files import PlannedFork
from flink_boost.measure.groups import choose_cells, find_group, load_groups
from flink_boost.measure.model import Cell, RunInfo, Timing
from flink_boost.measure.runner import EndedFork, Failure

pytestmark = [pytest.mark.needs_jars, pytest.mark.usefixtures("jmh")]


class Recorder:
    """Keeps what the runner tells."""

    def __init__(self) -> None:
        self.begun: list[PlannedFork] = []
        self.steps: list[EndedFork] = []

    def started(self, _info: RunInfo, _number: int, planned: PlannedFork) -> None:
        self.begun.append(planned)

    def ended(self, _info: RunInfo, step: EndedFork) -> None:
        self.steps.append(step)


def run_forks(
    results: Path,
    info: RunInfo,
    class_paths: ClassPaths,
    *,
    java: str = "java",
    environment: Mapping[str, str] = os.environ,
    timeout: float | None = None,
) -> Recorder:
    recorder = Recorder()
    store.create_run(results, info)
    try:
        runner.run_missing_forks(
            results,
            info,
            class_paths,
            java=java,
            environment=environment,
            progress=recorder,
            timeout=timeout,
        )
    except BenchmarkFailed:
        assert any(isinstance(step.outcome, Failure) for step in recorder.steps)
    return recorder


@pytest.mark.forks
def test_without_opened_modules_a_fork_gets_no_opening_option(
    tmp_path: Path, class_paths: ClassPaths
) -> None:
    info = planned_run(class_paths)
    # Options from the environment would be in no record of the run.
    hidden = {**os.environ, "JAVA_TOOL_OPTIONS": "-Xmx77m", "JDK_JAVA_OPTIONS": "-Xmx77m"}
    recorder = run_forks(tmp_path, info, class_paths, environment=hidden)
    assert [step.number for step in recorder.steps] == [1, 2]
    assert recorder.begun == list(fork_files.planned_forks(info))
    assert recorder.steps[0].seconds_left > 0
    assert recorder.steps[-1].seconds_left == 0
    assert all(isinstance(step.outcome, Fork) for step in recorder.steps)
    for planned in recorder.begun:
        (result,) = json.loads(fork_files.json_path(tmp_path, "run", planned).read_text())
        options = result["jvmArgs"]
        assert options[1:3] == [*run_plan.FORK_OPTIONS, "-Xlog:disable"]
        assert not any("java.lang" in option for option in options)
        assert not set(options) & {*runner.LAUNCHER_OPTIONS, "-Xmx77m"}
        log = fork_files.log_path(tmp_path, "run", planned).read_text()
        assert "Picked up" not in log


STRING_VALUE = "org/apache/flink/types/StringValue.class"
THREE = (Side.STOCK, Side.PATCHED, Side.UPSTREAM)


@pytest.fixture
def three_paths(tmp_path: Path) -> ClassPaths:
    """The built class paths, with stock's own StringValue as the class of a third side."""
    version = __version__
    built = classpaths.find_class_paths(
        find_line(default_line()), PROJECT_ROOT / "build", version, THREE
    )
    core = next(path for path in built.stock if path.name == f"flink-core-{default_line()}.jar")
    overlay = tmp_path / "overlay.jar"
    with zipfile.ZipFile(core) as source, zipfile.ZipFile(overlay, "w") as target:
        target.writestr(STRING_VALUE, source.read(STRING_VALUE))
    return replace(built, third=classpaths.Third("upstream", "upstream", overlay))


@pytest.mark.forks
def test_three_sides_take_turns_and_each_loads_its_own_class(
    tmp_path: Path, three_paths: ClassPaths
) -> None:
    info = planned_run(three_paths).model_copy(
        update={"sides": THREE, "jvm_options": ("-XX:+UseG1GC", "-Xlog:class+load")}
    )
    action = "echo the third side broke; exit 3"
    java = str(make_java(tmp_path / "flaky", double=False, failing=[3], action=action))
    results = tmp_path / "results"
    recorder = run_forks(results, info, three_paths, java=java)
    assert [step.planned.side for step in recorder.steps] == list(THREE)
    assert [isinstance(step.outcome, Fork) for step in recorder.steps] == [True, True, False]
    before = finished(results, "run")

    # The next call measures what is missing and nothing else.
    again = Recorder()
    runner.run_missing_forks(
        results, info, three_paths, java=java, environment=os.environ, progress=again
    )
    assert [step.planned.side for step in again.steps] == [Side.UPSTREAM]
    assert before.items() <= finished(results, "run").items()
    assert store.is_complete(results, "run")

    sources = {}
    for planned in fork_files.planned_forks(info):
        log = fork_files.log_path(results, "run", planned).read_text()
        loaded = re.search(r"org\.apache\.flink\.types\.StringValue source: file:(\S+)", log)
        assert loaded, planned
        sources[planned.side] = Path(loaded[1])
    assert three_paths.third
    expected = {
        Side.STOCK: next(path for path in three_paths.stock if "flink-core-2" in path.name),
        Side.PATCHED: three_paths.dropin,
        Side.UPSTREAM: three_paths.third.jar,
    }
    # The JVM follows links, and a folder above may be one.
    assert sources == {side: path.resolve() for side, path in expected.items()}


def test_a_comparator_runs_beside_the_patched_side_and_is_compared(
    tmp_path: Path, three_paths: ClassPaths
) -> None:
    smoke_group = choose_cells(find_group(load_groups(), "smoke"), [WRITE])
    (ours,), (timing,) = smoke_group.cells, smoke_group.timings
    params = tuple((name, value) for name, value in ours.params if name != "view")
    theirs = Cell(
        benchmark="org.apache.flink.benchmark.StringComparatorBenchmark.writeUtf", params=params
    )
    group = replace(smoke_group, cells=(ours, theirs), timings=(timing, timing))
    info = planned_run(replace(three_paths, third=None), group=group)
    info = info.model_copy(update={"sides": THREE[:2]})
    recorder = run_forks(tmp_path, info, three_paths)
    assert [(step.planned.cell, step.planned.side) for step in recorder.steps] == [
        (ours, Side.STOCK),
        (ours, Side.PATCHED),
        (theirs, Side.PATCHED),
    ]
    assert store.is_complete(tmp_path, "run")
    (against,) = compare_with_comparators(info, fork_files.load_forks(tmp_path, "run"))
    assert (against.ours, against.row.cell) == (ours, theirs)
    assert against.row.ratio > 0


@pytest.mark.quiet
@pytest.mark.forks
def test_threads_and_heap_reach_the_fork_and_its_record(
    tmp_path: Path, class_paths: ClassPaths
) -> None:
    info = planned_run(class_paths).model_copy(update={"threads": 2, "heap": "48m"})
    recorder = run_forks(tmp_path, info, class_paths)
    for step in recorder.steps:
        fork = step.outcome
        assert isinstance(fork, Fork)
        (result,) = json.loads(fork_files.json_path(tmp_path, "run", step.planned).read_text())
        assert result["threads"] == 2
        assert {"-Xms48m", "-Xmx48m"} <= set(result["jvmArgs"])
        assert not [arg for arg in result["jvmArgs"] if arg.startswith("-Xmn")]
        assert [arg for arg in result["jvmArgs"] if arg.startswith("-Xm")] == ["-Xms48m", "-Xmx48m"]
        # Two threads for 50 ms each; what they do while waiting for each other counts as well.
        assert fork.gc_time_step is not None
        assert 1e6 / fork.gc_time_step > 0.5 * (2 * 50e6 / fork.score)


def test_a_fork_that_hangs_is_stopped(tmp_path: Path, class_paths: ClassPaths) -> None:
    java = str(make_java(tmp_path / "flaky", failing=[1], action="sleep 300"))
    info = planned_run(class_paths).model_copy(update={"pairs": 1, "sides": AA})
    recorder = run_forks(tmp_path, info, class_paths, java=java, timeout=10)
    first, second = (step.outcome for step in recorder.steps)
    assert isinstance(first, Failure)
    assert first.reason == "was stopped after 10 s"
    assert isinstance(second, Fork)
    assert fork_files.missing_forks(tmp_path, info) == (first.planned,)


@pytest.mark.parametrize(
    ("action", "reason"),
    [
        ("exit 0", "gave no usable result"),
        ('while [ "$1" != -rff ]; do shift; done; printf "[{" > "$2"; exit 0', "not a result file"),
    ],
)
def test_a_fork_without_a_whole_result_failed(
    tmp_path: Path, class_paths: ClassPaths, action: str, reason: str
) -> None:
    java = str(make_java(tmp_path / "flaky", failing=[1, 2], action=action))
    recorder = run_forks(tmp_path, planned_run(class_paths), class_paths, java=java)
    for step in recorder.steps:
        assert isinstance(step.outcome, Failure)
        assert reason in step.outcome.reason


OUT, TMP = Path("/r/out.json"), Path("/a tmp")


def test_the_arguments_of_a_fork(class_paths: ClassPaths) -> None:
    cell = Cell(benchmark="a.b$C.d", params=(("kind", "$(id) x"), ("length", "4")))
    timing = Timing(warmup_iterations=1, warmup_time_ms=50, iterations=2, iteration_time_ms=75)
    info = planned_run(class_paths)
    command = runner.jmh_command(info, cell, timing, "/jdk/java", "x:y", OUT, TMP)
    assert command[0] == "/jdk/java"
    assert command[command.index("-cp") + 1 : command.index("-cp") + 4] == [
        "x:y",
        "org.openjdk.jmh.Main",
        r"^a\.b\$C\.d$",
    ]
    joined = "\0".join(command)
    for part in (
        ["-p", "kind=$(id) x", "-p", "length=4"],
        ["-wi", "1", "-w", "50ms", "-i", "2", "-r", "75ms"],
        ["-foe", "true", "-rf", "json", "-rff", "/r/out.json"],
        ["-prof", "gc", "-prof", "org.apache.flink.benchmark.CpuTimeProfiler"],
        ["/jdk/java", *runner.LAUNCHER_OPTIONS, "-Djava.io.tmpdir=/a tmp"],
        # An option of the run comes later, and may name another folder.
        ["-jvmArgs", "-Djava.io.tmpdir=/a tmp", "-jvmArgs", "-XX:+UseG1GC"],
        ["-jvmArgs", "-Xlog:disable"],
        ["-f", "1", "-t", "1"],
    ):
        assert "\0".join(part) in joined
    assert "-jvmArgsAppend" not in command, "the benchmark's own heap"


def test_a_value_with_commas_reaches_the_fork_whole(class_paths: ClassPaths) -> None:
    cell = Cell(benchmark="a.B.c", params=(("shape", "100,1ms,SSL"), ("length", "4")))
    timing = Timing(warmup_iterations=1, warmup_time_ms=50, iterations=2, iteration_time_ms=75)
    info = planned_run(class_paths)
    command = runner.jmh_command(info, cell, timing, "java", "x", OUT, TMP)
    assert command[command.index("x") + 1] == "org.apache.flink.benchmark.Launcher"
    assert command[command.index("-p") + 1] == r"shape=100\,1ms\,SSL"


def test_threads_and_heap_of_a_fork(class_paths: ClassPaths) -> None:
    info = planned_run(class_paths).model_copy(update={"threads": 8, "heap": "64m"})
    cell, timing = info.cells[0], info.timings[0]
    command = runner.jmh_command(info, cell, timing, "java", "x", OUT, TMP)
    assert command[command.index("-t") + 1] == "8"
    appended = [word for flag, word in pairwise(command) if flag == "-jvmArgsAppend"]
    assert appended == ["-XX:+UseG1GC", "-Xms64m", "-Xmx64m", "-XX:+AlwaysPreTouch"]
