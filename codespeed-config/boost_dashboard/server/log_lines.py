"""What the log shows of a request: one line, whatever the client sent."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable
from urllib.parse import unquote

# Where the application leaves a word for the line of its request; no header gets that name.
NOTE = "flink_boost.note"

LONGEST_MESSAGE = 1000  # characters
_LONGEST_TARGET = 500
_SHORTEST_SECRET = 20
_WORDS = re.compile(r"[^\s&=/?;,:+#]+")


class OneLine(logging.Formatter):
    """Escapes control characters in messages and bounds their length; tracebacks stay whole."""

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802 logging's name
        record.message = escaped(record.message, LONGEST_MESSAGE)
        return super().formatMessage(record)


def escaped(text: str, longest: int) -> str:
    """Text that cannot begin a line of its own, or colour a terminal."""
    shown = text[: longest + 1].replace("\\", "\\\\")
    shown = "".join(
        char if char.isprintable() else char.encode("unicode_escape").decode() for char in shown
    )
    return shown if len(shown) <= longest else f"{shown[:longest]}…"


def target(sent: str, is_secret: Callable[[str], bool]) -> str:
    """A request's address as it may be logged: a token in it is not shown, however it is coded."""
    words = _WORDS.findall(unquote(sent, errors="replace"))
    if any(len(word) >= _SHORTEST_SECRET and is_secret(word) for word in words):
        return "(an address with a token in it)"
    return escaped(sent, _LONGEST_TARGET)
