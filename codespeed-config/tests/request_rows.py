"""Puts benchmark requests into a dashboard's database.

Run as a program in the dashboard's surroundings, it reads requests from standard input; ``ask``
calls it so.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from stored_rows import run_in_dashboard

REPOSITORY = "apache/flink-boost"
HOSTILE = '<script>alert("x")</script> \u202egnp.exe & \'"'


def asked(number: int, state: str, minutes_ago: float, **more: Any) -> dict[str, Any]:
    """One request; times are minutes before now. ``took`` is from the comment to the end."""
    return {
        "number": number, "state": state, "ago": minutes_ago, "took": None, "author": "reviewer",
        "verdict": "", "note": "", "stale": False, "beat": None, "started": None,
        "repository": REPOSITORY, "resumed": None,
        "url": f"https://github.com/{REPOSITORY}/pull/{number}#issuecomment-{number}", **more,
    }  # fmt: skip


def ask(
    data: Path, requests: Sequence[dict[str, Any]], hubs: Sequence[dict[str, Any]] = ()
) -> None:
    """Stores them in the place of all that are there."""
    run_in_dashboard(data, Path(__file__), json.dumps({"requests": requests, "hubs": hubs}))


def _store(requests: Sequence[dict[str, Any]], hubs: Sequence[dict[str, Any]]) -> None:
    from benchmark_requests.models import BenchmarkRequest, HubComment, HubCursor

    BenchmarkRequest.objects.all().delete()
    HubComment.objects.all().delete()
    HubCursor.objects.all().delete()
    now = datetime.now(UTC).replace(tzinfo=None, microsecond=0)

    def before(minutes: float | None) -> datetime | None:
        return None if minutes is None else now - timedelta(minutes=minutes)

    for place, one in enumerate(requests):
        when = before(one["ago"])
        comment = HubComment.objects.create(
            repository=one["repository"], comment_id=place, number=one["number"],
            author=one["author"], body="/benchmark-request", created=when, updated=when,
            url=one["url"], read=when,
        )  # fmt: skip
        order = {
            "base": "b" * 40, "head": f"{place:040x}", "line": "2.3.0", "pairs": 5,
            "names": ["org.example.One.write", "org.example.One.read"],
        }  # fmt: skip
        BenchmarkRequest.objects.create(
            key=f"r{place:010x}", comment=comment, repository=one["repository"],
            number=one["number"], author=one["author"],
            order=json.dumps(order) if "order" not in one else one["order"],
            state=one["state"], stale=one["stale"], asked=when, queued=when, moved=when,
            started=before(one["started"]), resumed=before(one["resumed"]),
            beat=before(one["beat"]),
            ended=None if one["took"] is None else when and when + timedelta(minutes=one["took"]),
            verdict=one["verdict"], note=one["note"],
        )  # fmt: skip
    for hub in hubs:
        HubCursor.objects.create(
            repository=hub["repository"], polled=before(hub["ago"]), problem=hub["problem"]
        )


def _main() -> None:
    import django

    django.setup()
    _store(**json.load(sys.stdin))


if __name__ == "__main__":
    _main()
