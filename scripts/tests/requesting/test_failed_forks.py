"""A fork that failed stays failed, however often its request is stopped and goes on."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from flink_boost.base.errors import BenchmarkFailed, BrokenData, MachineBusy
from flink_boost.flink.side import Side
from flink_boost.measure import store
from flink_boost.measure.fork_files import Attempt, json_path, planned_forks
from flink_boost.measure.fork_launch import ForkLaunch, ForkOrder
from flink_boost.service.requests.answer_sheet import verdict_text
from flink_boost.service.requests.comparing import compare
from flink_boost.service.requests.failed_forks import FILE
from flink_boost.service.requests.request import Measured
from flink_boost.service.requests.request_rows import rows_of
from requesting.samples import KNOWN, TUPLE, order
from requesting.told_forks import Told, means

PAIRS = 5


class Crashing:
    """Head crashes in the pairs that are named, the first time that each is tried."""

    def __init__(self, *pairs: int) -> None:
        self._crashes = iter([number in pairs for number in range(1, PAIRS + 1)])

    def __call__(self, result: dict[str, Any]) -> None:
        if next(self._crashes, False):
            raise BrokenData("It crashed.")
        metric = result["primaryMetric"]
        metric["score"] *= 1.25  # as fast as base where it does not
        metric["rawData"] = [[1.25 * one for one in metric["rawData"][0]]]


def asked(tmp_path: Path, launch: ForkLaunch, after: int | None = None) -> Measured:
    """One call; before so many further forks a night wants the machine."""
    turns: Iterator[int] = iter(range(10_000))

    def require_turn() -> None:
        if after is not None and next(turns) >= 2 + after:
            raise MachineBusy("A nightly waits for the machine and goes first.", "Wait.")

    place = replace(means(tmp_path, launch), require_turn=require_turn)
    return compare(order(TUPLE, pairs=PAIRS), KNOWN, place, lambda _: None)


def said(found: Measured) -> str:
    (row,) = rows_of(found)
    return verdict_text(row)


@pytest.mark.parametrize("after", [4, 9, 10, 12])
def test_a_head_that_crashes_has_crashed_also_when_a_night_came_between(
    tmp_path: Path, after: int
) -> None:
    (tmp_path / "whole").mkdir()
    whole = asked(tmp_path / "whole", Told(Crashing(1, 3, 5)))
    assert "forks failed" in said(whole)
    forks = Told(Crashing(1, 3, 5))
    with suppress(MachineBusy):
        asked(tmp_path, forks, after)
    found = asked(tmp_path, forks)
    assert said(found) == said(whole)
    assert len(found.forks) == len(whole.forks)
    assert found.failures == whole.failures
    started = len(forks.started)
    again = asked(tmp_path, forks)
    assert (said(again), again.failures) == (said(whole), whole.failures)
    assert len(forks.started) == started
    assert again.stored


def test_a_fork_that_is_damaged_is_measured_again_with_its_half_and_no_other(
    tmp_path: Path,
) -> None:
    forks = Told(Crashing(1))
    first = asked(tmp_path, forks)
    results = tmp_path / "results" / "requests"
    assert first.first is not None
    run = first.first
    (damaged,) = (one for one in planned_forks(run) if (one.pair, one.side) == (2, Side.BEFORE))
    json_path(results, run.run_id, damaged).write_text("[")
    forks.started.clear()
    found = asked(tmp_path, forks)
    assert sorted(forks.started) == [Side.AFTER, Side.BEFORE]
    assert len(found.forks) == len(first.forks) == 2 * PAIRS - 1


def test_where_nothing_ended_well_all_is_tried_again(tmp_path: Path) -> None:
    class Broken:
        def launch(self, _: ForkOrder, attempt: Attempt) -> int:
            attempt.log.write_text("")
            raise BrokenData("There is no JVM.")

    with pytest.raises(BenchmarkFailed):
        asked(tmp_path, Broken())
    found = asked(tmp_path, Told())
    assert len(found.forks) == 2 * PAIRS
    assert found.failures == ()


def test_a_damaged_line_costs_its_own_fork_only(tmp_path: Path) -> None:
    forks = Told(Crashing(1, 3, 5))
    first = asked(tmp_path, forks)
    results = tmp_path / "results" / "requests"
    (run,) = (one for one in store.run_ids(results) if (results / one / FILE).exists())
    lines = (results / run / FILE).read_bytes().splitlines()
    (results / run / FILE).write_bytes(b"\n".join([b"{", *lines[1:]]) + b"\n")
    found = asked(tmp_path, forks)
    assert len(found.forks) == len(first.forks) + 1
    assert found.failures == first.failures[1:]
