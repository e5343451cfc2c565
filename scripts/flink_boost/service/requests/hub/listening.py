"""The port on which the webhook listens: waitress, with an end to whatever a client may do.

waitress reads a request whole before a thread works on it, so that a slow client costs a socket
and no thread. That sockets end, too, is here: all that a client does has to be done in time.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from waitress import wasyncore
from waitress.adjustments import Adjustments
from waitress.channel import HTTPChannel
from waitress.server import TcpWSGIServer
from waitress.task import ThreadedTaskDispatcher

from flink_boost.base.errors import EnvironmentProblem
from flink_boost.service.requests.hub.webhook import LARGEST_BODY

READ_SECONDS = 20.0  # for a whole request, and for taking its answer
CONNECTIONS = 100

_THREADS = 2
_LARGEST_HEAD = 16 * 1024  # bytes
_LOOP_SECONDS = 0.5


class _TimedChannel(HTTPChannel):  # type: ignore[misc]
    """A connection that remembers since when we wait for its client."""

    def __init__(self, *arguments: Any, **more: Any) -> None:
        self.since = time.monotonic()
        super().__init__(*arguments, **more)

    def service(self) -> None:
        try:
            super().service()
        finally:
            self.since = time.monotonic()

    def is_overdue(self, now: float, seconds: float) -> bool:
        """Whether nothing is done for the client, and it has not done its part."""
        return not self.requests and now - self.since > seconds


class _TimedServer(TcpWSGIServer):  # type: ignore[misc]
    """Ends connections that take too long; a full house ends the one that waits longest."""

    channel_class = _TimedChannel
    read_seconds = READ_SECONDS

    def handle_accept(self) -> None:
        super().handle_accept()
        waiting = [one for one in self.active_channels.values() if not one.requests]
        if len(self.active_channels) > CONNECTIONS and waiting:
            min(waiting, key=lambda channel: channel.since).handle_close()

    def maintenance(self, _now: float) -> None:
        """waitress calls it every second."""
        now = time.monotonic()
        for channel in list(self.active_channels.values()):
            if channel.is_overdue(now, self.read_seconds):
                channel.handle_close()


@contextmanager
def listening(
    application: Callable[..., Any], host: str, port: int, read_seconds: float = READ_SECONDS
) -> Iterator[int]:
    """Serves the application in threads of its own; gives the port (0 takes a free one).

    Raises ``EnvironmentProblem`` when the port cannot be had.
    """
    sockets: dict[int, Any] = {}
    dispatcher = ThreadedTaskDispatcher()
    dispatcher.set_thread_count(_THREADS)
    try:
        server = _TimedServer(
            application, sockets, dispatcher=dispatcher, adj=_settings(host, port)
        )
    except OSError as error:
        dispatcher.shutdown()
        _close(sockets)
        raise EnvironmentProblem(
            f"The webhook cannot listen on {host}:{port} ({error.strerror}).",
            "Give another port, or end what listens there.",
        ) from error
    server.read_seconds = read_seconds
    over = threading.Event()
    loop = threading.Thread(target=_run, args=(sockets, over), name="webhook", daemon=True)
    loop.start()
    try:
        yield int(server.effective_port)
    finally:
        over.set()
        server.pull_trigger()  # ends the loop's wait
        loop.join()
        dispatcher.shutdown()
        _close(sockets)


def _close(sockets: dict[int, Any]) -> None:
    for one in list(sockets.values()):
        one.close()


def _run(sockets: dict[int, Any], over: threading.Event) -> None:
    while not over.is_set():
        wasyncore.loop(timeout=_LOOP_SECONDS, use_poll=True, map=sockets, count=1)


def _settings(host: str, port: int) -> Adjustments:
    return Adjustments(
        host=host,
        port=port,
        ident="",
        connection_limit=CONNECTIONS + 20,
        cleanup_interval=1,
        channel_timeout=int(READ_SECONDS),
        max_request_header_size=_LARGEST_HEAD,
        max_request_body_size=LARGEST_BODY + 1,  # waitress refuses from there on
        clear_untrusted_proxy_headers=True,
        log_socket_errors=False,
    )
