"""Serves requests: one thread reads, decides and answers, the main thread works.

So a comment is acknowledged within an interval while a benchmark measures. Reading costs a few
milliseconds of one core in each interval.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

from flink_boost.base.errors import (
    AccountRefused,
    FlinkBoostError,
    HubAway,
    HubRefused,
    MachineBusy,
)
from flink_boost.measure.machine_lock import machine_lock
from flink_boost.measure.machine_priority import REQUEST, require_turn
from flink_boost.service.requests.backoff import Pauses
from flink_boost.service.requests.database import close_connections
from flink_boost.service.requests.desk import Desk
from flink_boost.service.requests.eta import Blocked
from flink_boost.service.requests.hub.hub_model import Comment
from flink_boost.service.requests.request import Request
from flink_boost.service.requests.worker import Worker

_LONGEST_WAIT = 900.0  # seconds until a hub that was away is asked again


@dataclass
class Serving:
    """The desks of all repositories, and the worker of each, in turn.

    ``seconds`` is the interval. ``tell`` hears each new sentence once, not in every interval. A
    repository that GitHub refuses is left alone for a while, and costs the others nothing; where it
    refuses our account there is nothing left to serve.
    """

    desks: Sequence[Desk]
    workers: Sequence[Worker]
    seconds: float
    tell: Callable[[str], None]
    wake: threading.Event = field(default_factory=threading.Event)
    now: Callable[[], datetime] = lambda: datetime.now(UTC)
    _over: threading.Event = field(default_factory=threading.Event, init=False)
    _refused: AccountRefused | None = field(default=None, init=False)
    _retired: Pauses[str] = field(
        default_factory=lambda: Pauses(timedelta(minutes=1), timedelta(minutes=30)), init=False
    )
    _told: dict[str, str] = field(default_factory=dict, init=False)

    def forever(self) -> None:
        """Until Ctrl-C or SIGTERM. Raises ``AccountRefused`` when the hub will not have us."""
        with self._at_the_desk():
            while self._refused is None:
                if not self._work():
                    self._over.wait(min(self.seconds, 5.0))
        if self._refused is not None:
            raise self._refused

    def once(self) -> None:
        """Reads and answers, works on all that waits, and says what there is to say.

        Raises what kept it from that at the first repository, after the others are served.
        """
        problems = self._each(lambda desk: desk.once())
        while self._work():
            problems = self._each(lambda desk: desk.once())
        for problem in (*problems, *self._each(lambda desk: desk.deliver(last=True))):
            raise problem

    def _each(self, step: Callable[[Desk], None]) -> list[HubAway | HubRefused]:
        """Has every desk do it; returns what kept any of them from it."""
        problems: list[HubAway | HubRefused] = []
        for desk in self.desks:
            try:
                step(desk)
            except AccountRefused:
                raise
            except (HubAway, HubRefused) as error:
                problems.append(error)
        return problems

    def take_delivery(self, comment: Comment) -> None:
        """Stores what a webhook brought, by the same door, and wakes the desk up."""
        try:
            for desk in self.desks:
                if desk.queue.repository == comment.repository:
                    desk.queue.keep((comment,), None, desk.now())
        finally:
            close_connections()
        self.wake.set()

    def _work(self) -> bool:
        worked = False
        for worker in self.workers:
            try:
                worked |= worker.once()
            except FlinkBoostError as error:
                self.tell(str(error))
            except Exception as error:  # such as a database that is away: comments are read on
                where = worker.queue.repository
                self.tell(f"Unexpected, at work for {where}: {type(error).__name__}: {error}")
                close_connections()
        return worked

    @contextmanager
    def _at_the_desk(self) -> Iterator[None]:
        thread = threading.Thread(target=self._attend, name="desk", daemon=True)
        thread.start()
        try:
            yield
        finally:
            self._over.set()
            self.wake.set()
            thread.join(30)

    def _attend(self) -> None:
        try:
            while not self._over.is_set():
                self.wake.wait(self._attend_once())
                self.wake.clear()
        finally:
            close_connections()

    def _attend_once(self) -> float:
        """How long to wait until the next look."""
        wait, retired = self.seconds, self._retired.running(self.now())
        for desk in self.desks:
            where, said = desk.queue.repository, ""
            if where in retired:
                continue
            try:
                desk.once()
            except HubAway as error:
                wait = min(max(wait, error.retry_after or 0.0), _LONGEST_WAIT)
                said = str(error)
            except AccountRefused as error:
                self._refused = error
                self._over.set()
                break
            except HubRefused as error:
                self._retired.begin(where, self.now())
                said = f"{where} is not served now, and looked at again later: {error}"
            except FlinkBoostError as error:
                said = str(error)
            except Exception as error:
                said = f"Unexpected, at {where}: {type(error).__name__}: {error}"
                close_connections()
            else:
                if self._retired.failures(where, self.now())[0]:
                    self._retired.end(where)
                    self.tell(f"{where} is served again.")
            self._say(where, said)
        return wait

    def _say(self, where: str, said: str) -> None:
        if said and said != self._told.get(where):
            self.tell(said)
        self._told[where] = said


@contextmanager
def turn_of(
    lock: Path,
    order: Sequence[str],
    blocked: Callable[[], Sequence[Blocked]],
    now: Callable[[], datetime],
    seconds: float,
) -> Iterator[None]:
    """The machine for a request of so many seconds, or ``MachineBusy``.

    Whoever goes first and waits, or is due before we would be done, gets it instead.
    """
    require_turn(lock, REQUEST, order)
    moment = now()
    for night in blocked():
        if moment < night.start and (night.start - moment).total_seconds() < seconds:
            raise MachineBusy(
                f"A night begins at {night.start:%H:%M} UTC, before this would be done.", "Wait."
            )
    with machine_lock(lock, "flink-boost request serve"):
        yield


def standing_still(
    live: Sequence[Request],
    polled: datetime | None,
    problem: str,
    unsent_since: datetime | None,
    now: datetime,
    minutes: float,
    blocked: Sequence[Blocked] = (),
    undecided_since: datetime | None = None,
) -> tuple[str, ...]:
    """What somebody has to look at, a sentence each; nothing while all moves. Pure.

    While something that goes first has the box, requests may wait.
    """

    def age(moment: datetime) -> float:
        return (now - moment).total_seconds() / 60

    at_work = [one for one in live if one.state.is_at_work]
    found = [
        f"{one.id} is {one.state.value}, but its worker has not been seen for {age(one.beat):.0f}"
        " min."
        for one in at_work
        if one.beat is not None and age(one.beat) > minutes
    ]
    busy = any(one.start <= now < one.start + one.longest for one in blocked)
    free_since = [one.start + one.longest for one in blocked if one.start + one.longest <= now]
    last = max((one.beat for one in at_work if one.beat is not None), default=None)
    waiting = [one for one in live if not one.state.is_at_work]
    if waiting and not busy and (last is None or age(last) > minutes):
        oldest = max((min(one.queued for one in waiting), *free_since))
        if age(oldest) > minutes:
            found.append(
                f"{len(waiting)} requests wait, the oldest for {age(oldest):.0f} min, and nobody"
                " works on any."
            )
    if polled is None or age(polled) > minutes:
        since = "never" if polled is None else f"not for {age(polled):.0f} min"
        found.append(f"Comments were read {since}{f' ({problem})' if problem else ''}.")
    if undecided_since is not None and age(undecided_since) > minutes:
        found.append(
            f"A comment was read {age(undecided_since):.0f} min ago, and nothing followed from it."
        )
    if unsent_since is not None and age(unsent_since) > minutes:
        found.append(f"An answer could not be posted for {age(unsent_since):.0f} min.")
    return tuple(found)
