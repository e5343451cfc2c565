"""What pages compute: order of names, steps of the median, the run before, what a change is."""

from __future__ import annotations

from datetime import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from boost_dashboard.natural_order import group_of, natural_key
from boost_dashboard.reading.changes import change_of, choose_before, mark
from boost_dashboard.reading.rows import Benchmark, Measured, Run, measured
from boost_dashboard.reading.steps import find_steps
from boost_dashboard.templatetags.figures import breakable, digits, signed

NIGHT = datetime(2026, 3, 1, 1, 2, 3)  # noqa: DTZ001 - as stored
TIME = Benchmark(1, "write.ascii.16", "ns/op", "Time", True, "")
RATIO = Benchmark(2, "write.ascii.16.ratio", "x", "Ratio", False, "")
BENCHMARKS = {each.name: each for each in (TIME, RATIO)}


def run(number: int) -> Run:
    return Run(number, f"commit-{number}", "master", NIGHT)


def table(*names: str) -> dict[str, Measured]:
    return dict.fromkeys(names, Measured(1.0))


def test_lengths_are_sorted_as_numbers() -> None:
    names = [f"write.ascii.{length}" for length in (1024, 1048576, 128, 16, 65536)]

    assert [name.rpartition(".")[2] for name in sorted(names, key=natural_key)] == [
        "16",
        "128",
        "1024",
        "65536",
        "1048576",
    ]


@given(st.lists(st.text(max_size=30), max_size=20))
def test_any_names_can_be_sorted(names: list[str]) -> None:
    once = sorted(names, key=natural_key)

    assert sorted(once, key=natural_key) == once


@pytest.mark.parametrize(
    ("name", "group"),
    [
        ("write.ascii.16.mixed.serializer", "write.ascii"),
        ("windowJoin.large", "windowJoin"),
        ("serializerTuple", "other"),
        ("16", "other"),
    ],
)
def test_benchmarks_are_grouped_by_what_comes_before_the_length(name: str, group: str) -> None:
    assert group_of(name) == group


def test_a_step_of_the_median_is_found_once_and_where_it_is() -> None:
    wobble = (0.99, 1.0, 1.01, 1.0)
    values = [2.0 * wobble[i % 4] for i in range(20)] + [1.8 * wobble[i % 4] for i in range(20)]

    (step,) = find_steps(values, 2.0)

    assert step.index == 20
    assert step.change == pytest.approx(-10, abs=1.5)


@pytest.mark.parametrize(
    "values",
    [
        [],
        [1.0] * 9,
        [0.0] * 30,
        [1.0] * 15 + [5.0] + [1.0] * 15,  # one night alone is no step
        [1.0, 1.2, 0.8, 1.1, 0.9] * 8,
        [1 + i / 1000 for i in range(40)],  # a drift below the threshold
    ],
)
def test_noise_is_no_step(values: list[float]) -> None:
    assert find_steps(values, 2.0) == ()


def test_a_quick_look_in_between_is_passed_over() -> None:
    night, look, before = run(3), run(2), run(1)
    all_of_them = table("a", "b", "c")

    assert choose_before(all_of_them, [(look, table("a")), (before, all_of_them)]) == before
    assert choose_before(all_of_them, [(night, all_of_them), (before, all_of_them)]) == night


def test_without_a_run_of_the_same_benchmarks_the_one_with_most_is_taken() -> None:
    now = table("a", "b", "c")

    assert choose_before(now, [(run(3), table("a")), (run(2), table("a", "b"))]) == run(2)
    assert choose_before(now, [(run(3), table("x"))]) is None
    assert choose_before(now, []) is None


def test_a_drift_of_the_box_is_no_change_where_there_is_a_ratio() -> None:
    before = {"write.ascii.16": Measured(8.0), "write.ascii.16.ratio": Measured(2.0, 1.9, 2.1)}
    now = {"write.ascii.16": Measured(12.0), "write.ascii.16.ratio": Measured(2.0, 1.9, 2.1)}

    with_ratio = change_of("write.ascii.16", BENCHMARKS, now, before, [before], 2.0)
    without = change_of(
        "write.ascii.16", BENCHMARKS, {"write.ascii.16": now["write.ascii.16"]}, before, [], 2.0
    )

    assert (with_ratio.change, with_ratio.trend, with_ratio.mark) == (0, 0, "")
    assert (without.change, without.trend, without.mark) == (50, None, "slower")


@pytest.mark.parametrize(
    ("now", "before", "less_is_better", "expected"),
    [
        (Measured(2.2), Measured(2.0), False, "faster"),
        (Measured(1.8), Measured(2.0), False, "slower"),
        (Measured(1.8), Measured(2.0), True, "faster"),
        (Measured(2.01), Measured(2.0), False, ""),
        (Measured(1.8, 1.7, 1.9), Measured(2.0, 1.95, 2.05), False, "slower"),
        (Measured(1.8, 1.6, 2.0), Measured(2.0, 1.95, 2.05), False, "undecided"),
        (Measured(1.8), None, False, ""),
    ],
)
def test_what_is_said_of_a_change(
    now: Measured, before: Measured | None, less_is_better: bool, expected: str
) -> None:
    change = None if before is None else 100 * (now.value - before.value) / before.value

    assert mark(now, before, change, 2.0, less_is_better) == expected


def test_what_is_no_finite_number_is_unknown() -> None:
    assert measured(float("inf"), 1.0, 2.0) is None
    assert measured(1.0, float("nan"), 2.0) == Measured(1.0, None, 2.0)


def test_figures_are_readable() -> None:
    assert [digits(value) for value in (8.1009, 425.0, 999.96, 12345.6, 0.00001234, 0)] == [
        "8.101",
        "425.0",
        "1000",
        "12,346",
        "0.00001234",
        "0",
    ]
    assert [signed(1.25), signed(-0.3)] == ["+1.25", "−0.30"]
    assert breakable("a.<b>.1") == "a.<wbr>&lt;b&gt;.<wbr>1<wbr>"
