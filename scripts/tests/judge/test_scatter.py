"""The scatter of a box comes out of its own runs."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from stored_runs import store_complete_run
from synthetic import JOB, WRITE, make_forks, make_night, make_run

from flink_boost.judge.scatter import measured_scatter
from flink_boost.measure import fork_files
from flink_boost.measure.fork_overhead import start_seconds
from flink_boost.measure.model import Timing
from flink_boost.measure.pair_scatter import Scatter, ScatterTable

TABLE = ScatterTable((("", Scatter(spread=0.5, start=9.0)),))


def test_the_spread_of_a_pair_is_found_however_the_level_moves() -> None:
    nights = [make_night(n, ratio=2.0 + n, noise=0.1, seed=n) for n in range(60)]
    found = measured_scatter(TABLE, nights, {WRITE: 3.0})
    # Two forks of 10 % each make a pair of 14 %.
    assert found.of(WRITE).spread == pytest.approx(0.1 * 2**0.5, rel=0.1)
    assert (found.of(WRITE).start, found.of(JOB).start) == (3.0, 9.0)
    assert found.is_measured(WRITE)


def test_too_few_pairs_leave_the_table() -> None:
    found = measured_scatter(TABLE, [make_night(noise=0.1)], {})
    assert found.of(WRITE) == Scatter(spread=0.5, start=9.0)
    assert not found.is_measured(WRITE)


def test_no_scatter_at_all_is_not_believed() -> None:
    nights = [make_night(n) for n in range(3)]
    assert measured_scatter(TABLE, nights, {}).of(JOB).spread > 0


def test_starts_are_the_time_between_two_files_less_the_iterations(tmp_path: Path) -> None:
    timing = Timing(warmup_iterations=1, warmup_time_ms=500, iterations=1, iteration_time_ms=1500)
    run = make_run(pairs=3).model_copy(update={"timings": (timing, timing)})
    store_complete_run(tmp_path, run, make_forks(run))
    assert start_seconds(tmp_path, [make_run(night=1)]) == {}
    at = 1_800_000_000.0
    for number, planned in enumerate(fork_files.planned_forks(run)):
        # An hour's break in the middle, as after a resume, is no start.
        at += (5.0 if planned.cell == JOB else 4.0) + (3600 if number == 5 else 0)
        os.utime(fork_files.json_path(tmp_path, run.run_id, planned), (at, at))
    assert start_seconds(tmp_path, [run]) == {WRITE: pytest.approx(2), JOB: pytest.approx(3)}
