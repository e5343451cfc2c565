"""What the door itself answers, in the form that waitress sends errors in."""

from __future__ import annotations

import math
from dataclasses import dataclass

Headers = list[tuple[str, str]]

UNKNOWN_SENDER = (
    "This needs the dashboard's token in the header 'Authorization: Bearer <token>': "
    "set FLINK_BOOST_TOKEN or FLINK_BOOST_TOKEN_FILE and send again."
)
CHALLENGE = ("WWW-Authenticate", 'Bearer realm="flink-boost"')


@dataclass(frozen=True)
class Refusal:
    """An answer without the application; ``why`` is a sentence for the sender."""

    status: str
    why: str
    headers: tuple[tuple[str, str], ...] = ()

    def to_response(self, _ident: str | None = None) -> tuple[str, Headers, bytes]:
        """Status, headers and body, as waitress asks its errors for them."""
        content = ("Content-Type", "text/plain; charset=utf-8")
        return self.status, [content, *self.headers], f"{self.why}\n".encode()


def no_token() -> Refusal:
    return Refusal("401 Unauthorized", UNKNOWN_SENDER, (CHALLENGE,))


def too_large(most: int) -> Refusal:
    return Refusal(
        "413 Request Entity Too Large",
        f"The body is larger than the {most:,} bytes that the dashboard takes: "
        "send fewer results in one request.",
    )


def too_slow(seconds: float) -> Refusal:
    return Refusal(
        "408 Request Timeout",
        f"The request was not whole after {seconds:.0f} seconds: send it again.",
    )


def too_often(seconds: float) -> Refusal:
    return Refusal(
        "429 Too Many Requests",
        "You ask more often than the dashboard allows: wait a moment and ask again.",
        (("Retry-After", str(max(1, math.ceil(seconds)))),),
    )


def too_busy() -> Refusal:
    return Refusal(
        "503 Service Unavailable",
        "The dashboard has too many requests of this kind to do: ask again in a few seconds.",
        (("Retry-After", "5"),),
    )
