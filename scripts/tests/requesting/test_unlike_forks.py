"""What a fork of head says to have measured is what base has measured, or nothing is compared."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from stored_runs import jmh_of

from flink_boost.base.errors import RefusedResult
from flink_boost.flink.jdks import java_home
from flink_boost.flink.side import Side
from flink_boost.measure import store
from flink_boost.measure.ending import load_summary
from flink_boost.measure.forkfiles import Attempt
from flink_boost.measure.launching import ForkOrder
from flink_boost.measure.model import Mode
from flink_boost.measure.noise import NoiseProbe
from flink_boost.service.requests.comparing import Means, compare
from flink_boost.service.requests.rows import rows_of
from flink_boost.service.requests.verdicts import RowVerdict
from requesting.samples import HEAD, KNOWN, NOON, TUPLE, fork, order
from requesting.test_patience import Given, Silent

Change = Callable[[dict[str, Any]], None]


@dataclass
class Told:
    """Forks that are never run: base gives 100 ops/ms, head 80 as ``changed`` says."""

    changed: Change
    has_own_temporary_files: bool = True
    started: list[Side] = field(default_factory=list)

    def launch(self, order: ForkOrder, attempt: Attempt) -> int:
        is_head = any(HEAD[:4] in one.name for one in order.files)
        self.started.append(Side.AFTER if is_head else Side.BEFORE)
        score = (80.0 if is_head else 100.0) + len(self.started) % 3 / 100
        result = jmh_of(fork(order.cell, Side.AFTER, 1, score), order.threads)
        if is_head:
            self.changed(result)
        attempt.log.write_text("")
        attempt.json.write_text(json.dumps([result]))
        return 0


def means(tmp_path: Path, told: Told) -> Means:
    return Means(
        builder=Given(tmp_path), results=tmp_path / "results", environ=os.environ,
        stock_of=lambda _: (), java_home=java_home, box=None,
        look=lambda: NoiseProbe(0, 0, 0, 0, 0, quiet=True, reason=""),
        progress=Silent(), now=lambda: NOON, launch=told,
    )  # fmt: skip


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
    told = Told(lambda _: None)
    found = compare(order(TUPLE), KNOWN, means(tmp_path, told), lambda _: None)
    assert set(told.started) == {Side.BEFORE, Side.AFTER}
    (row,) = rows_of(found)
    assert row.verdict is RowVerdict.SLOWER
