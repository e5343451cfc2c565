"""What follows from comments: requests, answers, or nothing; once each."""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from itertools import pairwise

import pytest
from django.db import OperationalError

from flink_boost.base.errors import (
    BuildFailed,
    EnvironmentProblem,
    HubAway,
    HubRefused,
    MachineBusy,
)
from flink_boost.service.requests import grammar
from flink_boost.service.requests.desk import Desk
from flink_boost.service.requests.queue import MOST_ATTEMPTS, RequestQueue
from flink_boost.service.requests.request import Measured, RequestOrder
from flink_boost.service.requests.request_states import Event, RequestState
from flink_boost.service.requests.service_settings import MostAsked
from flink_boost.service.requests.serving import Serving, standing_still
from flink_boost.service.requests.worker import GIVEN_UP_AFTER, LOST_AFTER, Worker
from requesting.memory_hub import MemoryHub, pull
from requesting.samples import BASE, BOUNDS, HEAD, KNOWN, NOON, TUPLE, measured
from requesting.test_answer import SLOW

pytestmark = pytest.mark.quiet

ASK = "/benchmark-request serializerTuple"


@dataclass
class Place:
    """A desk and a worker at a hub, with a clock that stands until it is moved."""

    queue: RequestQueue
    hub: MemoryHub = field(default_factory=MemoryHub)
    now: datetime = NOON
    busy: bool = False
    worked: int = 0
    problem: Exception | None = None
    found: Measured = field(default_factory=lambda: measured({TUPLE: SLOW}, {TUPLE: SLOW}))

    def clock(self) -> datetime:
        return self.now

    @property
    def desk(self) -> Desk:
        return Desk(self.hub, self.queue, KNOWN, BOUNDS, "flink-boost", self.clock)

    def worker(self, name: str = "box-1") -> Worker:
        return Worker(
            name, self.hub, self.queue, KNOWN, BOUNDS, self.measure, self.turn, self.clock
        )

    @contextmanager
    def turn(self) -> Iterator[None]:
        if self.busy:
            raise MachineBusy("A night measures.", "Wait.")
        yield

    def measure(self, order: RequestOrder, notice: object) -> Measured:
        self.worked += 1
        if self.problem is not None:
            raise self.problem
        notice(Event.BUILT)  # type: ignore[operator]
        notice(Event.MEASURED)  # type: ignore[operator]
        return self.found.model_copy(update={"order": order})

    def run(self) -> None:
        self.desk.once()
        while self.worker().once():
            self.desk.once()
        self.desk.once()


@pytest.fixture
def place(queue: RequestQueue) -> Place:
    return Place(queue)


def states(queue: RequestQueue) -> list[RequestState]:
    return [one.state for one in (*queue.live(), *queue.latest(50))]


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


def test_what_was_written_while_nobody_read_is_answered(place: Place) -> None:
    place.hub.write(ASK, at=NOON - timedelta(days=3))
    place.run()

    assert place.worked == 1


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


def test_a_comment_on_an_issue_is_none_of_ours(place: Place) -> None:
    place.hub.write(ASK)
    place.hub.pulls.clear()
    place.run()

    assert place.worked == place.hub.posts == 0


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


def test_a_hub_that_is_away_for_an_hour_delays_and_loses_nothing(place: Place) -> None:
    place.hub.write(ASK)
    place.hub.away = True
    for _ in range(3):
        with pytest.raises(HubAway):
            place.desk.once()
    assert place.queue.problem()[1] == "The hub is away."
    place.hub.away = False
    place.desk.once()
    place.hub.away = True
    assert place.worker().once()  # it measures meanwhile
    with pytest.raises(HubAway):
        place.desk.once()
    place.now += timedelta(hours=1)
    place.hub.away = False
    place.run()

    assert place.worked == 1
    assert place.hub.posts == 2
    assert place.queue.problem()[1] == ""


def test_a_status_that_somebody_deleted_is_left_alone_and_the_verdict_comes(place: Place) -> None:
    place.hub.write(ASK)
    place.desk.once()
    place.hub.posted.clear()
    place.run()

    (only,) = place.hub.posted.values()
    assert only[1].startswith("**Slower**")


def test_nothing_is_begun_while_the_machine_is_busy(place: Place) -> None:
    place.hub.write(ASK)
    place.busy = True
    place.run()
    assert states(place.queue) == [RequestState.QUEUED]
    place.busy = False
    place.run()
    assert states(place.queue) == [RequestState.DONE]


def test_a_worker_that_is_gone_is_replaced_and_cannot_answer_any_more(place: Place) -> None:
    place.hub.write(ASK)
    place.desk.once()
    lost = place.queue.take("box-2", place.now, LOST_AFTER)
    assert lost is not None
    assert not place.worker().once()  # its heart may still beat
    place.now += LOST_AFTER + timedelta(seconds=1)
    place.run()

    assert states(place.queue) == [RequestState.DONE]
    assert place.queue.latest(1)[0].attempts == 2
    assert not place.queue.move(lost.id, "box-2", Event.ANSWERED, place.now)
    assert place.queue.beat(lost.id, "box-2", place.now) == "lost"
    assert len(place.hub.said("verdict -->")) == 1


def test_a_request_on_which_workers_die_is_given_up(place: Place) -> None:
    place.hub.write(ASK)
    place.desk.once()
    for _ in range(MOST_ATTEMPTS):
        assert place.queue.take("box-2", place.now, LOST_AFTER) is not None
        place.now += LOST_AFTER + timedelta(seconds=1)
    place.run()

    assert place.worked == 0
    assert states(place.queue) == [RequestState.FAILED]


TROUBLE = [
    EnvironmentProblem("Only 0.5 GiB are free.", "Free some."),
    HubAway("The hub is away.", "Wait."),
    HubRefused("GitHub does not know our account.", "Make a new token."),
    OSError(28, "No space left on device"),
    OperationalError("database is locked"),
]


@pytest.mark.parametrize("problem", TROUBLE)
def test_trouble_that_is_not_the_requests_delays_it_and_loses_nothing(
    place: Place, problem: Exception
) -> None:
    for number in (1, 2, 3):
        place.hub.write(ASK, number=number)
    place.desk.once()
    worker = place.worker()
    place.problem = problem
    tries = []
    for minute in range(2 * 60):
        while worker.once():
            tries.append(minute)
        place.now += timedelta(minutes=1)
    place.desk.once()

    pauses = [later - sooner for sooner, later in pairwise(sorted(set(tries)))]
    assert pauses == sorted(pauses)
    assert pauses[0] == 1
    assert pauses[-1] == 15
    assert {tries.count(minute) for minute in tries} == {3}, "each of them is tried"
    assert states(place.queue) == [RequestState.QUEUED] * 3
    assert {one.attempts for one in place.queue.live()} == {0}
    waits = place.hub.said("status -->")
    assert all("waits: the machine that measures" in one for one in waits)
    assert all("tried again by itself" in one for one in waits)
    place.problem = None
    place.now += timedelta(hours=1)
    while worker.once():
        pass
    place.desk.once()
    assert states(place.queue) == [RequestState.DONE] * 3
    assert {one.note for one in place.queue.latest(3)} == {""}


def test_status_says_of_what_waits_why_and_foretells_nothing(place: Place) -> None:
    place.hub.write(ASK)
    place.desk.once()
    place.problem = EnvironmentProblem("Only 0.5 GiB are free, says `@everybody`.", "Free some.")
    assert place.worker().once()
    place.hub.write("/benchmark-request status")
    place.desk.once()

    (said,) = place.hub.said("reply")
    assert "`Waits: Only 0.5 GiB are free, says ?@everybody" in said
    assert "expected" not in said


def test_what_is_no_trouble_does_not_wait_behind_what_is(place: Place) -> None:
    for number in (1, 2):
        place.hub.write(ASK, number=number)
    place.desk.once()
    first, second = place.queue.live()
    place.problem = EnvironmentProblem("git fetch failed.", "Look.")
    worker = place.worker()
    assert worker.once()
    place.problem = None
    assert worker.once()
    assert not worker.once()

    assert [one.id for one in place.queue.live()] == [first.id]
    assert [one.id for one in place.queue.latest(9)] == [second.id]


def test_a_problem_of_the_machine_is_tried_again_but_not_for_ever(place: Place) -> None:
    place.hub.write(ASK)
    place.desk.once()
    place.problem = EnvironmentProblem("The disk is full.", "Free some.")
    worker = place.worker()
    assert worker.once()
    place.now += GIVEN_UP_AFTER
    assert worker.once()
    assert states(place.queue) == [RequestState.QUEUED]
    place.now += timedelta(hours=1)
    assert worker.once()
    place.desk.once()

    assert states(place.queue) == [RequestState.FAILED]
    (verdict,) = place.hub.said("verdict -->")
    assert "The disk is full. Free some. It was tried for 7 days." in verdict


def test_an_account_that_is_refused_costs_neither_the_request_nor_what_was_measured(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(_: int) -> None:
        raise HubRefused("GitHub does not know our account.", "Make a new token.")

    place.hub.write(ASK)
    place.desk.once()
    with monkeypatch.context() as ended:
        ended.setattr(place.hub, "comment", refused)
        for _ in range(MOST_ATTEMPTS + 1):  # as many lives of the service
            assert place.worker().once()
    assert states(place.queue) == [RequestState.QUEUED]
    assert place.worked == 0

    worker = place.worker()
    with monkeypatch.context() as ended:
        answers = iter([place.hub.pulls[1]])
        ended.setattr(place.hub, "pull_request", lambda _: next(answers, None) or refused(1))
        assert worker.once()
    place.desk.once()
    assert states(place.queue) == [RequestState.DONE]
    assert place.hub.said("verdict -->")[0].startswith("**Slower**")


def test_an_error_of_ours_ends_the_request_and_not_the_service(place: Place) -> None:
    place.hub.write(ASK)
    place.hub.write(ASK, number=2)
    place.desk.once()
    place.problem = ZeroDivisionError("division by zero")
    worker = place.worker()
    assert worker.once()
    place.problem = None
    place.run()

    assert sorted(states(place.queue)) == [RequestState.DONE, RequestState.FAILED]
    (failed,) = [one for one in place.hub.said("verdict -->") if "No answer" in one]
    assert "An error of ours (ZeroDivisionError): division by zero" in failed


def held_heart(place: Place, monkeypatch: pytest.MonkeyPatch) -> threading.Lock:
    """While it is held the heart stops nothing: it would find the desk in a transaction.

    In these tests the desk decides where something is measured, in the thread that is stopped.
    """
    deciding, real = threading.Lock(), place.queue.beat

    def beat(*said: object) -> str:
        with deciding:
            return real(*said)  # type: ignore[arg-type]

    monkeypatch.setattr(place.queue, "beat", beat)
    return deciding


def test_a_heart_goes_on_after_the_database_was_locked(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    beats = []
    deciding = held_heart(place, monkeypatch)
    real = place.queue.beat

    def beat(*said: object) -> str:
        beats.append(said)
        if len(beats) == 1:
            raise OperationalError("database is locked")
        return real(*said)  # type: ignore[arg-type]

    monkeypatch.setattr(place.queue, "beat", beat)
    place.hub.write(ASK)
    place.desk.once()
    worker = place.worker()
    worker.beat_seconds = 0.05

    def measure(order: RequestOrder, notice: object) -> Measured:
        place.hub.write("/benchmark-request cancel")
        with deciding:
            place.desk.once()
        time.sleep(20)
        raise AssertionError("not stopped")

    worker.measure = measure  # type: ignore[assignment]
    worker.once()
    assert states(place.queue) == [RequestState.CANCELLED]


def test_a_database_that_is_away_ends_no_service(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    def away(*_: object) -> None:
        raise OperationalError("connection refused")

    said: list[str] = []
    place.hub.write(ASK)
    place.desk.once()
    serving = Serving([place.desk], [place.worker()], 45.0, said.append)
    with monkeypatch.context() as broken:
        broken.setattr(place.queue, "live", away)
        serving.once()
    assert "OperationalError" in said[0]
    serving.once()
    assert states(place.queue) == [RequestState.DONE]


def test_an_order_that_is_not_allowed_any_more_is_refused_by_the_worker(place: Place) -> None:
    place.hub.write(f"{ASK} pairs=10")
    place.desk.once()
    worker = place.worker()
    worker.bounds = replace(BOUNDS, pairs=5)
    assert worker.once()

    assert place.worked == 0
    assert states(place.queue) == [RequestState.FAILED]


def test_what_is_usual_is_allowed_however_few_pairs_that_are(place: Place) -> None:
    bounds = MostAsked(usual_pairs=2).bounds()
    place.hub.write(ASK)
    replace(place.desk, bounds=bounds).once()
    worker = place.worker()
    worker.bounds = bounds
    assert worker.once()

    assert states(place.queue) == [RequestState.DONE]
    assert place.queue.latest(1)[0].order.pairs == 2


def test_a_worker_that_is_stopped_hands_its_request_back(place: Place) -> None:
    place.hub.write(ASK)
    place.desk.once()
    place.problem = KeyboardInterrupt()  # type: ignore[assignment]
    with pytest.raises(KeyboardInterrupt):
        place.worker().once()
    assert states(place.queue) == [RequestState.QUEUED]
    place.problem = None
    place.run()

    assert states(place.queue) == [RequestState.DONE]
    assert place.queue.latest(1)[0].attempts == 1


def test_what_runs_is_stopped_by_a_word(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    place.hub.write(ASK)
    place.desk.once()
    deciding = held_heart(place, monkeypatch)

    def measure(order: RequestOrder, notice: object) -> Measured:
        place.hub.write("/benchmark-request cancel")
        with deciding:
            place.desk.once()
        time.sleep(20)
        raise AssertionError("not stopped")

    worker = place.worker()
    worker.measure = measure  # type: ignore[assignment]
    worker.beat_seconds = 0.05
    worker.once()
    place.run()

    assert states(place.queue) == [RequestState.CANCELLED]
    assert place.worked == 0


def test_flame_graphs_are_stopped_by_a_word_and_nothing_more_is_said(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    place.hub.write(f"{ASK} profile")
    place.desk.once()
    deciding = held_heart(place, monkeypatch)

    def measure(order: RequestOrder, notice: object) -> Measured:
        place.worked += 1
        notice(Event.BUILT)  # type: ignore[operator]
        notice(Event.MEASURED)  # type: ignore[operator]
        if place.worked == 1:
            place.hub.write("/benchmark-request cancel")
            with deciding:
                place.desk.once()
        time.sleep(20)  # profiling
        raise AssertionError("not stopped")

    worker = place.worker()
    worker.measure = measure  # type: ignore[assignment]
    worker.beat_seconds = 0.05
    assert worker.once()
    assert not worker.once()
    place.desk.once()

    assert place.worked == 1
    assert states(place.queue) == [RequestState.CANCELLED]
    assert not place.hub.said("verdict -->")
    assert "cancelled." in place.hub.said("status -->")[0]


def test_what_was_cancelled_while_its_worker_was_gone_is_not_begun_again(place: Place) -> None:
    place.hub.write(ASK)
    place.desk.once()
    assert place.queue.take("box-2", place.now, LOST_AFTER) is not None
    place.hub.write("/benchmark-request cancel")
    place.desk.once()
    place.now += LOST_AFTER + timedelta(seconds=1)
    place.run()

    assert place.worked == 0
    assert states(place.queue) == [RequestState.CANCELLED]
    assert len(place.hub.said("status -->")) == 1


def test_a_queue_that_stands_still_is_told(place: Place) -> None:
    def found() -> tuple[str, ...]:
        polled, problem = place.queue.problem()
        unsent = place.queue.outbox.oldest_unsent()
        return standing_still(place.queue.live(), polled, problem, unsent, place.now, 60)

    assert "never" in found()[0]
    place.hub.write(ASK)
    place.desk.once()
    assert found() == ()
    place.now += timedelta(minutes=61)
    assert any("nobody works on any" in one for one in found())
    assert any("not for 61 min" in one for one in found())
    place.run()
    assert found() == ()
    place.hub.write(ASK, number=2)
    place.desk.once()
    place.queue.take("box-2", place.now, LOST_AFTER)
    place.now += timedelta(minutes=61)
    place.desk.once()
    assert any("has not been seen for 61 min" in one for one in found())


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
