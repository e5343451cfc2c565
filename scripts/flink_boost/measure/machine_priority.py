"""Who waits for the machine, and who goes first.

The machine's lock is nobody's by right: who asks at the right moment gets it. So who may wait
says so in a file beside it, and holds a lock on that as long as it waits; who else wants the
machine looks there first. The kernel frees such a lock when the waiting process ends.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from flink_boost.base.errors import MachineBusy

NIGHTLY = "nightly"
CONFIRMATION = "confirmation"
REQUEST = "request"
USUAL_ORDER = (NIGHTLY, CONFIRMATION, REQUEST)


@contextmanager
def announced(lock: Path, kind: str) -> Iterator[None]:
    """Says that somebody of that kind waits for the machine, until the end."""
    path = _folder(lock) / f"{kind}.{os.getpid()}"
    try:
        _folder(lock).mkdir(parents=True, exist_ok=True)
        with suppress(OSError):
            _folder(lock).chmod(0o1777)
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o644)
    except OSError:
        # Without it one has to be lucky; that is no reason not to measure.
        yield
        return
    try:
        with suppress(BlockingIOError):
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    finally:
        with suppress(OSError):
            path.unlink()
        os.close(descriptor)


def who_waits(lock: Path) -> frozenset[str]:
    """The kinds of those that wait now, other processes of this machine or this one."""
    found = set()
    with suppress(OSError):
        for path in _folder(lock).iterdir():
            if _is_held(path):
                found.add(path.name.partition(".")[0])
    return frozenset(found)


def require_turn(lock: Path, kind: str, order: Sequence[str] = USUAL_ORDER) -> None:
    """Raises ``MachineBusy`` while somebody waits who goes before that kind."""
    first = set(order[: order.index(kind)]) if kind in order else set(order)
    if waiting := first & who_waits(lock):
        raise MachineBusy(
            f"A {min(waiting)} waits for the machine and goes first.", "Wait until it has ended."
        )


def _folder(lock: Path) -> Path:
    return lock.with_name(f"{lock.name}.waiting")


def _is_held(path: Path) -> bool:
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(descriptor)
    with suppress(OSError):
        path.unlink()  # its owner was killed
    return False
