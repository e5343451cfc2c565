"""What the pairs of a request say of each benchmark, and of all together. Pure.

The rule, for an answer with *m* benchmarks:

1. Every benchmark is measured in the planned number of pairs. One whose 95 % interval excludes
   "equally fast" is only *suspected*.
2. Suspects are measured again, in as many fresh pairs. *Faster* or *slower* is said when these
   alone exclude it, too, in the same direction, at the level ``min(5 %, 40 % / m)``.

Of equal builds 5 % of the benchmarks are suspected. Half of these are apart in the same direction
again, and no more than the level far enough: m * 5 % / 2 * 40 % / m is 1 answer in 100. Forks that
have two modes agree by chance more often than Student's t supposes, but have to do so twice.
``test_false_alarms.py`` counts both.

The words are those of every table (``judge.verdict``), by the interval that the row shows; what the
second look does not bear out is undecided. Where a JVM failed, the pairs that are left may be the
lucky ones: only *slower* is said of them.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Mapping, Sequence
from enum import StrEnum

import scipy
from pydantic import Field

from flink_boost.judge.verdict import Verdict, judge
from flink_boost.measure.model import Frozen

SUSPECTED_AT = 0.05
FAMILY = 0.40  # shared by all benchmarks of an answer
SHOWN_AT = 0.05  # the interval in the table
_POWER = 0.8  # of the smallest effect that could have been seen
_LEAST_PAIRS = 2


class Unjudged(StrEnum):
    """Why nothing is said of a benchmark's speed."""

    NOT_MEASURED = "not measured"
    FORKS_FAILED = "forks failed"


class AnswerRow(Frozen):
    """One benchmark of an answer. Ratios are of speed, head to base: above 1 is faster.

    ``within`` is x of "the same within ±x", ``smallest`` y of "smallest effect that could have
    been seen is y"; both as shares, such as 0.018.
    """

    name: str
    verdict: Verdict | Unjudged
    pairs: int
    ratio: float | None = None
    low: float | None = None
    high: float | None = None
    within: float | None = None
    smallest: float | None = None
    unit: str = ""
    base: float | None = None
    head: float | None = None
    base_alloc: float | None = Field(default=None, description="B/op")
    head_alloc: float | None = None
    reason: str = Field(default="", description="why it was not measured, or forks failed")
    repeated: bool = Field(default=False, description="it was suspected and measured again")
    planned: int = Field(default=0, description="JVMs of each side")
    failed_base: int = Field(default=0, description="JVMs of base that gave no score")
    failed_head: int = Field(default=0, description="JVMs of head that gave no score")

    @property
    def failed(self) -> bool:
        """Whether any of its JVMs gave no score."""
        return self.failed_base + self.failed_head > 0

    @property
    def told(self) -> str:
        """``slower``, ``faster``, ``same``, ``undecided``, or the trouble."""
        return self.verdict.direction if isinstance(self.verdict, Verdict) else self.verdict.value


def suspects(differences: Mapping[str, Sequence[float]]) -> tuple[str, ...]:
    """Names whose log speed-ups seem to differ from 0, in their order: to be measured again."""
    return tuple(name for name, found in differences.items() if direction(found, SUSPECTED_AT) != 0)


def direction(differences: Sequence[float], level: float) -> int:
    """1 when faster, −1 when slower, 0 when an interval at that level holds "equally fast"."""
    low, high = interval(differences, level)
    return 1 if low > 0 else -1 if high < 0 else 0


def level_of_second_look(benchmarks: int) -> float:
    """At which suspects are confirmed, in an answer of that many benchmarks."""
    return min(SUSPECTED_AT, FAMILY / benchmarks)


def interval(differences: Sequence[float], level: float) -> tuple[float, float]:
    """Student's t interval of the mean log speed-up; infinite with fewer than two pairs."""
    if len(differences) < _LEAST_PAIRS:
        return -math.inf, math.inf
    middle = statistics.fmean(differences)
    reach = _quantile(1 - level / 2, len(differences)) * _error(differences)
    return middle - reach, middle + reach


def judged(
    name: str, first: Sequence[float], again: Sequence[float] | None, benchmarks: int
) -> AnswerRow:
    """The row of a benchmark by its log speed-ups; scores and allocation are put in later.

    ``again`` are the fresh pairs of a suspect, None for the others. What a confirmed one shows are
    the fresh pairs alone: the first were picked for being far out.
    """
    level = level_of_second_look(benchmarks)
    if again is not None and len(again) >= _LEAST_PAIRS:
        way = direction(again, level)
        if way != 0 and way == direction(first, SUSPECTED_AT):
            return _row(name, again, repeated=True)
    pooled = [*first, *(again or ())]
    if len(pooled) < _LEAST_PAIRS:
        return AnswerRow(
            name=name,
            verdict=Unjudged.NOT_MEASURED,
            pairs=len(pooled),
            reason=f"{len(pooled)} whole pairs",
        )
    low, high = interval(pooled, SHOWN_AT)
    row = _row(name, pooled, repeated=again is not None)
    if row.verdict is Verdict.SAME:
        return row.model_copy(update={"within": max(math.expm1(high), -math.expm1(low))})
    seen = _quantile(1 - level / 2, len(pooled)) + _quantile(_POWER, len(pooled))
    smallest = math.expm1(min(seen * _error(pooled), 700.0))
    return row.model_copy(update={"verdict": Verdict.UNDECIDED, "smallest": smallest})


def _row(name: str, differences: Sequence[float], *, repeated: bool) -> AnswerRow:
    low, high = map(_ratio, interval(differences, SHOWN_AT))
    return AnswerRow(
        name=name,
        verdict=judge(low, high),
        pairs=len(differences),
        ratio=math.exp(statistics.fmean(differences)),
        low=low,
        high=high,
        repeated=repeated,
    )


def _ratio(log_ratio: float) -> float:
    return math.exp(min(log_ratio, 700.0))


def _error(differences: Sequence[float]) -> float:
    return statistics.stdev(differences) / math.sqrt(len(differences))


def _quantile(share: float, pairs: int) -> float:
    return float(scipy.special.stdtrit(pairs - 1, share))
