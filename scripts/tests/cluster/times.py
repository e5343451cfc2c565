"""A table of how long each cluster test took on each platform."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

_NODE = re.compile(r"(?:.*/)?(?P<file>\w+)\.py::(?P<test>\w+)(?:\[(?P<parameters>.*)\])?$")


def times_table(durations: Iterable[tuple[str, float]], platforms: Sequence[str]) -> list[str]:
    """Rows are tests with their parameters, columns platforms; seconds of all phases together.

    ``durations`` are node ids of pytest with the seconds of one phase each.
    """
    cells: dict[tuple[str, str], float] = {}
    for node, seconds in durations:
        found = _NODE.match(node)
        parameters = (found["parameters"] or "") if found else ""
        platform = next((p for p in platforms if p in parameters), None)
        if found and platform:
            name = f"{found['file'].removeprefix('test_')}: {found['test'].removeprefix('test_')}"
            others = parameters.replace(platform, "").strip("-").replace("--", "-")
            row = f"{name} {others}".strip().replace("_", " ")
            cells[row, platform] = cells.get((row, platform), 0) + seconds
    rows = sorted({row for row, _ in cells})
    columns = [platform for platform in platforms if any(p == platform for _, p in cells)]
    width = max(map(len, rows), default=0)
    table = [f"{'':{width}}  " + "  ".join(f"{platform:>12}" for platform in columns)]
    for row in rows:
        texts = [f"{cells[row, p]:10.0f} s" if (row, p) in cells else "" for p in columns]
        table.append(f"{row:{width}}  " + "  ".join(f"{text:>12}" for text in texts))
    return table if rows else []
