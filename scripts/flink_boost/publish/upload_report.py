"""What became of the entries that were to be sent."""

from __future__ import annotations

from dataclasses import dataclass

from flink_boost.base.errors import UploadFailed

SEND_LATER = "Nothing is lost: run `flink-boost upload` to send it later."


@dataclass(frozen=True)
class Unsent:
    """An entry that stays in the spool, and why."""

    key: str
    reason: str


@dataclass(frozen=True)
class UploadReport:
    """What became of the entries that were unsent; ``next_step`` is for the unsent ones."""

    sent: tuple[str, ...]
    unsent: tuple[Unsent, ...]
    next_step: str = SEND_LATER
    updated: tuple[str, ...] = ()  # of those sent: later revisions of what was sent before
    replaced: tuple[str, ...] = ()  # dropped, as a later revision is there

    def require_all_sent(self) -> None:
        """Raises ``UploadFailed``, naming the first reason, when an entry stays unsent."""
        if self.unsent:
            first = self.unsent[0]
            count = len(self.unsent)
            raise UploadFailed(
                f"{count} spooled result{'s' if count > 1 else ''} could not be sent "
                f"({first.key}: {first.reason}).",
                self.next_step,
            )
