"""What calls of GitHub are made with: a clock that stands until somebody sleeps, and a marker."""

from __future__ import annotations

from dataclasses import dataclass

from flink_boost.service.requests.hub.hub_model import Hub

MARK = "<!-- flink-boost request r0123456789 -->"


@dataclass
class Clock:
    """A clock that goes on only when somebody sleeps by it."""

    now: float = 1000.0

    def __call__(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds


def bodies(hub: Hub, cursor: str) -> tuple[list[str], str]:
    comments, after = hub.new_comments(cursor)
    return [comment.body for comment in comments], after
