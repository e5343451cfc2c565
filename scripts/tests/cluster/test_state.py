"""Savepoints of real clusters, carried from stock to patched Flink and back."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path

import pytest
from flink_installation import (
    DEFAULT_PLATFORM,
    PLATFORMS,
    FlinkInstallation,
    Install,
    Platform,
)
from generated_code import assert_flink_moves_records, assert_generated_code_moves_records
from generic_state import generic_commands, lost, lost_by_sharing
from installations import damaged_dropin
from record_state import record_commands
from running_job import checkpoint_options, has_records
from state_runs import run_state_job, savepoint_of
from string_state import StringState, commands, differences, written_down
from texts import encode, shown

from flink_boost.flink.lines import Line, measured_lines

STRING_VALUE = "org.apache.flink.types.StringValue"
CODEC = "org.apache.flink.boost.strings.StringWriter"
# How a log says that our code runs, records, too.
ON = "INFO BoostMode [] - flink-boost 0.3.0 for Flink 2.3.0: mode on, the class files are those"

# Flink orders the states of a savepoint by hash codes that differ from one start of a JVM to the
# next, stock's own too. With all of them equal, equal state gives equal bytes.
SAME_ORDER = "-XX:+UnlockExperimentalVMOptions -XX:hashCode=2"

# Lines with Kryo 2, whose tables grow with equal hash codes until memory is out.
GROWING = [line for line in measured_lines() if line.version.startswith("1.")]

Pair = Mapping[str, FlinkInstallation]


@pytest.fixture(
    scope="module",
    params=[
        pytest.param("heap", marks=pytest.mark.test_all),
        "rocksdb",
        pytest.param("forst", marks=pytest.mark.test_all),
    ],
)
def backend(request: pytest.FixtureRequest, line: Line) -> str:
    if request.param == "forst" and line in GROWING:
        pytest.skip("Flink 1 has no ForSt.")
    return str(request.param)


@pytest.fixture
def turns(request: pytest.FixtureRequest) -> int:
    """How often state goes to the other side: there and back; once more where all is tested."""
    return 3 if request.config.getoption("--test-all") else 2


@pytest.fixture
def clusters(
    line: Line, install: Install, dropin_jar: Path, backend: str, tmp_path: Path
) -> Iterator[Pair]:
    with ExitStack() as stack:
        yield start_pair(stack, line, install, dropin_jar, backend, tmp_path)


@pytest.mark.timeout(1800)
def test_savepoints_move_between_stock_and_patched_and_are_the_same(
    clusters: Pair,
    line: Line,
    jobs_jar: Path,
    evolved_jobs_jar: Path,
    dropin_jar: Path,
    backend: str,
    turns: int,
    tmp_path: Path,
) -> None:
    """The classes of records change with each turn, and back with the next."""
    changes_of = commands if line in GROWING else all_commands
    jars = [jobs_jar, evolved_jobs_jar]
    # ForSt has savepoints in its own form only, with times in them.
    native = backend == "forst"
    differing = carry_across(clusters, jars, changes_of, turns, tmp_path, native=native)
    assert native or not differing
    assert origins(clusters["stock"])[STRING_VALUE].startswith("flink-dist")
    assert origins(clusters["patched"])[STRING_VALUE] == dropin_jar.name
    assert origins(clusters["patched"])[CODEC] == dropin_jar.name
    backends = {name for name in origins(clusters["patched"]) if name.endswith("KeyedStateBackend")}
    named = {"heap": ".HeapKeyed", "rocksdb": ".RocksDBKeyed", "forst": ".ForSt"}[backend]
    assert any(named in name for name in backends)
    if line not in GROWING:
        assert_who_moved_records(clusters, backend, tmp_path / "last")
    shutil.rmtree(tmp_path / "last")


@pytest.mark.test_all
@pytest.mark.parametrize("platform", DEFAULT_PLATFORM, ids=str, indirect=True)
@pytest.mark.timeout(1800)
def test_records_that_are_switched_off_are_found_out(
    line: Line, install: Install, dropin_jar: Path, jobs_jar: Path, tmp_path: Path
) -> None:
    off = "-Dflink.boost.records=off"
    with ExitStack() as stack:
        pair = start_pair(stack, line, install, dropin_jar, "rocksdb", tmp_path, java_options=off)
        start = {"stock": "", "patched": ""}
        runs = on_both(pair, jobs_jar, start, record_commands(0), tmp_path / "run")
        (pid,) = pair["patched"].task_managers()
        loaded, log = origins(pair["patched"]), pair["patched"].log("taskexecutor")
    with pytest.raises(AssertionError, match="records off"):
        assert_generated_code_moves_records(log, loaded, runs["patched"], pid, reads=0)
    with pytest.raises(AssertionError, match="Purchase"):
        assert_generated_code_moves_records(ON, loaded, runs["patched"], pid, reads=0)
    assert_flink_moves_records(loaded, runs["patched"], pid)


@pytest.mark.parametrize(
    "platform", [each for each in PLATFORMS if each.line in GROWING], ids=str, indirect=True
)
@pytest.mark.timeout(1800)
def test_state_of_generic_keys_is_found_on_the_other_side(
    platform: Platform,
    install: Install,
    dropin_jar: Path,
    jobs_jar: Path,
    evolved_jobs_jar: Path,
    backend: str,
    turns: int,
    tmp_path: Path,
) -> None:
    """Where it cannot be carried with the rest; the files of a savepoint need not be equal.

    Nor can records, some of whose fields are generic.
    """
    line, records = platform.line, has_records(platform.line, platform.jdk)
    changes_of = generic_commands_and_records if records else generic_commands
    with ExitStack() as stack:
        pair = start_pair(stack, line, install, dropin_jar, backend, tmp_path, java_options="")
        carry_across(pair, [jobs_jar, evolved_jobs_jar], changes_of, turns, tmp_path)
        assert origins(pair["patched"])[CODEC] == dropin_jar.name
        if records:
            assert_who_moved_records(pair, backend, tmp_path / "last")
    shutil.rmtree(tmp_path / "last")


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
        second = on_both(pair, jobs_jar, crossed, [], tmp_path / "second")

    assert state_files(first["patched"]) != state_files(first["stock"])
    found = differences(written_down(second["stock"]), expected.lines())
    missing = [line for line in found if line.startswith("-")]
    assert missing
    assert all(changed in line for line in missing), shown(missing)


@pytest.mark.test_all
@pytest.mark.parametrize("platform", DEFAULT_PLATFORM, ids=str, indirect=True)
@pytest.mark.timeout(1800)
def test_a_jar_that_shares_short_strings_loses_the_state_of_generic_keys(
    line: Line, install: Install, jobs_jar: Path, tmp_path: Path
) -> None:
    """Without an error, and only where bytes are looked up: RocksDB, not the heap."""
    damaged = damaged_dropin(tmp_path / "flink-boost-damaged.jar", "share")
    expected = StringState()
    changes = generic_commands(0)
    expected.apply(changes)
    with ExitStack() as stack:
        pair = start_pair(stack, line, install, damaged, "rocksdb", tmp_path)
        first = on_both(pair, jobs_jar, {"stock": "", "patched": ""}, changes, tmp_path / "first")
        crossed = {
            "stock": savepoint_of(first["patched"]),
            "patched": savepoint_of(first["stock"]),
        }
        finds = expected.generic.finds()
        second = on_both(pair, jobs_jar, crossed, finds, tmp_path / "second")

    for folder in second.values():
        sentences = lost(written_down(folder), expected.generic.lines())
        assert sentences == lost_by_sharing(expected.generic)
        assert "The key ('Y', 'Y') starts from empty state" in "\n".join(sentences)


def all_commands(turn: int) -> list[str]:
    """Changes of every kind of state at once."""
    return [*commands(turn), *generic_commands_and_records(turn)]


def generic_commands_and_records(turn: int) -> list[str]:
    """Those that keep what goes through Kryo."""
    return [*generic_commands(turn), *record_commands(turn)]


def carry_across(
    pair: Pair,
    jars: Sequence[Path],
    changes_of: Callable[[int], list[str]],
    turns: int,
    folder: Path,
    *,
    native: bool = False,
) -> list[int]:
    """Restores each savepoint on the other side, so both directions are gone at once.

    Both sides get the same commands, and the same jar in turn: the second of two has evolved
    records. Gives the turns at which what they wrote was not equal; the last runs are in ``last``.
    """
    expected = StringState()
    savepoints = {"stock": "", "patched": ""}
    differing = []
    for turn in range(turns):
        expected.records.restore(evolved=bool(turn % len(jars)))
        changes = changes_of(turn)
        commanded = [*expected.finds(), *changes]
        jar = jars[turn % len(jars)]
        runs = on_both(
            *(pair, jar, savepoints, commanded, folder / f"turn-{turn}"),
            with_client=turn == 0,
            native=native,
        )
        assert_written_down(runs, expected)
        expected.apply(changes)
        files = {side: state_files(run) for side, run in runs.items()}
        if files["patched"] != files["stock"]:
            differing.append(turn)
        assert len(files["stock"]) >= 4  # keyed and operator state of two subtasks
        savepoints = {
            "stock": savepoint_of(runs["patched"]),
            "patched": savepoint_of(runs["stock"]),
        }

    expected.records.restore(evolved=bool(turns % len(jars)))
    jar, finds = jars[turns % len(jars)], expected.finds()
    last = on_both(pair, jar, savepoints, finds, folder / "last", with_client=True, native=native)
    assert_written_down(last, expected)
    for runs_of_turn in folder.glob("turn-*"):
        shutil.rmtree(runs_of_turn)  # pytest would keep some hundred megabytes
    return differing


def start_pair(
    stack: ExitStack,
    line: Line,
    install: Install,
    jar: Path,
    backend: str,
    folder: Path,
    java_options: str = SAME_ORDER,
) -> Pair:
    """A stock and a patched cluster, each with two slots for the job."""
    pair = {}
    for side, jars in {"stock": [], "patched": [jar]}.items():
        options = {
            **checkpoint_options(line, backend, folder / side),
            "taskmanager.numberOfTaskSlots": "2",
            "env.java.opts.taskmanager": java_options,
        }
        flink = install(folder / f"flink-{side}", jars, options=options)
        pair[side] = stack.enter_context(flink)
    with ThreadPoolExecutor() as pool:
        list(pool.map(FlinkInstallation.start_cluster, pair.values()))
    return pair


def assert_written_down(runs: Mapping[str, Path], expected: StringState) -> None:
    """What both sides hold after they were restored is what was put in."""
    for folder in runs.values():
        missing = lost(written_down(folder), expected.generic.lines())
        assert not missing, "\n".join([str(folder), *missing])
        found = differences(written_down(folder), expected.lines())
        assert not found, (str(folder), len(found), shown(found))


def assert_who_moved_records(pair: Pair, backend: str, last: Path) -> None:
    """Generated code on the patched side, Flink's on the other, in the last runs."""
    # Heap state is read before the job can wait for generated code.
    reads = 0 if backend == "heap" else 100
    (stock_pid,), (patched_pid,) = (pair[side].task_managers() for side in ("stock", "patched"))
    log, loaded = pair["patched"].log("taskexecutor"), origins(pair["patched"])
    assert_generated_code_moves_records(log, loaded, last / "patched", patched_pid, reads=reads)
    assert_flink_moves_records(origins(pair["stock"]), last / "stock", stock_pid)


def on_both(
    pair: Pair,
    jar: Path,
    savepoints: Mapping[str, str],
    commanded: list[str],
    folder: Path,
    *,
    with_client: bool = False,
    native: bool = False,
) -> dict[str, Path]:
    """Runs the job on both sides at the same time; the folder of each run."""
    folders = {side: folder / side for side in pair}
    with ThreadPoolExecutor() as pool:
        runs = [
            pool.submit(
                run_state_job,
                *(pair[side], jar, savepoints[side], commanded, folders[side]),
                with_client=with_client,
                native=native,
            )
            for side in pair
        ]
        for run in runs:
            run.result()
    return folders


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
