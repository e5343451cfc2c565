"""A class path that is given to ``verify``."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

Answer = Callable[..., dict[str, Any]]
DIST = "flink-dist-2.3.0.jar"


def of(answer: Answer, *entries: str | Path) -> dict[str, Any]:
    return answer("verify", "--classpath", ":".join(map(str, entries)))
