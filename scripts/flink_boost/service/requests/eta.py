"""When a request will be answered: a range that holds for four of five. Pure.

Work is foretold in seconds from its benchmarks and the builds before it. How far that was from what
it took, for the latest requests, is how wide the range is. Times in which something else has the
box, as a night, are passed over.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from flink_boost.service.requests.request import Request
from flink_boost.service.requests.request_states import RequestState

_BUILDS = 240.0  # seconds for both commits
BEFORE_A_BLOCK = 1800.0  # seconds in which nothing is begun: what a request usually takes at most
SECOND_LOOK = 0.25  # of the forks: what is usually measured again
_USUAL_RATIO = 1.0
_USUAL_SPREAD = 0.35
_LEAST_SPREAD = 0.15
_ENOUGH = 8  # answered requests from which on they count alone
_REACH = 1.6  # standard deviations: 89 % of a normal distribution, so that 80 % hold with estimates
_LEAST_SECONDS = 60.0


@dataclass(frozen=True)
class Blocked:
    """Something else has the box from ``start`` on; ``shortest`` to ``longest`` is how long."""

    start: datetime
    shortest: timedelta
    longest: timedelta


@dataclass(frozen=True)
class Habit:
    """How long work really takes, relative to what was foretold: mean and standard deviation."""

    ratio: float = _USUAL_RATIO
    spread: float = _USUAL_SPREAD


def foretold_seconds(forks: float) -> float:
    """What a request takes whose forks take so long, builds and second look included."""
    return _BUILDS + forks * (1 + SECOND_LOOK)


def habit_of(foretold_and_real: Sequence[tuple[float, float]]) -> Habit:
    """From requests that were answered: pairs of seconds, newest first."""
    ratios = [real / told for told, real in foretold_and_real if told > 0 and real > 0][:50]
    # Until there are enough, the usual counts as if it had been seen.
    ratios += [_USUAL_RATIO - _USUAL_SPREAD, _USUAL_RATIO + _USUAL_SPREAD] * (
        max(0, _ENOUGH - len(ratios)) // 2
    )
    middle = statistics.fmean(ratios)
    return Habit(middle, max(_LEAST_SPREAD, statistics.stdev(ratios)))


def eta(
    now: datetime,
    ahead: Sequence[float],
    own: float,
    habit: Habit,
    blocked: Sequence[Blocked] = (),
    running: float = 0.0,
) -> tuple[datetime, datetime]:
    """Earliest and latest moment of the answer.

    ``ahead`` are foretold seconds of those that come first, ``running`` what the one that is worked
    on has had of its own already, which is the first of ``ahead`` then.
    """
    work = [*ahead, own]
    total = max(sum(work) * habit.ratio - running, _LEAST_SECONDS)
    error = habit.spread * math.sqrt(sum(one * one for one in work)) * _REACH
    low, high = max(total - error, _LEAST_SECONDS / 2), total + error
    share = min(1.0, own * habit.ratio / total)
    return (
        _passed(now, low, [(one.start, one.shortest) for one in blocked], low * share, 0.0),
        _passed(
            now, high, [(one.start, one.longest) for one in blocked], high * share, high / len(work)
        ),
    )


def _passed(
    now: datetime,
    seconds: float,
    blocked: Sequence[tuple[datetime, timedelta]],
    own: float,
    least_reach: float,
) -> datetime:
    """The moment after so much work. Work that would last into a block waits for its end.

    ``own`` is what the last piece of it takes: that is not begun when a block is near.
    ``least_reach`` is how long before a block nothing is done any more, if not longer.
    """
    reach = max(least_reach, BEFORE_A_BLOCK - own)
    whole = own if own < BEFORE_A_BLOCK else 0.0  # a longer one may be begun, and stopped
    moment, left = now, seconds
    for start, length in sorted(blocked):
        end = start + length
        if end <= moment:
            continue
        free = (start - moment).total_seconds()
        if left <= free - reach:
            break
        left = max(left - max(0.0, free - reach), whole)
        moment = end
    return moment + timedelta(seconds=left)


def eta_text(now: datetime, earliest: datetime, latest: datetime) -> str:
    """``in 6 to 14 minutes``; hours from two hours on."""
    low = (earliest - now).total_seconds() / 60
    high = (latest - now).total_seconds() / 60
    if high >= 120:
        return f"in {low / 60:.1f} to {high / 60:.1f} hours"
    return f"in {max(1, math.floor(low))} to {max(2, math.ceil(high))} minutes"


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
