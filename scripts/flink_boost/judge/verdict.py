"""What the interval of a ratio says: the one rule for tables, pages, reports and marks. Pure.

The dashboard imports this module too, and has none of the libraries that the others need.
"""

from __future__ import annotations

from enum import StrEnum

SAME_FROM, SAME_TO = 0.95, 1.05  # an interval that holds 1 and lies in here: the same within 5 %
CLEAR_BELOW, CLEAR_ABOVE = 0.98, 1.02  # wholly beyond: clearly slower, clearly faster


class Verdict(StrEnum):
    """In the order in which a reader wants to see them; docs/glossary.md, "Verdicts"."""

    CLEARLY_SLOWER = "clearly slower"
    SLOWER = "slower"
    SLIGHTLY_SLOWER = "slightly slower"
    UNDECIDED = "undecided"
    SAME = "the same within 5 %"
    SLIGHTLY_FASTER = "slightly faster"
    FASTER = "faster"
    CLEARLY_FASTER = "clearly faster"

    @property
    def is_slower(self) -> bool:
        """Whether the interval is wholly below 1."""
        return self in (Verdict.CLEARLY_SLOWER, Verdict.SLOWER, Verdict.SLIGHTLY_SLOWER)

    @property
    def is_faster(self) -> bool:
        """Whether the interval is wholly above 1."""
        return self in (Verdict.CLEARLY_FASTER, Verdict.FASTER, Verdict.SLIGHTLY_FASTER)

    @property
    def is_decided(self) -> bool:
        """Whether more pairs would tell nothing that a reader waits for."""
        return self is not Verdict.UNDECIDED

    @property
    def direction(self) -> str:
        """``slower``, ``faster``, ``same`` or ``undecided``: what a colour can show."""
        if self.is_decided and self is not Verdict.SAME:
            return "slower" if self.is_slower else "faster"
        return "same" if self is Verdict.SAME else "undecided"

    @property
    def mark(self) -> str:
        """One or two characters for a table with little room."""
        return _MARKS[self]


_MARKS = {
    Verdict.CLEARLY_SLOWER: "▼▼",
    Verdict.SLOWER: "▼",
    Verdict.SLIGHTLY_SLOWER: "▽",
    Verdict.UNDECIDED: "?",
    Verdict.SAME: "=",
    Verdict.SLIGHTLY_FASTER: "△",
    Verdict.FASTER: "▲",
    Verdict.CLEARLY_FASTER: "▲▲",
}

# What each verdict asks of the interval, for whoever explains it.
RULES = {
    Verdict.CLEARLY_FASTER: f"wholly above {CLEAR_ABOVE}",
    Verdict.SLIGHTLY_FASTER: f"wholly above 1, and nowhere above {SAME_TO}",
    Verdict.FASTER: "wholly above 1; by how much is not sure",
    Verdict.SAME: f"around 1, and wholly within {SAME_FROM} to {SAME_TO}",
    Verdict.UNDECIDED: "around 1, and wider; more pairs would tell",
    Verdict.SLOWER: "wholly below 1; by how much is not sure",
    Verdict.SLIGHTLY_SLOWER: f"wholly below 1, and nowhere below {SAME_FROM}",
    Verdict.CLEARLY_SLOWER: f"wholly below {CLEAR_BELOW}",
}


def judge(low: float | None, high: float | None) -> Verdict:
    """The verdict on an interval; undecided where there is none. The same rule on both sides."""
    if low is None or high is None:
        return Verdict.UNDECIDED
    small = low >= SAME_FROM and high <= SAME_TO
    if high < 1:
        if high < CLEAR_BELOW:
            return Verdict.CLEARLY_SLOWER
        return Verdict.SLIGHTLY_SLOWER if small else Verdict.SLOWER
    if low > 1:
        if low > CLEAR_ABOVE:
            return Verdict.CLEARLY_FASTER
        return Verdict.SLIGHTLY_FASTER if small else Verdict.FASTER
    return Verdict.SAME if small else Verdict.UNDECIDED


def by_chance(rows: int, confidence: float) -> float:
    """How many of so many rows chance alone calls faster or slower, were all the same."""
    return rows * (1 - confidence)
