"""When nights are due: one a day, at a fixed time of day, in UTC. Pure."""

from __future__ import annotations

import re
from datetime import UTC, datetime, time, timedelta

from flink_boost.base.errors import UsageProblem

DEFAULT_TIME = "01:00"
WHOLE = "1/1"
_LENGTH = len("2026-11-24T0100")
_SHIFTED = timedelta(hours=24)  # another time of day for nights moves a slot by less


def parse_time(text: str) -> time:
    """The time of day ``HH:MM``. Raises ``UsageProblem`` for anything else."""
    found = re.fullmatch(r"([01]\d|2[0-3]):([0-5]\d)", text)
    if found is None:
        raise UsageProblem(f"{text!r} is no time of day.", "Write it as in 01:00, in UTC.")
    return time(int(found[1]), int(found[2]))


def slot_of(now: datetime, at: time) -> datetime:
    """The latest slot that has come by then."""
    today = datetime.combine(now.astimezone(UTC).date(), at, UTC)
    return today if today <= now else today - timedelta(days=1)


def is_ahead(slot: datetime, now: datetime) -> bool:
    """Whether only a clock that was wrong can have given that slot: it is more than a day away."""
    return slot - now > _SHIFTED


def night_id(slot: datetime, shard: str = WHOLE) -> str:
    """The name of a night, ``2026-11-24T0100``, or of a part of it: ``2026-11-24T0100-2of3``."""
    part = "" if shard == WHOLE else f"-{shard.replace('/', 'of')}"
    return f"{slot.astimezone(UTC):%Y-%m-%dT%H%M}{part}"


def shard_of(night: str) -> str:
    """The part that a night's name is about: ``2/3``; ``1/1`` for a whole one."""
    return night[_LENGTH + 1 :].replace("of", "/") or WHOLE


def slot_from_id(night: str) -> datetime:
    """The slot of a night's name."""
    return datetime.strptime(night[:_LENGTH], "%Y-%m-%dT%H%M").replace(tzinfo=UTC)
