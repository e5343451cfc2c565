"""What the commits that a bisect has tried say: which is next, and which hold the change.

A change may be of several commits. The oldest is looked for first, against the good end; what is
left of the change after it is looked for in the same way, against that commit.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import FiniteFloat

from flink_boost.measure.field_checks import MOST_ROWS, Commit, Count, RatioRange, at_most, within
from flink_boost.measure.model import Frozen

LEAST_PART = 0.3  # of the alarm's change; a commit with less of it may be taken for good


class BisectStep(RatioRange):
    """One commit that was looked at, against another; without a name that is the last good one."""

    commit: Commit
    outcome: Literal["good", "bad", "skipped", "unclear"]
    against: Commit | None = None


class BisectPart(Frozen):
    """A commit that brought a part of the change; ``share`` is 1 for all of it."""

    commit: Commit
    share: Annotated[FiniteFloat, within(0, 1)]

    @property
    def per_cent(self) -> str:
        """The share in words; nothing for all of it."""
        return "" if self.share == 1 else f"about {self.share * 100:.0f} % of it"


class BisectRecord(Frozen):
    """How far a bisect has come; ``left`` are commits of which any may hold what is looked for.

    ``first_bad`` is the first of the ``parts``; records from before 0.2 have no others.
    """

    state: Literal["running", "done", "stopped"]
    first_bad: Commit | None = None
    left: Count
    steps: Annotated[tuple[BisectStep, ...], at_most(MOST_ROWS)] = ()
    parts: Annotated[tuple[BisectPart, ...], at_most(MOST_ROWS)] = ()


@dataclass(frozen=True)
class Trial:
    """Is ``commit`` as fast as ``against``?"""

    against: str
    commit: str


@dataclass(frozen=True)
class Search:
    """How far it is. ``trial`` comes next, None at the end.

    ``parts`` were found; ``left`` are the commits of which any may hold what was not found yet: one
    when all of it is found, none when both ends are equally fast.
    """

    trial: Trial | None
    parts: tuple[BisectPart, ...]
    left: int


def search_of(
    good: str, commits: Sequence[str], steps: Sequence[BisectStep], effect: float
) -> Search:
    """The search after these steps.

    ``commits`` come after the good one, oldest first. ``effect`` is the alarm's change, new speed ÷
    old, where the last commit could not be tried.
    """
    start, begin = good, 0
    whole = math.log(effect)
    sizes: list[tuple[str, float]] = []
    while begin < len(commits):
        tried = {step.commit: step for step in steps if (step.against or good) == start}
        last = tried.get(commits[-1])
        if last is None:
            trial = Trial(start, commits[-1])
            return Search(trial, _parts(sizes, whole), len(commits) - begin)
        if last.outcome == "good":
            return Search(None, _parts(sizes), 1 if sizes else 0)
        if last.outcome == "unclear" or (last.outcome == "skipped" and sizes):
            return Search(None, _parts(sizes, whole), len(commits) - begin)
        if last.ratio is not None and not sizes:
            whole = math.log(last.ratio)
        last_good, first_bad = _bounds(commits, begin, tried)
        if middle := _middle(commits, last_good, first_bad, tried):
            return Search(Trial(start, middle), _parts(sizes, whole), first_bad - last_good)
        if first_bad - last_good > 1:
            return Search(None, _parts(sizes, whole), first_bad - last_good)
        found = tried[commits[first_bad]]
        sizes.append((found.commit, whole if found.ratio is None else math.log(found.ratio)))
        start, begin = found.commit, first_bad + 1
    return Search(None, _parts(sizes), 1)


def _bounds(commits: Sequence[str], begin: int, tried: dict[str, BisectStep]) -> tuple[int, int]:
    """The places of the last good commit and of the first bad one."""
    outcomes = {place: tried[one].outcome for place, one in enumerate(commits) if one in tried}
    bad = [place for place, outcome in outcomes.items() if place >= begin and outcome == "bad"]
    first_bad = min([*bad, len(commits) - 1])
    good = [place for place, outcome in outcomes.items() if outcome == "good"]
    return max([begin - 1, *(place for place in good if place < first_bad)]), first_bad


def _middle(
    commits: Sequence[str], last_good: int, first_bad: int, tried: dict[str, BisectStep]
) -> str | None:
    """The commit nearest to the middle that was not tried."""
    between = [place for place in range(last_good + 1, first_bad) if commits[place] not in tried]
    if not between:
        return None
    middle = (last_good + first_bad) / 2
    return commits[min(between, key=lambda place: (abs(place - middle), place))]


def _parts(
    sizes: Sequence[tuple[str, float]], whole: float | None = None
) -> tuple[BisectPart, ...]:
    """``sizes`` as shares of the whole change; of their sum where all of it was found."""
    everything = whole or sum(size for _, size in sizes)
    return tuple(
        BisectPart(commit=commit, share=min(1.0, max(0.0, size / everything)))
        for commit, size in sizes
    )
