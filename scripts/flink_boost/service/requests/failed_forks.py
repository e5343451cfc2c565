"""Which forks of a run failed, and why: kept beside it, as a request may go on in another call.

A head that crashes now and then would otherwise be tried until it does not, and be called as fast
as base. So what failed stays failed, however often a request is stopped.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from flink_boost.measure.fork_files import PlannedFork
from flink_boost.service.requests.kept_lines import keep_line, kept_lines
from flink_boost.service.requests.request import FailedFork

FILE = "failures.jsonl"  # in the folder of a run


class KeptFailure(FailedFork):
    """A fork of a run that failed, one of its planned ones."""

    pair: int

    def is_of(self, planned: PlannedFork) -> bool:
        """Whether it is this one."""
        of_it = planned.cell.name, planned.side, planned.pair
        return (self.name, self.side, self.pair) == of_it


def note_failure(run: Path, planned: PlannedFork, reason: str) -> KeptFailure:
    """Keeps it beside the forks of a run."""
    name, side, pair = planned.cell.name, planned.side, planned.pair
    failure = KeptFailure(name=name, side=side, pair=pair, reason=reason)
    keep_line(run / FILE, failure)
    return failure


def failures_of(run: Path) -> tuple[KeptFailure, ...]:
    """Those of a run, oldest first."""
    return kept_lines(run / FILE, KeptFailure)


def without_failed(
    missing: Sequence[PlannedFork], failures: Sequence[KeptFailure]
) -> tuple[PlannedFork, ...]:
    """The forks that are still to be tried. Pure."""
    return tuple(one for one in missing if not any(bad.is_of(one) for bad in failures))
