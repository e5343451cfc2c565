"""The program that is profiled, compiled once, and what a made-up distribution is made of."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
from small_distribution import Inputs
from spinning import Start, compile_program, started


@pytest.fixture(scope="session")
def start() -> Iterator[Start]:
    """Starts the program with options of the JVM, and ends it."""
    # Other users may not look into pytest's own folders.
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        compile_program(folder)
        yield partial(started, folder)


@pytest.fixture
def inputs(tmp_path: Path) -> Inputs:
    return Inputs(tmp_path)
