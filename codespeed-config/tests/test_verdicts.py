"""The dashboard judges by the rule of `flink-boost compare`, and takes nothing else from there."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[2]
LOADED = """
import sys
import boost_dashboard.{module}
print(*sorted(name for name in sys.modules if name.partition(".")[0] in ("flink_boost", "scipy")))
"""


def loaded_by(module: str) -> list[str]:
    done = subprocess.run(
        [sys.executable, "-c", LOADED.format(module=module)],
        env={"PYTHONPATH": f"{PROJECT / 'codespeed-config'}:{PROJECT / 'scripts'}"},
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    return done.stdout.split()


def test_the_rule_is_all_that_is_loaded_of_the_measuring_side() -> None:
    assert loaded_by("landing") == ["flink_boost", "flink_boost.judge", "flink_boost.judge.verdict"]
    assert loaded_by("natural_order") == []
