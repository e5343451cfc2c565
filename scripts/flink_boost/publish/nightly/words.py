"""Numbers, times, sizes of changes and commits in words, for reports and messages. Pure."""

from __future__ import annotations

import math
from collections.abc import Callable
from datetime import UTC, datetime

from flink_boost.judge.bisection import BisectRecord
from flink_boost.measure.field_checks import per_cent
from flink_boost.publish.nightly.night_facts import ReportedAlarm

SHORT_COMMIT = 10


def size_of(alarm: ReportedAlarm) -> str:
    """``12.3 % slower``, with the interval of 95 % where there is one."""
    word = "faster" if alarm.effect > 1 else "slower"
    text = f"{abs(alarm.effect - 1) * 100:.1f} % {word}"
    if alarm.low is None or alarm.high is None:
        return text
    return f"{text} (95 % interval {per_cent(alarm.low)} to {per_cent(alarm.high)})"


def short(commit: str) -> str:
    """The first characters of a commit; that files differed from it is never cut off."""
    sha, dirty, _ = commit.partition("-dirty")
    return sha[:SHORT_COMMIT] + dirty


def utc(moment: datetime) -> str:
    """``2026-11-24 01:00 UTC``."""
    return moment.astimezone(UTC).strftime("%Y-%m-%d %H:%M UTC")


def counted(count: int, word: str) -> str:
    """``1 night``, ``2 nights``."""
    return f"{count} {word}" + ("" if count == 1 else "s")


def blamed(bisect: BisectRecord, name: Callable[[str], str]) -> str:
    """The commits that were found to bring a change, and how much of it each."""
    parts = bisect.parts
    if len(parts) == 1 and parts[0].share == 1:
        return name(parts[0].commit)
    told = " and ".join(
        f"{name(part.commit)} (part of it, about {part.share * 100:.0f} %)" for part in parts
    )
    if not parts or math.isclose(sum(part.share for part in parts), 1):
        return told or name(bisect.first_bad or "")
    one = bisect.left == 1
    return f"{told}; the rest is of {'the commit' if one else f'{bisect.left} commits'} after it"
