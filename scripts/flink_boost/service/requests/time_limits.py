"""Bounds what forks of strangers take of the machine's time, whatever each of them does.

A fork that hangs is ended after some minutes, but a comparison has many, and the machine is nobody
else's until the last one.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable

from flink_boost.base.errors import RefusedResult
from flink_boost.base.processes import CommandTimeoutError
from flink_boost.measure.fork_files import Attempt
from flink_boost.measure.fork_launch import ForkLaunch, ForkOrder
from flink_boost.measure.model import Cell

_MOST_HANGING = 2  # forks of a benchmark; one may have met a machine that stood still


class PatientForks:
    """A ``ForkLaunch`` that starts others' until its time is over.

    ``seconds`` is for all forks together, from now on. A benchmark of which two forks hung is not
    tried again: base and head only count in pairs.
    """

    def __init__(
        self, launch: ForkLaunch, seconds: float, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._launch = launch
        self._clock = clock
        self._end = clock() + seconds
        self._hung: Counter[Cell] = Counter()

    def launch(self, order: ForkOrder, attempt: Attempt) -> int:
        """As the protocol says; ``RefusedResult`` for a fork that is not started."""
        if self._hung[order.cell] >= _MOST_HANGING:
            raise _unstarted(attempt, f"{_MOST_HANGING} forks of its benchmark hung")
        if self._clock() >= self._end:
            raise _unstarted(attempt, "the comparison had taken far longer than it should")
        try:
            return self._launch.launch(order, attempt)
        except CommandTimeoutError:
            self._hung[order.cell] += 1
            raise


def _unstarted(attempt: Attempt, why: str) -> RefusedResult:
    sentence = f"It was not started, as {why}."
    attempt.log.write_text(f"{sentence}\n", encoding="utf-8")
    return RefusedResult(sentence, "Look at what the change does, or ask for fewer benchmarks.")
