"""The expected time of a request, after others waited or took longer than foretold."""

from __future__ import annotations

import re
from datetime import timedelta

from flink_boost.base.errors import EnvironmentProblem
from flink_boost.service.requests.queue import RequestQueue
from flink_boost.service.requests.worker import LOST_AFTER
from requesting.samples import NOON
from requesting.test_desk import ASK, Place


def minutes(text: str) -> tuple[int, int]:
    found = re.search(r"in (\d+) to (\d+) minutes", text)
    assert found is not None, text
    return int(found[1]), int(found[2])


def told(place: Place, number: int) -> tuple[int, int]:
    return minutes(place.desk.status_text(number))


def test_days_without_a_network_say_nothing_of_how_long_work_takes(queue: RequestQueue) -> None:
    place = Place(queue)
    place.hub.write(ASK)
    place.problem = EnvironmentProblem("The network is away.", "Wait.")
    place.desk.once()
    place.worker().once()
    place.now += timedelta(days=2)
    place.problem = None
    place.run()
    assert place.worked == 2
    place.hub.write(ASK, number=2)
    place.desk.once()
    assert told(place, 2)[1] < 30


def test_who_takes_longer_than_foretold_takes_nothing_of_the_time_of_the_next(
    queue: RequestQueue,
) -> None:
    place = Place(queue)
    place.hub.write(ASK)
    place.desk.once()
    queue.take("box-1", NOON, LOST_AFTER)
    place.hub.write(ASK, number=2)
    place.desk.once()
    (first, _) = queue.live()
    place.now += timedelta(seconds=first.expected)
    on_time = told(place, 2)
    place.now += timedelta(seconds=first.expected)
    assert told(place, 2) == on_time
