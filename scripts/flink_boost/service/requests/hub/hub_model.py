"""What a hub gives and takes, for those who do not care which hub it is.

Errors of every call: ``HubAway`` when it may work later, ``HubRefused`` when it will not.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

# Letters of any script. Without ".." and what Git takes for more than a name, and no option.
_BRANCH = re.compile(r"(?![-./])(?!.*(?:\.\.|//|@\{))[\w./@+=,#%&()-]{1,250}(?<![./])")


@dataclass(frozen=True)
class Comment:
    """A comment in the conversation of a pull request (or of an issue: ``pull_request`` tells).

    ``repository`` is ``owner/name`` as the hub is configured, ``number`` that of the pull request.
    ``body`` is the author's text as it came, whatever it holds. Times are the hub's own and aware.
    """

    id: int
    repository: str
    number: int
    author: str
    bot: bool
    body: str
    created: datetime
    updated: datetime
    url: str


@dataclass(frozen=True)
class PullRequest:
    """A pull request as it is now.

    ``head_url`` and ``base_url`` are what ``git fetch`` takes. ``head_url`` is None when the fork
    is gone or private. ``head_ref`` and ``base_ref`` are branch names, of anybody's choosing.
    """

    repository: str
    number: int
    open: bool
    head_sha: str
    head_ref: str
    head_url: str | None
    base_sha: str
    base_ref: str
    base_url: str

    @property
    def base(self) -> str:
        """What it would be merged into: the branch as it is now, by its name.

        ``base_sha`` is where that was once: head may have merged newer commits of it since. A name
        that no branch can have, or that somewhere is more than a name, is not used.
        """
        return self.base_ref if _BRANCH.fullmatch(self.base_ref) else self.base_sha


class Hub(Protocol):
    """One repository on a hub, seen with our account."""

    repository: str

    def login(self) -> str:
        """Our own account, whose comments are never read."""

    def new_comments(self, cursor: str | None) -> tuple[tuple[Comment, ...], str]:
        """Comments since ``cursor``, oldest first, and the next cursor.

        The cursor is opaque; the caller stores it in one transaction with the comments. Without
        one, what is written from now on counts. Comments may come again: callers drop known ids.
        """

    def time(self) -> datetime | None:
        """What time it was there when comments were last read; None before. Ours may be wrong."""

    def comment(self, id: int) -> Comment | None:  # noqa: A002 - the hub's own word
        """The comment as it is now; None when it was deleted."""

    def pull_request(self, number: int) -> PullRequest | None:
        """The pull request as it is now; None when there is none of this number."""

    def merge_base(self, base: str, head: str) -> str:
        """SHA of the commit at which ``head`` left ``base``, a branch or SHA; ``head`` is one."""

    def may_ask(self, login: str) -> bool:
        """Whether this account may write to the repository, asked now and never cached."""

    def post(self, number: int, body: str, marker: str) -> int:
        """Id of our comment that carries ``marker``: one that is there already, else a new one.

        ``marker`` is an HTML comment. A worker that was killed after posting finds its comment.
        """

    def edit(self, comment_id: int, body: str) -> bool:
        """Replace the text of our comment; False when it was deleted."""
