"""What suites may take of processors, beside what they took: ``budget.toml``.

A budget is for people, who look at what is far over it. Nothing fails by time.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path

from suites.catalogue import REPORTS, Suite

_FILE = Path(__file__).with_name("budget.toml")
KEPT = f"{REPORTS}/times.jsonl"
# Of a part that takes twice its share, on a machine of whatever speed, somebody should hear.
_FAR = 2.0
_SMALL_MINUTES = 1.0


def budgets(whole: bool, path: Path = _FILE) -> dict[str, float]:
    """Minutes of processors by part, of ``make test`` or of ``make test-all``."""
    content = tomllib.loads(path.read_text(encoding="utf-8"))
    return {name: float(row["all" if whole else "test"]) for name, row in content.items()}


def minutes_by_part(
    suites: Iterable[Suite], times: Mapping[str, tuple[float, float]]
) -> dict[str, float]:
    """Minutes of processors that the suites took which ran."""
    taken: dict[str, float] = {}
    for suite in suites:
        if suite.name in times:
            taken[suite.part] = taken.get(suite.part, 0.0) + times[suite.name][1] / 60
    return taken


def table(taken: Mapping[str, float], allowed: Mapping[str, float]) -> list[str]:
    """A line per part that ran, and one that names those far over their share.

    A slow machine is over everywhere: a part is measured against what all of them took.
    """
    lines = [f"{'Minutes of processors':<24} budget   took"]
    for part, minutes in taken.items():
        lines.append(f"  {part:<22} {allowed.get(part, 0.0):>6.1f} {minutes:>6.1f}")
    both = sum(taken.values()), sum(allowed.get(part, 0.0) for part in taken)
    lines.append(f"  {'together':<22} {both[1]:>6.1f} {both[0]:>6.1f}")
    pace = both[0] / both[1] if both[1] else 1.0
    far = [
        f"{part} ({minutes:.1f} of {allowed.get(part, 0.0):.1f})"
        for part, minutes in taken.items()
        if minutes > _SMALL_MINUTES and minutes > _FAR * pace * allowed.get(part, 0.0)
    ]
    if far:
        lines.append(f"Far over its budget: {', '.join(far)}.")
    return lines


def keep(root: Path, day: str, commit: str, wall: float, taken: Mapping[str, float]) -> None:
    """Adds a run to those that are kept."""
    parts = {part: round(minutes, 2) for part, minutes in taken.items()}
    row = {"day": day, "commit": commit, "minutes": round(wall / 60, 2), "processors": parts}
    with (root / KEPT).open("a", encoding="utf-8") as file:
        file.write(json.dumps(row) + "\n")
