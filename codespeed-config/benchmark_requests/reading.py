"""Requests as the page shows them: what waits, what runs, what became of the others."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from benchmark_requests.models import BenchmarkRequest, HubCursor

QUEUED = "queued"
AT_WORK = ("building", "measuring", "answering")
SILENT = timedelta(minutes=10)  # of a worker, or of the reading of comments
STANDING = timedelta(hours=2)  # that the first of a queue may wait while nothing runs
FIGURE_DAYS = 90

_LONGEST_TEXT = 300  # characters of a note or verdict on the page
_MOST_IN_QUEUE = 500


@dataclass(frozen=True)
class Shown:
    """One request. Times are naive and in UTC, as all of the dashboard's."""

    row: BenchmarkRequest
    order: dict[str, Any]
    place: int = 0  # in the queue, from 1 on

    @property
    def link(self) -> str:
        """The comment that asked, where its address is one to follow."""
        url = str(self.row.comment.url)
        return url if url.startswith(("https://", "http://")) else ""

    @property
    def what(self) -> str:
        """``3 benchmarks, 5 pairs, line 2.3.0``."""
        names, pairs, line = (self.order.get(key) for key in ("names", "pairs", "line"))
        count = len(names) if isinstance(names, list) else 0
        parts = [f"{count} benchmark{'' if count == 1 else 's'}"]
        parts += [f"{pairs} pairs"] if isinstance(pairs, int) else []
        parts += [f"line {line}"] if isinstance(line, str) else []
        return ", ".join(parts)

    @property
    def head(self) -> str:
        """The first characters of the commit."""
        return str(self.order.get("head", ""))[:10]

    @property
    def said(self) -> str:
        """Its verdict, without the marks of the comment that it is from, or why there is none."""
        verdict = str(self.row.verdict).replace("**", "").replace("`", "")
        text = (verdict or str(self.row.note)).strip()
        first = text.splitlines()[0] if text else ""
        return first if len(first) <= _LONGEST_TEXT else f"{first[: _LONGEST_TEXT - 1]}…"

    @property
    def seconds(self) -> float | None:
        """From the comment to the end."""
        if self.row.ended is None:
            return None
        return max((self.row.ended - self.row.asked).total_seconds(), 0.0)

    @property
    def since(self) -> datetime | None:
        """When it last began: before that it may have waited for days."""
        return self.row.resumed or self.row.started

    @property
    def took(self) -> str:
        """The same for people."""
        return "–" if self.seconds is None else duration(self.seconds)

    def as_json(self) -> dict[str, Any]:
        """For programs."""
        row = self.row
        return {
            "id": row.key,
            "repository": row.repository,
            "number": row.number,
            "author": row.author,
            "comment": self.link,
            "state": row.state,
            "stale": row.stale,
            "place": self.place or None,
            "base": self.order.get("base"),
            "head": self.order.get("head"),
            "line": self.order.get("line"),
            "benchmarks": self.order.get("names"),
            "pairs": self.order.get("pairs"),
            "asked": _stamp(row.asked),
            "started": _stamp(row.started),
            "ended": _stamp(row.ended),
            "beat": _stamp(row.beat),
            "attempts": row.attempts,
            "seconds": self.seconds,
            "said": self.said,
        }


@dataclass(frozen=True)
class Figures:
    """How fast requests were answered lately; seconds from the comment to the verdict."""

    days: int
    done: int
    failed: int
    median: float | None
    slow: float | None  # 95 of 100 were faster or as fast

    @property
    def median_text(self) -> str:
        """For people."""
        return "–" if self.median is None else duration(self.median)

    @property
    def slow_text(self) -> str:
        """For people."""
        return "–" if self.slow is None else duration(self.slow)

    def as_json(self) -> dict[str, Any]:
        """For programs."""
        return {
            "days": self.days,
            "done": self.done,
            "failed": self.failed,
            "median_seconds": self.median,
            "p95_seconds": self.slow,
        }


@dataclass(frozen=True)
class Requests:
    """All that the page has."""

    queue: tuple[Shown, ...]
    running: tuple[Shown, ...]
    ended: tuple[Shown, ...]
    figures: Figures
    hubs: tuple[HubCursor, ...]
    troubles: tuple[str, ...]

    @property
    def is_empty(self) -> bool:
        """Whether nobody ever asked, and no repository is read."""
        return not (self.queue or self.running or self.ended or self.hubs)

    def as_json(self) -> dict[str, Any]:
        """For programs."""
        return {
            "schema_version": 1,
            "queue": [one.as_json() for one in self.queue],
            "running": [one.as_json() for one in self.running],
            "ended": [one.as_json() for one in self.ended],
            "figures": self.figures.as_json(),
            "hubs": [
                {"repository": h.repository, "polled": _stamp(h.polled), "problem": h.problem}
                for h in self.hubs
            ],
            "troubles": list(self.troubles),
        }


def read_requests(most: int) -> Requests:
    """What is in the tables; ``most`` of those that have ended, the newest first."""
    now = datetime.now(UTC).replace(tzinfo=None)
    rows = BenchmarkRequest.objects.select_related("comment")
    waiting = rows.filter(state=QUEUED).order_by("queued", "id")[:_MOST_IN_QUEUE]
    running = tuple(map(_shown, rows.filter(state__in=AT_WORK).order_by("started", "id")))
    turns = _in_turn(waiting, {one.row.repository for one in running})
    queue = tuple(_shown(row, place) for place, row in enumerate(turns, 1))
    ended = rows.filter(ended__isnull=False).order_by("-ended", "-id")[:most]
    hubs = tuple(HubCursor.objects.order_by("repository"))
    return Requests(
        queue=queue,
        running=running,
        ended=tuple(map(_shown, ended)),
        figures=_figures(now),
        hubs=hubs,
        troubles=tuple(troubles(queue, running, hubs, now)),
    )


def troubles(
    queue: Sequence[Shown], running: Sequence[Shown], hubs: Sequence[HubCursor], now: datetime
) -> list[str]:
    """Sentences on what stands still, for those who could do something about it."""
    found = []
    for one in running:
        beat = one.row.beat or one.row.started
        if beat is not None and now - beat > SILENT:
            found.append(
                f"The worker of {one.row.key} has said nothing since {_minute(beat)}: look "
                "whether flink-boost request serve runs."
            )
    oldest = min(queue, key=lambda one: one.row.queued, default=None)
    if oldest is not None and not running and now - oldest.row.queued > STANDING:
        found.append(
            f"The queue stands still: {oldest.row.key} waits since "
            f"{_minute(oldest.row.queued)}, and nothing runs."
        )
    for hub in hubs:
        if hub.problem:
            found.append(f"{hub.repository}: {hub.problem.splitlines()[0][:_LONGEST_TEXT]}")
        elif hub.polled is not None and now - hub.polled > SILENT:
            found.append(f"Comments of {hub.repository} were last read at {_minute(hub.polled)}.")
    return found


def percentile(ordered: Sequence[float], share: float) -> float | None:
    """The least of the values that at least that share is not above; None of none."""
    if not ordered:
        return None
    return ordered[max(math.ceil(share * len(ordered)), 1) - 1]


def duration(seconds: float) -> str:
    """``48 s``, ``12 min``, ``3 h 05 min``."""
    if seconds < 60:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 60 else f"{minutes // 60} h {minutes % 60:02} min"


def _figures(now: datetime) -> Figures:
    lately = BenchmarkRequest.objects.filter(ended__gte=now - timedelta(days=FIGURE_DAYS))
    times = lately.filter(state="done").values_list("asked", "ended")
    seconds = sorted(max((ended - asked).total_seconds(), 0.0) for asked, ended in times)
    return Figures(
        days=FIGURE_DAYS,
        done=len(seconds),
        failed=lately.filter(state="failed").count(),
        median=percentile(seconds, 0.5),
        slow=percentile(seconds, 0.95),
    )


def _in_turn(waiting: Iterable[BenchmarkRequest], busy: Collection[str]) -> list[BenchmarkRequest]:
    """As a box works on them: one of each repository, then the next of each.

    A repository of which one runs has had its turn.
    """
    before: Counter[str] = Counter()
    turns = []
    for row in waiting:
        turns.append((before[row.repository], row.repository in busy, row))
        before[row.repository] += 1
    return [row for *_, row in sorted(turns, key=lambda turn: turn[:2])]


def _shown(row: BenchmarkRequest, place: int = 0) -> Shown:
    try:
        order = json.loads(row.order)
    except ValueError:
        order = None
    return Shown(row, order if isinstance(order, dict) else {}, place)


def _stamp(moment: datetime | None) -> str | None:
    return None if moment is None else f"{moment.isoformat(timespec='seconds')}Z"


def _minute(moment: datetime) -> str:
    return f"{moment:%Y-%m-%d %H:%M}"
