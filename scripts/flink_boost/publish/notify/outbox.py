"""What was sent, is to be sent, or may have been sent: on disk, so that nothing is told twice.

A message is a file that moves, by a rename, between folders below ``build/notifications``::

    waiting/     not sent yet, or a try failed: the next call tries again
    sending/     handed to the channel. Whoever finds one there knows that a call was killed at this
                 point: the message may have arrived
    sent/        arrived
    uncertain/   may have arrived; is not sent again, and the next message says so
    replaced/    of a night whose message a later one takes the place of
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import AbstractContextManager, suppress
from datetime import datetime, timedelta
from pathlib import Path
from typing import Literal

from pydantic import ValidationError

from flink_boost.base.errors import EnvironmentProblem
from flink_boost.base.files import exclusive_lock, make_folder, publish, refuse_root, write_durably
from flink_boost.publish.nightly.night_facts import Told
from flink_boost.publish.notify.message import Message

Place = Literal["waiting", "sending", "sent", "uncertain", "replaced"]
_PLACES: tuple[Place, ...] = ("waiting", "sending", "sent", "uncertain", "replaced")


class Posted(Told):
    """A message for one channel; ``told_of`` once a later message has named it as uncertain."""

    schema_version: Literal[1] = 1
    channel: str
    message: Message
    tries: int = 0
    trouble: str = ""
    told_of: bool = False

    @property
    def file(self) -> str:
        """Its file's name."""
        return f"{self.channel}-{re.sub(r'[^0-9A-Za-z_-]', '_', self.message.key)}.json"


class Outbox:
    """The folder. Whoever changes it holds ``lock``."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def lock(self) -> AbstractContextManager[None]:
        """Raises ``InUse`` when another call is sending, else as ``refuse_root``."""
        refuse_root(self.folder)
        return exclusive_lock(self.folder / ".lock", "flink-boost notify")

    def add(self, posted: Posted) -> None:
        """Puts a message into ``waiting``, unless it is anywhere already."""
        if not any((self.folder / place / posted.file).exists() for place in _PLACES):
            self.write(posted, "waiting")

    def is_new(self, message: Message) -> bool:
        """Notes a message down by an empty file, for which a full disk has room mostly.

        False when that was done before; True also where not even that can be written.
        """
        mark = self.folder / f".{message.key}"
        if mark.exists():
            return False
        with suppress(OSError, EnvironmentProblem):
            refuse_root(self.folder)
            make_folder(self.folder)
            mark.touch()
        return True

    def write(self, posted: Posted, place: Place) -> None:
        """Replaces the message's file in that folder."""
        make_folder(self.folder / place)
        write_durably(self.folder / place / posted.file, posted.model_dump_json(indent=1) + "\n")

    def move(self, posted: Posted, before: Place, after: Place) -> None:
        """Moves its file, durably."""
        make_folder(self.folder / after)
        publish(self.folder / before / posted.file, self.folder / after / posted.file)

    def read(self, place: Place, channel: str) -> Iterator[Posted]:
        """The channel's messages there, oldest night first; what cannot be read is passed over."""
        folder = self.folder / place
        found = []
        for file in sorted(folder.glob("*.json")) if folder.is_dir() else ():
            try:
                posted = Posted.model_validate_json(file.read_bytes())
            except (OSError, ValidationError):
                continue
            if posted.channel == channel:
                found.append(posted)
        yield from sorted(found, key=lambda one: (one.message.made, one.message.key))

    def told_alarms(self, channel: str) -> frozenset[str]:
        """Ids that the channel has, or has waiting, a message of."""
        return frozenset(
            alarm
            for place in _PLACES
            for posted in self.read(place, channel)
            for alarm in posted.message.alarms
        )

    def last_night(self, channel: str, until: datetime) -> datetime | None:
        """The slot of the newest night, by that slot or the same day, that it has a message of.

        Later ones are of a clock that was ahead, and are to silence nobody.
        """
        slots = [one.message.made for place in _PLACES for one in self.read(place, channel)]
        return max((slot for slot in slots if slot - until <= timedelta(days=1)), default=None)
