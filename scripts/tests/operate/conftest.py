"""What several tests take: a program that is profiled, inputs of distributions, others' folders."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
from other_owners import Marks
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


@pytest.fixture
def place(open_folder: Path) -> Path:
    """A folder that others may reach, and write into a part of it."""
    (open_folder / "marks").mkdir()
    (open_folder / "marks").chmod(0o777)
    return open_folder


@pytest.fixture
def marks(place: Path) -> Marks:
    """The users that the installation's Java ran as."""
    return lambda: {
        int(word) for file in (place / "marks").iterdir() for word in file.read_text().split()
    }
