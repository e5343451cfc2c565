"""What can go wrong on the way to GitHub, each for so many calls of one kind."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Literal

Way = Literal[
    "answer",  # the status, headers and body that the fault has, nothing done
    "drop",  # no answer, nothing done
    "cut",  # done, and the answer breaks off in its middle
    "trickle",  # done, and the answer comes byte by byte
    "hang",  # no answer until the server ends
]


@dataclass
class Fault:
    """``method`` and ``path``, a regular expression, say which calls; ``times`` how many.

    An answer that GitHub's description does not allow is no ``valid`` one.
    """

    way: Way = "answer"
    status: int = 500
    body: object = field(default_factory=lambda: {"message": "Server Error"})
    headers: dict[str, str] = field(default_factory=dict)
    method: str | None = None
    path: str = ""
    times: int = 1
    valid: bool = True

    def hits(self, method: str, path: str) -> bool:
        """Whether this call is one of them; counts it."""
        fits = self.method in (None, method) and re.search(self.path, path) is not None
        if not fits or self.times <= 0:
            return False
        self.times -= 1
        return True


def secondary_limit(seconds: int | None = 30, status: int = 403) -> Fault:
    """Too much at once; with or without a word about how long."""
    message = "You have exceeded a secondary rate limit. Please wait a few minutes."
    headers = {} if seconds is None else {"Retry-After": str(seconds)}
    return Fault(status=status, body={"message": message}, headers=headers)


def primary_limit(reset: int) -> Fault:
    """The hour's calls are used up; ``reset`` is by GitHub's clock."""
    message = "API rate limit exceeded for user ID 1."
    headers = {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": str(reset)}
    return Fault(status=403, body={"message": message}, headers=headers)


def forbidden(path: str = "", message: str = "Resource not accessible by integration") -> Fault:
    """A permission is missing."""
    return Fault(status=403, body={"message": message}, path=path, times=10_000)


def page_of_html(status: int = 502) -> Fault:
    """What stands before GitHub answers in its place."""
    return Fault(status=status, body="<html>Unicorn!</html>")
