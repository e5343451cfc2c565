"""Savepoints that go with an upgrade of Flink: patched releases, then stock, and back."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from flink_installation import FlinkInstallation
from running_job import build_jobs, checkpoint_options
from state_runs import run_state_job, savepoint_of
from string_state import StringState, commands, differences, written_down
from texts import shown

from flink_boost.base.places import PROJECT_ROOT
from flink_boost.flink.distribution import ensure_distribution
from flink_boost.flink.jdks import java_home
from flink_boost.flink.lines import Line, load_lines
from flink_boost.flink.releases import load_releases

JDK = 17
LINES = load_lines()
RELEASES = load_releases().releases
# Of these, those whose classes a jar exists for.
PATCHED = [
    version
    for version in ("1.19.3", "1.20.2", "1.20.5")
    if RELEASES[version].classes in LINES and LINES[RELEASES[version].classes].enabled
]
STOCK = "2.3.0"
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
        release = RELEASES[self.version]
        line = LINES[release.classes]
        if release.version == line.version:
            return line
        return replace(line, version=release.version, distribution=release.distribution)

    @property
    def jar(self) -> Path:
        """The drop-in jar, which has the name of the line."""
        line = LINES[RELEASES[self.version].classes]
        return PROJECT_ROOT / "build" / "jars" / line.dropin_name("0.2.0")


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
def test_state_goes_up_through_patched_releases_to_stock_and_back_as_far_as_flink_does(
    backend: str, tmp_path: Path
) -> None:
    expected = StringState()
    savepoints: list[str] = [""]

    def carry(stage: Stage, savepoint: str, turn: int, name: str) -> str:
        changes = commands(turn)
        distribution = ensure_distribution(stage.line)
        (tmp_path / f"jobs-{name}").mkdir()
        jobs = build_jobs(stage.line, distribution, tmp_path / f"jobs-{name}")
        with cluster(stage, backend, tmp_path / name) as flink:
            run_state_job(flink, jobs, savepoint, changes, tmp_path / name / "run")
        found = differences(written_down(tmp_path / name / "run"), expected.lines())
        assert not found, (name, len(found), shown(found))
        return savepoint_of(tmp_path / name / "run")

    assert len(PATCHED) >= 2
    stages = [*(Stage(version, True) for version in PATCHED), Stage(STOCK, False)]
    for turn, stage in enumerate(stages):
        savepoints.append(carry(stage, savepoints[-1], turn, f"up-{stage.version}"))
        expected.apply(commands(turn))
