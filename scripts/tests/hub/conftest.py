"""A GitHub of our own, which does what the real one does, and a repository at it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from flink_boost.service.requests.hub.account import find_account
from flink_boost.service.requests.hub.client import GitHubClient
from flink_boost.service.requests.hub.github import GitHubRepository
from flink_boost.service.requests.hub.rate_limit import RateLimit
from hub.double import GitHubDouble, github_double
from hub.github_calls import Clock
from hub.state import GitHubState, PullRequestState


@pytest.fixture
def server() -> Iterator[GitHubDouble]:
    state = GitHubState()
    state.pulls[7] = PullRequestState(7)
    state.issues.add(3)
    with github_double(state) as running:
        yield running


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def hub(server: GitHubDouble, clock: Clock) -> GitHubRepository:
    client = GitHubClient(find_account(server.environ()), RateLimit(clock, clock.sleep))
    return GitHubRepository("apache/flink-boost", client)
