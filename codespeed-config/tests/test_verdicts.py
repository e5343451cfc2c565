"""The dashboard's rule is the one of `flink-boost compare`."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from boost_dashboard import verdicts
from flink_boost.judge import ratio
from flink_boost.judge.model import Verdict

EDGES = [0.0, 0.9499, 0.95, 0.9501, 0.9799, 0.98, 0.9801, 0.9999, 1.0, 1.0001, 2.0]


@given(st.one_of(st.sampled_from(EDGES), st.floats(0, 3)), st.one_of(st.sampled_from(EDGES)))
def test_both_judge_alike(one: float, other: float) -> None:
    low, high = sorted((one, other))
    assert verdicts.judge(low, high) == ratio.judge(low, high).value


def test_the_numbers_are_the_same() -> None:
    assert verdicts.WORSE_BELOW == ratio.WORSE_BELOW
    assert verdicts.NOT_WORSE_FROM == ratio.NOT_WORSE_FROM
    assert {str(one) for one in verdicts.Verdict} == {str(one) for one in Verdict}


@pytest.mark.parametrize(("low", "high"), [(None, None), (1.5, None), (None, 0.5)])
def test_without_an_interval_nothing_is_decided(low: float | None, high: float | None) -> None:
    assert verdicts.judge(low, high) is verdicts.Verdict.UNDECIDED
