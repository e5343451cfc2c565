"""How often one client may ask."""

from __future__ import annotations

from collections import OrderedDict

_MOST_CLIENTS = 4096  # more are forgotten, oldest first: memory stays bounded


class RateLimit:
    """A token bucket per client: ``burst`` requests at once, ``per_second`` in the long run.

    Not for several threads: the loop that reads requests is its only user.
    """

    def __init__(self, per_second: float, burst: float) -> None:
        self._per_second = per_second
        self._burst = burst
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def seconds_to_wait(self, client: str, now: float) -> float:
        """0 when the request may pass, and counts; else how long until one would.

        ``now`` is a clock's reading in seconds.
        """
        left, since = self._buckets.pop(client, (self._burst, now))
        left = min(self._burst, left + (now - since) * self._per_second)
        passes = left >= 1
        self._buckets[client] = (left - 1 if passes else left, now)
        if len(self._buckets) > _MOST_CLIENTS:
            self._buckets.popitem(last=False)
        return 0.0 if passes else (1 - left) / self._per_second
