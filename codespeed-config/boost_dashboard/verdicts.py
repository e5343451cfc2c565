"""What the interval of a ratio says: the rule of docs/glossary.md, "Verdicts".

The dashboard's image holds nothing of the measuring side, so the rule stands here a second time;
``tests/test_verdicts.py`` holds it to ``flink_boost.judge.ratio``.
"""

from __future__ import annotations

from enum import StrEnum

WORSE_BELOW = 0.98
NOT_WORSE_FROM = 0.95


class Verdict(StrEnum):
    """In the order in which a reader wants to see them."""

    WORSE = "worse"
    UNDECIDED = "undecided"
    NOT_WORSE = "not worse"
    BETTER = "better"


def judge(low: float | None, high: float | None) -> Verdict:
    """The verdict on an interval; undecided where there is none."""
    if low is None or high is None:
        return Verdict.UNDECIDED
    if low > 1:
        return Verdict.BETTER
    if high < WORSE_BELOW:
        return Verdict.WORSE
    if low >= NOT_WORSE_FROM:
        return Verdict.NOT_WORSE
    return Verdict.UNDECIDED
