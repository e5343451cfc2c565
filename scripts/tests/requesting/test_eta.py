"""A day's queue, simulated: how many requests end inside the range that they were told."""

from __future__ import annotations

import random
from dataclasses import dataclass
from datetime import datetime, timedelta

import pytest

from flink_boost.service.requests.eta import (
    BEFORE_A_BLOCK,
    Blocked,
    Habit,
    eta,
    eta_text,
    foretold_seconds,
    habit_of,
)
from requesting.samples import NOON

NIGHT_STARTS_AT, BEFORE_A_NIGHT = 1, timedelta(minutes=30)


@dataclass
class Simulated:
    """A request of the simulation; times as they really were."""

    asked: datetime
    foretold: float
    real: float
    fails: bool
    begun: datetime = NOON
    ended: datetime = NOON


@dataclass(frozen=True)
class Day:
    """How a day is: requests per hour, bias and spread of what was foretold, share that fails."""

    rate: float
    bias: float
    spread: float
    failing: float


def nights(around: datetime) -> tuple[Blocked, ...]:
    first = around.replace(hour=NIGHT_STARTS_AT, minute=0, second=0, microsecond=0)
    return tuple(
        Blocked(first + timedelta(days=day), timedelta(hours=2), timedelta(hours=5))
        for day in (-1, 0, 1, 2, 3)
    )


def requests_of(day: Day, chance: random.Random, days: int) -> list[Simulated]:
    moment, end, found = NOON, NOON + timedelta(days=days), []
    while True:
        moment += timedelta(hours=chance.expovariate(day.rate))
        if moment > end:
            return found
        forks = chance.uniform(40, 900)
        foretold = foretold_seconds(forks)
        fails = chance.random() < day.failing
        real = foretold * day.bias * chance.lognormvariate(0, day.spread)
        found.append(Simulated(moment, foretold, real * (0.3 if fails else 1), fails))


def serve(waiting: list[Simulated], chance: random.Random) -> None:
    """One box: first come, first served, none while a night has it or is about to."""
    free = NOON
    real_nights = [
        (one.start, one.start + timedelta(hours=chance.uniform(2.2, 4.5))) for one in nights(NOON)
    ]
    for one in waiting:
        begin = max(free, one.asked)
        for start, end in real_nights:
            if start - BEFORE_A_NIGHT < begin < end:
                begin = end
        one.begun, one.ended = begin, begin + timedelta(seconds=one.real)
        free = one.ended


def inside(day: Day, seed: int, days: int = 2) -> tuple[int, int]:
    """How many of those that were answered ended inside their range, and how many there were."""
    chance = random.Random(seed)
    served = requests_of(day, chance, days)
    serve(served, chance)
    hits = 0
    answered = [one for one in served if not one.fails]
    for one in answered:
        now = one.asked
        known = [
            (other.foretold, other.real)
            for other in served
            if other.ended <= now and not other.fails
        ][::-1]
        ahead = [other for other in served if other.asked < now < other.ended]
        running = sum((now - o.begun).total_seconds() for o in ahead if o.begun < now)
        earliest, latest = eta(
            now,
            [other.foretold for other in ahead],
            one.foretold,
            habit_of(known),
            nights(now),
            running,
        )
        hits += earliest <= one.ended <= latest
    return hits, len(answered)


@pytest.mark.parametrize(
    "day",
    [
        Day(rate=1.5, bias=1.0, spread=0.2, failing=0.05),
        Day(rate=3.0, bias=0.9, spread=0.25, failing=0.1),
        Day(rate=2.0, bias=1.3, spread=0.3, failing=0.1),
        Day(rate=4.0, bias=1.0, spread=0.2, failing=0.0),
    ],
)
def test_four_of_five_end_inside_their_range(day: Day) -> None:
    found = [inside(day, seed) for seed in range(20)]
    hits, total = map(sum, zip(*found, strict=True))

    assert total > 500
    assert hits / total >= 0.8, hits / total


def test_a_range_is_not_so_wide_that_it_says_nothing() -> None:
    earliest, latest = eta(NOON, [], foretold_seconds(85), habit_of([(340, 340)] * 20))

    assert (latest - NOON).total_seconds() < 2 * (earliest - NOON).total_seconds()


def test_what_is_before_it_counts() -> None:
    alone = eta(NOON, [], 600, Habit())
    behind = eta(NOON, [900, 600], 600, Habit())

    assert behind[0] > alone[0] + timedelta(minutes=10)
    assert behind[1] > alone[1] + timedelta(minutes=20)


def test_a_night_is_passed_over() -> None:
    soon = Blocked(NOON + timedelta(minutes=5), timedelta(hours=2), timedelta(hours=5))
    earliest, latest = eta(NOON, [], 900, Habit(), [soon])

    assert earliest > NOON + timedelta(hours=2)
    assert latest > NOON + timedelta(hours=5)


@pytest.mark.parametrize("minutes", [12, 16, 20, 25, 29, 31, 34])
def test_what_is_not_begun_any_more_before_a_night_is_foretold_for_after_it(minutes: int) -> None:
    night = Blocked(NOON + timedelta(minutes=minutes), timedelta(hours=2), timedelta(hours=6))
    habit = habit_of([(340, 340)] * 20)
    earliest, latest = eta(NOON, [], foretold_seconds(90), habit, [night])
    if timedelta(minutes=minutes).total_seconds() >= BEFORE_A_BLOCK:
        assert latest < night.start
    else:
        assert earliest >= night.start + night.shortest + timedelta(minutes=4)
        assert latest >= night.start + night.longest + timedelta(minutes=4)
    _, behind = eta(NOON, [900.0], foretold_seconds(90), habit, [night])
    assert behind > night.start + night.longest, "that before it ends when nothing begins"


@pytest.mark.parametrize(
    ("low", "high", "text"),
    [
        (6.2, 13.1, "in 6 to 14 minutes"),
        (0.2, 0.4, "in 1 to 2 minutes"),
        (60, 150, "in 1.0 to 2.5 hours"),
    ],
)
def test_how_it_is_said(low: float, high: float, text: str) -> None:
    assert eta_text(NOON, NOON + timedelta(minutes=low), NOON + timedelta(minutes=high)) == text
