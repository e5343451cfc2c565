"""A request at the desk: its commits, its place, its status, its answer, and its end by a word."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from flink_boost.base.errors import (
    BuildFailed,
)
from flink_boost.service.requests.queue import RequestQueue
from flink_boost.service.requests.request_states import RequestState
from flink_boost.service.requests.worker import LOST_AFTER
from requesting.desk_place import ASK, Place, states
from requesting.memory_hub import MemoryHub, pull
from requesting.samples import BASE, HEAD, NOON

pytestmark = pytest.mark.quiet


def test_a_request_is_acknowledged_then_answered_in_a_new_comment(place: Place) -> None:
    place.hub.write(ASK)
    place.desk.once()
    (first,) = place.hub.posted.values()
    assert "queued, next in the queue; an answer is expected in " in first[1]
    assert HEAD[:12] in first[1]

    place.run()

    status, verdict = (body for _, body in place.hub.posted.values())
    assert "answered in a comment of its own" in status
    assert verdict.startswith("**Slower**: 1 of 1")
    assert states(place.queue) == [RequestState.DONE]


def test_the_place_counts_what_other_repositories_have_before_it(place: Place) -> None:
    other = Place(RequestQueue("apache/other"), MemoryHub("apache/other"))
    for number in (1, 2, 3, 4):
        other.hub.write(ASK, number=number)
    other.desk.once()
    alone = place.desk
    place.hub.write(ASK)
    alone.once()
    asked = place.hub.write(ASK, number=2)
    place.desk.once()
    (first, second) = place.queue.live()
    assert second.comment_id == asked.id
    desk = replace(alone, others=(other.queue,))

    assert "1 before it; an answer is expected in " in alone.status_text(2)
    assert "3 before it; an answer is expected in " in desk.status_text(2), "in turn"
    assert "1 before it; an answer is expected in " in desk.status_text(1)
    assert minutes(desk.status_text(2)) > minutes(alone.status_text(2))
    other.queue.take("box-1", NOON, LOST_AFTER)
    assert "3 before it" in desk.status_text(2), "what runs has the turn of its queue"
    assert first.state is RequestState.QUEUED


def minutes(text: str) -> int:
    found = re.search(r"to (\d+) minutes", text)
    assert found is not None
    return int(found[1])


@pytest.mark.parametrize(
    ("base", "same", "said"),
    [
        (HEAD, True, "No change: base and head are the same commit"),
        (BASE, True, "No change: base and head build to the same bytes"),
        (BASE, False, "Slower: 1 of 1, by 4.9% (SerializationFramework"),
    ],
)
def test_the_page_shows_the_first_line_of_the_answer(
    place: Place, monkeypatch: pytest.MonkeyPatch, base: str, same: bool, said: str
) -> None:
    from benchmark_requests.reading import read_requests

    monkeypatch.setattr(place.hub, "merge_base", lambda *_: base)
    place.found = place.found.model_copy(update={"same": same})
    place.hub.write(ASK)
    place.run()

    (verdict,) = place.hub.said("verdict -->")
    (ended,) = read_requests(60).ended
    assert ended.said == re.sub(r"[*`]", "", verdict.splitlines()[0])
    assert ended.said.startswith(said)


@pytest.mark.parametrize(
    ("change", "answer"),
    [
        ({"open": False}, "is closed"),
        ({"head_url": None}, "gone or private"),
    ],
)
def test_what_cannot_be_measured_is_said(
    place: Place, change: dict[str, object], answer: str
) -> None:
    place.hub.write(ASK)
    place.hub.pulls[1] = replace(pull(1), **change)  # type: ignore[arg-type]
    place.run()

    assert place.worked == 0
    assert answer in next(iter(place.hub.posted.values()))[1]


def test_a_short_reason_of_a_stranger_is_mere_text_too(place: Place) -> None:
    place.problem = BuildFailed("it ended with code 1: @everybody <img src=x> [a](b)\x1b[31m")
    place.hub.write(ASK)
    place.run()

    (verdict,) = place.hub.said("verdict -->")
    fenced = verdict.split("```")[1]
    assert "@everybody" in fenced
    assert verdict.count("@everybody") == 1
    assert "\x1b" not in verdict
    assert "\x1b" not in place.queue.latest(1)[0].note


@pytest.mark.parametrize(
    "ref", ["a b", "--upload-pack=x", "$(id)", "`id`", "'; drop", '"', "refs/../..", "-", "\u202e"]
)
def test_the_name_of_a_head_is_never_used_nor_a_strange_one_of_a_base(
    place: Place, ref: str
) -> None:
    place.hub.write(ASK)
    place.hub.pulls[1] = replace(pull(1), head_ref=ref, base_ref=ref)
    place.run()

    assert place.worked == 1
    assert f"merge_base {pull(1).base_sha} {HEAD}" in place.hub.asked
    assert not any(ref in body for _, body in place.hub.posted.values() if len(ref) > 1)


@pytest.mark.parametrize("ref", ["main", "release/2.3", "2.x", "größer", "a+b_c"])
def test_a_head_is_compared_with_where_it_left_its_base_as_that_is_now(
    place: Place, ref: str
) -> None:
    place.hub.write(ASK)
    place.hub.pulls[1] = replace(pull(1), base_ref=ref)
    place.run()

    assert f"merge_base {ref} {HEAD}" in place.hub.asked


def test_the_head_is_that_of_the_moment_of_reading_and_a_push_is_told(place: Place) -> None:
    place.hub.write(ASK)
    place.desk.once()
    place.hub.pulls[1] = replace(pull(1), head_sha="d" * 40)
    place.run()

    (verdict,) = place.hub.said("verdict -->")
    assert "has been pushed to since" in verdict
    assert place.queue.latest(1)[0].order.head == HEAD


def test_a_newer_request_replaces_one_that_waits_with_a_word(place: Place) -> None:
    place.hub.write(ASK)
    place.desk.once()
    place.hub.write(ASK)
    place.run()

    assert sorted(states(place.queue)) == [RequestState.DONE, RequestState.SUPERSEDED]
    assert place.worked == 1
    assert (
        sum("replaced by the newer request" in body for _, body in place.hub.posted.values()) == 1
    )


def test_what_waits_is_cancelled_by_a_word_or_by_deleting_its_comment(place: Place) -> None:
    place.hub.write(ASK)
    place.desk.once()
    place.hub.write("/benchmark-request cancel")
    place.run()
    assert states(place.queue) == [RequestState.CANCELLED]

    comment = place.hub.write(ASK, number=2)
    place.desk.once()
    del place.hub.comments[comment.id]
    place.run()
    assert states(place.queue) == [RequestState.CANCELLED] * 2
    assert place.worked == 0


def test_a_pull_request_that_was_closed_meanwhile_is_not_measured(place: Place) -> None:
    place.hub.write(ASK)
    place.desk.once()
    place.hub.pulls[1] = replace(pull(1), open=False)
    place.run()

    assert place.worked == 0
    assert states(place.queue) == [RequestState.CANCELLED]


def test_status_and_help_answer_without_a_request(place: Place) -> None:
    place.hub.write("/benchmark-request status")
    place.hub.write("/benchmark-request help", number=2)
    place.hub.write(ASK, number=3)
    place.desk.once()
    place.hub.write("/benchmark-request status", number=3)
    place.desk.once()

    texts = [body for _, body in place.hub.posted.values()]
    assert any("There is no request on this pull request" in text for text in texts)
    assert any("serializerHeavyString" in text and "2.3.0" in text for text in texts)
    assert any(text.startswith("- `r") and "queued, next" in text for text in texts)


def test_a_failure_is_a_new_comment_with_the_last_lines(place: Place) -> None:
    lines = " / ".join(f"[ERROR] line {number} `x` <b>" for number in range(20))
    place.problem = BuildFailed(f"make ended with code 2: {lines}")
    place.hub.write(ASK)
    place.run()

    (verdict,) = place.hub.said("verdict -->")
    assert "**No answer**" in verdict
    assert "line 19" in verdict
    assert "`x`" not in verdict
    assert verdict.index("```text") < verdict.index("make ended")
    assert verdict.index("line 19") < verdict.rindex("```")
    assert states(place.queue) == [RequestState.FAILED]


def test_a_status_that_somebody_deleted_is_left_alone_and_the_verdict_comes(place: Place) -> None:
    place.hub.write(ASK)
    place.desk.once()
    place.hub.posted.clear()
    place.run()

    (only,) = place.hub.posted.values()
    assert only[1].startswith("**Slower**")
