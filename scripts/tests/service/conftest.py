"""What nights and sandboxes are tried on: a machine, a dashboard that answers, a folder of work."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from failing_codespeed import FailingCodespeed, failing_codespeed
from night_world import World
from sandbox_trial import Trial

from flink_boost.base.places import PROJECT_ROOT
from flink_boost.service.builds.isolation.choosing import choose_sandbox


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


@pytest.fixture
def trial(open_folder: Path) -> Iterator[Trial]:
    with ExitStack() as stack:
        yield Trial(open_folder, choose_sandbox({}), stack)
