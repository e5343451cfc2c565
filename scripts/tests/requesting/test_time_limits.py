"""How long forks of strangers may have the machine when they hang."""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from flink_boost.base.errors import BenchmarkFailed, MachineBusy, RefusedResult
from flink_boost.base.processes import CommandTimeoutError
from flink_boost.flink.side import Side
from flink_boost.measure import runner, store
from flink_boost.measure.classpaths import ClassPaths
from flink_boost.measure.fork_files import Attempt, planned_forks
from flink_boost.measure.fork_launch import ForkOrder
from flink_boost.service.requests.answer_sheet import verdict_text
from flink_boost.service.requests.comparing import PatientForks, compare
from flink_boost.service.requests.request_rows import rows_of
from requesting.samples import KNOWN, TUPLE, order, run
from requesting.told_forks import Change, Silent, Told, means

PAIRS = 5


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


class Hanging:
    """Forks of which some hang until they are ended, and the others fail after ``seconds``."""

    def __init__(self, clock: Clock, seconds: float | None) -> None:
        self.started = 0
        self._clock = clock
        self._seconds = seconds

    def launch(self, order: ForkOrder, attempt: Attempt) -> int:
        self.started += 1
        attempt.log.write_text("")
        self._clock.now += order.seconds if self._seconds is None else self._seconds
        if self._seconds is None:
            raise CommandTimeoutError
        return 1


def taken(tmp_path: Path, seconds: float | None, most: float) -> tuple[int, float]:
    clock = Clock()
    hanging = Hanging(clock, seconds)
    info = run(KNOWN.usual, PAIRS).model_copy(update={"run_id": "20260302T120000-request"})
    store.create_run(tmp_path, info)
    builds = tuple((side, (Path(f"{side}.jar"),)) for side in (Side.BEFORE, Side.AFTER))
    with store.lock(tmp_path), suppress(BenchmarkFailed):
        runner.run_missing_forks(
            tmp_path, info, ClassPaths((), Path("a.jar"), builds=builds), java="java",
            environment={}, progress=Silent(), launch=PatientForks(hanging, most, clock),
        )  # fmt: skip
    return hanging.started, clock.now


def test_a_benchmark_that_hangs_is_not_tried_again(tmp_path: Path) -> None:
    started, seconds = taken(tmp_path, None, 1e9)
    assert started == 2 * len(KNOWN.usual)
    assert seconds < 3600


def test_when_the_time_is_over_nothing_more_is_started(tmp_path: Path) -> None:
    started, seconds = taken(tmp_path, 100.0, 1000.0)
    assert (started, seconds) == (10, 1000.0)


def test_what_fails_fast_is_tried_to_the_end(tmp_path: Path) -> None:
    assert taken(tmp_path, 1.0, 1000.0)[0] == 2 * PAIRS * len(KNOWN.usual)


def test_a_comparison_of_strangers_is_as_patient(tmp_path: Path) -> None:
    hanging = Hanging(Clock(), None)
    first = r"No fork of either commit ended well\. The first one was stopped after \d+ s\."
    with pytest.raises(BenchmarkFailed, match=first):
        compare(order(TUPLE, pairs=PAIRS), KNOWN, means(tmp_path, hanging), lambda _: None)
    assert hanging.started == 2


def test_whoever_goes_first_gets_the_machine_and_what_is_measured_stays(tmp_path: Path) -> None:
    forks, asked = Told(), 0

    def require_turn() -> None:
        nonlocal asked
        asked += 1
        if asked > 5:
            raise MachineBusy("A nightly waits for the machine and goes first.", "Wait.")

    giving_way = replace(means(tmp_path, forks), require_turn=require_turn)
    with pytest.raises(MachineBusy):
        compare(order(TUPLE, pairs=PAIRS), KNOWN, giving_way, lambda _: None)
    # Behind each build, and before each fork.
    assert len(forks.started) == 3
    found = compare(order(TUPLE, pairs=PAIRS), KNOWN, means(tmp_path, forks), lambda _: None)
    assert len(found.forks) == 2 * PAIRS
    assert found.first is not None
    second = [one for one in planned_forks(found.first) if one.pair == 2]
    # The half of a pair that was there is measured once more, together with the other one.
    assert forks.started[3:5] == [one.side for one in second]
    assert len(forks.started) == 1 + len(found.forks) + len(found.forks_again)


def hangs(_: dict[str, Any]) -> None:
    raise CommandTimeoutError


def uses_too_much(_: dict[str, Any]) -> None:
    raise RefusedResult("It used more memory than it may and was stopped.")


def lies(_: dict[str, Any]) -> None:
    raise RefusedResult("It is of '@apache | <img src=x>', not of x.")


@pytest.mark.parametrize(
    ("fails", "why"),
    [
        (hangs, r"was stopped after \d+ s"),
        (uses_too_much, "gave no usable result: it used more memory than it may and was stopped"),
        (lies, "gave no usable result"),
    ],
)
def test_a_row_tells_what_became_of_its_forks(tmp_path: Path, fails: Change, why: str) -> None:
    place = means(tmp_path, Told(fails))
    (row,) = rows_of(compare(order(TUPLE, pairs=PAIRS), KNOWN, place, lambda _: None))
    said = rf"not measured: .*all {PAIRS} JVMs of head failed \(the first, of head, {why}\)"
    assert re.fullmatch(said, verdict_text(row))
