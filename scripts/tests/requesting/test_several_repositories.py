"""Several repositories of one account: what GitHub refuses one of them costs the others nothing."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator
from datetime import timedelta
from itertools import pairwise
from pathlib import Path

import pytest
from hub.double import GitHubDouble, github_double
from hub.faults import secondary_limit
from hub.state import GitHubState, PullRequestState

from flink_boost.base.errors import AccountRefused, HubAway, HubRefused
from flink_boost.service.requests.queue import RequestQueue
from flink_boost.service.requests.service_settings import ServedRepository, ServeSettings
from flink_boost.service.requests.service_setup import serving_of
from flink_boost.service.requests.serving import Serving
from requesting.desk_place import Place
from requesting.memory_hub import MemoryHub
from requesting.told_forks import Silent

pytestmark = pytest.mark.quiet

HELP = "/benchmark-request help"
REFUSAL = HubRefused("There is no repository apache/gone.", "Correct its name.")


@pytest.fixture
def server() -> Iterator[GitHubDouble]:
    state = GitHubState(permissions={"alice": "write"})
    state.pulls[7] = PullRequestState(7)
    with github_double(state) as running:
        yield running


@pytest.fixture
def serve(open_folder: Path, queue: RequestQueue, server: GitHubDouble) -> Callable[..., Serving]:
    """Serves these repositories of that server; there is only ``apache/flink-boost``."""
    assert queue.cursor() is None

    def made(*names: str, tell: Callable[[str], None] = lambda _: None) -> Serving:
        settings = ServeSettings(
            repositories=tuple(ServedRepository(name=name) for name in names), seconds=1
        )
        build = open_folder / "build"
        environ = {**os.environ, **server.environ()}
        return serving_of(
            settings,
            open_folder,
            build / "results",
            build,
            build / "spool",
            environ,
            tell,
            Silent(),
        )

    return made


def test_a_repository_that_is_gone_ends_nothing_and_a_refused_account_ends_it_all(
    serve: Callable[..., Serving], server: GitHubDouble
) -> None:
    told: list[str] = []
    serving = serve("apache/gone", "apache/flink-boost", tell=told.append)
    answered = []

    def somebody() -> None:
        until = time.monotonic() + 120
        while time.monotonic() < until and not answered:
            if server.asked("GET", "/issues/comments$"):  # our first look is over
                server.state.write(7, "alice", HELP)
                break
            time.sleep(0.05)
        while time.monotonic() < until and not answered:
            answered.extend(
                c for c in server.state.comments.values() if c.author == server.state.us
            )
            time.sleep(0.05)
        server.state.tokens.clear()  # withdrawn

    thread = threading.Thread(target=somebody)
    thread.start()
    with pytest.raises(AccountRefused) as refused:
        serving.forever()
    thread.join()

    assert refused.value.exit_code == 28
    assert answered, "the other repository was served"
    (notice,) = told
    assert notice.startswith("apache/gone is not served now, and looked at again later: ")
    assert len(server.asked("GET", "^/repos/apache/gone")) == 1, "not in every interval"


def two_places(queue: RequestQueue) -> tuple[Place, Place]:
    return Place(queue), Place(RequestQueue("apache/gone"), MemoryHub("apache/gone"))


def test_a_refused_repository_is_looked_at_again_later_and_served_again(
    queue: RequestQueue, monkeypatch: pytest.MonkeyPatch
) -> None:
    good, bad = two_places(queue)
    told: list[str] = []
    serving = Serving([bad.desk, good.desk], [], 45.0, told.append, now=bad.clock)
    looks = []

    def refused(_: object) -> None:
        looks.append(bad.now)
        raise REFUSAL

    with monkeypatch.context() as gone:
        gone.setattr(bad.hub, "new_comments", refused)
        for minute in range(120):
            serving._attend_once()
            if minute == 60:
                good.hub.write(HELP)
            bad.now = good.now = bad.now + timedelta(minutes=1)
    pauses = [(later - sooner).seconds // 60 for sooner, later in pairwise(looks)]
    assert pauses == [1, 2, 4, 8, 16, 30, 30]
    assert len(told) == 1
    assert bad.queue.problem()[1] == REFUSAL.message, "`request check` tells it"
    assert good.hub.posts == 1

    bad.now += timedelta(hours=1)
    bad.hub.write("LGTM")  # numbers of comments are never the same in two repositories
    bad.hub.write(HELP)
    serving._attend_once()
    assert bad.hub.posts == 1
    assert told[1:] == ["apache/gone is served again."]
    assert bad.queue.problem()[1] == ""


def test_once_serves_the_others_too_and_says_what_was_refused(
    queue: RequestQueue, monkeypatch: pytest.MonkeyPatch
) -> None:
    good, bad = two_places(queue)

    def refused(_: object) -> None:
        raise REFUSAL

    monkeypatch.setattr(bad.hub, "new_comments", refused)
    good.hub.write("/benchmark-request serializerTuple")
    serving = Serving([bad.desk, good.desk], [bad.worker(), good.worker()], 45.0, lambda _: None)
    with pytest.raises(HubRefused, match="apache/gone"):
        serving.once()

    assert len(good.hub.said("verdict -->")) == 1


def test_one_refused_account_is_all_of_them(
    queue: RequestQueue, monkeypatch: pytest.MonkeyPatch
) -> None:
    good, bad = two_places(queue)

    def refused(_: object) -> None:
        raise AccountRefused("GitHub does not know our account.", "Make a new token.")

    monkeypatch.setattr(bad.hub, "new_comments", refused)
    serving = Serving([bad.desk, good.desk], [], 45.0, lambda _: None)
    for serve in (serving.once, serving.forever):
        good.hub.asked.clear()
        with pytest.raises(AccountRefused):
            serve()
        assert good.hub.asked == []


def test_what_github_asks_one_repository_to_wait_all_wait(
    serve: Callable[..., Serving], server: GitHubDouble
) -> None:
    serving = serve("apache/flink-boost", "apache/gone")
    server.faults.append(secondary_limit(30))
    with pytest.raises(HubAway):
        serving.once()

    assert len(server.calls) == 1
