"""gunicorn's worker: a process in which waitress serves the sockets that gunicorn opened.

gunicorn's own workers give a thread to each connection that sends something, so as many slow
clients as threads stop them. From gunicorn come the processes, their restart, signals, the
inherited sockets and the end that waits for requests in work.
"""

from __future__ import annotations

import logging
import os
import time
from typing import Any

from django.conf import settings
from gunicorn.workers.base import Worker
from waitress import wasyncore

from boost_dashboard.server.lanes import Lanes
from boost_dashboard.server.limits import LONGEST_WORK
from boost_dashboard.server.listener import listen
from boost_dashboard.server.log_file import find_log_file
from boost_dashboard.server.rate import RateLimit
from boost_dashboard.server.requests import Door
from boost_dashboard.writers import find_writer

logger = logging.getLogger(__name__)

_LOOP_SECONDS = 1.0
_LAST_SECONDS = 1.0  # of the graceful time, for closing


class BufferingWorker(Worker):
    """Serves until it is told to end, its parent is gone, or a request hangs."""

    _servers: tuple[Any, ...] = ()

    def run(self) -> None:
        sockets: dict[int, Any] = {}
        lanes = Lanes()
        shared = {"lanes": lanes, "door": _door()}
        self._servers = tuple(
            listen(self.wsgi, sockets, getattr(one, "sock", one), **shared) for one in self.sockets
        )
        log_file = find_log_file(os.environ)
        while self.alive and self._has_parent() and not self._hangs():
            self.notify()
            wasyncore.loop(timeout=_LOOP_SECONDS, use_poll=True, map=sockets, count=1)
            if log_file is not None:
                log_file.trim()
        self._end(sockets, lanes)

    def handle_exit(self, sig: int, frame: Any) -> None:
        """SIGTERM: ends the loop's wait too."""
        super().handle_exit(sig, frame)
        for server in self._servers:
            server.pull_trigger()

    def _end(self, sockets: dict[int, Any], lanes: Lanes) -> None:
        """Takes nothing more in, and waits for requests that are in work."""
        for server in self._servers:
            server.accepting = False
            server.del_channel()  # the loop forgets it; gunicorn's parent has closed it
        deadline = time.monotonic() + self.cfg.graceful_timeout - _LAST_SECONDS
        while time.monotonic() < deadline and self._is_busy():
            self.notify()
            wasyncore.loop(timeout=0.1, use_poll=True, map=sockets, count=1)
        lanes.shutdown(timeout=_LAST_SECONDS / 2)

    def _is_busy(self) -> bool:
        return any(
            channel.requests or channel.total_outbufs_len
            for server in self._servers
            for channel in list(server.active_channels.values())
        )

    def _has_parent(self) -> bool:
        return bool(self.ppid == os.getppid())

    def _hangs(self) -> bool:
        """True when a request will not end any more: another process takes over then."""
        now = time.monotonic()
        longest = max(server.longest_work(now) for server in self._servers)
        if longest > LONGEST_WORK:
            logger.critical("a request has run for %.0f s: starting anew", longest)
        return longest > LONGEST_WORK


def _door() -> Door:
    limits = settings.CONFIGURATION.limits
    return Door(
        limits=limits,
        largest_body=settings.DATA_UPLOAD_MAX_MEMORY_SIZE,
        is_token=_is_token,
        rate=RateLimit(limits.requests_per_second, limits.burst),
    )


def _is_token(text: str) -> bool:
    return find_writer(settings.CONFIGURATION.writers, text.encode("utf-8", "replace")) is not None
