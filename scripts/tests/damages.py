"""Ways in which the file of a fork can be damaged."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path


def _a_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()
    (path / "within").write_text("kept")


def _a_link_to_itself(path: Path) -> None:
    path.unlink()
    path.symlink_to(path.name)


def _with_score(score: object) -> Callable[[Path], None]:
    def damage(path: Path) -> None:
        (result,) = json.loads(path.read_text())
        result["primaryMetric"]["score"] = score
        path.write_text(json.dumps([result]))

    return damage


def _of_another_cell(path: Path) -> None:
    (result,) = json.loads(path.read_text())
    result["benchmark"] = "org.apache.flink.benchmark.Other.method"
    path.write_text(json.dumps([result]))


DAMAGES: dict[str, Callable[[Path], object]] = {
    "truncated": lambda path: path.write_bytes(path.read_bytes()[:200]),
    "empty": lambda path: path.write_bytes(b""),
    "binary": lambda path: path.write_bytes(b"\xff\x00" * 99),
    "NaN": _with_score("NaN"),
    "negative": _with_score(-1.0),
    "a folder": _a_folder,
    "another cell's": _of_another_cell,
    "a link to itself": _a_link_to_itself,
}
