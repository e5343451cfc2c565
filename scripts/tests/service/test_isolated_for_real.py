"""Our own build and real JMH forks in the sandbox, and builds whose forks lie.

Needs bubblewrap and what ``make build`` leaves.
"""

from __future__ import annotations

import math
import os
import subprocess
import zipfile
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from flink_repository import release_of

from flink_boost.base.files import sha256
from flink_boost.base.places import PROJECT_ROOT
from flink_boost.flink.jdks import ask_jdk
from flink_boost.flink.lines import default_line, find_line
from flink_boost.flink.side import Side
from flink_boost.measure import classpaths, fork_files, run_plan, runner, store
from flink_boost.measure.box import choose_java, describe_box
from flink_boost.measure.commit_jars import Build, build_of, stock_build
from flink_boost.measure.groups import choose_cells, find_group, load_groups
from flink_boost.measure.model import Built, Purpose, RunInfo
from flink_boost.service.builds.builder import RecipeBuilder
from flink_boost.service.builds.isolation.building import IsolatedBuilds
from flink_boost.service.builds.isolation.choosing import choose_sandbox
from flink_boost.service.builds.isolation.forks import LIMITS, IsolatedForks
from flink_boost.service.builds.recipe import load_recipe
from flink_boost.service.detect.reruns.bench import BuildQuestion, ForkRerun

pytestmark = [pytest.mark.forks, pytest.mark.needs_jars]

LINE = find_line(default_line())
# Stands in front of JMH, as every class of a build may.
LYING = """
package org.openjdk.jmh;
import java.nio.file.*;
public final class Main {
    public static void main(String[] words) throws Exception {
        String what = new String(Main.class.getResourceAsStream("/what").readAllBytes());
        Path result = null;
        for (int at = 0; at < words.length; at++) {
            if (words[at].equals("-rff")) {
                result = Paths.get(words[at + 1]);
            }
        }
        switch (what) {
            case "name" -> Files.writeString(result, "[{\\"benchmark\\": \\"../../x\\"}]");
            case "large" -> {
                try (var file = new java.io.RandomAccessFile(result.toFile(), "rw")) {
                    file.setLength(100 << 20);
                }
            }
            case "gigabyte" -> {
                try (var file = new java.io.RandomAccessFile(result.toFile(), "rw")) {
                    file.setLength(1L << 30);
                }
            }
            case "link" -> Files.createSymbolicLink(result, Paths.get("/etc/passwd"));
            case "threads" -> {
                while (true) {
                    new Thread(() -> {
                        try {
                            Thread.sleep(100_000);
                        } catch (InterruptedException error) { }
                    }).start();
                }
            }
            default -> throw new IllegalStateException(what);
        }
    }
}
"""
TOLD = {
    "name": "is of '../../x', not of",
    "large": "may have 2097152",
    "gigabyte": "ended with code 1",
    "link": "is no file of its own",
    "threads": "It started more processes and threads than it may",
}


class Heard:
    """Keeps what became of each fork."""

    def __init__(self) -> None:
        self.outcomes: list[runner.Failure | object] = []

    def started(self, info: RunInfo, number: int, planned: store.PlannedFork) -> None:
        pass

    def ended(self, _: RunInfo, step: runner.EndedFork) -> None:
        self.outcomes.append(step.outcome)


@pytest.fixture(scope="module")
def lying(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the class that stands in front of JMH."""
    folder = tmp_path_factory.mktemp("lying")
    (folder / "Main.java").write_text(LYING)
    subprocess.run(
        ("javac", "-d", str(folder / "classes"), str(folder / "Main.java")), check=True, timeout=60
    )
    return folder / "classes"


def liar(classes: Path, what: str, folder: Path) -> Build:
    jar = folder / "liar.jar"
    with zipfile.ZipFile(jar, "w") as archive:
        for path in classes.rglob("*.class"):
            archive.write(path, str(path.relative_to(classes)))
        archive.writestr("what", what)
    built = Built(project="flink", version="1", commit="1" * 40)
    return build_of(built, LINE.version, (jar,))


def question(after: Build) -> BuildQuestion:
    java = choose_java(None, None, LINE.jdks, dict(os.environ))
    group = choose_cells(find_group(load_groups(), "smoke"), ["StringSerialization.*write"])
    night = run_plan.plan_run(
        run_id="20260301T010000Z-night",
        started=datetime(2026, 3, 1, 1, tzinfo=UTC),
        group=group,
        line=LINE,
        sides=(Side.STOCK, Side.CONTROL),
        pairs=1,
        opened=True,
        extra_options=(),
        class_paths=classpaths.ClassPaths(release_of(LINE), Path()),
        box=describe_box(ask_jdk(java)),
        commit="0" * 40,
        version="0.2.0",
        purpose=Purpose.NIGHTLY,
    )
    (cell,) = [one for one in night.cells if not one.is_comparator]
    return BuildQuestion(night, cell, stock_build(LINE), after, Purpose.CONFIRMATION, night.run_id)


def bench(folder: Path, heard: Heard, processes: int = 2048) -> ForkRerun:
    launch = IsolatedForks(
        choose_sandbox({}), folder / "places", limits=replace(LIMITS, processes=processes)
    )
    return ForkRerun(
        folder,
        os.environ,
        stock_of=release_of,
        box=None,
        progress=heard,
        now=lambda: datetime(2026, 3, 2, tzinfo=UTC),
        launch=launch,
    )


def test_forks_of_jmh_measure_in_the_sandbox(open_folder: Path) -> None:
    jar = open_folder / "nothing.jar"
    with zipfile.ZipFile(jar, "w") as archive:
        archive.writestr("nothing", "")
    built = Built(project="flink", version="1", commit="1" * 40)
    heard = Heard()
    asked = question(build_of(built, LINE.version, (jar,)))
    (found,) = bench(open_folder, heard).rerun(asked, 0, 1)
    (run_id,) = store.run_ids(open_folder / "reruns")
    info = store.load_run(open_folder / "reruns", run_id)
    forks = fork_files.read_forks(open_folder / "reruns", info).forks
    before, after = forks
    assert (before.side, after.side) == (Side.BEFORE, Side.AFTER)
    # Of so short a measurement on a busy machine nothing is sure, but what it was made of.
    assert found == pytest.approx(math.log(before.score / after.score))
    assert all(fork.alloc_bytes_per_op is not None for fork in forks)
    assert all(fork.cpu_time_per_op is not None for fork in forks)
    kept = next((open_folder / "reruns" / run_id / "forks").glob("*.json"))
    assert kept.stat().st_uid == os.geteuid()
    assert b"jvmArgs" not in kept.read_bytes()
    assert [path.name for path in (open_folder / "places").iterdir()] == ["owners"]


@pytest.mark.parametrize("what", TOLD)
def test_a_fork_that_lies_is_a_failure_with_its_reason(
    lying: Path, open_folder: Path, what: str
) -> None:
    heard = Heard()
    asked = question(liar(lying, what, open_folder))
    assert bench(open_folder, heard, processes=300).rerun(asked, 0, 1) == ()
    failures = [one for one in heard.outcomes if isinstance(one, runner.Failure)]
    assert [failure.planned.side for failure in failures] == [Side.AFTER]
    assert TOLD[what] in failures[0].reason
    assert len(heard.outcomes) == 2, "the other side was measured"
    assert not list(open_folder.glob("**/x"))


@pytest.mark.timeout(1500)
@pytest.mark.test_all
def test_our_own_build_gives_the_same_jar_inside_as_outside(open_folder: Path) -> None:
    if not (PROJECT_ROOT / ".git").exists():
        pytest.skip("needs the commits of this source tree")
    recipe = load_recipe("flink-boost")
    launch = IsolatedBuilds(choose_sandbox({}), open_folder / "places")
    inside = RecipeBuilder(
        recipe.model_copy(update={"isolated": True}),
        open_folder, os.environ, lambda _: None, launch=launch,
    ).build("HEAD", LINE)  # fmt: skip
    outside = RecipeBuilder(recipe, open_folder, os.environ, lambda _: None).build("HEAD", LINE)
    assert sha256(inside.jars[0]) == sha256(outside.jars[0])
    assert inside.digest == outside.digest
    assert inside.jars[0] != outside.jars[0]
    assert launch.ended is not None
    assert launch.ended.well
