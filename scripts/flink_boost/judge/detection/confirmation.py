"""Reruns the build before and the build after, interleaved, until it is decided.

The error of "confirmed" is that of ``evidence`` over the whole rerun, however often it is looked
at; "cleared" means that a change as large as the smallest that is looked for is excluded.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from flink_boost.judge.detection.evidence import Evidence

FALSE_CONFIRMATION = 2e-5  # of one rerun of equal builds
MISSED_CHANGE = 0.01  # of one rerun of builds that differ by the smallest change
BATCH = 4  # pairs that are asked for together
MOST_PAIRS = 120  # of one rerun in one night

# Log speed-ups of the build of the second night against that of the first; empty when the rerun
# failed, None when both nights measured the same build, which cannot differ from itself.
# Arguments: night before, night after, number of pairs.
Rerun = Callable[[int, int, int], Sequence[float] | None]


class Decision(StrEnum):
    """What became of a suspicion."""

    CONFIRMED = "confirmed"
    CLEARED = "cleared"
    INCONCLUSIVE = "inconclusive"


@dataclass
class Confirmation:
    """One rerun, which may go on in the next night: pairs that were measured stay."""

    before: int
    after: int
    direction: int
    least: float
    evidence: Evidence

    def run(self, rerun: Rerun, budget: int = MOST_PAIRS) -> Decision:
        """Asks for pairs until it is decided or that many were asked for."""
        asked = 0
        while (decided := self.decided()) is Decision.INCONCLUSIVE and asked < budget:
            found = rerun(self.before, self.after, min(BATCH, budget - asked))
            asked += BATCH
            if found is None:
                return Decision.CLEARED
            if not found:
                return Decision.INCONCLUSIVE
            self.evidence.add(found)
        return decided

    def decided(self) -> Decision:
        """What the pairs that are there say."""
        if self._against(0.0, self.direction) >= -math.log(FALSE_CONFIRMATION):
            return Decision.CONFIRMED
        if self._against(self.direction * self.least, -self.direction) >= -math.log(MISSED_CHANGE):
            return Decision.CLEARED
        return Decision.INCONCLUSIVE

    def _against(self, shift: float, direction: int) -> float:
        """The capital of "more than ``shift`` in that direction"."""
        return self.evidence.above(shift) if direction > 0 else self.evidence.below(shift)


def is_same(before: int, after: int, least: float, scale: float, rerun: Rerun) -> Decision:
    """Whether two builds are equally fast: "cleared" when neither is faster by ``least``."""
    evidence = Evidence(scale)
    outcome = Decision.CLEARED
    for direction in (-1, 1):
        outcome = Confirmation(before, after, direction, least, evidence).run(rerun)
        if outcome is not Decision.CLEARED:
            return outcome
    return outcome
