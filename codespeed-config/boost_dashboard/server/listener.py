"""The loop's side of the server: accepts connections, and ends what is overdue."""

from __future__ import annotations

import logging
import socket
from collections import Counter
from typing import Any

from waitress.adjustments import Adjustments
from waitress.server import TcpWSGIServer, UnixWSGIServer

from boost_dashboard.server.channels import GuardedChannel
from boost_dashboard.server.lanes import Lanes
from boost_dashboard.server.limits import LARGEST_HEAD
from boost_dashboard.server.requests import Door

logger = logging.getLogger(__name__)


class _Guarded:
    """What both kinds of listener have in common; mixed into waitress' servers."""

    channel_class = GuardedChannel
    active_channels: dict[int, GuardedChannel]

    def __init__(
        self,
        application: Any,
        sockets: dict[int, Any],
        listener: socket.socket,
        lanes: Lanes,
        door: Door,
    ) -> None:
        self.door = door
        super().__init__(  # type: ignore[call-arg]
            application,
            sockets,
            True,
            listener,
            dispatcher=lanes,
            adj=_adjustments(door),
            sockinfo=(listener.family, listener.type, listener.proto, listener.getsockname()),
            bind_socket=False,
        )

    def handle_accept(self) -> None:
        """Takes a connection; a full house closes the one that has waited longest for nothing."""
        # First the one, then the other: else it might get the other's file descriptor, and events
        # that the loop still has for it.
        super().handle_accept()  # type: ignore[misc]
        if len(self.active_channels) > self.door.limits.open_connections:
            waiting = [one for one in self.active_channels.values() if not one.is_at_work]
            if waiting:
                min(waiting, key=lambda channel: channel.since).handle_close()

    def maintenance(self, _now: float) -> None:
        """Ends what is overdue; waitress calls it every second."""
        now = self.door.clock()
        ended: Counter[str] = Counter()
        for channel in list(self.active_channels.values()):
            reason = channel.overdue(now)
            if reason is not None:
                channel.end()
                ended[f"{channel.addr[0]}, {reason}"] += 1
        for whom, times in ended.items():
            logger.info("closed %d connections: %s", times, whom)

    def longest_work(self, now: float) -> float:
        """Seconds that the oldest request in work has taken."""
        begun = [channel.working_since for channel in list(self.active_channels.values())]
        return max((now - since for since in begun if since is not None), default=0.0)


class TcpListener(_Guarded, TcpWSGIServer):
    """On an address and port."""


class UnixListener(_Guarded, UnixWSGIServer):
    """On a socket file."""


def listen(application: Any, sockets: dict[int, Any], listener: socket.socket, **rest: Any) -> Any:
    """The server for a socket that is open already."""
    kind = UnixListener if listener.family == socket.AF_UNIX else TcpListener
    return kind(application, sockets, listener, **rest)


def _adjustments(door: Door) -> Adjustments:
    return Adjustments(
        ident="",
        asyncore_use_poll=True,
        asyncore_loop_timeout=1,
        cleanup_interval=1,
        # A little above ours: then it stops accepting, where nothing can be closed.
        connection_limit=door.limits.open_connections + 50,
        recv_bytes=16 * 1024,
        # Longer bodies and answers go to temporary files.
        inbuf_overflow=512 * 1024,
        outbuf_overflow=256 * 1024,
        max_request_header_size=LARGEST_HEAD,
        max_request_body_size=door.largest_body + 1,  # waitress refuses from there on
        log_socket_errors=False,
    )
