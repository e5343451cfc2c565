"""What is on a GitHub of our own: one repository with its pull requests, comments and people."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from hub.description import example

REPOSITORY_ID = 1296269


@dataclass
class CommentState:
    """A comment as it is now."""

    id: int
    number: int
    author: str
    body: str
    created: datetime
    updated: datetime
    kind: str = "User"


@dataclass
class PullRequestState:
    """A pull request as it is now; ``fork`` None was deleted, ``hidden`` made private."""

    number: int
    head_sha: str = "a" * 40
    head_ref: str = "topic"
    base_sha: str = "b" * 40
    base_ref: str = "master"
    fork: str | None = "contributor/flink-boost"
    fork_url: str = "https://example.org/contributor/flink-boost.git"
    hidden: bool = False
    open: bool = True
    locked: bool = False


@dataclass
class GitHubState:
    """All that a test may change while the server answers.

    ``skew`` is by how much GitHub's clock is ahead of ours. ``old_name`` still leads here.
    """

    repository: str = "apache/flink-boost"
    base_url: str = "https://example.org/apache/flink-boost.git"
    us: str = "bench-account"
    old_name: str | None = None
    skew: timedelta = timedelta()
    comments: dict[int, CommentState] = field(default_factory=dict)
    pulls: dict[int, PullRequestState] = field(default_factory=dict)
    issues: set[int] = field(default_factory=set)
    permissions: dict[str, str] = field(default_factory=dict)
    merge_bases: dict[tuple[str, str], str] = field(default_factory=dict)
    tokens: dict[str, str] = field(default_factory=dict)  # token: login
    app_key: Any = None  # the public key of a GitHub App
    installed: bool = True
    page_limit: int = 100
    first_id: int = 1001
    _ids: itertools.count[int] = field(init=False)

    def __post_init__(self) -> None:
        self._ids = itertools.count(self.first_id)

    def now(self) -> datetime:
        """GitHub's clock, in whole seconds as it shows them."""
        return (datetime.now(UTC) + self.skew).replace(microsecond=0)

    def write(
        self, number: int, author: str, body: str, *, at: datetime | None = None, kind: str = "User"
    ) -> CommentState:
        """Somebody comments."""
        when = at or self.now()
        comment = CommentState(next(self._ids), number, author, body, when, when, kind)
        self.comments[comment.id] = comment
        return comment

    def edit(self, comment: CommentState, body: str, at: datetime | None = None) -> None:
        """Somebody changes a comment."""
        comment.body, comment.updated = body, at or self.now()

    def exists(self, number: int) -> bool:
        """Whether it is an issue or a pull request."""
        return number in self.pulls or number in self.issues

    # -- as GitHub shows it ----------------------------------------------------------------------

    def repository_json(self) -> dict[str, Any]:
        """The repository."""
        shown = example("full-repository-default-response")
        owner, name = self.repository.split("/")
        shown |= {"full_name": self.repository, "name": name, "id": REPOSITORY_ID}
        shown["owner"] |= {"login": owner}
        for one in (shown, shown.get("source") or {}, shown.get("parent") or {}):
            one.setdefault("language", None)
        return shown  # type: ignore[no-any-return]

    def comment_json(self, comment: CommentState) -> dict[str, Any]:
        """A comment."""
        api = f"https://api.github.com/repos/{self.repository}"
        kind = "pull" if comment.number in self.pulls else "issues"
        page = f"https://github.com/{self.repository}/{kind}/{comment.number}"
        shown = example("issue-comment")
        shown["user"] |= {"login": comment.author, "type": comment.kind}
        shown |= {
            "id": comment.id,
            "body": comment.body,
            "created_at": _stamp(comment.created),
            "updated_at": _stamp(comment.updated),
            "url": f"{api}/issues/comments/{comment.id}",
            "issue_url": f"{api}/issues/{comment.number}",
            "html_url": f"{page}#issuecomment-{comment.id}",
        }
        return shown  # type: ignore[no-any-return]

    def pull_json(self, pull: PullRequestState) -> dict[str, Any]:
        """A pull request."""
        shown = example("pull-request")
        shown |= {"number": pull.number, "state": "open" if pull.open else "closed"}
        shown |= {"locked": pull.locked}
        shown["requested_teams"] = []  # GitHub's own example of them lacks a field
        shown["head"] |= {"sha": pull.head_sha, "ref": pull.head_ref}
        shown["base"] |= {"sha": pull.base_sha, "ref": pull.base_ref}
        shown["base"]["repo"] |= {"full_name": self.repository, "clone_url": self.base_url}
        shown["base"]["repo"]["private"] = False
        if pull.fork is None:
            shown["head"]["repo"] = None
        else:
            shown["head"]["repo"] |= {"full_name": pull.fork, "clone_url": pull.fork_url}
            shown["head"]["repo"]["private"] = pull.hidden
        return shown  # type: ignore[no-any-return]

    def permission_json(self, login: str) -> dict[str, Any]:
        """What somebody may do; roles beyond the four old ones count as the next lower."""
        role = self.permissions.get(login, "read")
        shown = example("repository-collaborator-permission-response-if-user-has-admin-permissions")
        permission = {"maintain": "write", "triage": "read"}.get(role, role)
        shown |= {"permission": permission, "role_name": role}
        shown["user"] |= {"login": login, "role_name": role}
        return shown  # type: ignore[no-any-return]

    def compare_json(self, base: str, head: str) -> dict[str, Any] | None:
        """Two commits, or None where they have nothing in common."""
        found = self.merge_bases.get((base, head))
        if found is None:
            return None
        shown = example("commit-comparison")
        shown["merge_base_commit"] |= {"sha": found}
        return shown  # type: ignore[no-any-return]

    def user_json(self, login: str) -> dict[str, Any]:
        """An account, as itself sees it."""
        name = "private-user-response-with-public-and-private-profile-information"
        return example(name) | {"login": login, "user_view_type": "private"}  # type: ignore[no-any-return]


def _stamp(moment: datetime) -> str:
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
