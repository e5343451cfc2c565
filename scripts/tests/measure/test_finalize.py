"""A run ends with its state and its summary; what is damaged is a gap that a repair closes."""

from __future__ import annotations

import math
import os
import random
import statistics
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from damages import DAMAGES
from hypothesis import given, settings
from hypothesis import strategies as st
from stored_runs import complete_run_ids, fork_path, store_complete_run, store_forks
from synthetic import COMPARATOR, JOB, THREE, WRITE, make_forks, make_run

from flink_boost.base.errors import BrokenData, EnvironmentProblem, UsageProblem
from flink_boost.flink.side import Side
from flink_boost.judge.series import Series, build_series
from flink_boost.judge.trend import detect
from flink_boost.measure import finalize, fork_files, store
from flink_boost.measure.fork import Fork
from flink_boost.measure.history import load_history
from flink_boost.measure.model import RunInfo
from flink_boost.measure.store import RunState
from flink_boost.measure.summary import RunSummary, gap_sentence, summarise

pytestmark = pytest.mark.quiet


@pytest.fixture
def run() -> RunInfo:
    return make_run(pairs=3)


@pytest.fixture
def forks(run: RunInfo) -> tuple[Fork, ...]:
    return make_forks(run, noise=0.1, seed=1)


def without(forks: Sequence[Fork], *gone: Fork) -> list[Fork]:
    return [fork for fork in forks if fork not in gone]


def summary_file(results: Path, run: RunInfo) -> Path:
    return results / run.run_id / "summary.json"


def test_a_run_with_all_its_forks_is_complete_and_has_a_summary(
    tmp_path: Path, run: RunInfo, forks: tuple[Fork, ...]
) -> None:
    store.create_run(tmp_path, run)
    assert store.state(tmp_path, run.run_id) is RunState.UNFINISHED
    store_forks(tmp_path, run, forks)
    assert finalize.finish(tmp_path, run) is RunState.COMPLETE
    assert store.state(tmp_path, run.run_id) is RunState.COMPLETE
    kept = RunSummary.model_validate_json(summary_file(tmp_path, run).read_bytes())
    assert kept.info == run
    assert kept.cells == summarise(run, forks).cells
    assert kept.missing == ()
    assert kept.has_pairs


def test_a_run_with_failed_forks_counts_with_the_others_and_a_repair_completes_it(
    tmp_path: Path, run: RunInfo, forks: tuple[Fork, ...]
) -> None:
    store.create_run(tmp_path, run)
    store_forks(tmp_path, run, forks[1:])
    assert finalize.finish(tmp_path, run) is RunState.WITH_FAILURES
    assert store.final_run_ids(tmp_path) == (run.run_id,)
    assert complete_run_ids(tmp_path) == ()
    partial = finalize.load_summary(tmp_path, run.run_id)
    assert (len(partial.missing), partial.revision) == (1, 1)
    assert [len(cell.paired_scores(run.main_sides)) for cell in partial.cells] == [2, 3]

    assert finalize.reopen(tmp_path, run) == ""
    # The whole pair: a half of another day would not share what the box was like.
    assert fork_files.missing_forks(tmp_path, run) == fork_files.planned_forks(run)[:2]
    (half,) = (tmp_path / run.run_id / "halves").iterdir()
    assert half.name == f"{fork_path(tmp_path, run, forks[1]).stem}.1.json"
    store_forks(tmp_path, run, forks[:2])
    assert finalize.load_summary(tmp_path, run.run_id) == partial, "it stands until the repair ends"
    assert finalize.finish(tmp_path, run) is RunState.COMPLETE
    assert not (tmp_path / run.run_id / "complete-with-failures").exists()
    repaired = finalize.load_summary(tmp_path, run.run_id)
    assert repaired.cells == summarise(run, forks).cells
    assert (repaired.missing, repaired.revision) == ((), 2)
    # Ending it once more without another score is no revision.
    finalize.finish(tmp_path, run)
    assert finalize.load_summary(tmp_path, run.run_id).revision == 2


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
def test_a_damaged_fork_is_a_gap_until_it_is_set_aside_and_measured_again(
    tmp_path: Path, run: RunInfo, forks: tuple[Fork, ...], damage: Callable[[Path], object]
) -> None:
    store_complete_run(tmp_path, run, forks)
    path = fork_path(tmp_path, run, forks[0])
    damage(path)
    history = load_history(tmp_path)
    assert history.broken == ()
    (sentence,) = history.gaps
    assert f"Run {run.run_id} has gaps: 1 of 12 forks are missing" in sentence
    assert f"forks/{path.name}" in sentence
    assert os.path.lexists(path), "a reader moves nothing"
    assert [len(cell.paired_scores(run.main_sides)) for cell in history.runs[0].cells] == [2, 3]

    told = finalize.reopen(tmp_path, run)
    assert f"forks/{path.name}" in told
    assert fork_files.missing_forks(tmp_path, run) == fork_files.planned_forks(run)[:2]
    (aside,) = (tmp_path / run.run_id / "damaged").iterdir()
    assert aside.name == f"{path.stem}.1.json"
    assert store.state(tmp_path, run.run_id) is RunState.WITH_FAILURES
    store_forks(tmp_path, run, forks[:2])
    assert finalize.finish(tmp_path, run) is RunState.COMPLETE
    assert load_history(tmp_path).gaps == ()
    damage(path)
    finalize.reopen(tmp_path, run)
    names = {path.name for path in aside.parent.iterdir()}
    assert names == {f"{path.stem}.1.json", f"{path.stem}.2.json"}, "nothing is overwritten"


def test_an_abandoned_run_is_no_point_and_not_resumed(
    tmp_path: Path, run: RunInfo, forks: tuple[Fork, ...]
) -> None:
    store_complete_run(tmp_path, run, forks)
    other = make_run(1)
    store_complete_run(tmp_path, other, make_forks(other))
    store.abandon(tmp_path, run.run_id)
    assert store.state(tmp_path, run.run_id) is RunState.ABANDONED
    assert [one.info for one in load_history(tmp_path).runs] == [other]
    with pytest.raises(UsageProblem, match="was abandoned"):
        finalize.reopen(tmp_path, run)
    finalize.finish(tmp_path, run)
    assert store.state(tmp_path, run.run_id) is RunState.ABANDONED
    assert fork_path(tmp_path, run, forks[0]).exists()
    with pytest.raises(UsageProblem, match="There is no run"):
        store.abandon(tmp_path, "../results")


def test_a_run_with_a_damaged_plan_can_be_abandoned_and_is_not_named_any_more(
    tmp_path: Path, run: RunInfo, forks: tuple[Fork, ...]
) -> None:
    folder = store_complete_run(tmp_path, run, forks)
    (folder / "run.json").write_text("")
    assert len(load_history(tmp_path).broken) == 1
    store.abandon(tmp_path, run.run_id)
    assert load_history(tmp_path).broken == ()


def test_a_plan_that_is_damaged_after_the_summary_was_made_is_named(
    tmp_path: Path, run: RunInfo, forks: tuple[Fork, ...]
) -> None:
    folder = store_complete_run(tmp_path, run, forks)
    assert load_history(tmp_path).broken == ()
    (folder / "run.json").write_text("{")
    (sentence,) = load_history(tmp_path).broken
    assert "run.json is damaged" in sentence


def test_an_old_store_is_read_and_gets_its_summaries(
    tmp_path: Path, run: RunInfo, forks: tuple[Fork, ...]
) -> None:
    folder = store_complete_run(tmp_path, run, forks)
    assert {path.name for path in folder.iterdir()} == {"run.json", "forks", "complete"}
    first = load_history(tmp_path)
    assert summary_file(tmp_path, run).exists()
    for fork in forks:
        fork_path(tmp_path, run, fork).unlink()
    assert load_history(tmp_path) == first, "the forks are not read again"


@pytest.mark.parametrize(
    "content", ["", "{", '{"schema_version": 0}', "folder", '{"schema_version": 1, "cells": []}']
)
def test_a_summary_that_is_damaged_is_made_anew(
    tmp_path: Path, run: RunInfo, forks: tuple[Fork, ...], content: str
) -> None:
    store_complete_run(tmp_path, run, forks)
    expected = finalize.load_summary(tmp_path, run.run_id)
    path = summary_file(tmp_path, run)
    path.unlink()
    if content == "folder":
        path.mkdir()
    else:
        path.write_text(content)
    assert finalize.load_summary(tmp_path, run.run_id) == expected
    if content != "folder":
        assert RunSummary.model_validate_json(path.read_bytes()) == expected
    assert {path.name for path in path.parent.iterdir()} == {
        *("run.json", "forks", "complete", "summary.json")
    }


def test_a_summary_of_another_plan_does_not_count_but_a_copied_store_keeps_its_own(
    tmp_path: Path, run: RunInfo, forks: tuple[Fork, ...]
) -> None:
    folder = store_complete_run(tmp_path, run, forks)
    first = finalize.load_summary(tmp_path, run.run_id)
    fork_path(tmp_path, run, forks[0]).unlink()
    os.utime(folder / "run.json", ns=(1, 1))
    assert finalize.load_summary(tmp_path, run.run_id) == first
    smaller = run.model_copy(update={"pairs": 2})
    (folder / "run.json").write_text(smaller.model_dump_json())
    again = finalize.load_summary(tmp_path, run.run_id)
    assert again.info == smaller
    assert len(again.missing) == 1


def test_a_reader_does_not_overwrite_what_a_repair_has_written(
    tmp_path: Path, run: RunInfo, forks: tuple[Fork, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    store_complete_run(tmp_path, run, forks[1:])
    read_forks = fork_files.read_forks
    repaired: list[RunState] = []

    def repaired_meanwhile(results: Path, info: RunInfo) -> fork_files.StoredForks:
        stored = read_forks(results, info)
        if not repaired:
            repaired.append(RunState.COMPLETE)
            store_forks(tmp_path, run, forks[:1])
            finalize.finish(tmp_path, run)
        return stored

    monkeypatch.setattr(fork_files, "read_forks", repaired_meanwhile)
    assert len(finalize.load_summary(tmp_path, run.run_id).missing) == 1
    assert finalize.load_summary(tmp_path, run.run_id).missing == ()


def test_many_gaps_are_counted_and_damage_is_named_first(
    tmp_path: Path, run: RunInfo, forks: tuple[Fork, ...]
) -> None:
    store_complete_run(tmp_path, run, forks)
    for fork in forks[:6]:
        fork_path(tmp_path, run, fork).unlink()
    DAMAGES["empty"](fork_path(tmp_path, run, forks[-1]))
    sentence = gap_sentence(run, fork_files.read_forks(tmp_path, run).missing)
    assert "7 of 12 forks are missing" in sentence
    assert sentence.index(forks[-1].cell.slug) < sentence.index("pair 1")
    assert "and 4 more" in sentence
    assert gap_sentence(run, ()) == ""


def log_ratio_of(forks: Sequence[Fork], series: Series) -> float:
    """The score of one night, straight from its forks."""
    scores = {(one.pair, one.side): one.score for one in forks if one.cell == series.cell}
    sign = -1 if series.mode.less_is_better else 1
    return statistics.fmean(
        sign * math.log(scores[pair, Side.PATCHED] / score)
        for (pair, side), score in sorted(scores.items())
        if side is Side.STOCK and (pair, Side.PATCHED) in scores
    )


cells = st.lists(st.sampled_from([WRITE, JOB, COMPARATOR]), min_size=1, max_size=3, unique=True)


@settings(max_examples=25)
@given(
    nights=st.integers(1, 12),
    cells=cells,
    sides=st.sampled_from([(Side.STOCK, Side.PATCHED), THREE]),
    pairs=st.integers(1, 4),
    seed=st.integers(0, 1000),
    gone=st.floats(0.0, 0.4),
)
def test_verdicts_from_summaries_are_those_from_the_forks_bit_by_bit(
    tmp_path_factory: pytest.TempPathFactory,
    nights: int,
    cells: list[object],
    sides: tuple[Side, ...],
    pairs: int,
    seed: int,
    gone: float,
) -> None:
    source = random.Random(seed)
    results = tmp_path_factory.mktemp("results")
    in_memory = []
    for night in range(nights):
        aa = night == 1
        run = make_run(
            night,
            cells=cells,  # type: ignore[arg-type]
            sides=(Side.STOCK, Side.CONTROL) if aa else sides,
            pairs=pairs,
        )
        made = make_forks(run, ratio=source.uniform(0.5, 3), noise=0.05, seed=seed + night)
        left = [fork for fork in made if source.random() >= gone]
        store_complete_run(results, run, left)
        in_memory.append(summarise(run, fork_files.load_forks(results, run.run_id)))
    from_forks = build_series(in_memory)
    made_now = build_series(load_history(results).runs)
    from_files = build_series(load_history(results).runs)
    assert from_forks == made_now == from_files
    for series in from_files:
        for point in series.present:
            assert point.log_ratio == log_ratio_of(
                fork_files.load_forks(results, point.run_id), series
            )
    assert repr(detect(from_forks)) == repr(detect(from_files))


def test_a_damaged_plan_is_an_error_of_its_run_alone(
    tmp_path: Path, run: RunInfo, forks: tuple[Fork, ...]
) -> None:
    folder = store_complete_run(tmp_path, run, forks)
    (folder / "run.json").write_text("[]")
    with pytest.raises(BrokenData, match=r"run\.json is damaged"):
        finalize.load_summary(tmp_path, run.run_id)


def test_what_cannot_be_set_aside_is_said(
    tmp_path: Path, run: RunInfo, forks: tuple[Fork, ...]
) -> None:
    folder = store_complete_run(tmp_path, run, forks)
    DAMAGES["empty"](fork_path(tmp_path, run, forks[0]))
    (folder / "damaged").write_text("a file in the folder's place")
    with pytest.raises(EnvironmentProblem, match="cannot be set aside"):
        finalize.reopen(tmp_path, run)


def test_an_unfinished_run_keeps_the_halves_that_it_has(
    tmp_path: Path, run: RunInfo, forks: tuple[Fork, ...]
) -> None:
    store.create_run(tmp_path, run)
    store_forks(tmp_path, run, forks[:1])
    assert finalize.reopen(tmp_path, run) == ""
    assert fork_files.missing_forks(tmp_path, run) == fork_files.planned_forks(run)[1:]


def test_a_summary_that_is_made_again_does_not_begin_to_count_anew(
    tmp_path: Path, run: RunInfo, forks: tuple[Fork, ...]
) -> None:
    """The next repair would have a number that the spool knows, and would never be sent."""
    folder = store_complete_run(tmp_path, run, forks)
    finalize.load_summary(tmp_path, run.run_id)
    store_forks(tmp_path, run, [forks[0].model_copy(update={"score": 1.0, "iterations": (1.0,)})])
    finalize.finish(tmp_path, run)
    assert finalize.load_summary(tmp_path, run.run_id).revision == 2
    (folder / "run.json").write_text((folder / "run.json").read_text() + "\n")
    assert finalize.load_summary(tmp_path, run.run_id).revision == 2
