"""The states of a request, and what moves it from one to the other: one table for all.

The queue moves nothing that is not in it; docs/requests.md draws it.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum


class RequestState(StrEnum):
    """How far a request has come."""

    QUEUED = "queued"
    BUILDING = "building"
    MEASURING = "measuring"
    ANSWERING = "answering"
    DONE = "done"
    FAILED = "failed"
    REFUSED = "refused"  # in older rows
    CANCELLED = "cancelled"
    SUPERSEDED = "superseded"

    @property
    def is_final(self) -> bool:
        """Whether nothing happens any more."""
        return self in _FINAL

    @property
    def is_at_work(self) -> bool:
        """Whether a worker has it, whose heart beats."""
        return self in AT_WORK


class Event(StrEnum):
    """What moves a request on. Asking and taking are the queue's own."""

    BUILT = "both are built"
    SAME = "both builds are the same bytes"
    MEASURED = "all forks are measured"
    ANSWERED = "the answer is written"
    BROKE = "it cannot be done"
    STOPPED = "cancelled"
    NEWER = "a newer request of its pull request"
    HANDED_BACK = "its worker is stopped"


AT_WORK = (RequestState.BUILDING, RequestState.MEASURING, RequestState.ANSWERING)
_FINAL = (
    RequestState.DONE,
    RequestState.FAILED,
    RequestState.REFUSED,
    RequestState.CANCELLED,
    RequestState.SUPERSEDED,
)

# In which states an event may happen, and the state after it.
MOVES: Mapping[Event, tuple[tuple[RequestState, ...], RequestState]] = {
    Event.BUILT: ((RequestState.BUILDING,), RequestState.MEASURING),
    Event.SAME: ((RequestState.BUILDING,), RequestState.ANSWERING),
    Event.MEASURED: ((RequestState.MEASURING,), RequestState.ANSWERING),
    Event.ANSWERED: ((RequestState.ANSWERING,), RequestState.DONE),
    Event.BROKE: (AT_WORK, RequestState.FAILED),
    Event.STOPPED: ((RequestState.QUEUED, *AT_WORK), RequestState.CANCELLED),
    Event.NEWER: ((RequestState.QUEUED,), RequestState.SUPERSEDED),
    Event.HANDED_BACK: (AT_WORK, RequestState.QUEUED),
}
