"""Runs whose benchmarks have pairs of their own."""

from __future__ import annotations

from pathlib import Path

import pytest
from pydantic import ValidationError
from stored_runs import store_complete_run
from synthetic import JOB, WRITE, make_forks, make_run

from flink_boost.base.errors import FlinkBoostError
from flink_boost.flink.side import Side
from flink_boost.judge.pool import pool
from flink_boost.judge.ratio import compare, unpaired
from flink_boost.judge.series import build_series
from flink_boost.measure import finalize, fork_files
from flink_boost.measure.fork import Fork
from flink_boost.measure.groups import choose_cells, load_groups
from flink_boost.measure.model import RunInfo
from flink_boost.measure.runner import EndedFork
from flink_boost.measure.store import RunState
from flink_boost.publish.progress import describe_step
from flink_boost.publish.run_note import bench_command

GROUP = """
[one]
title = "One"
pairs = 3
warmup-iterations = 1
warmup-time-ms = 10
iterations = 1
iteration-time-ms = 10
[[one.benchmarks]]
benchmark = "a.B.c"
params.length = ["1", "2"]
[[one.benchmarks]]
benchmark = "a.B.job"
pairs = 7
"""


def uneven(write: int = 2, job: int = 5, night: int = 0) -> RunInfo:
    plan = make_run(night).model_dump() | {"pairs": max(write, job), "cell_pairs": (write, job)}
    return RunInfo.model_validate(plan)


SIDES = (Side.STOCK, Side.PATCHED)


def planned(run: RunInfo) -> list[Fork]:
    """One fork per planned place, as a run that went well has."""
    wanted = {(one.cell, one.side, one.pair) for one in fork_files.planned_forks(run)}
    return [fork for fork in make_forks(run) if (fork.cell, fork.side, fork.pair) in wanted]


def test_sits_rounds_out_evenly_and_keeps_the_halves_of_a_pair_together() -> None:
    order = fork_files.planned_forks(uneven(write=2, job=5))
    assert [(one.cell, one.pair) for one in order[::2]] == [
        *((JOB, 1), (WRITE, 1), (JOB, 2), (JOB, 3), (WRITE, 2), (JOB, 4), (JOB, 5))
    ]
    assert all(
        (first.cell, first.pair) == (second.cell, second.pair)
        and (first.side, second.side) == (SIDES if first.pair % 2 else SIDES[::-1])
        for first, second in zip(order[::2], order[1::2], strict=True)
    )


@pytest.mark.parametrize(("few", "many"), [(1, 1), (1, 20), (3, 7), (19, 20), (20, 20), (7, 999)])
def test_plans_every_pair_once_however_they_differ(few: int, many: int) -> None:
    run = uneven(few, many)
    order = fork_files.planned_forks(run)
    assert len(set(order)) == len(order) == run.forks_planned == 2 * (few + many)
    for cell, pairs in ((WRITE, few), (JOB, many)):
        mine = [one.pair for one in order if one.cell == cell and one.side is Side.STOCK]
        assert mine == list(range(1, pairs + 1))


def test_runs_with_one_number_keep_their_order() -> None:
    run = make_run(pairs=3)
    assert [(one.pair, one.cell) for one in fork_files.planned_forks(run)[::2]] == [
        (pair, cell) for pair in (1, 2, 3) for cell in (WRITE, JOB)
    ]


@pytest.mark.parametrize("own", [(2,), (2, 6), (0, 5), (2, 5, 5)])
def test_refuses_a_plan_that_does_not_add_up(own: tuple[int, ...]) -> None:
    plan = make_run(pairs=5).model_dump() | {"cell_pairs": own}
    with pytest.raises(ValidationError):
        RunInfo.model_validate(plan)


def test_is_complete_compared_and_a_point_with_its_own_pairs(tmp_path: Path) -> None:
    run = uneven()
    forks = planned(run)
    store_complete_run(tmp_path, run, forks)
    assert finalize.finish(tmp_path, run) is RunState.COMPLETE
    assert [row.pairs for row in compare(run, forks)] == [2, 5]
    assert unpaired(run, forks) == ()
    [writes, jobs] = build_series([finalize.load_summary(tmp_path, run.run_id)])
    assert [point.pairs for point in (*writes.present, *jobs.present)] == [2, 5]
    assert run.pairs_text == "2 to 5 pairs"


def test_a_fork_that_is_missing_is_a_gap_among_those_planned(tmp_path: Path) -> None:
    run = uneven()
    store_complete_run(tmp_path, run, planned(run)[:-1])
    assert finalize.finish(tmp_path, run) is RunState.WITH_FAILURES
    [gap] = finalize.load_summary(tmp_path, run.run_id).missing
    assert (gap.cell, gap.pair) == (JOB, 5)


def test_pools_without_holes() -> None:
    runs = [(run, planned(run)) for run in (uneven(2, 5), uneven(3, 4, night=1))]
    pooled, forks = pool(runs)
    assert (pooled.pairs, pooled.cell_pairs) == (9, (5, 9))
    assert unpaired(pooled, forks) == ()
    assert [row.pairs for row in compare(pooled, forks)] == [5, 9]


def test_says_which_pair_of_how_many() -> None:
    run = uneven()
    place, fork = fork_files.planned_forks(run)[2], planned(run)[0]
    line = describe_step(run, EndedFork(3, 14, place, fork, 0.0))
    assert "pair 1/2 StringSerializationBenchmark.write" in line
    assert bench_command(run, WRITE).endswith(
        "--pairs 2 'StringSerializationBenchmark.write[length=16,kind=ascii]'"
    )
    assert "--pairs" not in bench_command(run)


def test_an_entry_of_a_group_may_name_its_own(tmp_path: Path) -> None:
    file = tmp_path / "groups.toml"
    file.write_text(GROUP, encoding="utf-8")
    group = load_groups(file)["one"]
    assert (group.pairs, group.cell_pairs) == (7, (3, 3, 7))
    assert (choose_cells(group, ["job"]).pairs, choose_cells(group, ["job"]).cell_pairs) == (7, ())
    assert (
        choose_cells(group, [r"c.length=2"]).pairs,
        len(choose_cells(group, ["length=1"]).cells),
    ) == (3, 1)
    file.write_text(GROUP.replace("pairs = 7", "pairs = 0"), encoding="utf-8")
    with pytest.raises(FlinkBoostError, match="pairs"):
        load_groups(file)
