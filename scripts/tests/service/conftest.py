"""What several tests of this room use."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that other users may reach, as a service's is.

    Not ``tmp_path``: pytest closes what is above it to other users, again and again.
    """
    folder = Path(tempfile.mkdtemp(prefix="flink-boost-open-"))
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder)
