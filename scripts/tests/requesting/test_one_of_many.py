"""What goes wrong with one pull request holds back nothing of the others."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta

import pytest
from django.db import OperationalError
from hub.double import github_double
from hub.faults import Fault

from flink_boost.base.errors import HubAway, HubRefused
from flink_boost.service.requests.desk import Desk
from flink_boost.service.requests.hub.github import open_repository
from flink_boost.service.requests.queue import RequestQueue
from flink_boost.service.requests.serving import standing_still
from requesting.desk_place import ASK, Place
from requesting.memory_hub import pull
from requesting.samples import BASE, BOUNDS, KNOWN, NOON
from requesting.test_killed import WHOLE, github

TOO_LARGE = HubAway(
    "GitHub answered 500: Sorry, this diff is taking too long to generate.", "Wait."
)


def fails_for(place: Place, monkeypatch: pytest.MonkeyPatch, *shas: str, error: Exception) -> None:
    """Commits of these pull requests cannot be compared."""

    def merge_base(base: str, head: str) -> str:
        if head in shas:
            raise error
        return BASE

    monkeypatch.setattr(place.hub, "merge_base", merge_base)


def asked_on(place: Place, *numbers: int) -> list[str]:
    """Somebody asks on each; returns the heads."""
    heads = [f"{number:040x}" for number in numbers]
    for number, head in zip(numbers, heads, strict=True):
        place.hub.pulls[number] = replace(pull(number), head_sha=head)
        place.hub.write(ASK, number=number)
    return heads


@pytest.mark.parametrize("error", [TOO_LARGE, ZeroDivisionError("ours")])
def test_a_comment_that_cannot_be_decided_holds_back_no_other_and_no_answer(
    place: Place, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    place.hub.write(ASK, number=3)
    place.desk.once()
    assert place.worker().once()  # its verdict is still to be posted
    (bad,) = asked_on(place, 1)
    place.hub.write("/benchmark-request help", number=1)
    asked_on(place, 2)
    place.hub.write("/benchmark-request help", number=4)
    fails_for(place, monkeypatch, bad, error=error)
    desk = place.desk
    with pytest.raises(HubAway):
        desk.once()

    assert len(place.hub.said("verdict -->")) == 1
    assert {number for number, _ in place.hub.posted.values()} == {2, 3, 4}
    desk.once()  # it pauses: nobody is asked about it
    monkeypatch.undo()
    place.now += timedelta(minutes=1)
    desk.once()
    on_it = [body for number, body in place.hub.posted.values() if number == 1]
    assert "queued" in on_it[0]
    assert "NAME" in on_it[1], "in the order in which they were written"
    assert place.queue.unhandled() == ()


def test_of_many_that_cannot_be_decided_each_waits_by_itself(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    bad = asked_on(place, *range(1, 6))
    asked_on(place, 6)
    fails_for(place, monkeypatch, *bad, error=TOO_LARGE)
    desk = place.desk
    for _ in range(3):
        with pytest.raises(HubAway):
            desk.once()
    assert {number for number, _ in place.hub.posted.values()} == {6}


def test_a_hub_that_asks_to_wait_blames_no_comment(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    heads = asked_on(place, 1, 2)
    asks = HubAway("GitHub asked to wait.", "It is asked again then.", 30.0)
    fails_for(place, monkeypatch, *heads, error=asks)
    desk = place.desk
    with pytest.raises(HubAway):
        desk.once()
    monkeypatch.undo()
    desk.once()
    assert len(place.queue.live()) == 2


def test_a_database_that_is_locked_blames_no_comment(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    heads = asked_on(place, 1)
    fails_for(place, monkeypatch, *heads, error=OperationalError("database is locked"))
    desk = place.desk
    with pytest.raises(OperationalError):
        desk.once()
    monkeypatch.undo()
    desk.once()
    assert len(place.queue.live()) == 1


def test_a_comparison_that_github_cannot_make_is_answered_in_the_end_and_told_before(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    fails_for(place, monkeypatch, *asked_on(place, 1), error=TOO_LARGE)
    desk = place.desk
    told_at = answered_at = None
    for minute in range(100):
        place.now = NOON + timedelta(minutes=minute)
        try:
            desk.once()
        except HubAway as error:
            assert error is TOO_LARGE  # noqa: PT017 - the clock goes on after it
        if place.hub.posted and answered_at is None:
            answered_at = minute
        if found(place) and told_at is None:
            told_at = minute
    (said,) = place.hub.posted.values()
    assert "could not compare" in said[1]
    assert "taking too long" in said[1]
    assert answered_at is not None
    assert 60 <= answered_at <= 80
    assert told_at == 61
    assert found(place) == ()


def found(place: Place) -> tuple[str, ...]:
    polled, problem = place.queue.problem()
    unsent, undecided = place.queue.outbox.oldest_unsent(), place.queue.undecided_since()
    return standing_still((), polled, problem, unsent, place.now, 60, undecided_since=undecided)


def test_a_message_that_cannot_be_posted_now_holds_back_no_other(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked_on(place, *range(1, 6))
    real: Callable[[int, str, str], int] = place.hub.post

    def post(number: int, body: str, marker: str) -> int:
        if number == 1:
            raise HubAway("GitHub answered 502.", "Wait.")
        return real(number, body, marker)

    monkeypatch.setattr(place.hub, "post", post)
    with pytest.raises(HubAway):
        place.desk.once()
    assert {number for number, _ in place.hub.posted.values()} == {2, 3, 4, 5}
    monkeypatch.undo()
    place.desk.once()
    assert {number for number, _ in place.hub.posted.values()} == {1, 2, 3, 4, 5}


def test_of_many_that_cannot_be_written_to_each_waits_by_itself(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked_on(place, *range(1, 7))
    real: Callable[[int, str, str], int] = place.hub.post
    tried: list[int] = []

    def post(number: int, body: str, marker: str) -> int:
        tried.append(number)
        if number < 5:
            raise HubAway("GitHub answered 502.", "Wait.")
        return real(number, body, marker)

    monkeypatch.setattr(place.hub, "post", post)
    desk = place.desk
    for _ in range(2):
        with pytest.raises(HubAway):
            desk.once()
    desk.once()
    assert {number for number, _ in place.hub.posted.values()} == {5, 6}
    assert tried == [1, 2, 3, 4, 5, 6]
    with pytest.raises(HubAway):
        desk.deliver(last=True)  # this process ends: nothing may wait on unsaid
    monkeypatch.undo()
    place.now += timedelta(minutes=2)
    desk.once()
    assert {number for number, _ in place.hub.posted.values()} == set(range(1, 7))


def test_one_refusal_among_messages_that_are_taken_does_not_end_the_service(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked_on(place, 1, 2)
    real: Callable[[int, str, str], int] = place.hub.post

    def post(number: int, body: str, marker: str) -> int:
        if number == 1:
            raise HubRefused("GitHub does not let our account do this.", "Look.")
        return real(number, body, marker)

    monkeypatch.setattr(place.hub, "post", post)
    place.desk.once()
    assert {number for number, _ in place.hub.posted.values()} == {2}
    with pytest.raises(HubRefused):  # alone it may be the account's
        place.desk.once()


def test_a_pull_request_that_is_full_of_comments_stops_nobody_else(queue: RequestQueue) -> None:
    full = {"message": "Commenting is disabled on issues with more than 2500 comments"}
    with github_double(github(WHOLE[0])) as server:
        hub = open_repository(queue.repository, server.environ())
        desk = Desk(hub, queue, KNOWN, BOUNDS, "flink-boost", server.state.now)
        desk.once()
        server.faults.append(
            Fault(status=403, body=full, method="POST", path="/issues/1/comments", times=10_000)
        )
        for number in (1, 2):
            server.state.write(number, "alice", ASK)
        desk.once()
        desk.once()
        ours = [one.number for one in server.state.comments.values() if one.author != "alice"]
        assert ours == [2]
        assert len(server.asked("POST", "/issues/1/comments")) == 1
    assert queue.outbox.oldest_unsent() is None


@pytest.mark.parametrize("minutes", [60, 8 * 24 * 60])
def test_an_answer_that_github_does_not_take_is_tried_again_but_not_for_ever(
    queue: RequestQueue, minutes: int
) -> None:
    told = {"message": "Validation Failed"}
    with github_double(github(WHOLE[0])) as server:
        hub = open_repository(queue.repository, server.environ())
        now = server.state.now()
        desk = Desk(hub, queue, KNOWN, BOUNDS, "flink-boost", lambda: now)
        desk.once()
        path = "/issues/1/comments"
        fault = Fault(status=422, body=told, method="POST", path=path, times=2, valid=False)
        server.faults.append(fault)
        server.state.write(1, "alice", ASK)
        with pytest.raises(HubAway, match="Validation Failed"):
            desk.once()
        now += timedelta(minutes=minutes)
        given_up = minutes > 60
        if given_up:
            desk.deliver()
        else:
            with pytest.raises(HubAway):
                desk.deliver()
        now += timedelta(hours=1)
        desk.deliver()
        assert sum(one.author != "alice" for one in server.state.comments.values()) == (
            0 if given_up else 1
        )
    assert queue.outbox.oldest_unsent() is None


def test_a_claim_by_a_clock_that_was_ahead_holds_for_no_day(place: Place) -> None:
    place.hub.write(ASK)
    place.now = NOON + timedelta(days=1)
    place.desk.read()
    place.desk.decide()
    assert place.queue.outbox.waiting(place.now)  # and then it was killed
    place.now = NOON
    place.desk.once()
    assert len(place.hub.posted) == 1
