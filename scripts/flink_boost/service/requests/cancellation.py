"""Ends work from another thread: it is left at once, and its processes are killed."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType


class WorkStopped(BaseException):
    """Somebody else wants the work to end; the reason is its text."""


Stop = Callable[[str], None]


@contextmanager
def stoppable() -> Iterator[Stop]:
    """Gives a call for other threads that raises ``WorkStopped`` in this, the main thread."""
    reasons: list[str] = []
    active = True

    def handle(_number: int, _frame: FrameType | None) -> None:
        nonlocal active
        if active and reasons:
            active = False
            raise WorkStopped(reasons[0])

    def stop(reason: str) -> None:
        reasons.append(reason)
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGUSR1)

    previous = signal.signal(signal.SIGUSR1, handle)
    try:
        yield stop
    finally:
        active = False
        signal.signal(signal.SIGUSR1, previous)
