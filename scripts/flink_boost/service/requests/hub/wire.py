"""GitHub's own objects, as far as we read them."""

from __future__ import annotations

from typing import Annotated, Any, TypeVar

from pydantic import (
    AwareDatetime,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    StringConstraints,
    TypeAdapter,
    ValidationError,
)

from flink_boost.base.errors import HubAway
from flink_boost.service.requests.hub.hub_model import Comment, PullRequest

GHOST = "ghost"  # whom GitHub shows where an account was deleted

_T = TypeVar("_T")


def _storable(text: Any) -> Any:
    """Without what JSON can carry and no database takes: one such comment would stop all others."""
    if not isinstance(text, str):
        return text
    whole = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return whole.replace("\0", "\N{REPLACEMENT CHARACTER}")


_Text = Annotated[str, BeforeValidator(_storable)]


class _Wire(BaseModel):
    """A part of one of GitHub's objects; it has more fields, and may get others."""

    model_config = ConfigDict(frozen=True, extra="ignore")


class UserWire(_Wire):
    """An account."""

    login: str
    type: str = "User"


class CommentWire(_Wire):
    """A comment of an issue or pull request."""

    id: int
    body: _Text | None = None
    user: UserWire | None
    created_at: AwareDatetime
    updated_at: AwareDatetime
    html_url: str
    issue_url: Annotated[str, StringConstraints(pattern=r"/issues/[0-9]{1,18}$")]

    def comment(self, repository: str) -> Comment:
        """As the rest of the program knows it."""
        user = self.user or UserWire(login=GHOST)
        return Comment(
            id=self.id,
            repository=repository,
            number=int(self.issue_url.rsplit("/", 1)[-1]),
            author=user.login,
            bot=user.type == "Bot" or user.login.endswith("[bot]"),
            body=self.body or "",
            created=self.created_at,
            updated=self.updated_at,
            url=self.html_url,
        )


class RepositoryWire(_Wire):
    """A repository at one end of a pull request."""

    full_name: str
    clone_url: str
    private: bool = False


class EndWire(_Wire):
    """One end of a pull request; ``repo`` is missing when the fork was deleted."""

    sha: str
    ref: _Text
    repo: RepositoryWire | None


class PullRequestWire(_Wire):
    """A pull request."""

    number: int
    state: str
    head: EndWire
    base: EndWire

    def pull_request(self, repository: str) -> PullRequest:
        """As the rest of the program knows it."""
        head, base = self.head.repo, self.base.repo
        if base is None:
            raise HubAway("GitHub's answer names no repository.", "It is tried again.")
        # A private fork of a public repository cannot be fetched without a right to it.
        hidden = head is None or (head.private and not base.private)
        return PullRequest(
            repository=repository,
            number=self.number,
            open=self.state == "open",
            head_sha=self.head.sha,
            head_ref=self.head.ref,
            head_url=None if head is None or hidden else head.clone_url,
            base_sha=self.base.sha,
            base_ref=self.base.ref,
            base_url=base.clone_url,
        )


class CommitWire(_Wire):
    """A commit."""

    sha: str


class CompareWire(_Wire):
    """Two commits side by side."""

    merge_base_commit: CommitWire


class PermissionWire(_Wire):
    """What an account may do: admin, write, read or none; maintain counts as write."""

    permission: str


class AppWire(_Wire):
    """A GitHub App."""

    slug: str


def read(kind: type[_T], data: Any) -> _T:
    """The object in an answer; raises ``HubAway`` when it is none of that kind."""
    try:
        return TypeAdapter(kind).validate_python(data)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        place = ".".join(map(str, first["loc"]))
        raise HubAway(
            f"GitHub's answer is not what its description says: {place} {first['type']}.",
            "It is tried again; if it stays so, report it.",
        ) from error
