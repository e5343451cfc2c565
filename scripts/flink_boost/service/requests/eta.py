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

USUAL_BUILD = 240.0  # seconds for both commits, until builds are known
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


def foretold_seconds(forks: float, build: float = USUAL_BUILD) -> float:
    """What a request takes whose forks take so long, builds and second look included."""
    return build + forks * (1 + SECOND_LOOK)


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
    parts = len(work)
    return (
        _passed(now, low, [(one.start, one.shortest) for one in blocked], 0.0),
        _passed(now, high, [(one.start, one.longest) for one in blocked], high / parts),
    )


def _passed(
    now: datetime, seconds: float, blocked: Sequence[tuple[datetime, timedelta]], reach: float
) -> datetime:
    """The moment after so much work. Work that would last into a block waits for its end.

    ``reach`` is how long before a block nothing is begun any more.
    """
    moment, left = now, seconds
    for start, length in sorted(blocked):
        end = start + length
        if end <= moment:
            continue
        free = (start - moment).total_seconds()
        if left <= free - reach:
            break
        left -= max(0.0, free - reach)
        moment = end
    return moment + timedelta(seconds=left)


def eta_text(now: datetime, earliest: datetime, latest: datetime) -> str:
    """``in 6 to 14 minutes``; hours from two hours on."""
    low = (earliest - now).total_seconds() / 60
    high = (latest - now).total_seconds() / 60
    if high >= 120:
        return f"in {low / 60:.1f} to {high / 60:.1f} hours"
    return f"in {max(1, math.floor(low))} to {max(2, math.ceil(high))} minutes"
