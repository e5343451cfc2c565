"""Work on one request, and the line that tells of it."""

from __future__ import annotations

import logging
import time
from typing import Any

from waitress.channel import ClientDisconnected
from waitress.task import ErrorTask, Task, WSGITask

from boost_dashboard.server.log_lines import NOTE, escaped, target

logger = logging.getLogger("boost_dashboard.access")

_LONGEST_NOTE = 200


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
