"""How fast GitHub lets an account go: one pace for all that speaks to it as that account."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from flink_boost.base.errors import HubAway

_WRITE_SECONDS = 1.0  # GitHub asks for that much between two calls that write


@dataclass
class RateLimit:
    """When may the next call be sent? Repositories, clients and threads share it.

    Once GitHub asked to wait nothing is sent before that time is over: who goes on asking is locked
    out, wherever he asks.
    """

    clock: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep
    _not_before: float = field(default=0.0, init=False)
    _wrote: float = field(default=float("-inf"), init=False)
    _writes: threading.Lock = field(default_factory=threading.Lock, init=False, repr=False)

    def require_turn(self) -> None:
        """Raises ``HubAway`` while GitHub wants nothing of us."""
        left = self._not_before - self.clock()
        if left > 0:
            raise HubAway("GitHub asked to wait.", "It is asked again then.", left)

    def wait(self, seconds: float) -> None:
        """GitHub asked for it."""
        self._not_before = max(self._not_before, self.clock() + seconds)

    @contextmanager
    def writing(self) -> Iterator[None]:
        """For one call that changes something: they come one after the other, a second apart."""
        with self._writes:
            pause = self._wrote + _WRITE_SECONDS - self.clock()
            if pause > 0:
                self.sleep(pause)
            try:
                yield
            finally:
                self._wrote = self.clock()
