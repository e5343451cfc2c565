"""The series: oriented, control-adjusted, and never mixed from runs that differ."""

from __future__ import annotations

import math

import pytest
from synthetic import COMPARATOR, JOB, THREE, WRITE, make_forks, make_night, make_run

from flink_boost.flink.side import Side
from flink_boost.judge.series import build_series, pair_log_ratios
from flink_boost.measure.model import Built, Mode, RunInfo, Timing
from flink_boost.measure.summary import RunSummary, summarise


def measured(run: RunInfo, ratio: float = 2.0, noise: float = 0.0, seed: int = 0) -> RunSummary:
    return summarise(run, make_forks(run, ratio=ratio, noise=noise, seed=seed))


def test_time_and_throughput_both_count_upwards_when_the_patched_side_is_faster() -> None:
    series = build_series([make_night(0, ratio=3.0)])
    assert {one.cell: one.mode for one in series} == {
        WRITE: Mode.AVERAGE_TIME,
        JOB: Mode.THROUGHPUT,
    }
    for one in series:
        assert one.present[0].log_ratio == pytest.approx(math.log(3.0))
    write = next(one for one in series if one.cell == WRITE)
    assert write.present[0].stock > write.present[0].patched, "raw times stay as measured"


def test_what_moves_both_sides_cancels_out() -> None:
    quick, slow = build_series([make_night(0, speed=100.0), make_night(1, speed=55.0)])[0].present
    assert slow.log_ratio == pytest.approx(quick.log_ratio)
    assert slow.stock != pytest.approx(quick.stock)


def test_runs_come_oldest_first_whatever_order_they_are_found_in() -> None:
    series = build_series([make_night(3), make_night(1), make_night(2)])[0]
    starts = [point.started for point in series.present]
    assert starts == sorted(starts)


@pytest.mark.parametrize(
    "change",
    [
        {"line": "1.20.5"},
        {"hostname": "box-2"},
        {"opened": False},
        {"quick_look": True},
        {"jvm_options": ("-XX:-CompactStrings",)},
        {"jdk": "21.0.8+9"},
        {"threads": 8},
        {"heap": "64m"},
    ],
    ids=lambda change: next(iter(change)),
)
def test_runs_with_other_settings_start_a_series_of_their_own(change: dict[str, object]) -> None:
    other = make_run(1, **change)  # type: ignore[arg-type]
    series = build_series([make_night(0), measured(other), make_night(2)])
    points = sorted(len(one.points) for one in series if one.cell == JOB)
    assert points == [1, 2]


def test_an_update_of_the_same_jdk_goes_on_with_a_series() -> None:
    updated = measured(make_run(1, jdk="17.0.10+7"))
    assert [len(one.points) for one in build_series([make_night(0), updated])] == [2, 2]


def test_a_third_side_changes_nothing_in_a_series() -> None:
    (two,), (three,) = (
        build_series([measured(make_run(cells=[WRITE], sides=sides), noise=0.1)])
        for sides in ((Side.STOCK, Side.PATCHED), THREE)
    )
    assert three.settings == two.settings
    (point,) = three.present
    forks = make_forks(make_run(cells=[WRITE], sides=THREE), noise=0.1)
    stock, patched, _ = (
        [math.log(fork.score) for fork in forks if fork.side is side] for side in THREE
    )
    assert point.log_ratio == pytest.approx((sum(stock) - sum(patched)) / 5)


def test_a_comparator_has_no_series() -> None:
    run = measured(make_run(cells=[WRITE, COMPARATOR]))
    assert [one.cell for one in build_series([run])] == [WRITE]


def test_a_benchmark_measured_for_longer_starts_a_series_of_its_own() -> None:
    short, long = (
        Timing(warmup_iterations=2, warmup_time_ms=500, iterations=3, iteration_time_ms=ms)
        for ms in (500, 1000)
    )
    nights = [
        measured(make_run(night).model_copy(update={"timings": (timing, short)}))
        for night, timing in enumerate((short, short, long))
    ]
    points = {(one.cell, len(one.present)) for one in build_series(nights)}
    assert points == {(WRITE, 2), (WRITE, 1), (JOB, 3)}


def test_a_benchmark_missing_from_a_run_leaves_a_gap() -> None:
    partial = make_run(1, cells=(WRITE,))
    series = build_series([make_night(0), measured(partial), make_night(2)])
    job = next(one for one in series if one.cell == JOB)
    assert [point is None for point in job.points] == [False, True, False]
    assert len(job.present) == 2


def test_aa_runs_give_noise_and_no_points() -> None:
    aa = make_run(1, sides=(Side.STOCK, Side.CONTROL), pairs=400)
    series = build_series([make_night(0), measured(aa, ratio=1.0, noise=0.02, seed=7)])
    for one in series:
        assert len(one.points) == 1
        # Two forks of 2 % each make 2.83 % per pair; a point has five pairs.
        assert one.noise == pytest.approx(0.02 * math.sqrt(2) / math.sqrt(5), rel=0.1)


def test_without_an_aa_run_the_noise_is_unknown_and_other_settings_do_not_lend_theirs() -> None:
    foreign = make_run(1, sides=(Side.STOCK, Side.CONTROL), hostname="box-2")
    series = build_series([make_night(0), measured(foreign, ratio=1.0, noise=0.02)])
    assert [one.noise for one in series] == [None, None]


def test_runs_on_another_release_give_neither_points_nor_noise() -> None:
    other = {"baseline": Built(project="flink", version="2.1.0")}
    night = make_night(1)
    aa = make_run(2, sides=(Side.STOCK, Side.CONTROL), pairs=4).model_copy(update=other)
    elsewhere = night.model_copy(update={"info": night.info.model_copy(update=other)})
    series = build_series([make_night(0), elsewhere, measured(aa, ratio=1.0, noise=0.02)])
    assert [(len(one.points), one.noise) for one in series] == [(1, None), (1, None)]


def test_a_half_pair_does_not_count() -> None:
    run = make_run(pairs=3, cells=(JOB,))
    forks = make_forks(run, ratio=1.5, modes=(Mode.THROUGHPUT,))
    without_one = [fork for fork in forks if not (fork.pair == 2 and fork.side is Side.PATCHED)]
    (cell,) = summarise(run, without_one).cells
    assert pair_log_ratios(cell, run.main_sides) == pytest.approx([math.log(1.5)] * 2)
    (series,) = build_series([summarise(run, without_one)])
    assert [point.pairs for point in series.present] == [2]


@pytest.mark.parametrize("score", [math.nan, math.inf, 0.0, -1.0])
def test_a_score_that_is_no_positive_number_is_a_missing_half(score: float) -> None:
    run = make_run(1)
    forks = tuple(
        fork.model_copy(update={"score": score}) if fork.cell == JOB and fork.pair == 1 else fork
        for fork in make_forks(run)
    )
    series = {one.cell: one for one in build_series([make_night(0), summarise(run, forks)])}
    assert [point.pairs for point in series[JOB].present] == [5, 4]
    assert [point.pairs for point in series[WRITE].present] == [5, 5]


def test_a_benchmark_without_a_whole_pair_is_a_gap_of_that_night_and_of_nothing_else() -> None:
    run = make_run(1)
    forks = [fork for fork in make_forks(run) if fork.cell != JOB or fork.side is Side.STOCK]
    nights = [make_night(0), summarise(run, forks), make_night(2)]
    series = {one.cell: one for one in build_series(nights)}
    assert [point is None for point in series[JOB].points] == [False, True, False]
    assert [point is None for point in series[WRITE].points] == [False, False, False]
