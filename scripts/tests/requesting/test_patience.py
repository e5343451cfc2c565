"""How long forks of strangers may have the machine when they hang."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from flink_boost.base.errors import BenchmarkFailed
from flink_boost.base.processes import CommandTimeoutError
from flink_boost.flink.jdks import java_home
from flink_boost.flink.lines import Line
from flink_boost.flink.side import Side
from flink_boost.measure import runner, store
from flink_boost.measure.build import Build, build_of
from flink_boost.measure.classpaths import ClassPaths
from flink_boost.measure.forkfiles import Attempt
from flink_boost.measure.launching import ForkOrder
from flink_boost.measure.model import Built
from flink_boost.measure.noise import NoiseProbe
from flink_boost.service.requests.comparing import Means, compare
from flink_boost.service.requests.patience import PatientForks
from requesting.samples import KNOWN, NOON, TUPLE, order, run

PAIRS = 5


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


class Hanging:
    """Forks of which some hang until they are ended, and the others fail after ``seconds``."""

    has_own_temporary_files = True

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


class Silent:
    def __getattr__(self, name: str) -> Any:
        return lambda *_: None


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


class Given:
    """Gives a jar for each commit, as if it had been built."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def build(self, commit: str, line: Line) -> Build:
        jar = self._folder / f"{commit[:4]}.jar"
        jar.write_text(commit)
        return build_of(Built(project="x", version="1", commit=commit), line.version, (jar,))


def test_a_comparison_of_strangers_is_as_patient(tmp_path: Path) -> None:
    hanging = Hanging(Clock(), None)
    means = Means(
        builder=Given(tmp_path), results=tmp_path / "results", environ=os.environ,
        stock_of=lambda _: (), java_home=java_home, box=None,
        look=lambda: NoiseProbe(0, 0, 0, 0, 0, quiet=True, reason=""),
        progress=Silent(), now=lambda: NOON,
        launch=hanging,
    )  # fmt: skip
    with pytest.raises(BenchmarkFailed, match="No fork of either commit"):
        compare(order(TUPLE, pairs=PAIRS), KNOWN, means, lambda _: None)
    assert hanging.started == 2
