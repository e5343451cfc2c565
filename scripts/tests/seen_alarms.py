"""Alarms as detection sees them, for tests of what becomes of them."""

from __future__ import annotations

from typing import Any

from synthetic import JOB

from flink_boost.judge.alarm_record import AlarmRecord, AlarmState, alarm_id


def seen(series: str = "s", first: int = 20, suspected: str = "", **changes: Any) -> AlarmRecord:
    values: dict[str, Any] = {
        "id": alarm_id(series, suspected or f"run{first}"),
        "box": "box-1",
        "executable": "patched 2.3.0",
        "benchmark": "write",
        "line": "2.3.0",
        "kind": "step",
        "direction": "regression",
        "state": AlarmState.OPEN,
        "effect": 0.95,
        "low": 0.94,
        "high": 0.96,
        "before": f"c{first - 1}",
        "since": f"c{first}",
        "told": f"night{first}",
        "commits": (f"{first - 1:040x}", f"{first:040x}"),
        "nights": 1,
        "command": "flink-boost bench",
        "series": series,
        "cell": JOB,
        "first": first,
        "delay": 0,
        "before_run": f"run{first - 1}",
        "since_run": f"run{first}",
    }
    return AlarmRecord(**{**values, **changes})
