"""Where reading comments goes on: a text that the caller keeps and does not look into."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Literal

from pydantic import AwareDatetime, ValidationError

from flink_boost.base.errors import BrokenData
from flink_boost.measure.model import Frozen

# GitHub's machines differ a little in their clocks and in how soon they show a comment.
OVERLAP = timedelta(minutes=2)


class Cursor(Frozen):
    """``start`` is when reading began, ``since`` up to when all has been read; GitHub's times.

    ``etag`` is of the last answer for exactly this ``since``.
    """

    version: Literal[1] = 1
    start: AwareDatetime
    since: AwareDatetime
    etag: str | None = None

    def text(self) -> str:
        """For ``read_cursor``."""
        return self.model_dump_json()

    def past(self, newest: datetime) -> Cursor:
        """After comments up to ``newest`` were read: goes on a little before it, never back."""
        since = max(self.since, newest - OVERLAP)
        return self if since == self.since else Cursor(start=self.start, since=since)


def read_cursor(text: str) -> Cursor:
    """Raises ``BrokenData`` for what ``Cursor.text`` never wrote."""
    try:
        return Cursor.model_validate_json(text)
    except ValidationError as error:
        raise BrokenData(
            "The stored place up to which comments were read is unreadable.",
            "Restore the database; without that place what was written meanwhile is not read.",
        ) from error
