"""What nights run on: a machine, and a dashboard that answers."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from failing_codespeed import FailingCodespeed, failing_codespeed
from night_world import World

from flink_boost.base.places import PROJECT_ROOT


@pytest.fixture
def server() -> Iterator[FailingCodespeed]:
    with failing_codespeed() as running:
        yield running


@pytest.fixture
def world(tmp_path: Path, server: FailingCodespeed, double: bool) -> World:
    folder = tmp_path / "build"
    folder.mkdir()
    (folder / "jars").symlink_to(PROJECT_ROOT / "build" / "jars")
    return World(folder, server, double)
