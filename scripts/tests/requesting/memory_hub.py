"""A hub in this process, for tests of what the desk makes of it."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from flink_boost.base.errors import HubAway
from flink_boost.service.requests.hub.hub_model import Comment, PullRequest
from requesting.samples import BASE, HEAD, NOON

US = "bench-account"
REPOSITORY = "apache/flink-boost"


@dataclass
class MemoryHub:
    """``writers`` may ask; ``away`` makes every call fail; ``posted`` is what we said, by id."""

    repository: str = REPOSITORY
    writers: set[str] = field(default_factory=lambda: {"alice"})
    comments: dict[int, Comment] = field(default_factory=dict)
    pulls: dict[int, PullRequest] = field(default_factory=dict)
    posted: dict[int, tuple[int, str]] = field(default_factory=dict)
    away: bool = False
    posts: int = 0
    edits: int = 0
    asked: list[str] = field(default_factory=list)
    clock: datetime | None = None

    def write(
        self,
        body: str,
        author: str = "alice",
        number: int = 1,
        *,
        bot: bool = False,
        at: datetime = NOON,
    ) -> Comment:
        """Somebody comments; the pull request is there afterwards."""
        self.pulls.setdefault(number, pull(number))
        identity = 100 + len(self.comments)
        comment = Comment(identity, self.repository, number, author, bot, body, at, at, "")
        self.comments[identity] = comment
        return comment

    def change(self, comment: Comment, body: str) -> None:
        """Somebody edits a comment."""
        later = comment.updated + timedelta(minutes=1)
        self.comments[comment.id] = replace(comment, body=body, updated=later)

    def said(self, marker: str) -> list[str]:
        """Our comments with that marker."""
        return [body for _, body in self.posted.values() if marker in body]

    def login(self) -> str:
        self._call("login")
        return US

    def new_comments(self, cursor: str | None) -> tuple[tuple[Comment, ...], str]:
        """Each call tells all of them again, as a real one may some."""
        self._call(f"new_comments {cursor}")
        return tuple(self.comments.values()), str(len(self.comments))

    def time(self) -> datetime | None:
        return self.clock

    def comment(self, id: int) -> Comment | None:  # noqa: A002
        self._call("comment")
        return self.comments.get(id)

    def pull_request(self, number: int) -> PullRequest | None:
        self._call("pull_request")
        return self.pulls.get(number)

    def merge_base(self, base: str, head: str) -> str:
        self._call(f"merge_base {base} {head}")
        return BASE

    def may_ask(self, login: str) -> bool:
        self._call("may_ask")
        return login in self.writers

    def post(self, number: int, body: str, marker: str) -> int:
        self._call("post")
        for identity, (_, text) in self.posted.items():
            if marker in text:
                return identity
        self.posts += 1
        self.posted[10_000 + self.posts] = (number, body)
        return 10_000 + self.posts

    def edit(self, comment_id: int, body: str) -> bool:
        self._call("edit")
        if comment_id not in self.posted:
            return False
        self.edits += 1
        self.posted[comment_id] = (self.posted[comment_id][0], body)
        return True

    def _call(self, name: str) -> None:
        self.asked.append(name)
        if self.away:
            raise HubAway("The hub is away.", "Wait.")


def pull(number: int) -> PullRequest:
    """An open one of a public fork."""
    return PullRequest(
        repository=REPOSITORY,
        number=number,
        open=True,
        head_sha=HEAD,
        head_ref="topic",
        head_url="https://example.org/fork.git",
        base_sha="c" * 40,
        base_ref="main",
        base_url="https://example.org/main.git",
    )
