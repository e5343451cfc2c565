"""How often what was taken back soon is told as that, with its night."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from lab.cases import Label, ToldAlarm, Truth


@dataclass(frozen=True)
class RevertScore:
    """Cases of which a change of ``size`` was taken back that many ``nights`` later.

    ``right`` were told as a recovery that began in the very night of the revert.
    """

    nights: int
    size: float
    cases: int
    right: int


def score_reverts(truths: Iterable[Truth], alarms: Iterable[ToldAlarm]) -> tuple[RevertScore, ...]:
    """One row for each size and number of nights that there is, in this order."""
    recoveries: dict[Label, list[int]] = defaultdict(list)
    for alarm in alarms:
        if alarm.kind == "recovery":
            recoveries[alarm.id].append(int(alarm.first_bad))
    rows: dict[tuple[float, int], list[bool]] = defaultdict(list)
    for truth in truths:
        if truth.kind == "revert":
            change, back = truth.changes
            place = (round(1 - change.ratio, 3), back.first - change.first)
            rows[place].append(recoveries[truth.id] == [back.first])
    return tuple(
        RevertScore(nights, size, len(right), sum(right))
        for (size, nights), right in sorted(rows.items())
    )
