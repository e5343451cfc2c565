"""What is said of runs that were removed."""

from __future__ import annotations

from dataclasses import asdict

from boost_dashboard.operation.problems import Answer
from boost_dashboard.operation.runs import Removal

_SHOWN = 5


def removal_answer(removal: Removal, *, dry_run: bool, nights: int = 0, alarms: int = 0) -> Answer:
    """Names a few and counts the rest; ``nights`` and ``alarms`` are those that went as well."""
    facts = {**asdict(removal), "dry_run": dry_run, "nights": nights, "alarms": alarms}
    if not removal.runs and not nights and not alarms:
        return Answer(("There is nothing to remove.",), facts)
    done = "Would delete" if dry_run else "Deleted"
    sentences = []
    if removal.runs:
        sentences.append(
            f"{done} {_some(removal.runs)}: {removal.results:,} results,"
            f" {removal.reports:,} reports."
        )
    if nights or alarms:
        sentences.append(f"{done} {nights:,} records of nights and {alarms:,} closed alarms.")
    if removal.benchmarks:
        gone = "would be" if dry_run else "are"
        sentences.append(f"No run has {_some(removal.benchmarks)} any more, which {gone} gone too.")
    return Answer(tuple(sentences), facts)


def _some(names: tuple[str, ...]) -> str:
    more = len(names) - _SHOWN
    return ", ".join(names[:_SHOWN]) + (f" and {more:,} more" if more > 0 else "")
