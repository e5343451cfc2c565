"""Whether the canary moved: seldom said of a steady box, seen when it moves, forgotten in time."""

from __future__ import annotations

import math
import random
from collections.abc import Callable

import pytest
from synthetic import make_forks, make_run

from flink_boost.judge.canary_verdict import (
    FALSE_NIGHTS,
    LEARNING,
    SETTLED,
    CanaryNight,
    nights_of,
    read_canary,
)
from flink_boost.measure.model import Purpose
from flink_boost.measure.summary import RunSummary, summarise

CELLS = ("a", "b", "c", "d")
Move = Callable[[int], tuple[float, float]]


def still(_: int) -> tuple[float, float]:
    return 0.0, 0.0


def series(
    seed: int, move: Move = still, nights: int = 50, noise: float = 0.01
) -> list[CanaryNight]:
    """Nights whose ratio and stock's speed ``move`` by these logarithms, with 1 % noise each.

    The box has a mood of its own each night, which all benchmarks share.
    """
    chance = random.Random(seed)
    made = []
    for number in range(nights):
        ratio, stock = move(number)
        mood = chance.gauss(0, noise)
        made.append(
            CanaryNight(
                f"night-{number}",
                {cell: 0.7 + ratio + chance.gauss(0, noise) for cell in CELLS},
                {cell: -3 + stock + mood + chance.gauss(0, noise) for cell in CELLS},
            )
        )
    return made


def from_night(first: int, ratio: float = 0.0, stock: float = 0.0) -> Move:
    return lambda number: (ratio, stock) if number >= first else (0.0, 0.0)


def test_a_steady_box_is_hardly_ever_said_to_have_moved() -> None:
    readings = [reading for seed in range(100) for reading in read_canary(series(seed, nights=60))]
    judged = [reading for reading in readings if not reading.learning]
    assert len(judged) == 100 * (60 - LEARNING)
    share = sum(reading.moved for reading in judged) / len(judged)
    assert 0 < share < 2 * FALSE_NIGHTS


@pytest.mark.parametrize(
    ("move", "word"),
    [
        (from_night(40, stock=-0.1), "speed of frozen stock"),
        (from_night(40, stock=0.1), "speed of frozen stock"),
        (from_night(40, ratio=-0.05), "ratio of the frozen jar"),
        (from_night(40, ratio=0.05), "ratio of the frozen jar"),
    ],
)
def test_a_move_is_seen_the_same_night_and_its_size_is_told(move: Move, word: str) -> None:
    seen, covered = 0, 0
    for seed in range(40):
        reading = read_canary(series(seed, move))[40]
        true = math.exp(sum(move(40)))
        if reading.moved:
            assert word in reading.reason
            assert reading.ratio is not None
            assert reading.low is not None
            assert reading.high is not None
            assert abs(reading.ratio - true) < 0.06
            covered += reading.low <= true <= reading.high
            seen += 1
    assert seen >= 38
    assert covered >= 0.85 * seen


def test_benchmarks_that_move_against_each_other_are_seen_too() -> None:
    """An update of the microcode may slow one kind of code down; all together need not move."""
    seen = 0
    for seed in range(20):
        *before, last = series(seed)
        ratios = {**last.ratios, "c": last.ratios["c"] - 0.12, "d": last.ratios["d"] + 0.12}
        reading = read_canary([*before, CanaryNight("x", ratios, last.stock)])[-1]
        seen += reading.moved and ("in c" in reading.reason or "in d" in reading.reason)
    assert seen >= 19


def test_smaller_moves_than_matter_are_none_however_steady_the_box_is() -> None:
    move = from_night(40, ratio=0.005, stock=-0.015)
    readings = read_canary(series(1, move, noise=0.0001))
    assert not any(reading.moved for reading in readings)
    assert read_canary(series(1, from_night(40, ratio=0.011), noise=0.0001))[40].moved


def test_a_new_normal_is_accepted_after_some_nights_and_the_next_move_is_seen() -> None:
    def move(number: int) -> tuple[float, float]:
        return 0.0, -0.1 * (number >= 30) - 0.1 * (number >= 42)

    for seed in range(10):
        moved = [reading.moved for reading in read_canary(series(seed, move))]
        assert moved[30 : 30 + SETTLED] == [True] * SETTLED
        assert sum(moved[30 + SETTLED : 42]) <= 1
        assert moved[42 : 42 + SETTLED] == [True] * SETTLED


def test_a_box_that_finds_no_level_stays_moved() -> None:
    def move(number: int) -> tuple[float, float]:
        return (0.0, 0.0) if number < 30 else (0.0, (-0.2, -0.5, 0.3)[number % 3])

    assert all(reading.moved for reading in read_canary(series(3, move))[30:])


def test_a_single_bad_night_leaves_the_others_as_they_were() -> None:
    bad = series(5, lambda number: (0.0, -0.4 if number == 30 else 0.0))
    readings = read_canary(bad)
    assert readings[30].moved
    without = read_canary([*bad[:30], *bad[31:]])
    assert readings[31:] == without[30:]


def test_later_nights_change_no_reading() -> None:
    nights = series(7, from_night(30, stock=-0.1))
    assert read_canary(nights)[:35] == read_canary(nights[:35])


def test_too_few_nights_say_nothing() -> None:
    readings = read_canary(series(1, from_night(5, stock=-0.5), nights=LEARNING))
    assert all(reading.learning and not reading.moved for reading in readings)
    assert readings[4].reason == f"4 of {LEARNING} nights so far"
    assert read_canary([]) == ()


def test_a_missing_benchmark_moves_nothing() -> None:
    nights = series(2)
    last = nights[-1]
    half = CanaryNight("x", {"a": last.ratios["a"]}, {"a": last.stock["a"]})
    assert not read_canary([*nights[:-1], half])[-1].moved
    none = CanaryNight("x", {"new": 9.0}, {"new": 9.0})
    reading = read_canary([*nights[:-1], none])[-1]
    assert not reading.moved
    assert "no benchmark of this night" in reading.reason


def without(night: CanaryNight, cell: str) -> CanaryNight:
    """The same night, in which that benchmark failed."""
    ratios = {name: value for name, value in night.ratios.items() if name != cell}
    stock = {name: value for name, value in night.stock.items() if name != cell}
    return CanaryNight(night.run_id, ratios, stock)


@pytest.mark.parametrize("cell", CELLS)
def test_a_gap_in_one_night_keeps_a_benchmark_in_the_others(cell: str) -> None:
    for seed in range(5):
        nights = series(seed, nights=40)
        nights[20] = without(nights[20], cell)
        last = nights[-1]
        alone = {**last.stock, cell: last.stock[cell] + 0.2}
        reading = read_canary([*nights[:-1], CanaryNight("x", last.ratios, alone)])[-1]
        assert reading.moved
        assert reading.reason.startswith(f"the speed of frozen stock in {cell} is 1.")


@pytest.mark.parametrize("cell", CELLS)
def test_a_gap_does_not_put_off_the_new_normal(cell: str) -> None:
    for seed in range(10):
        nights = series(seed, from_night(30, stock=-0.1))
        nights[31] = without(nights[31], cell)
        moved = [reading.moved for reading in read_canary(nights)]
        assert moved[30 : 30 + SETTLED] == [True] * SETTLED
        assert sum(moved[30 + SETTLED :]) <= 1


def test_gaps_make_no_moves() -> None:
    chance = random.Random(1)
    told = []
    for seed in range(30):
        nights = [
            without(night, chance.choice(CELLS)) if chance.random() < 0.2 else night
            for night in series(seed, nights=60)
        ]
        told += [reading.moved for reading in read_canary(nights) if not reading.learning]
    assert 0 <= sum(told) / len(told) < 2 * FALSE_NIGHTS


def measured(night: int, speed: float = 100.0, **changes: object) -> RunSummary:
    info = make_run(night).model_copy(update={"purpose": Purpose.CANARY, **changes})
    return summarise(info, make_forks(info, speed=speed, noise=0.01, seed=night))


def test_runs_become_nights_in_order_whatever_the_order_of_files() -> None:
    runs = [measured(night) for night in range(20)]
    slow = measured(20, speed=70.0)
    nights = nights_of([slow, *reversed(runs)], slow.info)
    assert [night.run_id for night in nights] == [run.info.run_id for run in (*runs, slow)]
    *_, before, last = read_canary(nights)
    assert not before.moved
    assert last.moved
    assert last.ratio == pytest.approx(0.7, rel=0.05)
    # A night knows nothing of later ones.
    assert len(nights_of([*runs, slow], runs[5].info)) == 6


@pytest.mark.parametrize(
    "changes",
    [
        {"purpose": Purpose.NIGHTLY},
        {"dropin_sha256": "cd" * 32},
        {"stock_sha256": "cd" * 32},
        {"line": "1.20.5"},
        {"box": make_run(0).box.model_copy(update={"name": "another"})},
    ],
)
def test_another_canary_is_another_series(changes: dict[str, object]) -> None:
    tonight = measured(3)
    assert len(nights_of([measured(1), measured(2, **changes), tonight], tonight.info)) == 2
