"""What a fork of head says to have measured is what base has measured, or nothing is compared."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from flink_boost.base.errors import RefusedResult
from flink_boost.flink.side import Side
from flink_boost.measure import store
from flink_boost.measure.finalize import load_summary
from flink_boost.measure.model import Mode
from flink_boost.service.requests.comparing import compare
from flink_boost.service.requests.request_rows import rows_of
from requesting.samples import KNOWN, TUPLE, order
from requesting.told_forks import Change, Told, means


def mode(result: dict[str, Any]) -> None:
    result["mode"] = Mode.AVERAGE_TIME.value


def unit(result: dict[str, Any]) -> None:
    result["primaryMetric"]["scoreUnit"] = "ops/s"


def parameter(result: dict[str, Any]) -> None:
    result.setdefault("params", {})["records"] = "1"


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        (mode, "in head as avgt, ops/ms, and in base as thrpt, ops/ms"),
        (unit, "in head as thrpt, ops/s, and in base as thrpt, ops/ms"),
        (parameter, "in head as thrpt, ops/ms with records=1, and in base as thrpt, ops/ms"),
    ],
)
def test_a_head_that_measured_something_else_is_refused_and_not_compared(
    tmp_path: Path, changed: Change, said: str
) -> None:
    told = Told(changed)
    place = means(tmp_path, told)
    with pytest.raises(RefusedResult, match="not what was asked for") as refused:
        compare(order(TUPLE), KNOWN, place, lambda _: None)
    assert f"{TUPLE} was measured {said}." in refused.value.message
    (run,) = store.run_ids(place.store)
    summary = load_summary(place.store, run)
    assert {side.side for cell in summary.cells for side in cell.sides} == {Side.BEFORE}
    assert {one.side for one in summary.missing} == {Side.AFTER}


def test_the_same_call_measures_again_what_was_refused(tmp_path: Path) -> None:
    with pytest.raises(RefusedResult):
        compare(order(TUPLE), KNOWN, means(tmp_path, Told(mode)), lambda _: None)
    told = Told()
    found = compare(order(TUPLE), KNOWN, means(tmp_path, told), lambda _: None)
    assert set(told.started) == {Side.BEFORE, Side.AFTER}
    (row,) = rows_of(found)
    assert row.told == "slower"
