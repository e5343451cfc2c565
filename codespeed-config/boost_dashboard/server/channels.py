"""One connection, with an end to everything that it may wait for."""

from __future__ import annotations

import logging
import socket
import time
from functools import partial
from typing import Any

from waitress.channel import ClientDisconnected, HTTPChannel
from waitress.task import ErrorTask, Task, WSGITask

from boost_dashboard.server import refusals
from boost_dashboard.server.limits import LARGEST_LINGER, LINGER_SECONDS
from boost_dashboard.server.log_lines import NOTE, escaped, target
from boost_dashboard.server.requests import READING_METHODS, Door, GuardedRequest

_DROPPED_AT_ONCE = 256 * 1024
logger = logging.getLogger("boost_dashboard.access")

_LONGEST_NOTE = 200
# Requests of one connection that wait for their answers; browsers send one after the other.
_MOST_AT_ONCE = 4


class _Told(Task):
    """Writes the line of its request: client, method, address, status, milliseconds, bytes.

    A HEAD is answered with a head: waitress and Django leave that to each other, and a body would
    be read as the next answer of the connection.
    """

    def write(self, data: bytes) -> None:
        if getattr(self.request, "command", "") != "HEAD":
            super().write(data)
            return
        super().write(b"")
        self.chunked_response = False  # nor the mark of a body's end

    def service(self) -> None:
        note = ""
        try:
            super().service()
        except ClientDisconnected:
            note = "the client is gone"
            raise
        except Exception:
            # Without a head, another task answers for this one, and tells.
            note = "broken off" if self.wrote_header else ""
            raise
        finally:
            if self.wrote_header or note:
                self._tell(note)

    def _tell(self, note: str) -> None:
        request = self.request
        note = note or str((getattr(self, "environ", None) or {}).get(NOTE, ""))
        began = getattr(request, "began", time.monotonic())
        address = target(getattr(request, "request_uri", "-"), self.channel.is_secret)
        logger.info(
            "%s %s %s %s %.0f ms %d B%s",
            getattr(request, "client", "-"),
            escaped(getattr(request, "command", "-"), 20),
            address,
            self.status.partition(" ")[0],
            (time.monotonic() - began) * 1000,
            self.content_bytes_written,
            f" ({escaped(note, _LONGEST_NOTE)})" if note else "",
        )


class ToldWork(_Told, WSGITask):
    """The application's answer."""


class ToldRefusal(_Told, ErrorTask):
    """The door's own answer, after which what still comes is dropped."""

    def execute(self) -> Any:
        self.channel.refused = True
        return super().execute()


class GuardedChannel(HTTPChannel):
    """waitress' channel with deadlines, and a close that the sender can hear.

    The loop's thread is its only user, but for ``service`` and ``refused``.
    """

    task_class = ToldWork
    error_task_class = ToldRefusal
    request: Any
    close_when_flushed: bool
    refused = False

    def __init__(
        self,
        server: Any,
        sock: Any,
        addr: Any,
        adj: Any,
        map: Any = None,  # noqa: A002
    ) -> None:
        door: Door = server.door
        self._door = door
        self.is_secret = door.is_token
        self.parser_class = partial(GuardedRequest, door=door, peer=str(addr[0]))
        # Since when it is in the state that it is in: idle, or in the middle of a head or body.
        self.since = door.clock()
        self.working_since: float | None = None
        self._lingers = False
        self._dropped = 0
        super().__init__(server, sock, addr, adj, map=map)

    # -- deadlines -------------------------------------------------------------------------------

    @property
    def is_at_work(self) -> bool:
        """True while a request is answered, or a body comes in from somebody with a token.

        Whoever only reads is asked for none: a body of theirs holds no place.
        """
        is_sent = self._in_body and self.request.command not in READING_METHODS
        return bool(self.requests) or is_sent

    @property
    def _in_body(self) -> bool:
        return self.request is not None and self.request.headers_finished

    def overdue(self, now: float) -> str | None:
        """What has taken too long, if anything; ``now`` by the door's clock."""
        limits = self._door.limits
        silent = time.time() - self.last_activity  # waitress' own clock
        if self._lingers:
            return "deaf" if now - self.since > LINGER_SECONDS else None
        if self.total_outbufs_len:
            return "took no answer" if silent > limits.answer_seconds else None
        if self.requests:
            return None
        if self._in_body:
            slow = now - self.since > limits.body_seconds or silent > limits.read_seconds
            return "no whole body" if slow else None
        return "no whole head" if now - self.since > limits.read_seconds else None

    def end(self) -> None:
        """Closes it; a sender in the middle of a body is told why."""
        if self._in_body and not self.requests:
            request, self.request = self.request, None
            request.error = refusals.too_slow(self._door.limits.body_seconds)
            request.completed = True
            with self.requests_lock:
                self.requests.append(request)
            self.server.add_task(self)
        else:
            self.handle_close()

    # -- what the loop calls ---------------------------------------------------------------------

    def received(self, data: bytes) -> Any:
        before = self.request
        had_head = before is not None and before.headers_finished
        taken = super().received(data)
        if len(self.requests) > _MOST_AT_ONCE:
            # Their answers would be more than a thread may leave to the socket.
            self.handle_close()
            return taken
        # A body has a time of its own; so has a head from its first byte on.
        if self.request is not None and (before is None or self._in_body != had_head):
            self.since = self._door.clock()
        return taken

    def readable(self) -> bool:
        return self._lingers or bool(super().readable())

    def handle_read(self) -> None:
        if not self._lingers:
            super().handle_read()
            return
        data = self.recv(_DROPPED_AT_ONCE)  # closes at the sender's end
        self._dropped += len(data)
        if data and self._dropped > LARGEST_LINGER:
            self.handle_close()

    def handle_write(self) -> None:
        lingers = self.refused and self.close_when_flushed and not self.will_close
        if not lingers:
            super().handle_write()
            return
        self.close_when_flushed = False
        super().handle_write()
        if not self.connected or self.will_close:
            return
        if self.total_outbufs_len:
            self.close_when_flushed = True
        else:
            self._linger()

    def _linger(self) -> None:
        """Says that nothing more comes, and reads on for a while.

        Closing with bytes unread would reset the connection, and the sender would lose the answer.
        """
        try:
            self.socket.shutdown(socket.SHUT_WR)
        except OSError:
            self.handle_close()
            return
        self._lingers = True
        self.since = self._door.clock()

    # -- in a thread that works ------------------------------------------------------------------

    def service(self) -> None:
        """Answers one request, and notes since when."""
        self.working_since = self._door.clock()
        try:
            super().service()
        finally:
            self.working_since = None
            self.since = self._door.clock()
