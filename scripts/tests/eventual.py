"""Waits for what other processes and threads do."""

from __future__ import annotations

import time
from collections.abc import Callable


def eventually(condition: Callable[[], object], seconds: float = 10, pause: float = 0.05) -> bool:
    """Whether the condition holds within that time; it is asked again after a pause."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(pause)
    return True
