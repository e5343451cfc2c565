"""Two runs that wait to be sent."""

from __future__ import annotations

from pathlib import Path

import pytest
from sending import Naps
from synthetic import make_forks, make_run

from flink_boost.measure.summary import summarise
from flink_boost.publish.codespeed import SpoolEntry, entries_of
from flink_boost.publish.spool import Spool


@pytest.fixture
def naps() -> Naps:
    return Naps()


@pytest.fixture
def spool(tmp_path: Path) -> Spool:
    """Two runs, so four entries."""
    spool = Spool(tmp_path / "spool")
    for night in (1, 0):
        run = make_run(night)
        for entry in entries_of(summarise(run, make_forks(run, seed=night, noise=0.02)), "box-1"):
            spool.add(entry)
    return spool


@pytest.fixture
def entries(spool: Spool) -> list[SpoolEntry]:
    return [spool.load_unsent(key) for key in spool.unsent_keys()]
