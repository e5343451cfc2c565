"""A source tree that ``line add`` changes, and what it finds published."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from newline_shelf import LINES, MODEL, Shelf, write_lines

from flink_boost.base.places import PROJECT_ROOT
from flink_boost.cli.commands import line as line_command
from flink_boost.flink.classes import ClassLock
from flink_boost.flink.downloads import CACHE
from flink_boost.flink.javatests import PATCHES
from flink_boost.flink.lines import load_lines
from flink_boost.flink.releases import load_releases
from flink_boost.port.newline.rows import write
from flink_boost.port.sources.tree import fetch_sources


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """The parts of a source tree that the command reads and writes."""
    root = tmp_path / "tree"
    for name in ("benchmarks/src/line", "scripts/flink-tests"):
        shutil.copytree(PROJECT_ROOT / name, root / name)
    for module in PATCHES:
        name = f"{module}/src/main"
        shutil.copytree(PROJECT_ROOT / name, root / name)
    # Whatever lines were added since these tests were written.
    write_lines(root / "lines.toml", *LINES)
    known = load_releases()
    kept = {name: each for name, each in known.releases.items() if each.classes == MODEL.version}
    lock = ClassLock({})
    for version in LINES:
        lock = lock.having(version, load_lines()[version].classes)
    write(root / "releases.toml", replace(known, releases=kept, lock=lock))
    for line in load_lines().values():
        for pin in line.sources:
            place = root / ".cache" / "sources" / pin.file
            place.parent.mkdir(parents=True, exist_ok=True)
            place.symlink_to(fetch_sources(pin, CACHE))
    # What the weaver needs, which compares.
    (root / ".cache" / "m2").symlink_to(CACHE / "m2")
    (root / "build").mkdir()
    for name in ("build/jars", "weaver", "pom.xml"):
        (root / name).symlink_to(PROJECT_ROOT / name)
    return root


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where classes are compiled."""
    return tmp_path_factory.mktemp("made")


@pytest.fixture
def shelf(tree: Path, made: Path, monkeypatch: pytest.MonkeyPatch) -> Shelf:
    """What the command finds published."""
    shelf = Shelf(tree / ".cache", made)
    monkeypatch.setattr(line_command, "Registries", lambda _cache: shelf)
    return shelf
