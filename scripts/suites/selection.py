"""Which tests of Python run, where, and in which order: a plugin of pytest for both test folders.

By hand, ``pytest`` takes everything but what only ``make test-all`` runs. ``make test`` says which
lines are built; a test that needs another one is left to ``make test-all``, which builds them all.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import pytest

from flink_boost.flink.lines import Line, default_line, find_line, load_lines

MARKERS = (
    "needs_jars(*lines): needs what `make build` leaves for these lines; default: the default one",
    "forks: measures with real forks of JMH, or builds: minutes; begins early",
    "quiet: judges times, or ends what nothing waits for, so that others would move its moments",
    "test_all: only `make test-all` runs it",
)
QUIET = "quiet"
_WHOLE_FILE = "\npytestmark = pytest.mark.test_all\n"


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("flink-boost")
    group.addoption("--test-all", action="store_true", help="also what is marked test_all")
    group.addoption("--lines", help="the lines that are built, with commas; default: all")


def pytest_configure(config: pytest.Config) -> None:
    for marker in MARKERS:
        config.addinivalue_line("markers", marker)


@pytest.hookimpl(wrapper=True)
def pytest_collection(session: pytest.Session) -> Iterator[None]:
    """Of several processes one at a time: the others find what the first has compiled.

    To rewrite the asserts of all tests takes a processor 17 s.
    """
    if not hasattr(session.config, "workerinput"):
        return (yield)
    folder = os.open(session.config.rootpath, os.O_RDONLY)
    try:
        fcntl.flock(folder, fcntl.LOCK_EX)
        return (yield)
    finally:
        os.close(folder)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """With ``-m quiet`` only files that have the word, without ``--test-all`` none of its own.

    To import all takes a processor seconds.
    """
    if not collection_path.match("test_*.py"):
        return None
    text = collection_path.read_text(encoding="utf-8")
    asked = config.getoption("-m").split(" and ")
    if QUIET in asked and " or " not in " ".join(asked) and QUIET not in text:
        return True
    return True if _WHOLE_FILE in text and not config.getoption("--test-all") else None


def built_lines(config: pytest.Config) -> list[Line]:
    """The lines that ``--lines`` names, in the order of ``lines.toml``."""
    named = config.getoption("--lines")
    versions = [version for version, line in load_lines().items() if line.enabled]
    return [find_line(version) for version in versions if not named or version in named.split(",")]


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    whole = config.getoption("--test-all")
    built = {line.version for line in built_lines(config)}
    kept: list[pytest.Item] = []
    left: list[pytest.Item] = []
    for item in items:
        wanted = whole or item.get_closest_marker("test_all") is None
        (kept if wanted and needed_lines(item) <= built else left).append(item)
    if left:
        config.hook.pytest_deselected(items=left)
    items[:] = in_order(kept)


def needed_lines(item: pytest.Item) -> set[str]:
    """The lines whose jars it needs; that of a parameter beside those of its file."""
    needed: set[str] = set()
    for marker in item.iter_markers("needs_jars"):
        needed.update(marker.args or (default_line(),))
    return needed


def in_order(items: Iterable[pytest.Item]) -> list[pytest.Item]:
    """Files that take long first, or they would be the last ones to end."""
    files: dict[Path, list[pytest.Item]] = {}
    for item in items:
        files.setdefault(item.path, []).append(item)
    return [
        item
        for path in sorted(files, key=lambda one: _length(one, files[one]))
        for item in files[path]
    ]


def _length(path: Path, items: Sequence[pytest.Item]) -> tuple[int, int]:
    """How long a file is expected to take, the longest lowest."""
    forks = sum(item.get_closest_marker("forks") is not None for item in items)
    return -forks, -path.stat().st_size
