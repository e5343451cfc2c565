"""The place of a request among several repositories, and when its answer is expected."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import timedelta

import pytest

from flink_boost.base.errors import EnvironmentProblem
from flink_boost.service.requests.desk import Desk
from flink_boost.service.requests.queue import RequestQueue
from flink_boost.service.requests.request import Measured, RequestOrder
from flink_boost.service.requests.serving import Serving
from flink_boost.service.requests.worker import LOST_AFTER
from requesting.desk_place import ASK, Place
from requesting.memory_hub import MemoryHub
from requesting.samples import NOON


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


@dataclass
class Watched(Place):
    """Tells whoever watches that a request is being measured."""

    began: Callable[[str], None] = field(kw_only=True)

    def measure(self, order: RequestOrder, notice: object) -> Measured:
        self.began(order.asked)
        return super().measure(order, notice)


@pytest.mark.parametrize("at", range(5))
def test_the_place_is_how_many_are_worked_on_before(queue: RequestQueue, at: int) -> None:
    done: list[str] = []
    places: dict[str, int] = {}

    def began(key: str) -> None:
        if len(done) == at:
            for desk in desks:
                for number in (1, 2, 3):
                    for one, count in re.findall(
                        r"`(\w+)` .*?(\d+) before", desk.status_text(number)
                    ):
                        places[one] = len(done) + int(count)
        done.append(key)

    names = [queue.repository, "apache/two", "apache/three"]
    queues = [RequestQueue(name) for name in names]
    all_places = [Watched(one, MemoryHub(one.repository), began=began) for one in queues]
    desks: list[Desk] = []
    for index, (place, asked) in enumerate(zip(all_places, (3, 1, 3), strict=True)):
        others = (*queues[index + 1 :], *queues[:index])
        desks.append(replace(place.desk, others=others))
        for number in range(1, asked + 1):
            place.hub.write(ASK, number=number)
    workers = [place.worker() for place in all_places]
    Serving(desks, workers, 45.0, lambda _: None).once()

    assert len(done) == 7
    assert places == {key: done.index(key) for key in places}
    assert len(places) == 6 - at
