"""The results store keeps what is finished, finds what is missing, and names what is broken."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from stored_runs import complete_run_ids, jmh_of, store_complete_run
from synthetic import COMPARATOR, JOB, THREE, WRITE, make_forks, make_run

from flink_boost.base.errors import BrokenData, UsageProblem
from flink_boost.flink.side import Side
from flink_boost.measure import finalize, fork_files, store
from flink_boost.measure.fork import Fork
from flink_boost.measure.history import newest_run
from flink_boost.measure.model import RunInfo
from flink_boost.measure.store import RunState
from flink_boost.measure.summary import gap_sentence

PLANNED = fork_files.PlannedFork(1, Side.STOCK, WRITE)


def attempt_of(results: Path, info: RunInfo, fork: Fork) -> fork_files.Attempt:
    """What a JMH process leaves for that fork."""
    attempt = fork_files.new_attempt(
        results, info.run_id, fork_files.PlannedFork(fork.pair, fork.side, WRITE)
    )
    attempt.json.write_text(json.dumps([jmh_of(fork)]), encoding="utf-8")
    attempt.log.write_text("log of the try", encoding="utf-8")
    return attempt


@pytest.fixture
def info(tmp_path: Path) -> RunInfo:
    run = make_run(cells=[WRITE], pairs=2)
    store.create_run(tmp_path, run)
    return run


def test_a_plan_is_read_back(tmp_path: Path, info: RunInfo) -> None:
    assert store.load_run(tmp_path, info.run_id) == info
    assert store.run_ids(tmp_path) == (info.run_id,)
    assert complete_run_ids(tmp_path) == ()
    assert fork_files.load_forks(tmp_path, info.run_id) == ()


def test_forks_run_by_pair_then_cell_then_side_and_even_pairs_the_other_way_round() -> None:
    info = make_run(pairs=2)
    order = [(fork.pair, fork.cell, fork.side) for fork in fork_files.planned_forks(info)]
    assert order == [
        (pair, cell, side)
        for pair in (1, 2)
        for cell in (WRITE, JOB)
        for side in (Side.STOCK, Side.PATCHED)[:: 1 if pair == 1 else -1]
    ]
    old = info.model_copy(update={"alternating": False})
    assert {fork.side for fork in fork_files.planned_forks(old)[::2]} == {Side.STOCK}
    assert len({fork.stem for fork in fork_files.planned_forks(info)}) == 8


def test_three_sides_take_turns_and_a_comparator_runs_on_the_patched_side_only() -> None:
    info = make_run(cells=[WRITE, COMPARATOR], sides=THREE, pairs=2)
    order = [(fork.pair, fork.cell, fork.side) for fork in fork_files.planned_forks(info)]
    assert order == [
        (pair, cell, side)
        for pair in (1, 2)
        for cell, side in (
            *((WRITE, side) for side in THREE[:: 1 if pair == 1 else -1]),
            (COMPARATOR, Side.PATCHED),
        )
    ]
    aa = info.model_copy(update={"sides": (Side.STOCK, Side.CONTROL)})
    assert {fork.cell for fork in fork_files.planned_forks(aa)} == {WRITE}


def test_a_run_with_three_sides_and_its_circumstances_are_read_back(tmp_path: Path) -> None:
    run = make_run(sides=THREE, threads=8, heap="64m", pairs=2)
    forks = tuple(
        fork.model_copy(
            update={"gc_time_per_op": 2.5 * number, "gc_time_step": 0.5, "gc_count": 7.0}
        )
        for number, fork in enumerate(make_forks(run, noise=0.1))
    )
    store_complete_run(tmp_path, run, forks)
    assert store.load_run(tmp_path, run.run_id) == run
    loaded = {
        (fork.cell, fork.pair, fork.side): (fork.gc_time_per_op, fork.score)
        for fork in fork_files.load_forks(tmp_path, run.run_id)
    }
    assert loaded == {
        (fork.cell, fork.pair, fork.side): (fork.gc_time_per_op, fork.score) for fork in forks
    }


def test_a_run_stored_before_there_were_third_sides_is_read(tmp_path: Path) -> None:
    run = make_run(pairs=1)
    store_complete_run(tmp_path, run, make_forks(run))
    path = tmp_path / run.run_id / "run.json"
    old = json.loads(path.read_text())
    for field in ("third", "third_title", "third_sha256", "threads", "heap"):
        del old[field]
    path.write_text(json.dumps(old))
    assert store.load_run(tmp_path, run.run_id) == run


def test_a_fork_of_another_number_of_threads_is_refused(tmp_path: Path, info: RunInfo) -> None:
    attempt = attempt_of(tmp_path, info, make_forks(info)[0])
    crowded = info.model_copy(update={"threads": 8})
    with pytest.raises(BrokenData, match="measured with 1 threads, not 8"):
        fork_files.accept_attempt(tmp_path, crowded, PLANNED, attempt)


def test_a_run_is_complete_when_every_fork_is_accepted(tmp_path: Path, info: RunInfo) -> None:
    forks = make_forks(info)
    for count, (planned, fork) in enumerate(
        zip(fork_files.planned_forks(info), forks, strict=True), start=1
    ):
        assert finalize.finish(tmp_path, info) is RunState.WITH_FAILURES
        accepted = fork_files.accept_attempt(
            tmp_path, info, planned, attempt_of(tmp_path, info, fork)
        )
        assert accepted.score == fork.score
        assert fork_files.missing_forks(tmp_path, info) == fork_files.planned_forks(info)[count:]
    assert finalize.finish(tmp_path, info) is RunState.COMPLETE
    assert complete_run_ids(tmp_path) == (info.run_id,)
    assert [fork.score for fork in fork_files.load_forks(tmp_path, info.run_id)] == [
        fork.score for fork in forks
    ]
    assert fork_files.log_path(tmp_path, info.run_id, PLANNED).read_text() == "log of the try"
    assert not (tmp_path / info.run_id / "attempts").exists()


def test_the_raw_file_is_kept_as_it_was_written(tmp_path: Path, info: RunInfo) -> None:
    attempt = attempt_of(tmp_path, info, make_forks(info)[0])
    raw = attempt.json.read_bytes()
    fork_files.accept_attempt(tmp_path, info, PLANNED, attempt)
    assert fork_files.json_path(tmp_path, info.run_id, PLANNED).read_bytes() == raw


@pytest.mark.parametrize("content", [None, "", "[]", '[{"benchmark": "a'])
def test_an_attempt_without_a_whole_result_is_not_accepted(
    tmp_path: Path, info: RunInfo, content: str | None
) -> None:
    attempt = attempt_of(tmp_path, info, make_forks(info)[0])
    attempt.json.unlink()
    if content is not None:
        attempt.json.write_text(content, encoding="utf-8")
    with pytest.raises(BrokenData):
        fork_files.accept_attempt(tmp_path, info, PLANNED, attempt)
    assert len(fork_files.missing_forks(tmp_path, info)) == 4
    log = fork_files.reject_attempt(tmp_path, info, PLANNED, attempt)
    assert log.read_text() == "log of the try"
    assert not attempt.json.exists()
    assert len(fork_files.missing_forks(tmp_path, info)) == 4


def test_a_late_writer_does_not_reach_a_later_attempt(tmp_path: Path, info: RunInfo) -> None:
    first = attempt_of(tmp_path, info, make_forks(info)[0])
    second = attempt_of(tmp_path, info, make_forks(info)[0])
    first.json.write_text("written by a process that should be dead", encoding="utf-8")
    assert fork_files.accept_attempt(tmp_path, info, PLANNED, second).pair == 1


def test_a_result_of_another_cell_is_refused(tmp_path: Path, info: RunInfo) -> None:
    other = make_forks(make_run(cells=[JOB], pairs=1))[0]
    attempt = attempt_of(tmp_path, info, other)
    with pytest.raises(BrokenData, match=r"is of .*serializerTuple, not of .*write"):
        fork_files.accept_attempt(tmp_path, info, PLANNED, attempt)


@given(st.integers(min_value=0, max_value=600))
def test_a_cut_off_fork_is_named(tmp_path_factory: pytest.TempPathFactory, length: int) -> None:
    results = tmp_path_factory.mktemp("results")
    run = make_run(cells=[WRITE], pairs=1)
    store_complete_run(results, run, make_forks(run))
    path = fork_files.json_path(results, run.run_id, PLANNED)
    path.write_bytes(path.read_bytes()[:length])
    stored = fork_files.read_forks(results, run)
    assert len(stored.forks) == 1
    (missing,) = stored.missing
    assert (missing.cell, missing.side, missing.pair) == (WRITE, Side.STOCK, 1)
    assert missing.damage.startswith(f"forks/{path.name} is not a result file of JMH")
    sentence = gap_sentence(run, stored.missing)
    assert f"Run {run.run_id} has gaps: 1 of 2 forks are missing (" in sentence
    assert path.name in sentence
    assert f"`flink-boost bench --resume {run.run_id}`" in sentence


def test_a_deleted_fork_is_measured_again(tmp_path: Path) -> None:
    run = make_run(pairs=1)
    store_complete_run(tmp_path, run, make_forks(run))
    fork_files.json_path(tmp_path, run.run_id, PLANNED).unlink()
    assert fork_files.missing_forks(tmp_path, run) == (PLANNED,)
    assert len(fork_files.load_forks(tmp_path, run.run_id)) == 3


@pytest.mark.parametrize("content", ["", "{", '{"run_id": "x"}', None])
def test_a_damaged_plan_is_named(tmp_path: Path, info: RunInfo, content: str | None) -> None:
    path = tmp_path / info.run_id / "run.json"
    if content is None:
        path.unlink()
        path.mkdir()
    else:
        path.write_text(content, encoding="utf-8")
    with pytest.raises(BrokenData, match=r"run\.json is damaged"):
        store.load_run(tmp_path, info.run_id)


def test_a_plan_in_the_wrong_folder_is_named(tmp_path: Path, info: RunInfo) -> None:
    (tmp_path / info.run_id).rename(tmp_path / "renamed")
    with pytest.raises(BrokenData, match=f"belongs to the run {info.run_id}"):
        store.load_run(tmp_path, "renamed")


@pytest.mark.parametrize("run_id", ["nothing", "", "..", "../secret", "a/b", ".bench.lock"])
def test_an_unknown_run_is_a_usage_problem(tmp_path: Path, info: RunInfo, run_id: str) -> None:
    with pytest.raises(UsageProblem, match="There is no run") as caught:
        store.load_run(tmp_path, run_id)
    assert info.run_id in caught.value.next_step


@pytest.mark.parametrize(
    ("wanted", "named"),
    [
        ("20260301", "Near are: 20260301T223005Z-2.3.0"),
        ("20260302T223005Z-2.3.1", "Near are: 20260302T223005Z-2.3.0"),
        ("nosuch", "The newest are: 20260307T223005Z-2.3.0"),
    ],
)
def test_runs_that_may_have_been_meant_are_named(tmp_path: Path, wanted: str, named: str) -> None:
    for night in range(7):
        store.create_run(tmp_path, make_run(night))
    with pytest.raises(UsageProblem) as caught:
        store.load_run(tmp_path, wanted)
    assert caught.value.next_step.startswith(named)
    assert caught.value.next_step.endswith("`flink-boost runs` lists them.")


def test_an_empty_store_says_how_a_run_is_made(tmp_path: Path) -> None:
    with pytest.raises(UsageProblem) as caught:
        store.load_run(tmp_path, "nosuch")
    assert "flink-boost bench --group quick" in caught.value.next_step


def test_the_newest_run_that_has_ended_passes_over_damaged_and_other_ones(tmp_path: Path) -> None:
    told: list[str] = []
    with pytest.raises(UsageProblem, match="There is no complete run"):
        newest_run(tmp_path, told.append)
    runs = [make_run(night, pairs=1) for night in range(6)]
    for run in runs[:5]:
        store_complete_run(tmp_path, run, make_forks(run))
    store.create_run(tmp_path, runs[5])
    (tmp_path / runs[2].run_id / "run.json").write_text("{")
    for fork in (tmp_path / runs[3].run_id / "forks").glob("*.stock.*.json"):
        fork.unlink()
    store.abandon(tmp_path, runs[4].run_id)
    (tmp_path / "unrelated").mkdir()
    assert newest_run(tmp_path, told.append) == runs[1]
    (sentence,) = told
    assert f"Run {runs[2].run_id} is left out" in sentence
    assert newest_run(tmp_path, told.append, lambda run: run == runs[0]) == runs[0]
    assert newest_run(tmp_path, told.append, lambda run: run == runs[3]) == runs[3]
    assert store.run_ids(tmp_path) == tuple(run.run_id for run in runs)
    assert store.final_run_ids(tmp_path) == tuple(run.run_id for run in runs[:4])


def test_a_store_that_does_not_exist_yet_is_empty(tmp_path: Path) -> None:
    assert store.run_ids(tmp_path / "results") == ()


def test_run_ids_of_one_second_differ_and_sort(tmp_path: Path) -> None:
    started = datetime(2026, 3, 1, 22, 30, 5, tzinfo=UTC)
    first = store.new_run_id(tmp_path, started, "2.3.0")
    assert first == "20260301T223005Z-2.3.0"
    (tmp_path / first).mkdir()
    second = store.new_run_id(tmp_path, started, "2.3.0")
    assert second == "20260301T223005Z-2.3.0-2"
    assert sorted([second, first]) == [first, second]
