"""Pauses that grow, for what failed and is to be tried again while others go on.

Known to this process only: the next one begins anew.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Generic, TypeVar

Key = TypeVar("Key", bound=Hashable)


@dataclass(frozen=True)
class _Pause:
    tries: int
    since: datetime
    until: datetime


@dataclass
class Pauses(Generic[Key]):
    """The first lasts ``shortest``, each further one twice as long, ``longest`` at most."""

    shortest: timedelta
    longest: timedelta
    _kept: dict[Key, _Pause] = field(default_factory=dict, init=False)

    def begin(self, key: Key, now: datetime) -> timedelta:
        """After one more failure; returns how long."""
        last = self._kept.get(key, _Pause(0, now, now))
        pause = min(self.shortest * (1 << min(last.tries, 16)), self.longest)
        self._kept[key] = _Pause(last.tries + 1, last.since, now + pause)
        return pause

    def end(self, key: Key) -> None:
        """It went well."""
        self._kept.pop(key, None)

    def running(self, now: datetime) -> tuple[Key, ...]:
        """What has to wait. A clock that was set back makes no pause longer than the longest."""
        return tuple(
            key for key, one in self._kept.items() if now < one.until <= now + self.longest
        )

    def failures(self, key: Key, now: datetime) -> tuple[int, timedelta]:
        """How often it has failed, and since how long."""
        last = self._kept.get(key, _Pause(0, now, now))
        return last.tries, now - last.since
