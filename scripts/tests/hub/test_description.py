"""The double of GitHub is held against GitHub's description, and that check bites."""

from __future__ import annotations

import httpx
import pytest

from hub.description import request_violations, violations
from hub.double import TOKEN, GitHubDouble, github_double
from hub.state import GitHubState, PullRequestState

HERE = "/repos/apache/flink-boost"


def get(server: GitHubDouble, path: str) -> object:
    headers = {"Authorization": f"token {TOKEN}"}
    answer = httpx.get(server.url + path, headers=headers, timeout=10)
    answer.raise_for_status()
    return answer.json()


@pytest.fixture
def state() -> GitHubState:
    state = GitHubState(tokens={TOKEN: "bench-account"})
    state.pulls[7] = PullRequestState(7)
    state.write(7, "someone", "Hello")
    state.merge_bases["b" * 40, "a" * 40] = "c" * 40
    return state


def test_every_answer_is_as_github_describes_it(state: GitHubState) -> None:
    paths = (
        "/user",
        HERE,
        f"{HERE}/issues/comments?since=2020-01-01T00:00:00Z&sort=updated&direction=asc",
        f"{HERE}/issues/comments/1001",
        f"{HERE}/issues/7/comments?per_page=100",
        f"{HERE}/pulls/7",
        f"{HERE}/compare/{'b' * 40}...{'a' * 40}?per_page=1&page=2",
        f"{HERE}/collaborators/someone/permission",
    )
    with github_double(state) as server:
        assert all(get(server, path) for path in paths)
        assert len(server.calls) == len(paths)


@pytest.mark.parametrize(
    ("method", "path", "status", "body"),
    [
        ("GET", f"{HERE}/issues/comments", 200, {"not": "a list"}),
        ("GET", f"{HERE}/issues/comments", 200, [{"id": "a text", "body": 1}]),
        ("GET", f"{HERE}/issues/comments", 302, []),
        ("GET", f"{HERE}/pulls/7", 200, {"number": 7}),
        ("POST", f"{HERE}/issues/7/comments", 200, {}),
        ("DELETE", f"{HERE}/pulls/7", 200, {}),
        ("GET", "/nothing/of/the/kind", 200, {}),
        ("GET", f"{HERE}/pulls/7", 404, ["no error"]),
    ],
)
def test_an_answer_that_github_would_not_give_is_found(
    method: str, path: str, status: int, body: object
) -> None:
    assert violations(method, path, status, body)


@pytest.mark.parametrize(
    ("method", "path", "query", "body"),
    [
        ("GET", f"{HERE}/issues/comments", {"after": ["x"]}, None),
        ("GET", f"{HERE}/issues/comments", {"sort": ["newest"]}, None),
        ("POST", f"{HERE}/issues/7/comments", {}, {"text": "Hello"}),
        ("PUT", f"{HERE}/issues/7/comments", {}, {"body": "Hello"}),
    ],
)
def test_a_call_that_github_does_not_know_is_found(
    method: str, path: str, query: dict[str, list[str]], body: object
) -> None:
    assert request_violations(method, path, query, body)


def test_a_double_that_answers_wrongly_fails_its_test(
    state: GitHubState, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = GitHubState.pull_json

    def short(self: GitHubState, pull: PullRequestState) -> dict[str, object]:
        shown = whole(self, pull)
        del shown["head"]["sha"]
        return shown

    monkeypatch.setattr(GitHubState, "pull_json", short)
    with pytest.raises(AssertionError, match="sha"), github_double(state) as server:
        get(server, f"{HERE}/pulls/7")


def test_a_wrong_token_gets_nothing(state: GitHubState) -> None:
    state.tokens.clear()
    with (
        github_double(state) as server,
        pytest.raises(httpx.HTTPStatusError, match="401"),
    ):
        get(server, "/user")
