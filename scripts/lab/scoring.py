"""How right alarms were, where the truth is known."""

from __future__ import annotations

import math
import statistics
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from lab.cases import Label, ToldAlarm, TrueChange, Truth

NIGHTS_PER_YEAR = 365
_EARLY = 3  # nights by which the first bad night may be named too early
_LATE = 10  # nights after which an alarm is about something else


@dataclass(frozen=True)
class Score:
    """What a rule did on the cases of one kind; shares are of 1, delays in nights."""

    kind: str
    changes: int
    told: int
    same_night: int
    within_three: int
    delay: float | None
    named_right: int
    kind_right: int
    false_alarms: int
    years: float
    size: float | None = None  # told ÷ true change, as logarithms

    @property
    def false_per_year(self) -> float:
        """False alarms per benchmark and year."""
        return self.false_alarms / self.years


def score(truths: Iterable[Truth], alarms: Iterable[ToldAlarm]) -> tuple[Score, ...]:
    """One row per kind of case, in the order of the truths."""
    by_case: dict[Label, list[ToldAlarm]] = defaultdict(list)
    for alarm in alarms:
        by_case[alarm.id].append(alarm)
    kinds: dict[str, list[Truth]] = defaultdict(list)
    for truth in truths:
        kinds[truth.kind].append(truth)
    return tuple(_score_kind(kind, members, by_case) for kind, members in kinds.items())


def _score_kind(
    kind: str, truths: Sequence[Truth], by_case: Mapping[Label, Sequence[ToldAlarm]]
) -> Score:
    pairs: list[tuple[TrueChange, ToldAlarm]] = []
    false_alarms = 0
    for truth in truths:
        left = sorted(by_case.get(truth.id, ()), key=_night_of)
        for change in truth.changes:
            found = next((alarm for alarm in left if is_about(alarm, change)), None)
            if found is not None:
                left.remove(found)
                pairs.append((change, found))
        false_alarms += len(left)
    sizes = [math.log(alarm.ratio) / math.log(change.ratio) for change, alarm in pairs]
    delays = [_night_of(alarm) - change.first for change, alarm in pairs]
    return Score(
        kind=kind,
        changes=sum(len(truth.changes) for truth in truths),
        told=len(pairs),
        same_night=sum(delay < 1 for delay in delays),
        within_three=sum(delay < 3 for delay in delays),
        delay=statistics.median(delays) if delays else None,
        named_right=sum(abs(_first_of(alarm) - change.first) <= 1 for change, alarm in pairs),
        kind_right=sum(alarm.kind == change.kind for change, alarm in pairs),
        false_alarms=false_alarms,
        years=sum(len(truth.levels) for truth in truths) / NIGHTS_PER_YEAR,
        size=statistics.median(sizes) if sizes else None,
    )


def _night_of(alarm: ToldAlarm) -> int:
    return int(alarm.night)  # made-up cases number their nights


def _first_of(alarm: ToldAlarm) -> int:
    return int(alarm.first_bad)


def is_about(alarm: ToldAlarm, change: TrueChange) -> bool:
    """Whether an alarm tells of that change: not before it, in its direction, named about right."""
    return (
        _night_of(alarm) >= change.first
        and change.first - _EARLY <= _first_of(alarm) <= change.last + _LATE
        and (alarm.ratio > 1) == (change.ratio > 1)
    )
