"""Calls of bench, and a run that is planned as they plan it."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from called import called

from flink_boost.flink.jdks import Jdk
from flink_boost.flink.lines import default_line, find_line
from flink_boost.flink.side import Side
from flink_boost.measure import run_plan
from flink_boost.measure.box import describe_box
from flink_boost.measure.classpaths import ClassPaths
from flink_boost.measure.groups import Group, choose_cells, find_group, load_groups
from flink_boost.measure.model import Box, RunInfo

COMMAND = Path(sys.executable).with_name("flink-boost")
WRITE = "StringSerializationBenchmark.write"
AA = (Side.STOCK, Side.CONTROL)


def flink_boost(results: Path, *arguments: str) -> list[str]:
    return [str(COMMAND), "--results", str(results), *arguments]


def smoke(results: Path, *arguments: str) -> list[str]:
    """A run of one cell of the smoke group."""
    return flink_boost(results, "bench", "--group", "smoke", WRITE, *arguments)


def run(command: Sequence[str], seconds: float = 200) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, capture_output=True, text=True, timeout=seconds, check=False)


def call(command: Sequence[str]) -> subprocess.CompletedProcess[str]:
    """The same in this process."""
    return called(*command[1:])


def finished(results: Path, run_id: str) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in (results / run_id / "forks").glob("*.json")}


def planned_run(
    class_paths: ClassPaths,
    pairs: int = 1,
    group: Group | None = None,
    box: Box | None = None,
) -> RunInfo:
    group = group or choose_cells(find_group(load_groups(), "smoke"), [WRITE])
    return run_plan.plan_run(
        run_id="run",
        started=datetime(2026, 3, 1, tzinfo=UTC),
        group=group,
        line=find_line(default_line()),
        sides=AA,
        pairs=pairs,
        opened=False,
        extra_options=["-Xlog:disable"],
        class_paths=class_paths,
        box=box or describe_box(Jdk("17.0.1", 17)),
        commit="unknown",
        version="0.2.0",
    )
