"""Documents of the nightly for the tests, and how they are sent."""

from __future__ import annotations

import json
from typing import Any

import httpx

from conftest import Dashboard

NIGHT = "2026-03-03T0100"


def told_alarm(**changes: Any) -> dict[str, Any]:
    """An alarm with everything that it may have."""
    return {
        "id": "a0123456789",
        "box": "box-1",
        "executable": "patched 2.3.0",
        "benchmark": "write.ascii.16",
        "line": "2.3.0",
        "kind": "step",
        "direction": "regression",
        "state": "open",
        "effect": 0.9,
        "low": 0.88,
        "high": 0.92,
        "before": "run-before",
        "since": "run-since",
        "told": NIGHT,
        "commits": ["1111111111111111", "2222222222222222"],
        "nights": 2,
        "command": "flink-boost bench --group nightly 'write[length=16]'",
        "report": "https://boost.example/report",
        "profile": None,
        "reruns": [
            {
                "when": "2026-03-03T04:00:00Z", "before": "b-one", "after": "b-two", "pairs": 24,
                "ratio": 0.901, "low": 0.89, "high": 0.91, "outcome": "confirmed",
            }
        ],
        "bisect": {
            "state": "running", "first_bad": None, "left": 3,
            "steps": [
                {"commit": "abc123", "outcome": "good", "ratio": 1.0, "low": 0.99, "high": 1.01},
                {"commit": "def456", "outcome": "skipped"},
            ],
        },
        "decision": None,
        "history": [{"when": "2026-03-03T04:10:00Z", "state": "open", "note": "told <once>"}],
        **changes,
    }  # fmt: skip


def told_sheet(*alarms: dict[str, Any], boxes: Any = ("box-1",), **changes: Any) -> dict[str, Any]:
    """A document of version 2."""
    return {
        "schema_version": 2,
        "made": "2026-03-03T05:00:00+00:00",
        "boxes": boxes,
        "alarms": alarms,
        "figures": {
            "told": 9, "accepted": 4, "rejected": 1, "environment": 0, "recovered": 3,
            "median_delay_nights": 0.5, "rerun_pairs": 1200,
        },
        **changes,
    }  # fmt: skip


def told_night(**changes: Any) -> dict[str, Any]:
    """A night that was short, on a box with a new kernel."""
    return {
        "schema_version": 1,
        "box": "box-1",
        "night": NIGHT,
        "slot": "2026-03-03T01:00:00+00:00",
        "state": "short",
        "expected": 300,
        "measured": 290,
        "runs": ["20260303T010203Z-2.3.0"],
        "quiet": True,
        "reason": "10 benchmarks had no time left",
        "canary": {"moved": False, "ratio": 1.001, "low": 0.998, "high": 1.004},
        "box_changes": [{"what": "kernel", "before": "6.1", "after": "6.2"}],
        "steps": [
            {"name": "build", "state": "done", "seconds": 61.5, "note": ""},
            {"name": "detect", "state": "failed", "seconds": None, "note": "no <room>"},
        ],
        **changes,
    }


def post(
    dashboard: Dashboard, path: str, document: Any, token: str | None = None
) -> httpx.Response:
    """Sends it as the nightly does."""
    return httpx.post(
        f"{dashboard.url}{path}",
        content=document if isinstance(document, str) else json.dumps(document),
        headers={"Authorization": f"Bearer {token or dashboard.token}"},
        timeout=30,
    )


def must(dashboard: Dashboard, path: str, document: Any) -> None:
    """Sends it, and it has to be taken."""
    answer = post(dashboard, path, document)
    assert answer.status_code == 202, answer.text


def page(dashboard: Dashboard, path: str) -> str:
    """A page as a browser gets it, on one line."""
    answer = httpx.get(dashboard.url + path, headers={"Accept": "text/html"}, timeout=30)
    assert answer.status_code == 200, answer.text[:500]
    return " ".join(answer.text.split())
