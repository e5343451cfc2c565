"""Checks of documents that somebody else sends: nights, alarms and what is in them.

Who writes a document keeps what happened as it is. Who takes one in validates it with
``context=TAKEN_IN``, and only then each field has a range, a length and characters that no page can
misread, and moments are naive and in UTC, as all of Codespeed's.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sized
from datetime import UTC, datetime
from typing import Annotated, Any, TypeVar

from pydantic import AfterValidator, FiniteFloat, ValidationInfo

from flink_boost.measure.model import Frozen

TAKEN_IN = {"taken in": True}
FIRST_YEAR, LAST_YEAR = 2000, 2100
MOST_ROWS = 200  # of a history, of reruns, of steps

# Read by HTML, by scripts or by a template; none of them is part of a name of JMH's or Flink's.
_UNSAFE = frozenset("<>&\"'`\\")
_LINK = r"https?://[!#-;=?-~]+"

Value = TypeVar("Value")


def plain(text: str) -> str:
    """The text, if every page can show it and every database store it; else ``ValueError``."""
    if text != text.strip():
        raise ValueError("has blanks at an end")
    bad = next((char for char in text if char in _UNSAFE or not char.isprintable()), None)
    if bad is not None:
        raise ValueError(f"has the character {bad!a}, which no name may have")
    return text


def when_taken_in(check: Callable[[Any], Any]) -> AfterValidator:
    """Runs ``check`` on a field of what is taken in only."""

    def checked(value: Any, info: ValidationInfo) -> Any:
        return check(value) if value is not None and info.context == TAKEN_IN else value

    return AfterValidator(checked)


def name(most: int = 100) -> AfterValidator:
    """A name of at most so many characters."""

    def check(text: str) -> str:
        if not text:
            raise ValueError("is empty")
        return plain(_no_longer(text, most))

    return when_taken_in(check)


def within(low: float, high: float) -> AfterValidator:
    """A number between two others, ends included."""

    def check(value: float) -> float:
        if not low <= value <= high:
            raise ValueError(f"is not between {low:g} and {high:g}")
        return value

    return when_taken_in(check)


def matching(pattern: str, most: int = 500) -> AfterValidator:
    """A text that the pattern matches as a whole."""

    def check(text: str) -> str:
        if not re.fullmatch(pattern, _no_longer(text, most)):
            raise ValueError(f"is not of the form {pattern}")
        return text

    return when_taken_in(check)


def at_most(count: int) -> AfterValidator:
    """No more parts than that."""
    return when_taken_in(lambda found: _no_longer(found, count))


def _no_longer(value: Any, most: int) -> Any:
    assert isinstance(value, Sized)  # noqa: S101 - text or a tuple
    if len(value) > most:
        raise ValueError(f"has {len(value)} characters or parts, more than {most}")
    return value


def _sayable(text: str) -> str:
    bad = next((char for char in _no_longer(text, 1000) if not char.isprintable()), None)
    if bad is not None:
        raise ValueError(f"has the character {bad!a}, which no text may have")
    return text


def _utc(moment: datetime) -> datetime:
    # At either end of the calendar an offset would leave it.
    if FIRST_YEAR <= moment.year < LAST_YEAR:
        moment = (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).astimezone(UTC)
    if not FIRST_YEAR <= moment.year < LAST_YEAR:
        raise ValueError(f"is not between {FIRST_YEAR} and {LAST_YEAR}")
    return moment.replace(tzinfo=None)


Label = Annotated[str, name()]
BoxName = Annotated[str, name()]
RunName = Annotated[str, name(42)]
LineName = Annotated[str, name(30)]
# For people: any printable character, as pages escape them.
Sentence = Annotated[str, when_taken_in(_sayable)]
Moment = Annotated[datetime, when_taken_in(_utc)]
Ratio = Annotated[FiniteFloat, within(1e-9, 1e6)]
Count = Annotated[int, within(0, 1_000_000)]
Commit = Annotated[str, matching("[0-9A-Za-z-]{0,60}")]
# To be copied; it has quotation marks, so it is no name.
Command = Annotated[str, matching("[ -~]*")]
# What a reader may follow: to a page, never to a script.
Link = Annotated[str, matching(_LINK)]


def per_cent(ratio: float) -> str:
    """A ratio as a change: ``−5.2 %``."""
    return f"{100 * (ratio - 1):+.1f} %".replace("-", "−")


class RatioRange(Frozen):
    """A ratio with its interval, as far as they are known."""

    ratio: Ratio | None = None
    low: Ratio | None = None
    high: Ratio | None = None

    @property
    def change(self) -> str:
        """In per cent; a dash where there is none."""
        return "–" if self.ratio is None else per_cent(self.ratio)

    @property
    def interval(self) -> str:
        """Both ends in per cent; empty where there is none."""
        if self.low is None or self.high is None:
            return ""
        return f"{per_cent(self.low)} to {per_cent(self.high)}"
