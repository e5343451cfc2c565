"""Which comments the desk reads, of whom, and how often."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from flink_boost.base.errors import (
    HubAway,
)
from flink_boost.service.requests import grammar
from flink_boost.service.requests.request_states import RequestState
from requesting.desk_place import ASK, Place, states
from requesting.samples import KNOWN, NOON

pytestmark = pytest.mark.quiet


@pytest.mark.parametrize(("hours", "times"), [(0.9, 1), (1.1, 0)])
def test_what_was_edited_late_before_it_was_read_is_told_to_be_written_again(
    place: Place, hours: float, times: int
) -> None:
    written = place.hub.write("LGTM", at=NOON - timedelta(hours=3))
    edited = replace(written, body=ASK, updated=written.created + timedelta(hours=hours))
    place.hub.comments[written.id] = edited
    place.run()

    assert place.worked == times
    assert bool(place.hub.said("write it again as a new one")) is (times == 0)


@pytest.mark.parametrize("days", [-30, 30])
def test_the_age_of_a_comment_is_by_the_clock_of_the_hub(place: Place, days: int) -> None:
    place.now = NOON + timedelta(days=days)
    place.hub.clock = NOON
    place.hub.write(ASK, at=NOON - timedelta(days=6))
    place.hub.write(ASK, number=2, at=NOON - timedelta(days=8))
    place.run()

    assert place.worked == 1


@pytest.mark.parametrize("times", [1, 5])
def test_what_is_read_again_is_answered_once(place: Place, times: int) -> None:
    place.hub.write(ASK)
    for _ in range(times):
        place.run()

    assert place.worked == 1
    assert place.hub.posts == 2


def test_an_edited_comment_acts_as_it_was_first_read(place: Place) -> None:
    comment = place.hub.write(ASK)
    place.desk.once()
    place.hub.change(comment, "/benchmark-request cancel")
    place.run()

    assert states(place.queue) == [RequestState.DONE]

    other = place.hub.write("LGTM", number=2)
    place.desk.once()
    place.hub.change(other, ASK)
    place.run()
    assert place.worked == 1


def test_a_comment_of_last_year_that_is_edited_now_is_nobodys_request(place: Place) -> None:
    old = place.hub.write("LGTM", at=NOON - timedelta(days=300))
    place.hub.comments[old.id] = replace(old, body=ASK, updated=NOON)
    place.hub.write(ASK, number=2, at=NOON - timedelta(days=8))
    place.run()

    assert place.worked == 0
    assert place.hub.posts == 0


@pytest.mark.parametrize(
    ("author", "bot"), [("bench-account", False), ("alice", True), ("dependabot[bot]", True)]
)
def test_neither_we_nor_bots_ask(place: Place, author: str, bot: bool) -> None:
    place.hub.writers.add(author)
    place.hub.write(ASK, author, bot=bot)
    place.run()

    assert place.worked == place.hub.posts == 0


def test_who_may_not_write_is_told_once_and_a_mistake_of_theirs_is_not_read(place: Place) -> None:
    for text in (ASK, ASK, "/benchmark-request nonsense", "/benchmark-request help"):
        place.hub.write(text, "mallory")
    place.run()

    assert place.worked == 0
    (said,) = place.hub.posted.values()
    assert "may write to this repository" in said[1]


def test_what_a_stranger_writes_is_never_read_and_what_others_write_once(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[str] = []
    real = grammar.parse

    def parse(body: str, *known: object) -> object:
        read.append(body)
        return real(body, *known)  # type: ignore[arg-type]

    def away(*_: object) -> str:
        raise HubAway("GitHub answered 502.", "It is tried again.")

    monkeypatch.setattr(grammar, "parse", parse)
    wrong = "/benchmark-request serializerTupel"
    for author in ("mallory", "alice"):
        place.hub.write(wrong, author)
    place.hub.write(ASK, number=2)
    desk = place.desk
    with monkeypatch.context() as broken:
        broken.setattr(place.hub, "may_ask", away)
        for _ in range(3):
            with pytest.raises(HubAway):
                desk.once()
            place.now += timedelta(minutes=10)
    assert read == []
    with monkeypatch.context() as broken:
        broken.setattr(place.hub, "merge_base", away)
        for _ in range(3):
            with pytest.raises(HubAway):
                desk.once()
            place.now += timedelta(minutes=10)
    desk.once()

    assert sorted(read) == sorted([wrong, ASK])
    assert states(place.queue) == [RequestState.QUEUED]
    assert len(place.hub.said("reply")) == 2


def test_lines_below_that_were_not_read_are_told_with_how_to_write_it(place: Place) -> None:
    place.hub.write("/benchmark-request\nplease: serializerTuple @everybody\nserializerPojo")
    place.hub.write("/benchmark-request\nserializerTuple\nserializerPojo", number=2)
    place.run()

    (told,) = place.hub.said("reply")
    assert "Only the first line of that comment was read." in told
    assert "```\n/benchmark-request serializerTuple serializerPojo\n```" in told
    assert "@everybody" not in told
    first, second = sorted(place.queue.latest(2), key=lambda one: one.number)
    assert set(first.order.names) == set(KNOWN.usual)
    assert [name.partition(".")[2] for name in second.order.names] == [
        "serializerTuple",
        "serializerPojo",
    ]


def test_a_right_is_asked_for_each_time(place: Place) -> None:
    place.hub.write(ASK)
    place.run()
    place.hub.writers.clear()
    place.hub.write(ASK)
    place.run()

    assert place.worked == 1


def test_every_mistake_is_answered_with_an_example(place: Place) -> None:
    place.hub.write("/benchmark-request serializerTupel")
    place.run()

    (said,) = place.hub.posted.values()
    assert "No benchmark is called `serializerTupel`" in said[1]
    assert "serializerTuple" in said[1]
    assert "```\n/benchmark-request " in said[1]


def test_what_was_written_while_nobody_read_is_answered(place: Place) -> None:
    place.hub.write(ASK, at=NOON - timedelta(days=3))
    place.run()

    assert place.worked == 1


def test_a_comment_on_an_issue_is_none_of_ours(place: Place) -> None:
    place.hub.write(ASK)
    place.hub.pulls.clear()
    place.run()

    assert place.worked == place.hub.posts == 0


def test_comments_that_nothing_was_made_of_go_and_are_not_taken_for_new_ones(place: Place) -> None:
    from benchmark_requests.models import HubComment

    talk = place.hub.write("What do you think?")
    asked = place.hub.write(ASK)
    helped = place.hub.write("/benchmark-request help", number=2)
    place.run()
    said = len(place.hub.posted)
    waiting = place.hub.write(ASK, number=3)
    place.queue.keep((waiting,), None, place.now)
    place.now += timedelta(days=89)
    place.desk.read()
    assert HubComment.objects.count() == 4

    place.now += timedelta(days=2)
    place.desk.read()
    left = HubComment.objects.values_list("comment_id", flat=True)
    assert sorted(left) == sorted([asked.id, waiting.id])  # a request's, and one not decided

    # Somebody edits one that is forgotten: it is read again, and too old.
    for one in (talk, helped):
        place.queue.keep((replace(one, body=ASK, updated=place.now),), None, place.now)
    place.run()
    assert len(place.hub.posted) == said
