"""Savepoints of real clusters, carried from stock to patched Flink and back."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path

import pytest
from flink_installation import DEFAULT_PLATFORM, FlinkInstallation, Install
from installations import damaged_dropin
from running_job import RunningJob, checkpoint_options
from string_state import StringState, commands, differences, written_down
from texts import encode, shown

from flink_boost.lines import Line

TURNS = 3
STRING_VALUE = "org.apache.flink.types.StringValue"
CODEC = "org.apache.flink.boost.string.StringWriter"

# Flink orders the states of a savepoint by hash codes that differ from one start of a JVM to the
# next, stock's own too. With all of them equal, equal state gives equal bytes.
SAME_ORDER = "-XX:+UnlockExperimentalVMOptions -XX:hashCode=2"

Pair = Mapping[str, FlinkInstallation]


@pytest.fixture(
    scope="module",
    params=[pytest.param("heap", marks=pytest.mark.in_full_form_only), "rocksdb"],
)
def backend(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def clusters(
    line: Line, install: Install, dropin_jar: Path, backend: str, tmp_path: Path
) -> Iterator[Pair]:
    with ExitStack() as stack:
        yield start_pair(stack, line, install, dropin_jar, backend, tmp_path)


@pytest.mark.timeout(1800)
def test_savepoints_move_between_stock_and_patched_and_are_the_same(
    clusters: Pair, jobs_jar: Path, dropin_jar: Path, backend: str, tmp_path: Path
) -> None:
    """Each savepoint is restored on the other side, so both directions are gone at once.

    Both sides get the same commands, so what they write has to be equal at each turn.
    """
    expected = StringState()
    savepoints = {"stock": "", "patched": ""}
    for turn in range(TURNS):
        commanded = commands(turn)
        runs = on_both(clusters, jobs_jar, savepoints, commanded, tmp_path / f"turn-{turn}")
        assert_written_down(runs, expected)
        expected.apply(commanded)
        files = {side: state_files(folder) for side, folder in runs.items()}
        assert files["patched"] == files["stock"], turn
        assert len(files["stock"]) >= 4  # keyed and operator state of two subtasks
        savepoints = {
            "stock": savepoint_of(runs["patched"]),
            "patched": savepoint_of(runs["stock"]),
        }

    last = on_both(clusters, jobs_jar, savepoints, None, tmp_path / "last")
    assert_written_down(last, expected)
    for folder in tmp_path.glob("turn-*"):
        shutil.rmtree(folder)  # pytest would keep some hundred megabytes
    assert origins(clusters["stock"])[STRING_VALUE].startswith("flink-dist")
    assert origins(clusters["patched"])[STRING_VALUE] == dropin_jar.name
    assert origins(clusters["patched"])[CODEC] == dropin_jar.name
    backends = {name for name in origins(clusters["patched"]) if name.endswith("KeyedStateBackend")}
    assert any(f".{'RocksDB' if backend == 'rocksdb' else 'Heap'}Keyed" in b for b in backends)


@pytest.mark.in_full_form_only
@pytest.mark.parametrize("platform", DEFAULT_PLATFORM, ids=str, indirect=True)
@pytest.mark.parametrize("how", ["write", "read"])
@pytest.mark.timeout(1800)
def test_a_jar_that_changes_one_code_point_is_found_out(
    how: str, line: Line, install: Install, jobs_jar: Path, backend: str, tmp_path: Path
) -> None:
    """U+A123 becomes its neighbour in what the patched side writes, or reads."""
    damaged = damaged_dropin(tmp_path / "flink-boost-damaged.jar", how)
    expected = StringState()
    changed = encode("\ua123")
    # A key that changes on the way reaches the wrong subtask, and the job fails.
    commanded = [line for line in commands(0) if changed not in line.split(",")[1]]
    with ExitStack() as stack:
        pair = start_pair(stack, line, install, damaged, backend, tmp_path)
        first = on_both(pair, jobs_jar, {"stock": "", "patched": ""}, commanded, tmp_path / "first")
        expected.apply(commanded)
        # What the damaged side wrote is read on stock, and the other way round.
        crossed = {
            "stock": savepoint_of(first["patched"]),
            "patched": savepoint_of(first["stock"]),
        }
        second = on_both(pair, jobs_jar, crossed, None, tmp_path / "second")

    assert state_files(first["patched"]) != state_files(first["stock"])
    found = differences(written_down(second["stock"]), expected.lines())
    missing = [line for line in found if line.startswith("-")]
    assert missing
    assert all(changed in line for line in missing), shown(missing)


def start_pair(
    stack: ExitStack, line: Line, install: Install, jar: Path, backend: str, folder: Path
) -> Pair:
    """A stock and a patched cluster, each with two slots for the job."""
    pair = {}
    for side, jars in {"stock": [], "patched": [jar]}.items():
        options = {
            **checkpoint_options(line, backend, folder / side),
            "taskmanager.numberOfTaskSlots": "2",
            "env.java.opts.taskmanager": SAME_ORDER,
        }
        flink = install(folder / f"flink-{side}", jars, options=options)
        pair[side] = stack.enter_context(flink)
    with ThreadPoolExecutor() as pool:
        list(pool.map(FlinkInstallation.start_cluster, pair.values()))
    return pair


def assert_written_down(runs: Mapping[str, Path], expected: StringState) -> None:
    """What both sides hold after they were restored is what was put in."""
    for folder in runs.values():
        found = differences(written_down(folder), expected.lines())
        assert not found, (str(folder), len(found), shown(found))


def on_both(
    pair: Pair, jar: Path, savepoints: Mapping[str, str], commanded: list[str] | None, folder: Path
) -> dict[str, Path]:
    """Runs the job on both sides at the same time; the folder of each run."""
    folders = {side: folder / side for side in pair}
    with ThreadPoolExecutor() as pool:
        runs = [
            pool.submit(run_state_job, pair[side], jar, savepoints[side], commanded, folders[side])
            for side in pair
        ]
        for run in runs:
            run.result()
    return folders


def run_state_job(
    flink: FlinkInstallation, jar: Path, savepoint: str, commanded: list[str] | None, folder: Path
) -> None:
    """From a savepoint to the next one, which is left in ``savepoint`` of the folder.

    Without commands, the job only writes down what it was restored with.
    """
    folder.mkdir(parents=True)
    lines = (f"{command}\n" for command in commanded or [])
    (folder / "commands.txt").write_text("".join(lines))
    job = RunningJob.submit(flink, jar, "StateJob", folder, savepoint=savepoint)
    job.wait_for_file(folder / "ready")
    if commanded is not None:
        job.stop_with_savepoint(folder / "savepoint")


def savepoint_of(folder: Path) -> str:
    (savepoint,) = (folder / "savepoint").iterdir()
    return savepoint.as_uri()


def state_files(folder: Path) -> list[str]:
    """Checksums of the savepoint's files, whose names are random; ``_metadata`` holds the names."""
    return sorted(
        hashlib.sha256(file.read_bytes()).hexdigest()
        for file in (folder / "savepoint").rglob("*")
        if file.is_file() and file.name != "_metadata"
    )


def origins(flink: FlinkInstallation) -> dict[str, str]:
    (task_manager,) = flink.task_managers()
    return flink.loaded_by(task_manager)
