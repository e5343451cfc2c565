"""Was the machine quiet when forks began? Kept beside them, as they may outlive the call.

A comparison that was stopped goes on later, and one that was done answers at once. So each go at
the missing forks of a run notes what the look before it saw, and the answer speaks of all of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

from flink_boost.measure.model import Frozen
from flink_boost.service.requests.kept_lines import keep_line, kept_lines

FILE = "looks.jsonl"  # in the folder of a run


class QuietLook(Frozen):
    """What a look saw just before a go at forks; ``reason`` is empty on a quiet machine."""

    at: datetime
    reason: str


def note_look(run: Path, look: QuietLook) -> None:
    """Keeps a look beside the forks of a run."""
    keep_line(run / FILE, look)


def looks_at(run: Path) -> tuple[QuietLook, ...]:
    """The looks of a run, oldest first."""
    return kept_lines(run / FILE, QuietLook)


def quiet_text(looks: Sequence[QuietLook], now: QuietLook | None, began: datetime) -> str:
    """One sentence on all goes. Pure.

    ``now`` is this call's own look; None when it measured nothing. ``began`` is when the run did.
    """
    goes = sorted(set(looks), key=lambda look: look.at)
    if not goes:
        return (
            f"The forks were measured before, from {_moment(began)} on; whether the machine was"
            " quiet then is not known."
        )
    if goes == [now]:
        return f"The machine {_state(goes[0])} when it began."
    if len(goes) == 1:
        return (
            f"The forks were measured before: the machine {_state(goes[0])} when that began, on"
            f" {_moment(goes[0].at)}."
        )
    said = ", and ".join(f"{_state(look)} on {_moment(look.at)}" for look in goes)
    return f"The forks were measured in {len(goes)} goes: when these began, the machine {said}."


def _state(look: QuietLook) -> str:
    return "was quiet" if not look.reason else f"was not quiet ({look.reason})"


def _moment(moment: datetime) -> str:
    return f"{moment:%Y-%m-%d at %H:%M} UTC"
