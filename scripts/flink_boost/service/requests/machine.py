"""The states of a request, and how it gets from one to the other: one table for all.

The queue refuses what is not in it, the page draws it, the tests walk through it.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class State(StrEnum):
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
    SENT = "the verdict is posted"
    BROKE = "it cannot be done"
    STOPPED = "cancelled"
    NEWER = "a newer request of its pull request"
    TAKEN_OVER = "its worker is gone, another takes it"
    HANDED_BACK = "its worker is stopped"


@dataclass(frozen=True)
class Transition:
    """``source`` None: there is no request yet."""

    source: State | None
    event: Event
    target: State


AT_WORK = (State.BUILDING, State.MEASURING, State.ANSWERING)
_FINAL = (State.DONE, State.FAILED, State.REFUSED, State.CANCELLED, State.SUPERSEDED)

TRANSITIONS = (
    Transition(None, Event.ASKED, State.QUEUED),
    Transition(None, Event.NO_RIGHT, State.REFUSED),
    Transition(State.QUEUED, Event.TAKEN, State.BUILDING),
    Transition(State.QUEUED, Event.STOPPED, State.CANCELLED),
    Transition(State.QUEUED, Event.NEWER, State.SUPERSEDED),
    Transition(State.QUEUED, Event.BROKE, State.FAILED),
    Transition(State.BUILDING, Event.BUILT, State.MEASURING),
    Transition(State.BUILDING, Event.SAME, State.ANSWERING),
    Transition(State.MEASURING, Event.MEASURED, State.ANSWERING),
    Transition(State.ANSWERING, Event.SENT, State.DONE),
    Transition(State.BUILDING, Event.BROKE, State.FAILED),
    Transition(State.MEASURING, Event.BROKE, State.FAILED),
    Transition(State.ANSWERING, Event.BROKE, State.FAILED),
    Transition(State.BUILDING, Event.STOPPED, State.CANCELLED),
    Transition(State.MEASURING, Event.STOPPED, State.CANCELLED),
    Transition(State.BUILDING, Event.TAKEN_OVER, State.BUILDING),
    Transition(State.MEASURING, Event.TAKEN_OVER, State.BUILDING),
    Transition(State.ANSWERING, Event.TAKEN_OVER, State.BUILDING),
    Transition(State.BUILDING, Event.HANDED_BACK, State.QUEUED),
    Transition(State.MEASURING, Event.HANDED_BACK, State.QUEUED),
    Transition(State.ANSWERING, Event.HANDED_BACK, State.QUEUED),
)
_TARGETS = {(one.source, one.event): one.target for one in TRANSITIONS}


class NoSuchTransitionError(Exception):
    """A request was told something that cannot happen in its state."""


def target(source: State | None, event: Event) -> State:
    """The state after that event. Raises ``NoSuchTransitionError``."""
    try:
        return _TARGETS[source, event]
    except KeyError:
        raise NoSuchTransitionError(f"{source or 'none'}: {event}") from None


def sources(event: Event) -> tuple[State, ...]:
    """In which states an event may happen."""
    return tuple(one.source for one in TRANSITIONS if one.event is event and one.source is not None)


def drawing() -> str:
    """The table as a state diagram in Mermaid's words, which GitHub draws."""
    lines = ["stateDiagram-v2"]
    for source in (None, *State):
        for goal in State:
            events = [
                one.event.value
                for one in TRANSITIONS
                if one.source is source and one.target is goal
            ]
            if events:
                start = source.value if source else "[*]"
                lines.append(f"    {start} --> {goal.value}: {', '.join(events)}")
    lines += [f"    {state.value} --> [*]" for state in _FINAL]
    return "\n".join(lines)
