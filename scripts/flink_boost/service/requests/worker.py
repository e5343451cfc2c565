"""Works on requests, one at a time, while it holds the lock of the machine."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from types import FrameType

from flink_boost.base.errors import (
    EnvironmentProblem,
    FlinkBoostError,
    HubAway,
    HubRefused,
    MachineBusy,
    PullRequestRefused,
)
from flink_boost.service.requests import wording
from flink_boost.service.requests.answer import Circumstances, answer, verdict_line
from flink_boost.service.requests.backoff import Pauses
from flink_boost.service.requests.catalogue import Bounds, Offerings
from flink_boost.service.requests.comparing import require_allowed
from flink_boost.service.requests.database import close_connections, is_of_the_database
from flink_boost.service.requests.hub.hub_model import Hub
from flink_boost.service.requests.queue import MOST_ATTEMPTS, RequestQueue
from flink_boost.service.requests.request import Measured, Request, RequestOrder
from flink_boost.service.requests.request_rows import rows_of
from flink_boost.service.requests.request_states import Event, RequestState

BEAT_SECONDS = 15.0
LOST_AFTER = timedelta(minutes=2)
SHORTEST_PAUSE = timedelta(minutes=1)  # after trouble that is not the request's; doubled each time
LONGEST_PAUSE = timedelta(minutes=15)
GIVEN_UP_AFTER = timedelta(days=7)  # of such trouble, since a worker first began

Measure = Callable[[RequestOrder, Callable[[Event], None]], Measured]


@dataclass
class Worker:
    """``measure`` does the work; ``turn`` gives the machine, or raises ``MachineBusy``.

    ``name`` is the same after a restart, and no two processes have it at a time.

    ``keep`` sends what was measured on to the dashboard and returns links, by title; whatever it
    raises of ours costs the links only.

    Trouble of the machine, the network or our account is not the request's: it waits, longer each
    time, while others are tried.
    """

    name: str
    hub: Hub
    queue: RequestQueue
    known: Offerings
    bounds: Bounds
    measure: Measure
    turn: Callable[[], AbstractContextManager[None]]
    now: Callable[[], datetime]
    keep: Callable[[Measured], Mapping[str, str]] = lambda _: {}
    tell: Callable[[str], None] = lambda _: None
    beat_seconds: float = BEAT_SECONDS
    _busy: str = field(default="", init=False)
    _pauses: Pauses[str] = field(
        default_factory=lambda: Pauses(SHORTEST_PAUSE, LONGEST_PAUSE), init=False
    )

    def once(self) -> bool:
        """Works on the next request, to its end or until it has to wait; True when it did.

        False when there is none, or no machine.

        Raises ``KeyboardInterrupt`` after it has handed the request back.
        """
        pausing = self._pauses.running(self.now())
        if not any(self._may_take(one) for one in self.queue.live() if one.id not in pausing):
            return False
        try:
            with self.turn():
                request = self.queue.take(self.name, self.now(), LOST_AFTER, pausing)
                if request is None:
                    return False
                self._work(request)
        except MachineBusy as busy:
            if busy.message != self._busy:
                self.tell(busy.message)
            self._busy = busy.message
            return False
        self._busy = ""
        return True

    def _may_take(self, request: Request) -> bool:
        if request.state is RequestState.QUEUED or request.worker == self.name:
            return True
        return request.beat is None or request.beat < self.now() - LOST_AFTER

    def _work(self, request: Request) -> None:
        self.tell(f"{request.id}: begun, attempt {request.attempts}")
        try:
            with stoppable() as stop, self._beating(request, stop):
                self._answer(request)
        except WorkStopped as stopped:
            self.tell(f"{request.id}: {stopped}")
            self._end(request, Event.STOPPED, "cancelled.")
        except KeyboardInterrupt:
            self._hand_back(request, "queued again, as its worker was stopped.")
            raise
        except MachineBusy as busy:
            self._hand_back(request, f"queued again; what is measured stays. {busy.message}")
            raise
        except (EnvironmentProblem, HubAway, HubRefused) as error:
            if isinstance(error, PullRequestRefused):
                self._fail(request, error.message)
            else:
                self._delay(request, str(error))
        except FlinkBoostError as error:
            self._fail(request, error.message)
        except OSError as error:  # a full disk comes like this in the middle of a measurement
            self._delay(request, f"{error.strerror or type(error).__name__}.")
        except Exception as error:
            if not is_of_the_database(error):
                self._fail(request, f"An error of ours ({type(error).__name__}): {error}")
                return
            close_connections()
            self._delay(request, f"The database failed ({type(error).__name__}).")

    def _answer(self, request: Request) -> None:
        if request.cancel:  # while nobody, or a worker that is gone, had it
            self._end(request, Event.STOPPED, "cancelled.")
            return
        if request.attempts > MOST_ATTEMPTS:
            self._fail(request, f"{MOST_ATTEMPTS} workers ended while they worked on it.")
            return
        require_allowed(request.order, self.known, self.bounds)
        if problem := self._no_longer_wanted(request):
            self._end(request, Event.STOPPED, problem)
            return
        self._say(request, "building both commits.")
        began = self.now()
        measured = self.measure(request.order, lambda event: self._notice(request, event))
        if measured.same:
            links: Mapping[str, str] = {}
        else:
            links = self._kept(measured)
        rows = rows_of(measured)
        stale = self._is_stale(request)
        minutes = (self.now() - began).total_seconds() / 60
        about = Circumstances(measured, minutes=minutes, stale=stale, links=links, public=True)
        text = answer(rows, about)
        verdict = verdict_line(rows, measured)
        self._finish(request, text, verdict, stale=stale)
        self.tell(f"{request.id}: {verdict}")

    def _finish(self, request: Request, text: str, verdict: str, *, stale: bool) -> None:
        words = (
            wording.verdict_words(request, text),
            wording.status_words(request, "answered in a comment of its own."),
        )
        self.queue.move(
            request.id,
            self.name,
            Event.ANSWERED,
            self.now(),
            words,
            answer=text,
            verdict=verdict,
            stale=stale,
            note="",
        )

    def _notice(self, request: Request, event: Event) -> None:
        self.queue.move(request.id, self.name, event, self.now())
        if event is Event.BUILT:
            count = len(request.order.names)
            forks = 2 * request.order.pairs * count
            self._say(request, f"both are built; measuring {count} benchmarks in {forks} JVMs.")

    def _kept(self, measured: Measured) -> Mapping[str, str]:
        try:
            return self.keep(measured)
        except (FlinkBoostError, OSError, ArithmeticError, ValueError) as error:
            # What was measured is answered all the same.
            self.tell(f"The results of this request were not kept ({error}).")
            return {}

    def _no_longer_wanted(self, request: Request) -> str:
        """Why not, as a sentence; a hub that is away is no reason."""
        with suppress(HubAway):
            if self.hub.comment(request.comment_id) is None:
                return "cancelled, as its comment was deleted."
            pull = self.hub.pull_request(request.number)
            if pull is None or not pull.open:
                return "cancelled, as the pull request was closed."
        return ""

    def _is_stale(self, request: Request) -> bool:
        # What was measured counts, whatever the hub says of our account: it is posted later.
        with suppress(HubAway, HubRefused):
            pull = self.hub.pull_request(request.number)
            return pull is not None and pull.head_sha != request.order.head
        return False

    def _say(self, request: Request, sentence: str) -> None:
        words = wording.status_words(request, sentence)
        self.queue.outbox.put(words, request.id, self.now())

    def _fail(self, request: Request, reason: str) -> None:
        words = (
            wording.verdict_words(request, wording.failure_text(request, _in_lines(reason))),
            wording.status_words(request, "failed; a comment of its own tells why."),
        )
        self.queue.move(request.id, self.name, Event.BROKE, self.now(), words, note=_plain(reason))
        self.tell(f"{request.id}: failed: {_plain(reason)[:300]}")

    def _end(self, request: Request, event: Event, sentence: str) -> None:
        words = wording.status_words(request, sentence)
        self.queue.move(request.id, self.name, event, self.now(), (words,), note=sentence)

    def _delay(self, request: Request, reason: str) -> None:
        now = self.now()
        if request.started is not None and now - request.started > GIVEN_UP_AFTER:
            days = GIVEN_UP_AFTER.days
            self._fail(request, f"{reason} It was tried for {days} days. Ask again.")
            return
        pause = self._pauses.begin(request.id, now)
        sentence = wording.waiting_text(_in_lines(reason))
        self._hand_back(request, sentence, note=f"Waits: {_plain(reason)}")
        self.tell(f"{request.id}: waits for {pause}: {_plain(reason)[:300]}")

    def _hand_back(self, request: Request, sentence: str, note: str = "") -> None:
        """Somebody begins anew; this attempt does not count as one on which a worker died."""
        self.queue.move(
            request.id,
            self.name,
            Event.HANDED_BACK,
            self.now(),
            (wording.status_words(request, sentence),),
            attempts=max(0, request.attempts - 1),
            note=note,
        )

    @contextmanager
    def _beating(self, request: Request, stop: Stop) -> Iterator[None]:
        """Says that we live; stops the work when somebody cancelled it, or took it over."""
        ended = threading.Event()

        def beat() -> None:
            try:
                while not ended.wait(self.beat_seconds):
                    try:
                        state = self.queue.beat(request.id, self.name, self.now())
                    except Exception as error:  # the next beat may reach the database again
                        self.tell(f"{request.id}: its heart failed: {type(error).__name__}")
                        close_connections()
                        continue
                    if state != "mine":
                        stop("cancelled" if state == "cancel" else "another worker has it")
                        return
            finally:
                close_connections()

        thread = threading.Thread(target=beat, name=f"heart of {request.id}", daemon=True)
        thread.start()
        try:
            yield
        finally:
            ended.set()
            thread.join()


def _in_lines(reason: str) -> str:
    """A reason with the last lines of a log, which are in it with slashes between."""
    return reason.replace(" / ", "\n")


def _plain(text: str) -> str:
    """Without what a terminal would take for commands."""
    return "".join(char if char.isprintable() else " " for char in text)[:2000]


class WorkStopped(BaseException):
    """Somebody else wants the work to end; the reason is its text."""


Stop = Callable[[str], None]


@contextmanager
def stoppable() -> Iterator[Stop]:
    """Gives a call for other threads that raises ``WorkStopped`` in this, the main thread."""
    reasons: list[str] = []
    active = True

    def handle(_number: int, _frame: FrameType | None) -> None:
        nonlocal active
        if active and reasons:
            active = False
            raise WorkStopped(reasons[0])

    def stop(reason: str) -> None:
        reasons.append(reason)
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGUSR1)

    previous = signal.signal(signal.SIGUSR1, handle)
    try:
        yield stop
    finally:
        active = False
        signal.signal(signal.SIGUSR1, previous)
