"""A run beside its repetition: the ratio of both ratios, and whether it may be believed."""

from __future__ import annotations

import random

import pytest
from synthetic import JOB, WRITE, make_forks, make_run

from flink_boost.flink.side import Side
from flink_boost.judge.repetition import differences, missing_now, set_against
from flink_boost.judge.verdict import Verdict
from flink_boost.measure.model import Mode
from flink_boost.measure.summary import RunSummary, summarise


def run(night: int, ratio: float, *, noise: float = 0.0, seed: int = 0) -> RunSummary:
    plan = make_run(night, pairs=6)
    return summarise(plan, make_forks(plan, ratio=ratio, noise=noise, seed=seed))


@pytest.mark.parametrize(
    ("now", "verdict"),
    [(2.4, Verdict.CLEARLY_FASTER), (1.6, Verdict.CLEARLY_SLOWER), (2.0, Verdict.SAME)],
)
def test_times_and_throughputs_are_told_alike(now: float, verdict: Verdict) -> None:
    then, again = run(0, 2.0, noise=0.001), run(1, now, noise=0.001, seed=1)
    rows = set_against(then, again)
    assert [row.cell for row in rows] == [WRITE, JOB]
    for row in rows:
        assert row.change == pytest.approx(now / 2.0, rel=0.01)
        assert (row.then, row.now) == (pytest.approx(2.0, rel=0.01), pytest.approx(now, rel=0.01))
        assert row.verdict is verdict
        assert row.low is not None
        assert row.high is not None
        assert row.low < row.change < row.high


def test_the_interval_covers_the_truth_as_often_as_it_says() -> None:
    source = random.Random(3)
    inside = trials = 0
    for _ in range(300):
        then = run(0, 2.0, noise=0.2, seed=source.getrandbits(32))
        again = run(1, 2.2, noise=0.05, seed=source.getrandbits(32))
        for row in set_against(then, again):
            assert row.low is not None
            assert row.high is not None
            inside += row.low <= 1.1 <= row.high
            trials += 1
    assert 0.92 <= inside / trials <= 0.98


def test_a_single_pair_decides_nothing() -> None:
    plan = make_run(1, pairs=1)
    [first, _] = set_against(run(0, 2.0), summarise(plan, make_forks(plan, ratio=9.0)))
    assert (first.low, first.high, first.verdict) == (None, None, Verdict.UNDECIDED)


def test_what_has_no_pair_or_another_unit_is_named() -> None:
    plan = make_run(1, cells=(WRITE,), pairs=6)
    then = run(0, 2.0)
    other = summarise(plan, make_forks(plan, modes=[Mode.THROUGHPUT]))
    assert missing_now(then, set_against(then, other)) == (WRITE, JOB)
    half = [fork for fork in make_forks(plan) if fork.side is Side.STOCK]
    assert set_against(then, summarise(plan, half)) == ()


def test_says_what_differs_and_only_that() -> None:
    then = make_run(0, commit="a" * 40)
    assert differences(then, then) == ()
    box = then.box.model_copy(update={"kernel": "6.9", "jdk": "17.0.11+9"})
    now = then.model_copy(update={"dropin_sha256": "ff" * 32, "box": box})
    assert {what for what, _, _ in differences(then, now)} == {"drop-in jar", "JDK", "kernel"}
