"""Comments that are read from GitHub over real HTTP: none is lost, and none is read for ever."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

import pytest

from flink_boost.service.requests.hub.hub_model import Hub
from hub.double import GitHubDouble
from hub.faults import Fault
from hub.github_calls import bodies
from hub.state import GitHubState


def test_what_is_written_from_now_on_counts(server: GitHubDouble, hub: Hub) -> None:
    old = server.state.write(7, "someone", "old", at=server.state.now() - timedelta(minutes=1))
    none, cursor = hub.new_comments(None)
    assert none == ()

    new = server.state.write(7, "someone", "new\r\nline", at=server.state.now())
    server.state.edit(old, "old, changed to a command")
    (comment,), cursor = hub.new_comments(cursor)

    assert (comment.id, comment.number, comment.author, comment.bot) == (
        new.id,
        7,
        "someone",
        False,
    )
    assert comment.body == "new\r\nline"
    assert comment.created == new.created
    assert comment.url.endswith(f"#issuecomment-{new.id}")
    assert comment.repository == "apache/flink-boost"


@pytest.mark.parametrize("hours", [-13, 13])
def test_githubs_clock_counts_and_never_ours(server: GitHubDouble, hub: Hub, hours: int) -> None:
    server.state.skew = timedelta(hours=hours)
    assert hub.time() is None
    _, cursor = hub.new_comments(None)
    server.state.write(7, "someone", "/benchmark-request")
    assert bodies(hub, cursor)[0] == ["/benchmark-request"]
    for _ in range(3):  # the last answers are "not modified"
        _, cursor = hub.new_comments(cursor)
        told = hub.time()
        assert told is not None
        assert abs(told - server.state.now()) < timedelta(minutes=1)


def test_nothing_new_costs_nothing(server: GitHubDouble, hub: Hub) -> None:
    _, cursor = hub.new_comments(None)
    server.state.write(7, "someone", "one")
    for _ in range(4):
        _, cursor = hub.new_comments(cursor)
    asked = server.asked("GET", "/issues/comments$")
    assert "if-none-match" not in asked[0].headers
    assert asked[-1].headers["if-none-match"] == asked[-2].headers["if-none-match"]

    server.state.write(7, "someone", "two")
    assert "two" in bodies(hub, cursor)[0]


def test_a_comment_that_shows_late_is_still_read(server: GitHubDouble, hub: Hub) -> None:
    _, cursor = hub.new_comments(None)
    now = server.state.now()
    server.state.write(7, "someone", "first", at=now + timedelta(seconds=90))
    _, cursor = hub.new_comments(cursor)
    server.state.write(7, "someone", "late", at=now + timedelta(seconds=5))
    assert "late" in bodies(hub, cursor)[0]


@pytest.mark.parametrize("seconds_apart", [0, 1, 50])
def test_all_pages_are_read(server: GitHubDouble, hub: Hub, seconds_apart: int) -> None:
    server.state.page_limit = 10
    _, cursor = hub.new_comments(None)
    begun = server.state.now()
    for n in range(57):
        server.state.write(7, "someone", f"{n}", at=begun + timedelta(seconds=n * seconds_apart))
    found, cursor = bodies(hub, cursor)
    assert found == [str(n) for n in range(57)]


def test_an_edit_between_two_pages_loses_no_comment(
    server: GitHubDouble, hub: Hub, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.state.page_limit = 10
    _, cursor = hub.new_comments(None)
    begun = server.state.now()
    for n in range(40):
        server.state.write(7, "someone", f"{n}", at=begun + timedelta(seconds=n * 60))
    whole = GitHubState.comment_json
    shown = 0

    def shifting(self: GitHubState, comment: object) -> object:
        nonlocal shown
        shown += 1
        if shown == 10:  # the first page is being made
            self.edit(self.comments[1001], "0", at=begun + timedelta(hours=2))
        return whole(self, comment)  # type: ignore[arg-type]

    monkeypatch.setattr(GitHubState, "comment_json", shifting)
    found, _ = bodies(hub, cursor)
    assert sorted(found, key=int) == [str(n) for n in range(40)]


def test_github_away_in_the_middle_keeps_what_was_read(server: GitHubDouble, hub: Hub) -> None:
    server.state.page_limit = 10
    _, cursor = hub.new_comments(None)
    begun = server.state.now()
    for n in range(30):
        server.state.write(7, "someone", f"{n}", at=begun + timedelta(minutes=n))
    hub.login()
    server.faults.append(_Later(iter((False, True))))  # the first page passes
    first, after = bodies(hub, cursor)
    assert 0 < len(first) < 30
    rest, _ = bodies(hub, after)
    assert set(first) | set(rest) == {str(n) for n in range(30)}


class _Later(Fault):
    """Hits the calls that its answers say."""

    def __init__(self, answers: Iterator[bool]) -> None:
        super().__init__(status=503)
        self._answers = answers

    def hits(self, *_: str) -> bool:
        return next(self._answers, False)


def test_bots_and_accounts_that_are_gone(server: GitHubDouble, hub: Hub) -> None:
    _, cursor = hub.new_comments(None)
    server.state.write(7, "dependabot[bot]", "one", kind="Bot")
    server.state.write(7, "ghost", "two")
    found, _ = hub.new_comments(cursor)
    assert [(c.author, c.bot) for c in found] == [("dependabot[bot]", True), ("ghost", False)]


def test_characters_that_no_database_takes_stop_nobody(server: GitHubDouble, hub: Hub) -> None:
    _, cursor = hub.new_comments(None)
    server.state.write(7, "someone", "a\ud800b\x00c\U0001f600")
    server.state.pulls[7].head_ref = "x\udfffy"
    assert bodies(hub, cursor)[0] == ["a\ufffdb\ufffdc\U0001f600"]
    found = hub.pull_request(7)
    assert found is not None
    assert found.head_ref == "x\ufffdy"


def test_a_broken_cursor_is_no_fresh_start(hub: Hub) -> None:
    with pytest.raises(Exception, match="unreadable"):
        hub.new_comments("{}")


def test_edited_and_deleted_comments(server: GitHubDouble, hub: Hub) -> None:
    comment = server.state.write(7, "someone", "one")
    server.state.edit(comment, "two", at=comment.created + timedelta(seconds=9))
    found = hub.comment(comment.id)
    assert found is not None
    assert (found.body, found.updated - found.created) == ("two", timedelta(seconds=9))
    del server.state.comments[comment.id]
    assert hub.comment(comment.id) is None
