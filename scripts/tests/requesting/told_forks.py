"""Comparisons of made-up builds whose forks are never run, with everything else real."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from stored_runs import jmh_of

from flink_boost.flink.lines import Line
from flink_boost.flink.side import Side
from flink_boost.measure.commit_jars import Build, build_of
from flink_boost.measure.fork_files import Attempt
from flink_boost.measure.fork_launch import ForkLaunch, ForkOrder
from flink_boost.measure.model import Built
from flink_boost.measure.noise import NoiseProbe
from flink_boost.service.requests.comparing import Means
from requesting.samples import HEAD, NOON, fork

Change = Callable[[dict[str, Any]], None]


class Silent:
    def __getattr__(self, name: str) -> Any:
        return lambda *_: None


class Given:
    """Gives a jar for each commit, as if it had been built."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def build(self, commit: str, line: Line) -> Build:
        jar = self._folder / f"{commit[:4]}.jar"
        jar.write_text(commit)
        return build_of(Built(project="x", version="1", commit=commit), line.version, (jar,))


@dataclass
class Told:
    """Forks that are never run: base gives 100 ops/ms, head 80 unless ``changed`` changes it."""

    changed: Change = lambda _: None
    started: list[Side] = field(default_factory=list)

    def launch(self, order: ForkOrder, attempt: Attempt) -> int:
        is_head = any(HEAD[:4] in one.name for one in order.files)
        self.started.append(Side.AFTER if is_head else Side.BEFORE)
        score = (80.0 if is_head else 100.0) + len(self.started) % 3 / 100
        result = jmh_of(fork(order.cell, Side.AFTER, 1, score), order.threads)
        attempt.log.write_text("")
        if is_head:
            self.changed(result)
        attempt.json.write_text(json.dumps([result]))
        return 0


def means(tmp_path: Path, launch: ForkLaunch) -> Means:
    return Means(
        builder=Given(tmp_path), results=tmp_path / "results", environ=os.environ,
        stock_of=lambda _: (), box=None,
        look=lambda: NoiseProbe(0, 0, 0, 0, 0, quiet=True, reason=""),
        progress=Silent(), now=lambda: NOON, launch=launch,
    )  # fmt: skip
