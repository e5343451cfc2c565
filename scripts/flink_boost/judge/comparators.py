"""Our cells against other people's code of the same run."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from flink_boost.flink.side import Side
from flink_boost.judge.outcomes import Comparison
from flink_boost.judge.ratio import DEFAULT_CONFIDENCE, compare_cell
from flink_boost.measure.fork import Fork
from flink_boost.measure.model import Cell, RunInfo


@dataclass(frozen=True)
class AgainstComparator:
    """One of our cells against other people's code: ``row.cell`` is the comparator.

    The ratio is above 1 when ours is faster.
    """

    ours: Cell
    row: Comparison


def compare_with_comparators(
    info: RunInfo, forks: Iterable[Fork], confidence: float = DEFAULT_CONFIDENCE
) -> tuple[AgainstComparator, ...]:
    """Our patched cells against the comparators of the same run, in the order of the plan.

    A comparator stands beside each of our cells of the same operation that agrees with it in every
    parameter that both have. The pairs are those of the run: forks of one round.
    """
    by_place = {(fork.cell, fork.pair): fork for fork in forks if fork.side is Side.PATCHED}
    found = []
    for ours in info.cells:
        for comparator in info.cells:
            if not _stands_beside(comparator, ours):
                continue
            common = min(info.pairs_of(ours), info.pairs_of(comparator))
            places = [((comparator, pair), (ours, pair)) for pair in range(1, common + 1)]
            pairs = [
                (by_place[first], by_place[second])
                for first, second in places
                if first in by_place and second in by_place
            ]
            if pairs and pairs[0][0].unit == pairs[0][1].unit:
                found.append(AgainstComparator(ours, compare_cell(comparator, pairs, confidence)))
    return tuple(found)


_DIRECTIONS = ("write", "read")


def _stands_beside(comparator: Cell, ours: Cell) -> bool:
    if not comparator.is_comparator or ours.is_comparator:
        return False
    theirs, own = dict(comparator.params), dict(ours.params)
    shared = theirs.keys() & own.keys()
    return (
        "length" in shared
        and ours.method in _DIRECTIONS
        and comparator.method.lower().startswith(ours.method)
        and all(theirs[name] == own[name] for name in shared)
    )
