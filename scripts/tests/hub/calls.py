"""What each call of GitHub's REST API does on our own one, without HTTP."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import unquote, urlencode

import jwt

from hub.description import example
from hub.state import CommentState, GitHubState


@dataclass(frozen=True)
class Call:
    """A request as it came, its path still quoted; names of headers are in small letters."""

    method: str
    path: str
    query: dict[str, list[str]]
    body: Any
    headers: Mapping[str, str]


@dataclass(frozen=True)
class Reply:
    """An answer; ``body`` is JSON, or a text that is none, or None for no body."""

    status: int
    body: Any
    headers: dict[str, str] = field(default_factory=dict)


NOT_FOUND = Reply(404, {"message": "Not Found", "documentation_url": "https://docs.github.com"})


def answer(state: GitHubState, call: Call, path: str, url: str) -> Reply:
    """Does what the call says; ``path`` has the repository's name as it is now."""
    who = _who(state, call)
    if who is None:
        return Reply(401, {"message": "Bad credentials"})
    if path == "/user":
        if who.endswith("[bot]"):
            return Reply(403, {"message": "Resource not accessible by integration"})
        return Reply(200, state.user_json(who))
    if path == "/app":
        return Reply(200, example("integration") | {"slug": who.removesuffix("[bot]")})
    if path.startswith("/app/installations/") and call.method == "POST":
        return _installation_token(state, who)
    here = f"/repos/{state.repository}"
    if path != here and not path.startswith(here + "/"):
        return NOT_FOUND
    if path == f"{here}/installation":
        return Reply(200, example("installation")) if state.installed else NOT_FOUND
    rest = path.removeprefix(here)
    for method, pattern, work in _CALLS:
        match = re.fullmatch(pattern, rest)
        if match and method == call.method:
            return work(state, call, match, who, url)
    return NOT_FOUND


def _who(state: GitHubState, call: Call) -> str | None:
    scheme, _, token = call.headers.get("authorization", "").partition(" ")
    if scheme == "Bearer" and state.app_key is not None:
        try:
            claims = jwt.decode(token, state.app_key, algorithms=["RS256"], leeway=60)
        except jwt.InvalidTokenError:
            return None
        return "bench-app[bot]" if claims["exp"] - claims["iat"] <= 600 else None
    return state.tokens.get(token) if scheme == "token" else None


def _installation_token(state: GitHubState, who: str) -> Reply:
    token = f"ghs_{len(state.tokens)}"
    state.tokens[token] = who
    ends = (state.now() + timedelta(hours=1)).strftime("%Y-%m-%dT%H:%M:%SZ")
    return Reply(201, example("installation-token") | {"token": token, "expires_at": ends})


def _repository(state: GitHubState, call: Call, match: re.Match[str], who: str, url: str) -> Reply:
    return Reply(200, state.repository_json())


def _all_comments(
    state: GitHubState, call: Call, match: re.Match[str], who: str, url: str
) -> Reply:
    since = call.query.get("since", ["1970-01-01T00:00:00Z"])[0]
    from_when = datetime.fromisoformat(since)
    found = [c for c in state.comments.values() if c.updated >= from_when]
    key: Callable[[CommentState], Any] = lambda c: (c.created, c.id)  # noqa: E731
    if call.query.get("sort") == ["updated"]:
        key = lambda c: (c.updated, c.id)  # noqa: E731
    found.sort(key=key, reverse=call.query.get("direction", ["asc"]) == ["desc"])
    return _page(state, call, found, url)


def _comments_of(state: GitHubState, call: Call, match: re.Match[str], who: str, url: str) -> Reply:
    number = int(match[1])
    if not state.exists(number):
        return NOT_FOUND
    found = [c for c in state.comments.values() if c.number == number]
    return _page(state, call, sorted(found, key=lambda c: c.id), url)


def _page(state: GitHubState, call: Call, found: list[CommentState], url: str) -> Reply:
    size = min(int(call.query.get("per_page", ["30"])[0]), state.page_limit)
    page = int(call.query.get("page", ["1"])[0])
    shown = found[(page - 1) * size : page * size]
    headers = {}
    if page * size < len(found):
        query = {**{k: v[0] for k, v in call.query.items()}, "page": str(page + 1)}
        last = {**query, "page": str(-(-len(found) // size))}
        headers["Link"] = (
            f'<{url}{call.path}?{urlencode(query)}>; rel="next", '
            f'<{url}{call.path}?{urlencode(last)}>; rel="last"'
        )
    return Reply(200, [state.comment_json(c) for c in shown], headers)


def _comment(state: GitHubState, call: Call, match: re.Match[str], who: str, url: str) -> Reply:
    comment = state.comments.get(int(match[1]))
    return NOT_FOUND if comment is None else Reply(200, state.comment_json(comment))


def _edit(state: GitHubState, call: Call, match: re.Match[str], who: str, url: str) -> Reply:
    comment = state.comments.get(int(match[1]))
    if comment is None:
        return NOT_FOUND
    if comment.author != who:
        return Reply(403, {"message": "Must have admin rights to Repository."})
    state.edit(comment, call.body["body"])
    return Reply(200, state.comment_json(comment))


def _post(state: GitHubState, call: Call, match: re.Match[str], who: str, url: str) -> Reply:
    number = int(match[1])
    if not state.exists(number):
        return NOT_FOUND
    if number in state.pulls and state.pulls[number].locked:
        return Reply(403, {"message": "Unable to create comment because issue is locked."})
    body = call.body["body"]
    if not body or len(body) > 65_536:
        told = {"message": "Validation Failed", "documentation_url": "https://docs.github.com"}
        return Reply(422, told | {"errors": [{"code": "unprocessable"}]})
    kind = "Bot" if who.endswith("[bot]") else "User"
    comment = state.write(number, who, body, kind=kind)
    return Reply(201, state.comment_json(comment), {"Location": f"{url}{call.path}/{comment.id}"})


def _pull(state: GitHubState, call: Call, match: re.Match[str], who: str, url: str) -> Reply:
    pull = state.pulls.get(int(match[1]))
    return NOT_FOUND if pull is None else Reply(200, state.pull_json(pull))


def _compare(state: GitHubState, call: Call, match: re.Match[str], who: str, url: str) -> Reply:
    shown = state.compare_json(unquote(match[1]), match[2])
    return NOT_FOUND if shown is None else Reply(200, shown)


def _permission(state: GitHubState, call: Call, match: re.Match[str], who: str, url: str) -> Reply:
    return Reply(200, state.permission_json(unquote(match[1])))


_CALLS = (
    ("GET", r"", _repository),
    ("GET", r"/issues/comments", _all_comments),
    ("GET", r"/issues/comments/(\d+)", _comment),
    ("PATCH", r"/issues/comments/(\d+)", _edit),
    ("GET", r"/issues/(\d+)/comments", _comments_of),
    ("POST", r"/issues/(\d+)/comments", _post),
    ("GET", r"/pulls/(\d+)", _pull),
    ("GET", r"/compare/(.+?)\.\.\.(.+)", _compare),
    ("GET", r"/collaborators/([^/]+)/permission", _permission),
)
