"""How many answers about equal builds say "faster" or "slower", and how many changes are seen.

The whole rule, for answers with several benchmarks and forks whose noise is normal, heavy-tailed,
or of two modes.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from flink_boost.service.requests.verdicts import judged, suspects

pytestmark = pytest.mark.test_all

Noise = Callable[[np.random.Generator, int], np.ndarray]
TOLD = ("faster", "slower")


def normal(random: np.random.Generator, pairs: int) -> np.ndarray:
    return random.normal(0, 0.02, pairs)


def heavy(random: np.random.Generator, pairs: int) -> np.ndarray:
    return random.standard_t(3, pairs) * 0.02


def two_modes(random: np.random.Generator, pairs: int) -> np.ndarray:
    """Each fork is 10 % slower in every second case."""
    slow = random.integers(0, 2, (2, pairs)) * 0.1
    return slow[0] - slow[1] + random.normal(0, 0.002, pairs)


def is_wrong(random: np.random.Generator, noise: Noise, benchmarks: int, pairs: int) -> bool:
    """Whether an answer about equal builds says that anything is faster or slower."""
    first = {str(number): tuple(noise(random, pairs)) for number in range(benchmarks)}
    return any(
        judged(name, first[name], tuple(noise(random, pairs)), benchmarks).told in TOLD
        for name in suspects(first)
    )


@pytest.mark.parametrize("noise", [normal, heavy, two_modes])
@pytest.mark.parametrize(("benchmarks", "pairs"), [(1, 5), (8, 5), (24, 3), (24, 5), (8, 10)])
def test_at_most_one_answer_in_a_hundred_is_wrong(
    noise: Noise, benchmarks: int, pairs: int
) -> None:
    random = np.random.default_rng(2026)
    answers = 1000
    wrong = sum(is_wrong(random, noise, benchmarks, pairs) for _ in range(answers))

    # As many as 1 in 100 gives, and three standard deviations of that.
    assert wrong <= 0.01 * answers + 3 * (0.01 * answers) ** 0.5, wrong / answers


def test_without_the_second_look_it_would_be_more() -> None:
    random = np.random.default_rng(2026)
    suspected = sum(
        bool(suspects({str(n): tuple(normal(random, 5)) for n in range(8)})) for _ in range(400)
    )

    assert suspected / 400 > 0.2


@pytest.mark.parametrize(("change", "least"), [(0.05, 0.75), (0.08, 0.95)])
def test_a_real_change_is_seen(change: float, least: float) -> None:
    random = np.random.default_rng(2026)
    seen = 0
    for _ in range(300):
        first = {"a": tuple(normal(random, 5) - change)}
        again = tuple(normal(random, 5) - change) if suspects(first) else None
        seen += judged("a", first["a"], again, 1).told == "slower"

    assert seen / 300 >= least
