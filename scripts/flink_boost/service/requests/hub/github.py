"""A repository on GitHub (github.com or an Enterprise Server) as the hub of pull requests."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from typing import Literal
from urllib.parse import quote

from pydantic import AwareDatetime, ValidationError

from flink_boost.base.errors import (
    AccountRefused,
    BrokenData,
    HubAway,
    HubRefused,
    PullRequestRefused,
    UsageProblem,
)
from flink_boost.measure.model import Frozen
from flink_boost.service.requests.hub.account import LOGIN_VARIABLE, find_account
from flink_boost.service.requests.hub.client import GitHubClient, HubReply
from flink_boost.service.requests.hub.hub_model import Comment, PullRequest
from flink_boost.service.requests.hub.rate_limit import RateLimit
from flink_boost.service.requests.hub.waiting import server_time
from flink_boost.service.requests.hub.wire import (
    AppWire,
    CommentWire,
    CompareWire,
    PermissionWire,
    PullRequestWire,
    UserWire,
    read,
)

LONGEST_BODY = 65_536  # characters of a comment

_PAGE = 100  # GitHub's most
_MOST_PAGES = 100  # of one conversation, and of one call of new_comments
_WRITERS = frozenset({"admin", "maintain", "write"})
_NEXT = re.compile(r'<([^<>]+)>\s*;[^<]*\brel="?next"?')
_REPOSITORY = re.compile(r"[A-Za-z0-9][A-Za-z0-9-]{0,38}/[A-Za-z0-9._-]{1,100}")
# GitHub's machines differ a little in their clocks and in how soon they show a comment.
OVERLAP = timedelta(minutes=2)


class GitHubRepository:
    """A ``Hub``. One process reads and writes with it; calls may come from several threads."""

    def __init__(self, repository: str, client: GitHubClient) -> None:
        require_repository(repository)
        self.repository = repository
        self._client = client
        self._path = f"/repos/{repository}"
        self._login = ""
        self._time: datetime | None = None

    def login(self) -> str:
        """Our own account; asked once, before anything else is."""
        if not self._login:
            self._login = self._client.account.login or self._ask_login()
        return self._login

    def _ask_login(self) -> str:
        if self._client.account.app:
            self._client.become_app()
            slug = read(AppWire, self._client.get("/app").data).slug
            self._client.become_installation(self.repository)
            return f"{slug}[bot]"
        try:
            return read(UserWire, self._client.get("/user").data).login
        except AccountRefused:
            raise
        except HubRefused as error:
            raise AccountRefused(
                error.message,
                f"A token that may not ask who it is needs {LOGIN_VARIABLE}, such as "
                "github-actions[bot] for that of a workflow.",
            ) from error

    def new_comments(self, cursor: str | None) -> tuple[tuple[Comment, ...], str]:
        """Comments since the cursor, oldest first, without those from before the first call."""
        if cursor is None:
            return (), self._begin().text()
        begun = place = read_cursor(cursor)
        found: dict[int, Comment] = {}
        try:
            for page, after in self._pages_since(begun):
                place = after
                found |= {one.id: one for one in page if one.created >= begun.start}
        except HubAway:
            if place == begun:
                raise  # else what was read counts, and the next call meets the same
        return tuple(sorted(found.values(), key=lambda c: (c.created, c.id))), place.text()

    def time(self) -> datetime | None:
        """GitHub's own, of its latest answer about comments."""
        return self._time

    def _begin(self) -> Cursor:
        told = self._require(self._get(self._path))
        self._time = now = server_time(told.headers)
        if now is None:
            raise HubAway("GitHub's answer has no date.", "Look at a proxy on the way to it.")
        return Cursor(start=now, since=now)

    def _pages_since(self, place: Cursor) -> Iterator[tuple[list[Comment], Cursor]]:
        """Pages of comments by when they were changed, each with the place after it.

        An edit moves a comment to the end and all behind it forward by one, so that the next page
        would lack one: each goes on from a time instead, as long as that makes progress.
        """
        url: str | None = f"{self._path}/issues/comments"
        params: Mapping[str, str | int] | None = _query(place)
        etag = place.etag
        for _ in range(_MOST_PAGES):
            assert url is not None  # noqa: S101 - set below
            told = self._require(self._get(url, params, etag))
            self._time = server_time(told.headers) or self._time
            if told.status == 304:
                yield [], place
                return
            wire = read(list[CommentWire], told.data)
            page = [one.comment(self.repository) for one in wire]
            after = place.past(max((c.updated for c in page), default=place.since))
            following = _next_page(told)
            if following is None and after == place:
                after = Cursor(start=place.start, since=place.since, etag=told.headers.get("etag"))
            yield page, after
            if following is None:
                return
            if after == place:  # more than a page within the overlap
                url, params, etag = following, None, None
            else:
                url, params, etag = f"{self._path}/issues/comments", _query(after), None
            place = after

    def comment(self, id: int) -> Comment | None:  # noqa: A002
        """The comment as it is now; None when it was deleted."""
        told = self._get(f"{self._path}/issues/comments/{id:d}")
        return (
            None if self._is_gone(told) else read(CommentWire, told.data).comment(self.repository)
        )

    def pull_request(self, number: int) -> PullRequest | None:
        """The pull request as it is now; None when the number is that of an issue, or free."""
        told = self._get(f"{self._path}/pulls/{number:d}")
        if self._is_gone(told):
            return None
        return read(PullRequestWire, told.data).pull_request(self.repository)

    def merge_base(self, base: str, head: str) -> str:
        """Raises ``PullRequestRefused`` when a commit is unknown or they have none in common."""
        if not re.fullmatch(r"[0-9a-f]{40}", head):
            raise UsageProblem(f"{head!r} is no commit.", "Give the whole SHA.")
        # Commits are of no interest, and files are on the first page only.
        both = f"{quote(base, safe='')}...{head}"
        told = self._get(f"{self._path}/compare/{both}", {"per_page": 1, "page": 2})
        if self._is_gone(told):
            raise PullRequestRefused(
                f"The base and {head[:10]} have no commit in common, or one of them is gone.",
                "Push again, and comment once more.",
            )
        return read(CompareWire, told.data).merge_base_commit.sha

    def may_ask(self, login: str) -> bool:
        """Whether this account may write to the repository, asked now."""
        told = self._get(f"{self._path}/collaborators/{quote(login, safe='')}/permission")
        return not self._is_gone(told) and (read(PermissionWire, told.data).permission in _WRITERS)

    def post(self, number: int, body: str, marker: str) -> int:
        """Id of our comment with that marker: one that is there, else a new one.

        The marker is put at the end of the body where it is not in it. Raises
        ``PullRequestRefused`` when the conversation is locked, gone, or the body too long.
        """
        if not re.fullmatch(r"<!-- [ -~]{1,200} -->", marker):
            raise ValueError(f"{marker!r} is no HTML comment")
        mine = self._find(number, marker)
        if mine is not None:
            return mine
        whole = body if marker in body else f"{body}\n\n{marker}"
        told = self._write(
            "POST", f"{self._path}/issues/{number:d}/comments", {"body": _bounded(whole)}
        )
        if self._is_gone(told):
            raise PullRequestRefused(f"Number {number} is gone.", "There is nothing to answer.")
        return read(CommentWire, told.data).id

    def _find(self, number: int, marker: str) -> int | None:
        ours = self.login().lower()
        url = f"{self._path}/issues/{number:d}/comments"
        params: Mapping[str, str | int] | None = {"per_page": _PAGE}
        for _ in range(_MOST_PAGES):
            told = self._get(url, params)
            if self._is_gone(told):
                return None
            for one in read(list[CommentWire], told.data):
                # Anybody may write a marker; only ours counts.
                if one.user and one.user.login.lower() == ours and marker in (one.body or ""):
                    return one.id
            following = _next_page(told)
            if following is None:
                return None
            url, params = following, None
        return None

    def edit(self, comment_id: int, body: str) -> bool:
        """Replaces the text of our comment, marker and all; False when it was deleted."""
        told = self._write(
            "PATCH", f"{self._path}/issues/comments/{comment_id:d}", {"body": _bounded(body)}
        )
        return not self._is_gone(told)

    def _get(
        self, url: str, params: Mapping[str, str | int] | None = None, etag: str | None = None
    ) -> HubReply:
        self.login()  # an App reads a repository as its installation there
        return self._client.get(url, params, etag)

    def _write(self, method: str, url: str, body: Mapping[str, str]) -> HubReply:
        self.login()
        return self._client.write(method, url, body)

    def _is_gone(self, told: HubReply) -> bool:
        """Whether it is not there; a repository that we do not see at all is an error."""
        if told.is_gone:
            self._require(self._get(self._path))
        return told.is_gone

    def _require(self, told: HubReply) -> HubReply:
        if told.is_gone:
            self._login = ""  # an App may be installed anew, and has another number then
            raise HubRefused(
                f"There is no repository {self.repository}, or our account does not see it.",
                "Correct its name, or let the account see it: docs/requests-setup.md.",
            )
        return told


def open_repository(
    repository: str, environ: Mapping[str, str], pace: RateLimit | None = None
) -> GitHubRepository:
    """The repository with the account that the environment names; ``pace`` is that account's.

    Raises ``UsageProblem`` for a name or an account that cannot be; asks nobody yet.
    """
    require_repository(repository)
    return GitHubRepository(repository, GitHubClient(find_account(environ), pace))


def require_repository(repository: str) -> None:
    """Raises ``UsageProblem`` for what is no ``owner/name``."""
    if not _REPOSITORY.fullmatch(repository) or repository.endswith(("/.", "/..")):
        raise UsageProblem(f"{repository!r} is no repository.", "Write owner/name.")


def _query(place: Cursor) -> Mapping[str, str | int]:
    since: datetime = place.since.astimezone(UTC)
    return {
        "since": since.strftime("%Y-%m-%dT%H:%M:%SZ"),
        "sort": "updated",
        "direction": "asc",
        "per_page": _PAGE,
    }


def _next_page(told: HubReply) -> str | None:
    found = _NEXT.search(told.headers.get("link", ""))
    return found[1] if found else None


def _bounded(body: str) -> str:
    if len(body) > LONGEST_BODY:
        raise PullRequestRefused(
            f"The answer has {len(body)} characters; GitHub takes {LONGEST_BODY}.",
            "Ask for fewer benchmarks.",
        )
    return body


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
