"""Releases with the classes of a line, and lines that are not measured: the jar runs there.

Another line's jar does not.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from eventual import eventually
from flink_installation import FlinkInstallation, count_words

from flink_boost.base.places import PROJECT_ROOT
from flink_boost.cli.main import main
from flink_boost.flink.distribution import ensure_distribution, ensure_example
from flink_boost.flink.home import open_home
from flink_boost.flink.jdks import java_home
from flink_boost.flink.lines import PinnedFile, default_line, load_lines
from flink_boost.flink.releases import Release, load_releases
from flink_boost.operate.flink_processes import find_running

LINES = load_lines()


def distribution_of(release: Release) -> tuple[PinnedFile, ...]:
    line = LINES.get(release.version)
    return release.distribution if line is None else line.distribution


def has_no_tests_of_its_own(release: Release) -> bool:
    return release.version not in LINES or not LINES[release.version].measured


RELEASES = [
    release
    for release in load_releases().releases.values()
    if release.classes in LINES and distribution_of(release) and has_no_tests_of_its_own(release)
]
JARS = PROJECT_ROOT / "build" / "jars"

pytestmark = [pytest.mark.in_full_form_only, pytest.mark.timeout(600)]


@pytest.fixture(scope="module", params=RELEASES, ids=lambda release: release.version)
def release(request: pytest.FixtureRequest) -> Release:
    chosen: Release = request.param
    return chosen


@pytest.fixture(scope="module")
def distribution(release: Release) -> Path:
    line = LINES[release.classes]
    return ensure_distribution(
        replace(line, version=release.version, distribution=distribution_of(release))
    )


@pytest.fixture
def flink(release: Release, distribution: Path, tmp_path: Path) -> Iterator[FlinkInstallation]:
    home = java_home(release.jdks[-1])
    with FlinkInstallation(distribution, home, tmp_path / "flink") as installation:
        yield installation


def test_some_release_can_be_started() -> None:
    assert RELEASES


def test_the_jar_of_the_line_is_installed_and_runs_a_job(
    release: Release, flink: FlinkInstallation, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    line = LINES[release.classes]
    job = ensure_example(line, "WordCount")
    flink.start_cluster()
    stock = count_words(flink, job, tmp_path / "stock")
    flink.run("stop-cluster.sh", seconds=60)
    # The script of 1.10 and 1.11 does not wait for the processes.
    assert eventually(lambda: not find_running(open_home(flink.home)), 60)

    assert main(["install", str(flink.home), "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert Path(answer["jar"]).name == line.dropin_name("0.2.0")
    assert answer["flink_version"] == release.version

    flink.start_cluster()
    assert count_words(flink, job, tmp_path / "patched") == stock
    logged = flink.log("taskexecutor")
    listed = "on" if release.tested else "not on"
    found = f"Flink {release.version}: {listed} the list of tested releases, same classes"
    if release.version == line.version:
        found = "the class files it replaces are those of this version"
    assert f"flink-boost 0.2.0 for Flink {line.version}: mode on, {found}" in logged
    assert "LinkageError" not in logged


def test_the_jar_of_another_line_ends_the_process_and_names_the_one_that_fits(
    release: Release, flink: FlinkInstallation
) -> None:
    line = LINES[release.classes]
    lines = (LINES[default_line()], *LINES.values())
    other = next(each for each in lines if each.enabled and each is not line)
    wrong = JARS / other.dropin_name("0.2.0")
    (flink.home / "lib" / wrong.name).write_bytes(wrong.read_bytes())

    ended = flink.run("taskmanager.sh", "start-foreground", seconds=60)

    assert ended.exit_code != 0
    assert (
        f"flink-boost 0.2.0 is built for Flink {other.version} but found Flink {release.version}"
    ) in ended.output
    assert f"install {line.dropin_name('0.2.0')}, which fits." in ended.output
