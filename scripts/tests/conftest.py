"""Settings for all tests, and a package registry on disk."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import hypothesis
import pytest

from flink_boost.downloads import CACHE, ensure_pip_tools

# The same examples in every run, and no failure because the machine was busy.
hypothesis.settings.register_profile("project", deadline=None, derandomize=True)
hypothesis.settings.load_profile("project")

# As at a terminal: what runs in the background is started with these two ignored, and so would be
# the processes that the tests interrupt.
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGHUP, signal.SIG_DFL)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--all-platforms",
        action="store_true",
        help="cluster tests on all lines and JDKs, as `make test-cluster` runs them",
    )
    parser.addoption(
        "--images", action="store_true", help="build images and start them, as `make test-images`"
    )


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    """An empty cache that shares only the pip tools with the real one."""
    tools = ensure_pip_tools(CACHE).parents[1]
    cache = tmp_path / "cache"
    cache.mkdir()
    (cache / "pip-tools").symlink_to(tools)
    return cache


@pytest.fixture
def registry(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that pip takes packages from, instead of any network."""
    folder = tmp_path / "registry"
    folder.mkdir()
    for name in [name for name in os.environ if name.startswith("PIP_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    return folder
