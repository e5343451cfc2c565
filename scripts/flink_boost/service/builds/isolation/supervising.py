"""Runs a command that a sandbox has wrapped, and holds it to its limits, to the last process.

It is the child of the guard in ``base/processes.py``: if we are killed, so is everything inside.
"""

from __future__ import annotations

import os
import select
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path
from typing import BinaryIO

from flink_boost.base.errors import NoIsolation
from flink_boost.base.processes import end_supervised, start_supervised
from flink_boost.service.builds.isolation import cleaning
from flink_boost.service.builds.isolation.cgroups import ControlGroup
from flink_boost.service.builds.isolation.sandbox import Ended, How, Limits
from flink_boost.service.builds.isolation.watching import Beside, Watch, first_inside, require_tree

LOOK_SECONDS = 0.25
_BLOCK = 1 << 16
_START_SECONDS = 120.0  # a busy machine takes its time
_END_SECONDS = 20.0
_TAIL_BYTES = 1 << 16
_SIGNALLED = 128
# What wraps a command needs no more; above all it needs none of ours.
OUTER = {"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"}


def supervise(
    argv: Sequence[str],
    *,
    started: str,
    work: Path,
    limits: Limits,
    log: Path,
    group: ControlGroup | None = None,
) -> Ended:
    """Runs ``argv`` to its end or to its limit; nothing of it is left when this returns or raises.

    ``started`` is the line that the sandbox prints once the command is shut in. ``group`` is the
    one that ``argv`` enters. Raises ``NoIsolation`` when that line does not come first.
    """
    if log.resolve().is_relative_to(work.resolve()):
        raise ValueError(f"{log} is where the command may write")
    require_tree()
    before = Beside.now()
    with log.open("wb") as file:
        guard = start_supervised(argv, None, OUTER, Path("/"))
        inside: int | None = None
        try:
            deadline = time.monotonic() + limits.seconds
            pump = _Pump(guard, file, limits.output)
            pump.expect(started)
            first = first_inside(guard.pid)
            inside = None if first is None else _pidfd(first)
            watch = Watch(first or guard.pid, work, limits, before, group)
            how = _watched(guard, pump, watch, deadline)
        finally:
            end_supervised(guard)
            _await_last(inside)
            if guard.stdout is not None:
                guard.stdout.close()
    tail = _tail(log)
    if how is None:
        code = guard.returncode
        how = "killed" if code > _SIGNALLED or code < 0 else "exited"
        return Ended(how, code if how == "exited" else None, cleaning.said(tail))
    return Ended(how, None, cleaning.said(tail))


class _Pump:
    """Takes what the command prints into the log, up to a number of bytes."""

    def __init__(self, guard: subprocess.Popen[bytes], file: BinaryIO, most: int) -> None:
        if guard.stdout is None:
            raise ValueError("the guard prints to a file")
        self.source = guard.stdout.fileno()
        os.set_blocking(self.source, False)
        self._file = file
        self._left = most
        self._log = cleaning.QuietLog()
        self._held = b""
        self.open = True

    def expect(self, line: str) -> None:
        """Waits for the first line. Raises ``NoIsolation`` when it is another one."""
        wanted = f"{line}\n".encode()
        deadline = time.monotonic() + _START_SECONDS
        while self.open and len(self._held) < len(wanted) and time.monotonic() < deadline:
            if select.select([self.source], [], [], deadline - time.monotonic())[0]:
                self._held += self._read()
        if not self._held.startswith(wanted):
            while self.open and select.select([self.source], [], [], 1.0)[0]:
                self._held = (self._held + self._read())[:_BLOCK]
            told = cleaning.said(self._held.decode(errors="replace"), lines=3) or "it said nothing"
            raise NoIsolation(
                f"The sandbox did not start: {told}.",
                "Run `flink-boost request check`, and see docs/threat-model.md for what it needs.",
            )
        rest, self._held = self._held[len(wanted) :], b""
        self._write(rest)

    def take(self) -> bool:
        """Takes what is there; false once it is more than it may be."""
        self._write(self._read())
        return self._left >= 0

    def _read(self) -> bytes:
        try:
            block = os.read(self.source, _BLOCK)
        except BlockingIOError:
            return b""
        if not block:
            self.open = False
        return block

    def _write(self, block: bytes) -> None:
        # A byte that is no text takes three of them, and colours none: the larger number counts.
        content = self._log.quiet(block).encode()
        self._file.write(content[: max(0, self._left)])
        self._file.flush()
        self._left -= max(len(content), len(block))


def _watched(
    guard: subprocess.Popen[bytes], pump: _Pump, watch: Watch, deadline: float
) -> How | None:
    """The limit that the command broke; None when it ended by itself."""
    ended = os.pidfd_open(guard.pid)
    next_look = time.monotonic() + LOOK_SECONDS
    try:
        while True:
            now = time.monotonic()
            if now >= deadline:
                return "time"
            if now >= next_look:
                if broken := watch.look():
                    return broken
                next_look = time.monotonic() + LOOK_SECONDS
            sources = [ended, pump.source] if pump.open else [ended]
            ready = select.select(sources, [], [], min(next_look, deadline) - now)[0]
            if pump.source in ready and not pump.take():
                return "output"
            if ended in ready and pump.source not in ready:
                break
        return watch.look_at_end()
    finally:
        os.close(ended)


def _pidfd(pid: int) -> int | None:
    try:
        return os.pidfd_open(pid)
    except ProcessLookupError:
        return None


def _await_last(inside: int | None) -> None:
    """Waits for the first process inside, which the kernel lets go after all others there."""
    if inside is None:
        return
    try:
        if not select.select([inside], [], [], _END_SECONDS)[0]:
            raise NoIsolation(
                "Processes of a sandbox did not end when they were killed.",
                "Look for processes in state D, and restart the machine if they stay.",
            )
    finally:
        os.close(inside)


def _tail(log: Path) -> str:
    with log.open("rb") as file:
        file.seek(max(0, log.stat().st_size - _TAIL_BYTES))
        return file.read().decode(errors="replace")
