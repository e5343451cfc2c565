"""What is said of runs that were removed."""

from __future__ import annotations

from dataclasses import asdict

from boost_dashboard.operation.problems import Answer
from boost_dashboard.operation.runs import Removal

_SHOWN = 5


def removal_answer(removal: Removal, *, dry_run: bool) -> Answer:
    """Names a few and counts the rest."""
    facts = {**asdict(removal), "dry_run": dry_run}
    if not removal.runs:
        return Answer(("There is nothing to remove.",), facts)
    done = "Would delete" if dry_run else "Deleted"
    sentences = [
        f"{done} {_some(removal.runs)}: {removal.results:,} results, {removal.reports:,} reports."
    ]
    if removal.benchmarks:
        gone = "would be" if dry_run else "are"
        sentences.append(f"No run has {_some(removal.benchmarks)} any more, which {gone} gone too.")
    return Answer(tuple(sentences), facts)


def _some(names: tuple[str, ...]) -> str:
    more = len(names) - _SHOWN
    return ", ".join(names[:_SHOWN]) + (f" and {more:,} more" if more > 0 else "")
