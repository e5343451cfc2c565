"""Runs a command whose processes never outlive the caller, not even one ended by ``kill -9``.

JMH starts a JVM that starts another JVM. Both stay in the process group of a small guard, this
module run as a program. The guard holds the read end of a pipe whose write end only the caller
has: when the caller is gone, for whatever reason, the pipe ends and the guard kills the group. In
the other direction the caller kills the group before it forgets the guard.
"""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # run as a program it has the standard library alone
    from flink_boost.base.users import User

# What a measured JVM gets of our environment: nothing that changes a score unseen, and no secret.
_PASSED_ON = frozenset(
    {"HOME", "LANG", "LANGUAGE", "LOGNAME", "PATH", "SHELL", "TEMP", "TMP", "TMPDIR", "TZ", "USER"}
)


def bare_environment(environ: Mapping[str, str]) -> dict[str, str]:
    """The few variables that a JVM of ours needs: an allow-list, so that no secret slips through.

    Variables with JVM options (``JAVA_TOOL_OPTIONS``) are not among them: no record of a run would
    show them.
    """
    return {
        name: value
        for name, value in environ.items()
        if name in _PASSED_ON or name.startswith("LC_")
    }


def foreign_environment(environ: Mapping[str, str]) -> dict[str, str]:
    """All variables but our own, the write token's among them.

    For programs of others that live by their variables: Maven, pip, the scripts of Flink.
    """
    return {name: value for name, value in environ.items() if not name.startswith("FLINK_BOOST_")}


class CommandTimeoutError(Exception):
    """The command took longer than it may; its processes were killed."""


def run_supervised(
    command: Sequence[str],
    log: Path,
    environment: Mapping[str, str],
    timeout: float,
    user: User | None = None,
) -> int:
    """Runs a command with its output in ``log`` and returns its exit code.

    When this returns or raises, no process of the command's group is left. Raises
    ``CommandTimeoutError`` after ``timeout`` seconds.
    """
    guard = start_supervised(command, log, environment, user=user)
    try:
        _await_exit(guard.pid, timeout)
    finally:
        end_supervised(guard)
    return guard.returncode


def start_supervised(
    command: Sequence[str],
    log: Path | None,
    environment: Mapping[str, str],
    folder: Path | None = None,
    user: User | None = None,
) -> subprocess.Popen[bytes]:
    """Starts a command with its output in ``log``, in ``folder``, by default the caller's.

    Without a log the output is to be read from ``stdout``. The guard stays the caller's, whoever
    the command runs as. Whoever calls this calls ``end_supervised``.
    """
    who = "" if user is None else ",".join(map(str, (user.uid, user.gid, *user.groups)))
    with nullcontext(subprocess.PIPE) if log is None else log.open("wb") as output:
        return subprocess.Popen(
            [sys.executable, "-I", "-S", str(Path(__file__)), who, *command],
            stdin=subprocess.PIPE,
            stdout=output,
            stderr=subprocess.STDOUT,
            env=dict(environment),
            cwd=folder,
            start_new_session=True,
        )


def end_supervised(guard: subprocess.Popen[bytes]) -> None:
    """Kills what is left of a command's group; ``guard.returncode`` is the command's, if it ended.

    Not to be called twice.
    """
    # The guard is not reaped yet, so its id, which is the group's, cannot be anyone else's.
    os.killpg(guard.pid, signal.SIGKILL)
    guard.wait()
    if guard.stdin is not None:
        guard.stdin.close()


@contextmanager
def terminated_like_interrupted() -> Iterator[None]:
    """SIGTERM and SIGHUP end the caller as Ctrl-C does: processes killed, results kept.

    A signal that is ignored, as SIGHUP is under ``nohup``, stays ignored.
    """

    def interrupt(_number: int, _frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    signals = [
        number
        for number in (signal.SIGTERM, signal.SIGHUP)
        if signal.getsignal(number) is not signal.SIG_IGN
    ]
    previous = [signal.signal(number, interrupt) for number in signals]
    try:
        yield
    finally:
        for number, handler in zip(signals, previous, strict=True):
            signal.signal(number, handler)


def has_ended(guard: subprocess.Popen[bytes], timeout: float) -> bool:
    """Whether the command ends within that many seconds; it is not reaped."""
    try:
        _await_exit(guard.pid, timeout)
    except CommandTimeoutError:
        return False
    return True


def _await_exit(pid: int, timeout: float) -> None:
    # A pid descriptor wakes us up: nothing polls, and so disturbs, while a benchmark measures.
    descriptor = os.pidfd_open(pid)
    try:
        if not select.select([descriptor], [], [], timeout)[0]:
            raise CommandTimeoutError
    finally:
        os.close(descriptor)


def _guard(who: str, command: Sequence[str]) -> int:
    """Runs the command; ends with its group as soon as standard input ends."""
    options: dict[str, Any] = {}
    if who:
        uid, gid, *groups = map(int, who.split(","))
        options = {"user": uid, "group": gid, "extra_groups": groups, "cwd": "/"}
    child = subprocess.Popen(command, stdin=subprocess.DEVNULL, **options)
    threading.Thread(target=_kill_group_at_end_of_input, daemon=True).start()
    code = child.wait()
    return code if code >= 0 else 128 - code


def _kill_group_at_end_of_input() -> None:
    while os.read(sys.stdin.fileno(), 4096):
        pass
    os.killpg(0, signal.SIGKILL)


if __name__ == "__main__":
    # os._exit: the thread is blocked in a read, which an orderly shutdown would wait for.
    try:
        exit_code = _guard(sys.argv[1], sys.argv[2:])
    except OSError as error:
        sys.stderr.write(f"{error}\n")
        exit_code = 127
    sys.stderr.flush()
    os._exit(exit_code)
