"""Nights in order of time; another name goes on, another unit or direction begins anew."""

from __future__ import annotations

import random
from datetime import timedelta
from pathlib import Path

import pytest
from synthetic import COMPARATOR, JOB, make_forks, make_night, make_run

from flink_boost.base.errors import BrokenData
from flink_boost.judge.tracks import build_tracks
from flink_boost.measure.model import Cell, Mode, Purpose
from flink_boost.measure.renamed_benchmarks import RENAMED_FILE, load_renamed
from flink_boost.measure.summary import RunSummary, summarise

OLD = Cell(benchmark="org.example.OldBenchmark.run")


def night(number: int, cell: Cell = JOB, mode: Mode = Mode.THROUGHPUT) -> RunSummary:
    run = make_run(number, cells=(cell,))
    return summarise(run, make_forks(run, modes=[mode]))


def test_nights_are_in_order_of_time_whatever_the_order_of_runs_or_commits() -> None:
    runs = [make_night(number) for number in range(6)]
    expected = build_tracks(runs)
    assert [one.number for one in expected[0].nights] == list(range(6))
    assert [run.started for run in expected[0].runs] == sorted(run.info.started for run in runs)
    for seed in range(5):
        random.Random(seed).shuffle(runs)
        assert build_tracks(runs) == expected


def test_a_gap_is_a_night_without_pairs() -> None:
    lost = summarise(make_run(1, cells=(JOB,)), ())
    (track,) = build_tracks([night(0), lost, night(2)])
    assert [one.number for one in track.nights] == [0, 2]
    assert [run.run_id for run in track.runs] == [make_run(one).run_id for one in range(3)]


def test_a_renamed_benchmark_goes_on() -> None:
    runs = [night(0, OLD), night(1, OLD), night(2)]
    assert len(build_tracks(runs)) == 2
    middle = "org.example.MiddleBenchmark.run"
    (track,) = build_tracks(runs, {OLD.benchmark: middle, middle: JOB.benchmark})
    assert len(track.nights) == 3
    assert track.cell == JOB
    assert [one.benchmark for one in track.names] == [OLD.benchmark] * 2 + [JOB.benchmark]
    (before,) = build_tracks(runs[:2])
    assert track.key == before.key


def test_another_direction_unit_or_jdk_is_another_track() -> None:
    mixed = [night(0), night(1), night(2, mode=Mode.AVERAGE_TIME), night(3, mode=Mode.AVERAGE_TIME)]
    tracks = build_tracks(mixed)
    assert sorted((one.unit, len(one.nights)) for one in tracks) == [("ns/op", 2), ("ops/ms", 2)]
    assert len({one.key for one in tracks}) == 2
    other = make_run(2, cells=(JOB,), jdk="21.0.8")
    assert len(build_tracks([night(0), summarise(other, make_forks(other))])) == 2
    update = make_run(2, cells=(JOB,), jdk="17.0.12+7")
    assert len(build_tracks([night(0), summarise(update, make_forks(update))])) == 1


def test_what_makes_no_point_of_a_trend_is_no_night() -> None:
    by_hand = make_run(1).model_copy(update={"purpose": Purpose.BY_HAND})
    quick = make_run(2, quick_look=True)
    compared = make_run(3, cells=(COMPARATOR,))
    runs = [summarise(run, make_forks(run)) for run in (by_hand, quick, compared)]
    assert build_tracks(runs) == ()


def test_runs_that_began_in_the_same_second_have_one_order() -> None:
    one, other = make_run(0), make_run(0).model_copy(update={"run_id": "20260301T223005Z-b"})
    runs = [summarise(run, make_forks(run)) for run in (one, other)]
    assert build_tracks(runs) == build_tracks(runs[::-1])
    assert one.started + timedelta() == other.started


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[benchmarks]\n'a.b' = 3", "string"),
        ("[benchmarks]\n'a.b' = 'no name'", "pattern"),
        ("[benchmarks]\n'a.b' = 'a.c'\n'a.c' = 'a.b'", "comes back to itself"),
        ("[benchmarks", "not TOML"),
    ],
)
def test_a_broken_mapping_is_told(tmp_path: Path, text: str, words: str) -> None:
    path = tmp_path / "renamed.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(BrokenData, match=words):
        load_renamed(path)


def test_the_mapping_of_the_tree_is_read(tmp_path: Path) -> None:
    assert RENAMED_FILE.is_file()
    assert isinstance(load_renamed(), dict)
    assert load_renamed(tmp_path / "none.toml") == {}
