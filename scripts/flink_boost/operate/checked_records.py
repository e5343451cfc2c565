"""What a running process that holds its records against stock's has found so far."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from flink_boost.base.errors import NotProfiled
from flink_boost.base.text import printable
from flink_boost.flink.switches import checks_records
from flink_boost.operate.attach import find_target, system_property
from flink_boost.operate.findings import Finding, Level
from flink_boost.operate.flink_processes import FlinkProcess

# As `CheckedClasses.PROPERTY` has it: a sentence for each class of records.
_PROPERTY = "flink.boost.records.checked"
_EQUAL = ": equal"
_MOST_TOLD = 20


def checked_records(process: FlinkProcess, proc: Path) -> Iterator[Finding]:
    """A finding for each class, those first that differed; none of a process without the switch."""
    if not checks_records(process.switches):
        return
    try:
        told = system_property(find_target(process.pid, proc), _PROPERTY, proc)
    except NotProfiled as error:
        yield Finding(
            Level.WARNING,
            f"What {process.named} has checked of its records is not known: {error.message}",
            "Run doctor again, as root or as the user whom it runs as; its log tells it, too.",
        )
        return
    each = sorted(map(printable, told.splitlines()), key=lambda sentence: _EQUAL in sentence)
    if not each:
        yield Finding(Level.FINE, f"{process.named} has checked no records yet.")
    for sentence in each[:_MOST_TOLD]:
        text = f"{process.named} told last: {sentence}."
        if _EQUAL in sentence:
            yield Finding(Level.FINE, text)
        else:
            yield Finding(
                Level.WARNING,
                text,
                "An ERROR in its log says how: send it to us, and set -Dflink.boost.records=off"
                " wherever this job runs.",
            )
    if len(each) > _MOST_TOLD:
        yield Finding(
            Level.FINE,
            f"{process.named} has checked {len(each) - _MOST_TOLD} more classes of records.",
        )
