"""One request as it comes in: judged when its head is whole, before its body is read."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from waitress.adjustments import Adjustments
from waitress.parser import HTTPRequestParser, ParsingError
from waitress.utilities import RequestEntityTooLarge

from boost_dashboard.server import refusals
from boost_dashboard.server.clients import account, find_client, is_trusted
from boost_dashboard.server.limits import LARGEST_READER_BODY, Limits
from boost_dashboard.server.rate import RateLimit
from boost_dashboard.writers import sent_token

READING_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
HEALTH = "/healthz"

_FOLDED = re.compile(rb"\r\n[ \t]")
_TRANSFER_ENCODING = re.compile(rb"(?i)\r\ntransfer-encoding:[ \t]*([^\r]*)")


@dataclass(frozen=True)
class Door:
    """What requests are judged by; ``is_token`` knows the tokens of all writers."""

    limits: Limits
    largest_body: int
    is_token: Callable[[str], bool]
    rate: RateLimit
    clock: Callable[[], float] = time.monotonic


class GuardedRequest(HTTPRequestParser):
    """waitress' parser, stricter about heads and bodies, and mean to strangers.

    Where two servers could read a head differently, it is refused: what the proxy in front lets
    pass as one request must not become two here.
    """

    error: Any

    def __init__(self, adjustments: Adjustments, door: Door, peer: str) -> None:
        super().__init__(adjustments)
        self._door = door
        self._peer = peer
        self._largest_body = door.largest_body
        self._judged = False
        self.client = peer
        self.began = door.clock()

    def received(self, data: bytes) -> int:
        """Takes bytes in and returns how many; all of them once the request is refused."""
        consumed: int = super().received(data)
        if self.headers_finished and not self._judged and not self.empty:
            self._judged = True
            self.error = self._judge() or self.error
        if self.error is None and self.body_bytes_received > self._largest_body:
            self.error = refusals.too_large(self._largest_body)
        if self.error is None:
            return consumed
        self.completed = True
        # Nobody is told to go on with a body that is not wanted.
        self.expect_continue = False
        return len(data)

    def parse_header(self, header_plus: bytes) -> None:
        super().parse_header(header_plus)
        if self.version not in ("1.0", "1.1"):
            raise ParsingError("Only HTTP/1.0 and HTTP/1.1 are spoken here.")
        if _FOLDED.search(header_plus):
            raise ParsingError("A header that goes on in the next line is not taken.")
        encodings = _TRANSFER_ENCODING.findall(header_plus)
        if encodings and (
            not self.chunked
            or len(encodings) > 1
            or encodings[0].strip().lower() != b"chunked"
            or "CONTENT_LENGTH" in self.headers
        ):
            raise ParsingError("The length of the body is not clear.")
        if not self._announces_body():
            self.expect_continue = False  # else waitress would wait for it
        if is_trusted(self._peer, self._door.limits.trusted_proxies):
            self.client = find_client(self._peer, self.headers, self._door.limits.trusted_proxies)
            if self.headers.get("X_FORWARDED_PROTO", "").strip().lower() == "https":
                self.url_scheme = "https"

    @property
    def path_key(self) -> str:
        """The path as the application will see it."""
        return "/" + str(self.path).lstrip("/")

    def _judge(self) -> object | None:
        """Why the request is refused, or None: then its body may come."""
        door = self._door
        malformed = self.error is not None and not isinstance(self.error, RequestEntityTooLarge)
        # The health check has to answer whoever else asks from the same machine.
        if malformed or self.path_key != HEALTH:
            wait = door.rate.seconds_to_wait(account(self.client), door.clock())
            if wait:
                return refusals.too_often(wait)
        if malformed:
            return None
        if self.command in READING_METHODS:
            self._largest_body = min(LARGEST_READER_BODY, door.largest_body)
        elif self._announces_body() and not self._has_token():
            return refusals.no_token()
        if self.content_length > self._largest_body:
            return refusals.too_large(self._largest_body)
        return None

    def _has_token(self) -> bool:
        return self._door.is_token(sent_token(self.headers.get("AUTHORIZATION", "")))

    def _announces_body(self) -> bool:
        return self.chunked or self.content_length > 0
