"""The order in which suites run: what waits for what, and what has the machine to itself."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from suites.schedule import run_all


@dataclass(frozen=True)
class Plain:
    name: str
    after: tuple[str, ...] = ()
    quiet: bool = False
    weight: int = 1


class Recorder:
    """Runs suites in no time and writes down what began and ended, and what ran beside it."""

    def __init__(self, failing: str = "", seconds: float = 0.002) -> None:
        self.events: list[tuple[str, str]] = []
        self.beside: dict[str, set[str]] = {}
        self._running: set[str] = set()
        self._failing = failing
        self._seconds = seconds
        self._lock = threading.Lock()

    def run(self, suite: Plain) -> bool:
        with self._lock:
            self.events.append(("begin", suite.name))
            self._running.add(suite.name)
            for name in self._running:
                self.beside.setdefault(name, set()).update(self._running)
        time.sleep(self._seconds)
        with self._lock:
            self.events.append(("end", suite.name))
            self._running.remove(suite.name)
        return suite.name != self._failing


SUITES = st.lists(st.tuples(st.booleans(), st.sets(st.integers(0, 7))), min_size=1, max_size=8).map(
    lambda found: [
        # Only on suites with a smaller number, so that there is no circle.
        Plain(str(n), tuple(str(before) for before in after if before < n), quiet)
        for n, (quiet, after) in enumerate(found)
    ]
)


@given(suites=SUITES, workers=st.integers(1, 4))
def test_every_suite_runs_once_after_what_it_needs_and_quiet_ones_among_themselves(
    suites: list[Plain], workers: int
) -> None:
    # A loud suite that waits for a quiet one could never run.
    quiet = {suite.name for suite in suites if suite.quiet}
    suites = [s if s.quiet else Plain(s.name, tuple(set(s.after) - quiet)) for s in suites]
    recorder = Recorder(seconds=0.0005)
    passed = run_all(suites, recorder.run, workers=workers)
    assert passed == {suite.name: True for suite in suites}
    order = recorder.events
    for suite in suites:
        for before in suite.after:
            assert order.index(("end", before)) < order.index(("begin", suite.name))
        beside = recorder.beside[suite.name]
        assert len({name in quiet for name in beside}) == 1, "quiet beside loud"


def test_no_more_run_at_once_than_there_are_workers() -> None:
    recorder = Recorder(seconds=0.02)
    run_all([Plain(str(n)) for n in range(9)], recorder.run, workers=3)
    running = most = 0
    for what, _ in recorder.events:
        running += 1 if what == "begin" else -1
        most = max(most, running)
    assert most == 3


def test_beside_a_heavy_suite_fewer_run_and_one_that_is_too_heavy_runs_alone() -> None:
    recorder = Recorder(seconds=0.05)
    suites = [Plain("heavy", weight=2), Plain("a"), Plain("b"), Plain("giant", weight=9)]
    run_all(suites, recorder.run, workers=3)
    running: set[str] = set()
    for what, name in recorder.events:
        (running.add if what == "begin" else running.remove)(name)
        assert "heavy" not in running or len(running) <= 2
        assert "giant" not in running or running == {"giant"}


def test_what_needs_a_suite_that_failed_runs_all_the_same() -> None:
    recorder = Recorder(failing="build")
    passed = run_all([Plain("build"), Plain("tests", ("build",))], recorder.run, workers=2)
    assert passed == {"build": False, "tests": True}


def test_what_is_not_in_the_sequence_is_not_waited_for() -> None:
    assert run_all([Plain("tests", ("elsewhere",))], Recorder().run, workers=1) == {"tests": True}


def test_a_circle_is_an_error_and_no_silence() -> None:
    with pytest.raises(ValueError, match="wait for each other: a, b"):
        run_all([Plain("a", ("b",)), Plain("b", ("a",))], Recorder().run, workers=2)


def test_an_error_of_the_runner_is_not_swallowed() -> None:
    def broken(_: Plain) -> bool:
        raise OSError("disk full")

    with pytest.raises(OSError, match="disk full"):
        run_all([Plain("a")], broken, workers=1)


def test_long_silence_is_broken() -> None:
    told: list[list[str]] = []
    run_all(
        [Plain("long")],
        Recorder(seconds=0.3).run,
        workers=1,
        silence=0.1,
        tell=lambda running: told.append([suite.name for suite in running]),
    )
    assert told[0] == ["long"]


def test_a_heavy_suite_is_not_held_up_by_lighter_ones_behind_it() -> None:
    recorder = Recorder(seconds=0.01)
    light = [Plain(str(n)) for n in range(12)]
    run_all([*light[:3], Plain("heavy", weight=2), *light[3:]], recorder.run, workers=3)
    began = [name for what, name in recorder.events if what == "begin"]
    assert began[:4] == ["0", "1", "2", "heavy"]
