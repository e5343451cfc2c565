"""A release with the classes of a line on one of its JDKs: what an operator does with the jar.

Stock runs first, then the jar is installed, switched off, and taken away again; a job's state goes
along. ``--every-release`` takes all that are on PyPI, else those that have no tests of their own.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from eventual import eventually
from flink_installation import FlinkInstallation, count_words
from installations import VERSION
from our_classes import announced
from running_job import build_jobs, checkpoint_options
from state_runs import run_state_job, savepoint_of
from string_state import StringState, commands, differences, written_down

from flink_boost.base.places import PROJECT_ROOT
from flink_boost.cli.main import main
from flink_boost.flink.distribution import ensure_distribution, ensure_example
from flink_boost.flink.home import open_home
from flink_boost.flink.jdks import java_home
from flink_boost.flink.lines import Line, default_line, load_lines
from flink_boost.flink.releases import Release, line_of, load_releases
from flink_boost.operate.flink_processes import find_running

LINES = load_lines()
JARS = PROJECT_ROOT / "build" / "jars"
STRING_VALUE = "org.apache.flink.types.StringValue"

pytestmark = [pytest.mark.in_full_form_only, pytest.mark.timeout(1800)]


@dataclass(frozen=True)
class Target:
    """A release on a JDK."""

    release: Release
    jdk: int

    def __str__(self) -> str:
        return f"{self.release.version}-jdk{self.jdk}"

    @property
    def line(self) -> Line:
        """The line whose jar it gets."""
        return LINES[self.release.classes]

    @property
    def own(self) -> Line:
        """The same with the release's number and distribution."""
        return line_of(self.release, LINES)


TARGETS = [
    Target(release, jdk)
    for release in load_releases().releases.values()
    if release.classes in LINES and line_of(release, LINES).distribution
    for jdk in release.jdks
]


def is_usual(target: Target) -> bool:
    """Whether it runs without ``--every-release``: nothing else runs a cluster of its line."""
    newest = target.jdk == target.line.jdks[-1]
    return newest and target.release.version in LINES and not target.line.measured


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "target" in metafunc.fixturenames:
        every = metafunc.config.getoption("--every-release")
        chosen = [target for target in TARGETS if every or is_usual(target)]
        metafunc.parametrize("target", chosen, ids=str, scope="module")


@pytest.fixture(scope="module")
def distribution(target: Target) -> Path:
    return ensure_distribution(target.own)


@pytest.fixture
def flink(target: Target, distribution: Path, tmp_path: Path) -> Iterator[FlinkInstallation]:
    # In 1.12.0 the reduce of WordCount gets no memory for RocksDB, on stock as well.
    backend = "heap" if target.release.version == "1.12.0" else "rocksdb"
    options = {
        **checkpoint_options(target.own, backend, tmp_path / "state"),
        "taskmanager.numberOfTaskSlots": "2",
    }
    home = tmp_path / "flink"
    with FlinkInstallation(
        distribution, java_home(target.jdk), home, options=options
    ) as installation:
        yield installation


@dataclass
class Story:
    """One installation, its job and what the job's state has to be."""

    flink: FlinkInstallation
    words: Path
    jobs: Path
    folder: Path
    state: StringState
    savepoint: str = ""
    source: str = ""
    turn: int = 0

    def run(self, *, with_client: bool = True) -> list[str]:
        """Counts words, runs the job from the last savepoint to the next, stops the cluster.

        The client's JVMs take as long as the cluster: stock's have the job told to it by REST.
        """
        folder = self.folder / f"turn-{self.turn}"
        changes = commands(self.turn)
        self.flink.start_cluster()
        (task_manager,) = self.flink.task_managers()
        counts = count_words(self.flink, self.words, self.folder / f"counts-{self.turn}")
        run_state_job(
            *(self.flink, self.jobs, self.savepoint, changes, folder), with_client=with_client
        )
        assert not differences(written_down(folder), self.state.lines())
        self.source = self.flink.loaded_by(task_manager)[STRING_VALUE]
        self.state.apply(changes)
        self.savepoint = savepoint_of(folder)
        self.turn += 1
        self.stop()
        return counts

    def stop(self) -> None:
        """The script of 1.10 and 1.11 does not wait for the processes."""
        self.flink.run("stop-cluster.sh", seconds=60)
        assert eventually(lambda: not find_running(open_home(self.flink.home)), 60)


def test_some_release_can_be_started() -> None:
    assert {target.release.version for target in TARGETS} > {"1.9.3", "1.20.2", "2.3.0"}
    assert any(is_usual(target) for target in TARGETS)


def test_the_jar_takes_over_words_and_state_and_gives_them_back(
    target: Target,
    flink: FlinkInstallation,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    (tmp_path / "jobs").mkdir()
    jobs = build_jobs(target.own, ensure_distribution(target.own), tmp_path / "jobs")
    words = ensure_example(target.line, "WordCount")
    story = Story(flink, words, jobs, tmp_path, StringState())
    stock = story.run(with_client=False)
    assert story.source == flink.dist.name

    assert main(["install", str(flink.home), "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    jar = target.line.dropin_name(VERSION)
    assert Path(answer["jar"]).name == jar
    assert answer["flink_version"] == target.release.version
    assert story.run() == stock
    assert story.source == jar
    (said,) = announced(flink.log("taskexecutor"))
    assert (
        f"flink-boost {VERSION} for Flink {target.line.version}: mode on, {compared(target)}"
        in said
    )
    assert "LinkageError" not in flink.log("taskexecutor")
    monkeypatch.setenv("JAVA_HOME", str(java_home(target.jdk)))
    exit_code = main(["verify", str(flink.home), "--job", "--json"])
    job = json.loads(capsys.readouterr().out)["checks"][-1]
    assert exit_code == 0, job
    assert "with our codec, the same as without the jar" in job["detail"]

    with switched_off(flink):
        assert story.run() == stock
    assert story.source == jar
    modes = sorted("mode off" in said for said in announced(flink.log("taskexecutor")))
    assert modes == [False, True]

    assert main(["uninstall", str(flink.home)]) == 0
    assert story.run(with_client=False) == stock
    assert story.source == flink.dist.name
    assert len(announced(flink.log("taskexecutor"))) == len(modes)


def compared(target: Target) -> str:
    """What the guard says of the class files that it found."""
    if target.release.version == target.line.version:
        return "the class files it replaces are those of this version"
    listed = "on" if target.release.tested else "not on"
    return f"Flink {target.release.version}: {listed} the list of tested releases, same classes"


@contextmanager
def switched_off(flink: FlinkInstallation) -> Iterator[None]:
    """The kill switch in the configuration, beside the options that are there."""
    names = ("config.yaml", "flink-conf.yaml")
    (file,) = (
        flink.home / "conf" / name for name in names if (flink.home / "conf" / name).is_file()
    )
    before = file.read_text()
    changed = re.sub(
        r'^(env\.java\.(?:default-opts\.all|opts|opts\.all): "?)',
        r"\1-Dflink.boost.mode=off ",
        before,
        flags=re.MULTILINE,
    )
    assert changed != before
    file.write_text(changed)
    yield
    file.write_text(before)


def test_the_jar_of_another_line_ends_the_process_and_names_the_one_that_fits(
    target: Target, flink: FlinkInstallation
) -> None:
    lines = (LINES[default_line()], *LINES.values())
    other = next(each for each in lines if each.enabled and each is not target.line)
    wrong = JARS / other.dropin_name(VERSION)
    (flink.home / "lib" / wrong.name).write_bytes(wrong.read_bytes())

    ended = flink.run("taskmanager.sh", "start-foreground", seconds=60)

    assert ended.exit_code != 0
    found = target.release.version
    assert f"{VERSION} is built for Flink {other.version} but found Flink {found}" in ended.output
    assert "run `flink-boost install FLINK_HOME`, which puts the jar for" in ended.output
