"""The place of a request among those that wait, and what is said of it. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from flink_boost.service.requests.eta import Blocked, Habit, eta, eta_text
from flink_boost.service.requests.request import Request
from flink_boost.service.requests.request_states import RequestState


def ahead_of(
    request: Request, own: Sequence[Request], others: Sequence[Sequence[Request]]
) -> tuple[Request, ...]:
    """Those that come before a request, which need not be in its queue yet.

    ``own`` is the queue of its repository, ``others`` those of further ones, as their turns follow
    on its own. What runs comes first. Then each queue has one turn after the other: those between
    the one at work and ours have one more than the rest before it is this request's turn.
    """
    ids = [one.id for one in own]
    first = list(own[: ids.index(request.id)] if request.id in ids else own)
    turns = sum(not one.state.is_at_work for one in first)
    at_work = [any(one.state.is_at_work for one in queue) for queue in others]
    last = at_work.index(True) if True in at_work else -1
    for number, queue in enumerate(others):
        running = [one for one in queue if one.state.is_at_work]
        waiting = [one for one in queue if not one.state.is_at_work]
        first += running + waiting[: turns + (number > last)]
    return tuple(first)


def place_text(
    request: Request,
    ahead: Sequence[Request],
    habit: Habit,
    blocked: Sequence[Blocked],
    now: datetime,
) -> str:
    """``queued, 2 before it; an answer is expected in 6 to 14 minutes.``"""
    running = sum(
        # One that takes longer than foretold takes nothing of the time of those after it.
        min(_worked_seconds(one, now), one.expected * habit.ratio)
        for one in ahead
        if one.state.is_at_work
    )
    expected = [one.expected for one in ahead]
    earliest, latest = eta(now, expected, request.expected, habit, blocked, running)
    place = f"{len(ahead)} before it" if ahead else "next in the queue"
    count = len(request.order.names)
    return (
        f"queued, {place}; an answer is expected {eta_text(now, earliest, latest)}."
        f" {count} benchmark{'s' if count > 1 else ''}, {request.order.pairs} pairs, Flink"
        f" {request.order.line}."
    )


def history_of(ended: Sequence[Request]) -> list[tuple[float, float]]:
    """Seconds that were foretold and that it took, of those that were answered."""
    return [
        (one.expected, _worked_seconds(one, one.ended))
        for one in ended
        if one.state is RequestState.DONE and one.ended is not None
    ]


def _worked_seconds(one: Request, until: datetime) -> float:
    """Since it last began: it may have waited for days before that."""
    began = one.resumed or one.started
    return 0.0 if began is None else (until - began).total_seconds()
