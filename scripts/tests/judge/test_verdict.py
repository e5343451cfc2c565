"""One rule for both sides: what says "slower" says "faster" of the mirrored interval."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flink_boost.judge.verdict import RULES, Verdict, by_chance, judge

MIRRORED = {
    Verdict.CLEARLY_SLOWER: Verdict.CLEARLY_FASTER,
    Verdict.SLOWER: Verdict.FASTER,
    Verdict.SLIGHTLY_SLOWER: Verdict.SLIGHTLY_FASTER,
    Verdict.SAME: Verdict.SAME,
    Verdict.UNDECIDED: Verdict.UNDECIDED,
}


@pytest.mark.parametrize(
    ("low", "high", "verdict"),
    [
        (0.5, 0.9799, Verdict.CLEARLY_SLOWER),
        (0.951, 0.979, Verdict.CLEARLY_SLOWER),
        (0.90, 0.99, Verdict.SLOWER),
        (0.5, 0.999, Verdict.SLOWER),
        (0.9499, 0.98, Verdict.SLOWER),
        (0.95, 0.98, Verdict.SLIGHTLY_SLOWER),
        (0.97, 0.9999, Verdict.SLIGHTLY_SLOWER),
        (0.97, 1.0, Verdict.SAME),
        (0.95, 1.05, Verdict.SAME),
        (0.9499, 1.05, Verdict.UNDECIDED),
        (0.95, 1.0501, Verdict.UNDECIDED),
        (0.96, 2.28, Verdict.UNDECIDED),
        (0.0, math.inf, Verdict.UNDECIDED),
        (None, 0.5, Verdict.UNDECIDED),
        (1.5, None, Verdict.UNDECIDED),
    ],
)
def test_the_rule(low: float | None, high: float | None, verdict: Verdict) -> None:
    assert judge(low, high) is verdict
    if low is not None and high is not None:
        # 1.05 and 1.02 are what 0.95 and 0.98 are below 1, so the mirror is 2 minus the end.
        assert judge(2 - high, 2 - low) is MIRRORED.get(verdict)


@given(st.floats(0.01, 3), st.floats(0.01, 3))
def test_a_side_is_said_exactly_when_the_interval_leaves_1_out(one: float, other: float) -> None:
    low, high = sorted((one, other))
    verdict = judge(low, high)
    assert (verdict.is_slower, verdict.is_faster) == (high < 1, low > 1)
    swapped = judge(1 / high, 1 / low)
    assert (swapped.is_faster, swapped.is_slower) == (1 / low > 1 < 1 / high, 1 / low < 1)


def test_each_verdict_has_a_rule_a_mark_and_a_colour() -> None:
    assert set(RULES) == set(Verdict)
    assert len({verdict.mark for verdict in Verdict}) == len(Verdict)
    assert {verdict.direction for verdict in Verdict} == {"slower", "same", "undecided", "faster"}


def test_chance_calls_one_in_twenty() -> None:
    assert by_chance(264, 0.95) == pytest.approx(13.2)
