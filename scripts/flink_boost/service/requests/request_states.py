"""The states of a request, and how it gets from one to the other: one table for all.

The queue refuses what is not in it, the page draws it, the tests walk through it.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class RequestState(StrEnum):
    """How far a request has come."""

    QUEUED = "queued"
    BUILDING = "building"
    MEASURING = "measuring"
    ANSWERING = "answering"
    DONE = "done"
    FAILED = "failed"
    REFUSED = "refused"
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
    """What happens to a request."""

    ASKED = "asked"
    NO_RIGHT = "may not ask"
    TAKEN = "a worker takes it"
    BUILT = "both are built"
    SAME = "both builds are the same bytes"
    MEASURED = "all forks are measured"
    ANSWERED = "the answer is written"
    BROKE = "it cannot be done"
    STOPPED = "cancelled"
    NEWER = "a newer request of its pull request"
    TAKEN_OVER = "its worker is gone, another takes it"
    HANDED_BACK = "its worker is stopped"


@dataclass(frozen=True)
class Transition:
    """``source`` None: there is no request yet."""

    source: RequestState | None
    event: Event
    target: RequestState


AT_WORK = (RequestState.BUILDING, RequestState.MEASURING, RequestState.ANSWERING)
_FINAL = (
    RequestState.DONE,
    RequestState.FAILED,
    RequestState.REFUSED,
    RequestState.CANCELLED,
    RequestState.SUPERSEDED,
)

# Of whatever a worker does.
_ALWAYS_AT_WORK = (
    (Event.HANDED_BACK, RequestState.QUEUED),
    (Event.TAKEN_OVER, RequestState.BUILDING),
    (Event.BROKE, RequestState.FAILED),
    (Event.STOPPED, RequestState.CANCELLED),
)
TRANSITIONS = (
    Transition(None, Event.ASKED, RequestState.QUEUED),
    Transition(None, Event.NO_RIGHT, RequestState.REFUSED),
    Transition(RequestState.QUEUED, Event.TAKEN, RequestState.BUILDING),
    Transition(RequestState.QUEUED, Event.STOPPED, RequestState.CANCELLED),
    Transition(RequestState.QUEUED, Event.NEWER, RequestState.SUPERSEDED),
    Transition(RequestState.QUEUED, Event.BROKE, RequestState.FAILED),
    Transition(RequestState.BUILDING, Event.BUILT, RequestState.MEASURING),
    Transition(RequestState.BUILDING, Event.SAME, RequestState.ANSWERING),
    Transition(RequestState.MEASURING, Event.MEASURED, RequestState.ANSWERING),
    Transition(RequestState.ANSWERING, Event.ANSWERED, RequestState.DONE),
    *(Transition(state, *told) for state in AT_WORK for told in _ALWAYS_AT_WORK),
)
_TARGETS = {(one.source, one.event): one.target for one in TRANSITIONS}


class NoSuchTransitionError(Exception):
    """A request was told something that cannot happen in its state."""


def target(source: RequestState | None, event: Event) -> RequestState:
    """The state after that event. Raises ``NoSuchTransitionError``."""
    try:
        return _TARGETS[source, event]
    except KeyError:
        raise NoSuchTransitionError(f"{source or 'none'}: {event}") from None


def sources(event: Event) -> tuple[RequestState, ...]:
    """In which states an event may happen."""
    return tuple(one.source for one in TRANSITIONS if one.event is event and one.source is not None)


def drawing() -> str:
    """The table as a state diagram in Mermaid's words, which GitHub draws.

    What holds of every state at work is one arrow from a box around them.
    """
    outside: list[str] = []
    inside: list[str] = []
    for one in TRANSITIONS:
        if one.source in AT_WORK and (one.event, one.target) in _ALWAYS_AT_WORK:
            continue
        within = one.source in AT_WORK and one.target in AT_WORK
        start = one.source.value if one.source else "[*]"
        (inside if within else outside).append(f"{start} --> {one.target.value}: {one.event.value}")
    outside += [f"at_work --> {goal.value}: {event.value}" for event, goal in _ALWAYS_AT_WORK]
    lines = ["state at_work {", *(f"    {line}" for line in inside), "}", *outside]
    return "\n".join(["stateDiagram-v2", *(f"    {line}" for line in lines)])
