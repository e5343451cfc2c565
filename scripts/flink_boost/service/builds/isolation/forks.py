"""Forks of strangers' code: each in a sandbox of its own, its result checked before it is kept."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from flink_boost.base.errors import RefusedResult
from flink_boost.base.files import make_folder, write_durably
from flink_boost.base.processes import CommandTimeoutError
from flink_boost.measure.fork_files import Attempt
from flink_boost.measure.fork_launch import ForkOrder
from flink_boost.service.builds.isolation.bubblewrap import Bubblewrap
from flink_boost.service.builds.isolation.fetching import MOST_RESULT, read_file
from flink_boost.service.builds.isolation.jmhresult import checked_result
from flink_boost.service.builds.isolation.sandbox import TEMPORARY, Ended, Limits
from flink_boost.service.builds.isolation.workplace import fresh_workplace

# A request may keep the logs of a thousand forks.
LIMITS = Limits(seconds=600, disk=256 << 20, processes=2048, output=2 << 20)
_RESULT = "result.json"


class IsolatedForks:
    """A ``ForkLaunch``. ``folder`` is where workplaces are; both sides of a pair run like this.

    ``ended`` is how the newest fork ended.
    """

    def __init__(self, sandbox: Bubblewrap, folder: Path, *, limits: Limits = LIMITS) -> None:
        self.ended: Ended | None = None
        self._sandbox = sandbox
        self._folder = folder
        self._limits = limits

    def launch(self, order: ForkOrder, attempt: Attempt) -> int:
        """As the protocol says; ``RefusedResult`` also when a limit held the fork."""
        make_folder(self._folder)
        self._folder.chmod(0o711)
        owners = self._sandbox.owners
        with fresh_workplace(self._folder, owners, disk=self._limits.disk) as work:
            self.ended = ended = self._sandbox.run(
                order.command(work / _RESULT, TEMPORARY),
                work=work,
                readable=tuple(files_outside(order.files)),
                environment={},
                limits=replace(self._limits, seconds=order.seconds),
                log=attempt.log,
                mirrors=False,
            )
            if ended.how == "time":
                raise CommandTimeoutError
            if ended.how != "exited" or ended.code is None:
                raise RefusedResult(f"It {ended.sentence}.")
            if ended.code == 0:
                content = read_file(work, _RESULT, most=MOST_RESULT)
                checked = checked_result(
                    content, order.cell, threads=order.threads, iterations=order.iterations
                )
                write_durably(attempt.json, checked)
            return ended.code


def files_outside(needed: Sequence[Path]) -> Iterator[Path]:
    """What a sandbox does not have by itself of a program and the files of its class path.

    The first is the java; its JDK is given where it is not the system's.
    """
    java, *files = needed
    yield from (file.absolute() for file in files if file.exists())
    program = java.resolve()
    if program.is_absolute() and program.exists() and not program.is_relative_to("/usr"):
        yield program.parents[1]
