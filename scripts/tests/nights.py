"""Reports of nights for tests."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from flink_boost.publish.nightly.night_facts import NightReport

HOSTILE = "<script>document.title='pwned'</script> <!channel> *x* `y` [a](javascript:b) |é@here"
SLOT = datetime(2026, 11, 24, 1, tzinfo=UTC)
BEFORE, SINCE = "a" * 40, "b" * 40


def alarm(name: str = "serializerTuple", **changed: Any) -> dict[str, Any]:
    document = {
        "id": "a0123456789",
        "box": "box-1",
        "executable": "patched 2.3.0",
        "benchmark": name,
        "line": "2.3.0",
        "kind": "step",
        "direction": "regression",
        "state": "open",
        "effect": 0.91,
        "low": 0.9,
        "high": 0.92,
        "before": "x",
        "since": "y",
        "told": "2026-11-24T0100",
        "commits": [BEFORE, SINCE],
        "nights": 1,
        "command": f"flink-boost bench --group nightly '{name}'",
        "report": None,
        "profile": "https://dash.example.org/flame?a=1&b=2",
        "reruns": [],
        "bisect": None,
        "decision": None,
        "history": [],
    }
    return {**document, **changed}


def night(day: int = 0, **changed: Any) -> dict[str, Any]:
    slot = SLOT + timedelta(days=day)
    document = {
        "schema_version": 1,
        "box": "box-1",
        "night": f"{slot:%Y-%m-%dT%H%M}",
        "slot": slot.isoformat(),
        "state": "complete",
        "expected": 12,
        "measured": 12,
        "runs": ["20261124T010203-abcdef"],
        "quiet": True,
        "reason": "",
        "canary": {"moved": False, "ratio": 1.001, "low": 0.99, "high": 1.01},
        "box_changes": [],
        "steps": [{"name": "measure", "state": "done", "seconds": 3725.2, "note": ""}],
    }
    return {**document, **changed}


def report(day: int = 0, /, **changed: Any) -> NightReport:
    document = {
        "made": SLOT + timedelta(days=day, hours=6),
        "night": night(day),
        "dashboard": "https://dash.example.org/",
        "commits": [{"commit": SINCE, "author": "Ada L.", "subject": "Rewrite the loop"}],
        "rows": [
            {
                "line": "2.3.0",
                "benchmark": "serializerTuple",
                "ratio": 1.05,
                "low": 1.03,
                "high": 1.08,
                "pairs": 8,
                "verdict": "clearly faster",
                "before": 1.15,
            }
        ],
    }
    return NightReport.model_validate({**document, **changed})
