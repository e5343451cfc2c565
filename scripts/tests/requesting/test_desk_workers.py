"""Workers at the desk: what they begin, how they are stopped, and what they leave behind."""

from __future__ import annotations

import threading
import time
from dataclasses import replace
from datetime import timedelta

import pytest
from django.db import OperationalError

from flink_boost.service.requests.queue import MOST_ATTEMPTS
from flink_boost.service.requests.request import Measured, RequestOrder
from flink_boost.service.requests.request_states import Event, RequestState
from flink_boost.service.requests.service_settings import MostAsked
from flink_boost.service.requests.serving import standing_still
from flink_boost.service.requests.worker import LOST_AFTER
from requesting.desk_place import ASK, Place, states
from requesting.samples import BOUNDS

pytestmark = pytest.mark.quiet


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
