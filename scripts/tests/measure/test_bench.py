"""The paired runner: order, kills, failures, locks, a full disk; with real forks where they matter.

Needs what ``make build`` leaves: the benchmarks and, for stock against patched, the drop-in jar.
"""

from __future__ import annotations

import json
import os
import random
import re
import signal
import subprocess
import sys
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path

import pytest
from called import called
from eventual import eventually
from jmh_java import BY_DOUBLE_AND_JMH, make_java
from stored_runs import complete_run_ids

from flink_boost import __version__
from flink_boost.base.errors import BenchmarkFailed, EnvironmentProblem, UsageProblem
from flink_boost.base.files import sha256
from flink_boost.base.places import PROJECT_ROOT
from flink_boost.flink.jdks import Jdk
from flink_boost.flink.lines import default_line, find_line
from flink_boost.flink.side import Side
from flink_boost.judge.comparators import compare_with_comparators
from flink_boost.measure import classpaths, fork_files, run_plan, runner, store
from flink_boost.measure.box import describe_box
from flink_boost.measure.classpaths import ClassPaths
from flink_boost.measure.fork import Fork
from flink_boost.measure.fork_files import PlannedFork
from flink_boost.measure.groups import Group, choose_cells, find_group, load_groups
from flink_boost.measure.model import Box, Cell, RunInfo, Timing
from flink_boost.measure.runner import EndedFork, Failure
from flink_boost.measure.store import RunState

COMMAND = Path(sys.executable).with_name("flink-boost")
WRITE = "StringSerializationBenchmark.write"
AA = (Side.STOCK, Side.CONTROL)

pytestmark = [pytest.mark.needs_jars, pytest.mark.usefixtures("jmh")]


def flink_boost(results: Path, *arguments: str) -> list[str]:
    return [str(COMMAND), "--results", str(results), *arguments]


def smoke(results: Path, *arguments: str) -> list[str]:
    """A run of one cell of the smoke group."""
    return flink_boost(results, "bench", "--group", "smoke", WRITE, *arguments)


def run(command: Sequence[str], seconds: float = 200) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, capture_output=True, text=True, timeout=seconds, check=False)


def call(command: Sequence[str]) -> subprocess.CompletedProcess[str]:
    """The same in this process."""
    return called(*command[1:])


def java_processes(results: Path) -> list[str]:
    """Command lines of JVMs that write to that store."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                line = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode()
            except (FileNotFoundError, ProcessLookupError):
                continue
            if str(results) in line and "org.openjdk.jmh" in line:
                found.append(line)
    return found


def finished(results: Path, run_id: str) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in (results / run_id / "forks").glob("*.json")}


@pytest.mark.quiet
@pytest.mark.forks
def test_stock_and_patched_are_measured_in_turn_and_compared(tmp_path: Path) -> None:
    answer = run(smoke(tmp_path, "--pairs", "2"))
    assert answer.returncode == 0, answer.stderr
    (run_id,) = complete_run_ids(tmp_path)
    info = store.load_run(tmp_path, run_id)
    assert (info.group, info.quick_look, info.pairs) == ("smoke", True, 2)
    assert info.sides == (Side.STOCK, Side.PATCHED)
    assert info.jvm_options == (*run_plan.FORK_OPTIONS, *find_line(info.line).jvm_options)
    assert re.fullmatch("[0-9a-f]{64}", info.dropin_sha256)

    files = sorted((tmp_path / run_id / "forks").glob("*.json"), key=lambda p: p.stat().st_mtime_ns)
    assert [file.name.split(".")[:2] for file in files] == [
        ["p01", "stock"],
        ["p01", "patched"],
        ["p02", "patched"],
        ["p02", "stock"],
    ]
    for file in files:
        (result,) = json.loads(file.read_text())
        # After where temporary files go. What follows is the benchmark's own heap, the same on
        # both sides.
        options, rest = result["jvmArgs"][1:], len(info.jvm_options)
        assert options[:rest] == list(info.jvm_options)
        assert not any(arg.startswith("--add-") for arg in options[rest:])
    forks = fork_files.load_forks(tmp_path, run_id)
    assert all(fork.alloc_bytes_per_op is not None for fork in forks)
    # Counted in steps of 10 ms: a fork that had to wait may have none in such short iterations.
    assert all(fork.cpu_time_per_op is not None for fork in forks)
    assert any(fork.cpu_time_per_op for fork in forks)

    assert f"Run: {run_id}" in answer.stdout
    assert "2 pairs" in answer.stdout
    assert answer.stderr.count(" pair ") == 4
    assert "[1/4] pair 1/2 " in answer.stderr
    again = call(flink_boost(tmp_path, "compare", "latest", "--format", "json"))
    rows = json.loads(again.stdout)["comparisons"]
    assert [row["pairs"] for row in rows] == [2]
    assert rows[0]["low"] < rows[0]["ratio"] < rows[0]["high"]
    pooled = call(flink_boost(tmp_path, "compare", run_id, run_id, "--format", "json"))
    assert (pooled.returncode, "is named twice" in pooled.stdout) == (2, True)


@BY_DOUBLE_AND_JMH
def test_a_run_killed_at_random_points_ends_with_every_fork_once(
    tmp_path: Path, by: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    temporary = tmp_path / "tmp"
    temporary.mkdir()
    monkeypatch.setenv("TMPDIR", str(temporary))
    results = tmp_path / "results"
    source = random.Random(20260301)
    seen: dict[str, bytes] = {}
    # More forks than there is time for in all rounds together: the double's take a moment.
    rounds, pairs = (6, 8) if by == "jmh" else (3, 30)
    command = smoke(results, "--aa", "--pairs", str(pairs))
    longest = 2.6
    while rounds > 0 or not seen:
        rounds -= 1
        process = subprocess.Popen(
            command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
        )
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(timeout=source.uniform(0.4, longest))
        process.kill()
        process.wait()
        assert eventually(lambda: not java_processes(results), 10), "a JVM outlived its run"
        for run_id in store.run_ids(results):
            command = flink_boost(results, "bench", "--resume", run_id)
            forks = finished(results, run_id)
            assert len(fork_files.load_forks(results, run_id)) == len(forks)
            assert seen.items() <= forks.items(), "a finished fork was lost or measured again"
            seen = forks
        # A busy machine has finished no fork by then: go on for longer, until it has.
        longest *= 1 if seen else 1.5
    assert len(store.run_ids(results)) == 1
    assert 0 < len(seen) < 2 * pairs
    answer = run(command)
    assert answer.returncode == 0, answer.stderr
    (run_id,) = complete_run_ids(results)
    info = store.load_run(results, run_id)
    assert {path.removesuffix(".json") for path in finished(results, run_id)} == {
        planned.stem for planned in fork_files.planned_forks(info)
    }
    assert seen.items() <= finished(results, run_id).items()
    assert len(fork_files.load_forks(results, run_id)) == 2 * pairs
    assert not (results / run_id / "attempts").exists()
    assert list(temporary.iterdir()) == [], "a killed fork's files"
    assert "A/A: " in answer.stdout


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_run_says_how_to_go_on_and_keeps_others_out(
    tmp_path: Path, number: signal.Signals
) -> None:
    with subprocess.Popen(
        # Far more forks than there is time for.
        smoke(tmp_path, "--aa", "--pairs", "200"),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        # A test run in the background of a shell hands down that SIGINT is ignored.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    ) as process:
        try:
            assert eventually(lambda: java_processes(tmp_path), 60)
            second = call(smoke(tmp_path, "--aa"))
            assert second.returncode == 4
            assert f"Another flink-boost bench (pid {process.pid})" in second.stderr
            assert process.poll() is None
            process.send_signal(number)
            _, errors = process.communicate(timeout=20)
        finally:
            process.kill()
    (run_id,) = store.run_ids(tmp_path)
    assert process.returncode == 130
    assert f"Continue with `flink-boost bench --resume {run_id}`." in errors
    assert errors.rstrip().endswith("Interrupted; what was finished is kept.")
    assert "Traceback" not in errors
    assert eventually(lambda: not java_processes(tmp_path), 10)


def test_a_failed_fork_costs_neither_the_others_nor_the_run(tmp_path: Path) -> None:
    java = str(make_java(tmp_path / "flaky", failing=[2], action="echo the fork broke; exit 3"))
    results = tmp_path / "results"
    answer = call(smoke(results, "--aa", "--pairs", "2", "--java", java))
    assert answer.returncode == 6
    (run_id,) = store.run_ids(results)
    assert complete_run_ids(results) == ()
    assert "stock again FAILED: it ended with code 3" in answer.stderr
    assert "    the fork broke\n" in answer.stderr
    assert "1 of 4 forks failed." in answer.stderr, answer.stderr
    assert f"--resume {run_id}" in answer.stderr
    assert "Left out, as a half of the pair is missing" in answer.stdout
    assert "They are: " in answer.stderr
    assert ", stock again, pair 1." in answer.stderr
    assert store.state(results, run_id) is RunState.WITH_FAILURES
    before = finished(results, run_id)
    assert len(before) == 3

    # What was damaged meanwhile is measured again, too.
    damaged = next(name for name in before if name.startswith("p02.control."))
    del before[damaged]
    (results / run_id / "forks" / damaged).write_text("[")
    again = call(flink_boost(results, "bench", "--resume", run_id, "--java", java))
    assert again.returncode == 0, again.stderr
    assert f"forks/{damaged} is not a result file of JMH" in again.stderr
    assert "1 damaged fork is measured again, and kept in " in again.stderr
    # The other halves, too: a pair is measured together, or it says nothing.
    assert again.stderr.count("] pair ") == 4
    assert "[1/4] pair 1/2 " in again.stderr
    assert complete_run_ids(results) == (run_id,)
    halves = [file.read_bytes() for file in (results / run_id / "halves").iterdir()]
    assert sorted(halves) == sorted(before.values())
    assert len(fork_files.load_forks(results, run_id)) == 4
    (aside,) = (results / run_id / "damaged").iterdir()
    assert aside.read_text() == "["

    store.abandon(results, run_id)
    given_up = call(flink_boost(results, "bench", "--resume", run_id, "--java", java))
    assert given_up.returncode == 2
    assert f"The run {run_id} was abandoned." in given_up.stderr


@pytest.mark.forks
def test_options_that_a_jvm_refuses_fail_every_fork(tmp_path: Path) -> None:
    answer = run(smoke(tmp_path, "--aa", "--jvm-arg", "-XX:+NoSuchOption"))
    assert answer.returncode == 6
    assert "2 of 2 forks failed." in answer.stderr
    assert "Unrecognized VM option 'NoSuchOption'" in answer.stderr


class Recorder:
    """Keeps what the runner tells."""

    def __init__(self) -> None:
        self.begun: list[PlannedFork] = []
        self.steps: list[EndedFork] = []

    def started(self, _info: RunInfo, _number: int, planned: PlannedFork) -> None:
        self.begun.append(planned)

    def ended(self, _info: RunInfo, step: EndedFork) -> None:
        self.steps.append(step)


@pytest.fixture(scope="module")
def class_paths() -> ClassPaths:
    return classpaths.find_class_paths(find_line(default_line()), PROJECT_ROOT / "build", "-", AA)


def planned_run(
    class_paths: ClassPaths,
    pairs: int = 1,
    group: Group | None = None,
    box: Box | None = None,
) -> RunInfo:
    group = group or choose_cells(find_group(load_groups(), "smoke"), [WRITE])
    return run_plan.plan_run(
        run_id="run",
        started=datetime(2026, 3, 1, tzinfo=UTC),
        group=group,
        line=find_line(default_line()),
        sides=AA,
        pairs=pairs,
        opened=False,
        extra_options=["-Xlog:disable"],
        class_paths=class_paths,
        box=box or describe_box(Jdk("17.0.1", 17)),
        commit="unknown",
        version="0.2.0",
    )


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


def test_an_old_jdk_is_told_to_keep_java_lang_closed(class_paths: ClassPaths) -> None:
    old = planned_run(class_paths, box=describe_box(Jdk("11.0.13+8", 11)))
    assert "--illegal-access=deny" in old.jvm_options
    assert "--illegal-access=deny" not in planned_run(class_paths).jvm_options


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


def built_tree(root: Path, *missing: str) -> Path:
    """A project with a class path of two jars and a drop-in jar, except what is missing."""
    listing = root / "benchmarks" / "target" / "2.3.0" / "classpath.txt"
    listing.parent.mkdir(parents=True)
    (root / "build" / "jars").mkdir(parents=True)
    contents = {
        listing: f"{root / 'a.jar'}:{root / 'b.jar'}\n",
        root / "a.jar": "a",
        root / "b.jar": "b",
        root / "build" / "jars" / "flink-boost-2.3.0-0.2.0.jar": "ours",
    }
    for path, content in contents.items():
        if path.name not in missing:
            path.write_text(content, encoding="utf-8")
    return root


def find_paths(root: Path, sides: tuple[Side, ...]) -> ClassPaths:
    return classpaths.find_class_paths(find_line("2.3.0"), root / "build", "0.2.0", sides, root)


def test_the_patched_side_has_the_dropin_jar_in_front(tmp_path: Path) -> None:
    paths = find_paths(built_tree(tmp_path), (Side.STOCK, Side.PATCHED))
    stock = f"{tmp_path}/a.jar:{tmp_path}/b.jar"
    assert paths.of(Side.STOCK) == paths.of(Side.CONTROL) == stock
    assert paths.of(Side.PATCHED) == f"{tmp_path}/build/jars/flink-boost-2.3.0-0.2.0.jar:{stock}"


def third_side(tmp_path: Path) -> classpaths.Third:
    jar = tmp_path / "overlay.jar"
    jar.write_text("theirs", encoding="utf-8")
    return classpaths.Third("upstream", "upstream 1.10.0", jar)


def test_the_third_side_has_its_own_jar_in_front_and_is_pinned(tmp_path: Path) -> None:
    third = third_side(tmp_path)
    sides = (Side.STOCK, Side.PATCHED, Side.UPSTREAM)
    root = built_tree(tmp_path / "root")
    paths = classpaths.find_class_paths(
        find_line("2.3.0"), root / "build", "0.2.0", sides, root, third=third
    )
    assert paths.of(Side.UPSTREAM) == f"{third.jar}:{root}/a.jar:{root}/b.jar"
    assert "overlay" not in paths.of(Side.STOCK) + paths.of(Side.PATCHED)
    info = planned_run(paths)
    box = describe_box(Jdk("17.0.1", 17))
    assert (info.third, info.third_title) == ("upstream", "upstream 1.10.0")
    run_plan.require_same_circumstances(info, paths, box)
    third.jar.write_text("changed", encoding="utf-8")
    with pytest.raises(UsageProblem, match="third side's jar has changed"):
        run_plan.require_same_circumstances(info, paths, box)


def test_comparators_alone_are_not_measured_against_themselves(class_paths: ClassPaths) -> None:
    cell = Cell(benchmark="a.StringComparatorBenchmark.writeUtf")
    timing = Timing(warmup_iterations=1, warmup_time_ms=1, iterations=1, iteration_time_ms=1)
    group = Group("g", "g", True, 1, (cell,), (timing,))
    with pytest.raises(UsageProblem, match="Comparators alone"):
        planned_run(class_paths, group=group)


@pytest.mark.parametrize("missing", ["classpath.txt", "b.jar", "flink-boost-2.3.0-0.2.0.jar"])
def test_what_is_not_built_is_named(tmp_path: Path, missing: str) -> None:
    root = built_tree(tmp_path, missing)
    with pytest.raises(EnvironmentProblem, match=re.escape(missing)) as caught:
        find_paths(root, (Side.STOCK, Side.PATCHED))
    assert caught.value.next_step == "Run `make build` first."


def test_an_aa_run_needs_no_dropin_jar(tmp_path: Path) -> None:
    root = built_tree(tmp_path, "flink-boost-2.3.0-0.2.0.jar")
    paths = find_paths(root, AA)
    assert planned_run(paths).dropin_sha256 == ""
    run_plan.require_same_circumstances(planned_run(paths), paths, describe_box(Jdk("17.0.1", 17)))


@pytest.mark.parametrize("what", ["drop-in jar", "benchmark class path", "machine", "JDK"])
def test_a_run_does_not_go_on_with_something_else(tmp_path: Path, what: str) -> None:
    paths = find_paths(built_tree(tmp_path), (Side.STOCK, Side.PATCHED))
    info = planned_run(paths).model_copy(
        update={
            "sides": (Side.STOCK, Side.PATCHED),
            "dropin_sha256": sha256(paths.dropin),
        }
    )
    box = info.box
    run_plan.require_same_circumstances(info, paths, box)
    if what == "drop-in jar":
        paths.dropin.write_text("rebuilt")
    elif what == "benchmark class path":
        paths.stock[1].write_text("rebuilt")
    elif what == "machine":
        box = box.model_copy(update={"hostname": "elsewhere", "fingerprint": "another"})
    else:
        box = box.model_copy(update={"jdk": "21.0.8+9"})
    with pytest.raises(UsageProblem, match=f"the {what} has changed"):
        run_plan.require_same_circumstances(info, paths, box)


@pytest.mark.parametrize(
    ("arguments", "exit_code", "complaint"),
    [
        (["--group", "nothing"], 2, "There is no group 'nothing'"),
        (["--line", "9.9.9"], 2, "There is no Flink line '9.9.9'"),
        (["--group", "smoke", "writ3"], 2, "is called 'writ3'. Near are: "),
        (["--resume", "nothing"], 2, "There is no run 'nothing'"),
        (["--resume", "nothing", "--pairs", "3"], 2, "--pairs cannot be given with --resume"),
        (["--resume", "nothing", "write"], 2, "a pattern cannot be given with --resume"),
        (["--java", "/nothing/java"], 4, "There is no java at '/nothing/java'"),
        (["--pairs", "0"], 2, "Invalid value for '--pairs'"),
        (["--aa", "--jvm-arg", "-Xmx4g"], 2, "-Xmx4g would have no effect"),
        (["--aa", "--jvm-arg", "-XX:+UseZGC"], 2, "-XX:+UseZGC would have no effect"),
        (["--jvm-arg", "-Xint", "--purpose", "nightly"], 2, "is no point of the trend"),
        (["--aa", "--third", "upstream"], 2, "Leave out one of --aa and --third."),
        (["--third", "upstream"], 2, "There is no third side 'upstream' for Flink 2.3.0."),
        (["--heap", "lots"], 2, "'lots' is not a heap size. Write it as in 64m or 1g."),
        (["--threads", "0"], 2, "Invalid value for '--threads'"),
        (["--jdk", "25"], 2, "does not run on JDK 25. Choose --jdk 17 or 21."),
        (["--resume", "nothing", "--jdk", "21"], 2, "--jdk cannot be given with --resume"),
        (["--resume", "nothing", "--threads", "8"], 2, "--threads cannot be given with --resume"),
        (["--resume", "nothing", "--heap", "64m"], 2, "--heap cannot be given with --resume"),
        (["--resume", "nothing", "--third", "x"], 2, "--third cannot be given with --resume"),
    ],
)
def test_a_wrong_call_is_one_sentence_and_starts_nothing(
    tmp_path: Path, arguments: list[str], exit_code: int, complaint: str
) -> None:
    answer = call(flink_boost(tmp_path, "bench", *arguments))
    assert answer.returncode == exit_code
    assert complaint in answer.stderr
    assert "Traceback" not in answer.stderr
    assert store.run_ids(tmp_path) == ()


def test_a_jdk_that_the_line_does_not_run_on_is_refused(tmp_path: Path) -> None:
    java = tmp_path / "java"
    properties = ("java.specification.version = 11", "java.runtime.version = 11.0.13+8")
    answer = "\n".join((*properties, "java.home = /a/jdk"))
    java.write_text(f"#!/bin/sh\necho '{answer}' >&2\n", encoding="utf-8")
    java.chmod(0o755)
    refused = call(smoke(tmp_path / "results", "--java", str(java)))
    assert refused.returncode == 4
    assert "is JDK 11, but Flink 2.3.0 runs on 17 or 21." in refused.stderr


@pytest.mark.parametrize("content", ["", "[]", "<html>"])
def test_a_damaged_fork_is_named_by_compare(
    tmp_path: Path, class_paths: ClassPaths, content: str
) -> None:
    """It is left out; that ``--resume`` measures it again is tested above, with real forks."""
    info = planned_run(class_paths)
    store.create_run(tmp_path, info)
    path = fork_files.json_path(tmp_path, "run", fork_files.planned_forks(info)[0])
    path.write_text(content, encoding="utf-8")
    answer = call(flink_boost(tmp_path, "compare", "run"))
    assert answer.returncode == 0
    assert f"forks/{path.name}" in answer.stderr
    assert "`flink-boost bench --resume run`" in answer.stderr
    assert path.read_text(encoding="utf-8") == content


def test_compare_without_a_run_says_what_to_do(tmp_path: Path) -> None:
    answer = call(flink_boost(tmp_path, "compare"))
    assert answer.returncode == 2
    assert "There is no complete run" in answer.stderr
    assert "flink-boost bench" in answer.stderr


ON_A_FULL_DISK = """
set -e
folder=$1; tool=$2; shift 2
mount -t tmpfs -o size=176k none "$folder"
dd if=/dev/zero of="$folder/ballast" bs=1k count=100 2>/dev/null
code=0; "$tool" --results "$folder" bench "$@" || code=$?
echo "full: $code"
run=$(ls "$folder" | grep Z-)
echo "kept: $(ls "$folder/$run/forks" | grep -c json$ || true)"
rm "$folder/ballast"
code=0; "$tool" --results "$folder" bench --resume "$run" || code=$?
echo "resumed: $code"
echo "complete: $(ls "$folder/$run/forks" | grep -c json$) $(ls "$folder/$run" | grep complete)"
"""


def test_a_full_disk_is_one_sentence_and_the_run_goes_on_with_space(tmp_path: Path) -> None:
    # A mount of its own that no other process sees; without root, as root of a user namespace.
    private = ["unshare", "-m"] if os.geteuid() == 0 else ["unshare", "-Urm"]
    arguments = ["--group", "smoke", WRITE, "--aa", "--pairs", "12"]
    answer = run(
        [*private, "sh", "-c", ON_A_FULL_DISK, "sh", str(tmp_path), str(COMMAND), *arguments]
    )
    assert "full: 4" in answer.stdout, answer.stdout + answer.stderr
    assert "There is no space left on the disk" in answer.stderr
    assert "Traceback" not in answer.stderr
    kept = int(re.search(r"kept: (\d+)", answer.stdout)[1])  # type: ignore[index]
    assert 0 < kept < 24
    assert "resumed: 0" in answer.stdout
    assert "complete: 24 complete" in answer.stdout
