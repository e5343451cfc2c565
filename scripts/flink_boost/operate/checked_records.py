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

# As `CheckedClasses.PROPERTY` has it: a sentence for each class of records. Where they are checked
# it is there, and empty, from the start of the process.
_PROPERTY = "flink.boost.records.checked"
_EQUAL = ": equal"
_NONE = "checked no records of"
_REFUSING, _ALLOWING = "-XX:+DisableAttachMechanism", "-XX:-DisableAttachMechanism"
_LOG = " log tells it, too."
_MOST_TOLD = 20


def checked_records(process: FlinkProcess, proc: Path) -> Iterator[Finding]:
    """A finding for each class, those first that differed; none of a process without the switch."""
    if not checks_records(process.switches):
        return
    unknown = f"What {process.named} has checked of its records is not known: "
    if not _lets_others_attach(process.pid, proc):
        # It would be waited for, and the question would put a dump of its threads into its .out.
        yield Finding(
            Level.WARNING,
            f"{unknown}it was started with {_REFUSING}.",
            "Its log tells it; without that option doctor does, too.",
        )
        return
    try:
        told = system_property(find_target(process.pid, proc), _PROPERTY, proc)
    except NotProfiled as error:
        yield Finding(
            Level.WARNING,
            f"{unknown}{error.message}",
            # It may end with a command.
            error.next_step + (" Its" if error.next_step.endswith(".") else "; its") + _LOG,
        )
        return
    if told is None:
        yield Finding(
            Level.WARNING,
            f"{process.named} checks no records: they are off there, or it is still starting.",
            "The first line of flink-boost in its log says why.",
        )
        return
    each = sorted(map(printable, told.splitlines()), key=_is_fine)
    if not each:
        yield Finding(Level.FINE, f"{process.named} has checked no records yet.")
    for sentence in each[:_MOST_TOLD]:
        text = f"{process.named} told last: {sentence}."
        if _is_fine(sentence):
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


def _is_fine(sentence: str) -> bool:
    return _EQUAL in sentence or sentence.startswith(_NONE)


def _lets_others_attach(pid: int, proc: Path) -> bool:
    """False where its command line says so; of these options the last one counts."""
    try:
        words = (proc / str(pid) / "cmdline").read_bytes().decode(errors="replace").split("\0")
    except OSError:
        return True  # who asks it is told why
    told = [word for word in words if word in (_REFUSING, _ALLOWING)]
    return told[-1:] != [_REFUSING]
