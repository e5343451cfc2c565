"""Savepoints that go with an upgrade of Flink: patched releases, then stock, and back."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from flink_installation import FlinkInstallation
from installations import VERSION
from running_job import build_jobs, checkpoint_options
from state_runs import run_state_job, savepoint_of
from string_state import StringState, commands, written_down

from flink_boost.base.places import PROJECT_ROOT
from flink_boost.flink.distribution import ensure_distribution
from flink_boost.flink.jdks import java_home
from flink_boost.flink.lines import Line, load_lines
from flink_boost.flink.releases import line_of, load_releases

JDK = 17
LINES = load_lines()
RELEASES = load_releases().releases
# Of these, those whose classes a jar exists for.
PATCHED = [
    version
    for version in ("1.19.3", "1.20.2", "1.20.5")
    if RELEASES[version].classes in LINES and LINES[RELEASES[version].classes].enabled
]
STRING_VALUE = "org.apache.flink.types.StringValue"

pytestmark = [pytest.mark.in_full_form_only, pytest.mark.timeout(3600)]


@dataclass(frozen=True)
class Stage:
    """A release, and whether our jar is in its ``lib/``."""

    version: str
    patched: bool

    @property
    def line(self) -> Line:
        """The line whose classes it has, with its own number and distribution."""
        return line_of(RELEASES[self.version], LINES)

    @property
    def jar(self) -> Path:
        """The drop-in jar, which has the name of the line."""
        line = LINES[RELEASES[self.version].classes]
        return PROJECT_ROOT / "build" / "jars" / line.dropin_name(VERSION)


NEWEST = Stage("2.3.0", False)


@contextmanager
def cluster(stage: Stage, backend: str, folder: Path) -> Iterator[FlinkInstallation]:
    options = {
        **checkpoint_options(stage.line, backend, folder / "checkpoints"),
        "taskmanager.numberOfTaskSlots": "2",
    }
    jars = [stage.jar] if stage.patched else []
    distribution = ensure_distribution(stage.line)
    with FlinkInstallation(
        distribution, java_home(JDK), folder / "flink", jars, options=options
    ) as flink:
        flink.start_cluster()
        yield flink
        (task_manager,) = flink.task_managers()
        source = flink.loaded_by(task_manager)[STRING_VALUE]
        assert source == (stage.jar.name if stage.patched else flink.dist.name)


@pytest.mark.parametrize("backend", ["heap", "rocksdb"])
def test_state_goes_up_through_patched_releases_to_stock_and_back(
    backend: str, tmp_path: Path
) -> None:
    assert len(PATCHED) >= 2
    expected = StringState()
    savepoint = ""
    held: dict[str, tuple[str, StringState]] = {}
    for turn, stage in enumerate([*(Stage(version, True) for version in PATCHED), NEWEST]):
        folder = tmp_path / f"up-{stage.version}"
        changes = commands(turn)
        assert found_by(stage, backend, savepoint, changes, folder) == expected.lines()
        expected.apply(changes)
        savepoint = savepoint_of(folder / "run")
        held[stage.version] = savepoint, copy.deepcopy(expected)

    # Each of them back to the one before, where stock runs now.
    for newer, older in zip(PATCHED[1:], PATCHED, strict=False):
        savepoint, state = held[newer]
        folder = tmp_path / f"back-{older}"
        assert found_by(Stage(older, False), backend, savepoint, [], folder) == state.lines()
    # Flink 1, stock as well, does not read what Flink 2 writes.
    savepoint, _ = held[NEWEST.version]
    with pytest.raises(AssertionError, match="Unrecognized checkpoint version number"):
        found_by(Stage(PATCHED[-1], False), backend, savepoint, [], tmp_path / "back-from-2")


def found_by(
    stage: Stage, backend: str, savepoint: str, changes: list[str], folder: Path
) -> list[str]:
    """What the job wrote down after it was restored; a new savepoint is left behind."""
    folder.mkdir()
    (folder / "jobs").mkdir()
    jobs = build_jobs(stage.line, ensure_distribution(stage.line), folder / "jobs")
    with cluster(stage, backend, folder) as flink:
        run_state_job(flink, jobs, savepoint, changes, folder / "run")
    return written_down(folder / "run")
