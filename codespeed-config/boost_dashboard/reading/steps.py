"""Where the median of a series steps."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

WINDOW = 5  # runs on either side of a step
_SPREADS = 3.0  # how many typical distances from the median a step has to be


@dataclass(frozen=True)
class Step:
    """The median of the runs from ``index`` on differs from that of those before; in per cent."""

    index: int
    change: float


def find_steps(values: Sequence[float], least: float) -> tuple[Step, ...]:
    """Where the median of five runs is another than that of the five before.

    A step is at least ``least`` per cent, and beyond three times the typical distance of a run
    from its median. Of neighbours that see the same step, the largest is kept. It is a hint for
    the eye: `flink-boost detect` judges.
    """
    seen = []
    for index in range(WINDOW, len(values) - WINDOW + 1):
        before, after = values[index - WINDOW : index], values[index : index + WINDOW]
        old, new = statistics.median(before), statistics.median(after)
        if old == 0:
            continue
        spread = statistics.median(
            [*(abs(value - old) for value in before), *(abs(value - new) for value in after)]
        )
        change = 100 * (new - old) / old
        if abs(change) >= least and abs(new - old) > _SPREADS * spread:
            # Two windows may see one step alike: the cleaner cut has less spread around it.
            total = sum(abs(value - old) for value in before)
            total += sum(abs(value - new) for value in after)
            seen.append((Step(index, change), total))
    return tuple(_largest_of_neighbours(seen))


def _largest_of_neighbours(seen: list[tuple[Step, float]]) -> Iterable[Step]:
    group: list[tuple[Step, float]] = []
    for each in seen:
        if group and each[0].index - group[-1][0].index >= WINDOW:
            yield _best(group)
            group = []
        group.append(each)
    if group:
        yield _best(group)


def _best(group: list[tuple[Step, float]]) -> Step:
    return min(group, key=lambda each: each[1])[0]
