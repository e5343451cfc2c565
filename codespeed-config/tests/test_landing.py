"""What the first page says, without a server: rows, groups, order, counts, small plots."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import pytest

from boost_dashboard.landing import (
    SPARK_HEIGHT,
    SPARK_WIDTH,
    Measured,
    Row,
    Run,
    grouped,
    in_digits,
    rows_of,
    sparkline,
)
from flink_boost.judge.verdict import Verdict


def measured(benchmark: str, value: float, **changes: Any) -> Measured:
    ratio = benchmark.endswith(".ratio")
    known = {
        "low": None,
        "high": None,
        "units": "x" if ratio else "ns/op",
        "less_is_better": not ratio,
        "description": "",
    }
    return Measured(benchmark=benchmark, value=value, **{**known, **changes})


def only_row(stock: list[Measured], patched: list[Measured], **history: list[float]) -> Row:
    (row,) = rows_of(stock, patched, history)
    return row


def test_a_row_has_the_ratio_and_the_interval_that_were_sent() -> None:
    row = only_row(
        [measured("write.16", 20.0)],
        [measured("write.16", 10.0), measured("write.16.ratio", 2.1, low=2.05, high=2.15)],
    )
    assert (row.stock_text, row.patched_text, row.units) == ("20.0", "10.0", "ns/op")
    assert (row.ratio_text, row.interval_text) == ("2.10x", "2.05–2.15")
    assert row.verdict is Verdict.CLEARLY_FASTER
    assert row.significant
    assert row.shown_benchmark == "write.16.ratio"


@pytest.mark.parametrize(("less_is_better", "ratio"), [(True, 2.0), (False, 0.5)])
def test_without_a_sent_ratio_it_is_that_of_the_values_and_undecided(
    less_is_better: bool, ratio: float
) -> None:
    row = only_row(
        [measured("write.16", 20.0, less_is_better=less_is_better)],
        [measured("write.16", 10.0, less_is_better=less_is_better)],
    )
    assert (row.ratio, row.interval_text) == (ratio, "–")
    assert row.verdict is Verdict.UNDECIDED
    assert not row.significant
    assert row.shown_benchmark == "write.16"


@pytest.mark.parametrize(
    ("stock", "patched"),
    [
        ([], [measured("a", 1.0)]),
        ([measured("a", 1.0)], []),
        ([measured("a", 0.0)], [measured("a", 1.0)]),
    ],
)
def test_a_side_may_be_missing_or_zero(stock: list[Measured], patched: list[Measured]) -> None:
    row = only_row(stock, patched)
    assert row.ratio_text == "–"


def test_an_interval_wholly_below_1_is_slower() -> None:
    patched = [measured("a", 1.0), measured("a.ratio", 0.98, low=0.96, high=0.99)]
    row = only_row([measured("a", 1.0)], patched)
    assert row.verdict is Verdict.SLIGHTLY_SLOWER
    assert row.significant


def test_a_long_run_says_what_chance_does() -> None:
    def run(count: int) -> Run:
        names = [f"a{number}" for number in range(count)]
        ratios = [measured(f"{name}.ratio", 1.0, low=0.9, high=1.1) for name in names]
        groups = grouped(rows_of([], [*(measured(name, 1.0) for name in names), *ratios], {}))
        return Run("box", 1, "", "2.3.0", "abc", datetime(2026, 3, 1), None, groups)  # noqa: DTZ001 UTC

    assert (run(40).by_chance, run(5).by_chance) == (2, 0)


def test_lengths_are_in_the_order_of_their_values() -> None:
    stock = [measured(f"write.{length}", 1.0) for length in (1024, 128, 1048576, 16, 4)]
    names = [row.benchmark for row in rows_of(stock, [], {})]
    assert names == [f"write.{length}" for length in (4, 16, 128, 1024, 1048576)]


def test_groups_count_their_verdicts_worst_first() -> None:
    patched = [
        *(
            measured("serializerTuple", 1.0),
            measured("serializerTuple.ratio", 1.3, low=1.2, high=1.4),
        ),
        *(measured("write.ascii.4", 1.0), measured("write.ascii.4.ratio", 0.9, low=0.8, high=0.97)),
        *(
            measured("write.ascii.16", 1.0),
            measured("write.ascii.16.ratio", 1.3, low=1.2, high=1.4),
        ),
    ]
    groups = grouped(rows_of([], patched, {}))
    assert [group.name for group in groups] == ["write.ascii", "other"]
    assert groups[0].counts == ((Verdict.CLEARLY_SLOWER, 1), (Verdict.CLEARLY_FASTER, 1))
    run = Run("box", 1, "", "2.3.0", "abc", datetime(2026, 3, 1), None, groups)  # noqa: DTZ001 UTC
    assert run.counts == ((Verdict.CLEARLY_SLOWER, 1), (Verdict.CLEARLY_FASTER, 2))
    assert not run.folded


def test_a_small_plot_stays_in_its_box_and_does_not_magnify_noise() -> None:
    assert sparkline([]) == sparkline([2.0]) == ""
    for values in ([1.0, 2.0, 1.5], [1.0, 1.0], [0.0, 0.0], [3.0, 2.99, 3.01]):
        points = [tuple(map(float, point.split(","))) for point in sparkline(values).split(" ")]
        assert len(points) == len(values)
        assert all(0 <= x <= SPARK_WIDTH and 0 <= y <= SPARK_HEIGHT for x, y in points)
    steady = [float(point.split(",")[1]) for point in sparkline([3.0, 2.99, 3.01]).split(" ")]
    assert max(steady) - min(steady) < SPARK_HEIGHT / 4
    up = [float(point.split(",")[1]) for point in sparkline([1.0, 2.0]).split(" ")]
    assert up[0] > up[1], "up is up"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "–"),
        (0.0, "0.00"),
        (3.049, "3.05"),
        (20.84, "20.8"),
        (1234.5, "1,234"),
        (1e-5, "1.00e-05"),
    ],
)
def test_numbers_have_the_digits_that_count(value: float | None, text: str) -> None:
    assert in_digits(value) == text
