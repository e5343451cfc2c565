"""When GitHub may be asked again, from what its answer says and never from our clock."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

UNSAID_SECONDS = 60.0  # what GitHub asks for where it says nothing
LONGEST_SECONDS = 2 * 3600.0  # its limits last an hour; a longer wait is a mistake somewhere


def seconds_to_wait(status: int, headers: Mapping[str, str], message: str) -> float | None:
    """Seconds until a refused call may be sent again; None when waiting is not what it asks for.

    ``headers`` are those of a refusal with 403, 429 or 5xx, ``message`` is what its body says.
    """
    told = _retry_after(headers)
    if status >= 500:
        return told
    if told is not None:
        return told
    if headers.get("x-ratelimit-remaining") == "0":
        return _until_reset(headers)
    limited = any(word in message.lower() for word in ("rate limit", "abuse detection"))
    return UNSAID_SECONDS if status == 429 or limited else None


def server_time(headers: Mapping[str, str]) -> datetime | None:
    """When the server says that it is."""
    return _http_date(headers.get("date", ""))


def _retry_after(headers: Mapping[str, str]) -> float | None:
    text = headers.get("retry-after", "").strip()
    if not text:
        return None
    if text.isascii() and text.isdigit():
        return _bounded(float(text[:12]))
    until, now = _http_date(text), server_time(headers)
    if until is None or now is None:
        return UNSAID_SECONDS
    return _bounded((until - now).total_seconds())


def _until_reset(headers: Mapping[str, str]) -> float:
    text, now = headers.get("x-ratelimit-reset", ""), server_time(headers)
    if now is None or not (text.isascii() and text.isdigit()):
        return UNSAID_SECONDS
    # A second more: both are whole seconds.
    return _bounded(float(text[:12]) - now.timestamp() + 1)


def _bounded(seconds: float) -> float:
    return min(max(seconds, 1.0), LONGEST_SECONDS)


def _http_date(text: str) -> datetime | None:
    try:
        found = parsedate_to_datetime(text)
    except ValueError:
        return None
    return found if found.tzinfo is not None else found.replace(tzinfo=UTC)
