"""Starts one fork: here, or wherever a run of strangers' code has its forks started."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from flink_boost.base.processes import bare_environment, run_supervised
from flink_boost.base.scratch import require_space, scratch_folder
from flink_boost.measure.fork_files import Attempt
from flink_boost.measure.model import Cell


@dataclass(frozen=True)
class ForkOrder:
    """One fork to be started.

    ``command`` gives its words for the path at which JMH writes its JSON, and a folder for
    temporary files that no other fork sees. ``files`` are what it reads: the class path, and the
    program. ``seconds`` is how long it may take.
    """

    command: Callable[[Path, Path], Sequence[str]]
    files: tuple[Path, ...]
    cell: Cell
    threads: int
    iterations: int
    seconds: float
    environment: Mapping[str, str]


class ForkLaunch(Protocol):
    """Starts forks, one at a time."""

    def launch(self, order: ForkOrder, attempt: Attempt) -> int:
        """Runs a fork to its end and returns its exit code; its JSON and log are the attempt's.

        No process of it is left then. Raises ``CommandTimeoutError`` when it takes too long, and
        ``BrokenData`` for what it gave that is not what was asked for.
        """


class ForksHere:
    """Forks of code that is trusted: processes of this user, on this machine.

    What others have left in ``/tmp`` is nothing to them: in a shared folder the kernel may keep
    even root from opening another user's file.
    """

    def launch(self, order: ForkOrder, attempt: Attempt) -> int:
        """As the protocol says; ``EnvironmentProblem`` without space for temporary files."""
        environment = bare_environment(order.environment)
        with scratch_folder() as temporary:
            words = order.command(attempt.json, temporary)
            code = run_supervised(words, attempt.log, environment, order.seconds)
            if code:
                require_space(temporary.parent)
            return code
