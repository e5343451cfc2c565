"""HTTP with an end: an answer may neither trickle for ever nor be endless."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

import httpx

CONNECT_SECONDS = 10.0
READ_SECONDS = 20.0  # between two pieces of an answer
WHOLE_SECONDS = 60.0
LARGEST_ANSWER = 64 * 1024 * 1024  # bytes; 100 comments of 65,536 escaped characters are 40 MB

Clock = Callable[[], float]


class EndlessAnswer(httpx.TransportError):
    """An answer took longer, or was longer, than any of GitHub's should be."""


class BoundedTransport(httpx.HTTPTransport):
    """httpx's transport with a time for the whole body and a largest size of it.

    Each call has a connection of its own: calls are seldom, and none then meets one that ended.
    """

    def __init__(
        self,
        clock: Clock = time.monotonic,
        whole_seconds: float = WHOLE_SECONDS,
        largest: int = LARGEST_ANSWER,
    ) -> None:
        super().__init__(limits=httpx.Limits(max_keepalive_connections=0))
        self._clock = clock
        self._whole_seconds = whole_seconds
        self._largest = largest

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Sends it; the body is bounded while it is read."""
        ends = self._clock() + self._whole_seconds
        response = super().handle_request(request)
        inner = response.stream
        assert isinstance(inner, httpx.SyncByteStream)  # noqa: S101 - what httpx's own gives
        response.stream = _Bounded(inner, self._clock, ends, self._largest)
        return response

    def close(self) -> None:
        """Nothing: it would end what other threads have under way, and nothing is kept open."""


class _Bounded(httpx.SyncByteStream):
    def __init__(
        self, inner: httpx.SyncByteStream, clock: Clock, ends: float, largest: int
    ) -> None:
        self._inner = inner
        self._clock = clock
        self._ends = ends
        self._largest = largest

    def __iter__(self) -> Iterator[bytes]:
        taken = 0
        for piece in self._inner:
            taken += len(piece)
            if taken > self._largest:
                raise EndlessAnswer(f"more than {self._largest} bytes")
            if self._clock() > self._ends:
                raise EndlessAnswer("the answer came too slowly")
            yield piece

    def close(self) -> None:
        self._inner.close()
