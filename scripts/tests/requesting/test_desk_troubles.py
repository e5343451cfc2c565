"""Trouble of the hub, the machine or the database delays requests and loses none."""

from __future__ import annotations

from datetime import timedelta
from itertools import pairwise

import pytest
from django.db import OperationalError

from flink_boost.base.errors import (
    EnvironmentProblem,
    HubAway,
    HubRefused,
)
from flink_boost.service.requests.queue import MOST_ATTEMPTS
from flink_boost.service.requests.request_states import RequestState
from flink_boost.service.requests.serving import Serving
from flink_boost.service.requests.worker import GIVEN_UP_AFTER
from requesting.desk_place import ASK, Place, states

pytestmark = pytest.mark.quiet


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
