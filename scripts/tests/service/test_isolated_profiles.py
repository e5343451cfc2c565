"""Profiles in the sandbox: real forks under the real profiler, and what strangers may leave there.

Needs bubblewrap and what ``make build`` leaves.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from flink_repository import release_of
from test_isolated_for_real import LINE, liar, lying, question  # noqa: F401 a fixture

from flink_boost.base.errors import NotProfiled, RefusedResult
from flink_boost.base.places import PROJECT_ROOT
from flink_boost.flink.jdks import java_home
from flink_boost.flink.profiler import ensure_profiler
from flink_boost.flink.side import Side
from flink_boost.flink.stacks import ours_of
from flink_boost.measure.commit_jars import Build, build_of, stock_build
from flink_boost.measure.model import Built
from flink_boost.measure.profiles.profile_record import folder_of
from flink_boost.measure.profiles.take import ProfiledFork, ProfileSide, take
from flink_boost.measure.two_builds import rerun_class_paths
from flink_boost.service.builds.isolation.choosing import choose_sandbox
from flink_boost.service.builds.isolation.isolated_profiles import (
    IsolatedProfiles,
    checked_stacks,
    plain_frame,
)
from flink_boost.service.builds.isolation.sandbox import Ended, Owners

pytestmark = [pytest.mark.needs_jars, pytest.mark.quiet]

JAVA = str(java_home(LINE.jdks[0]) / "bin" / "java")


def patched() -> Build:
    (jar,) = (PROJECT_ROOT / "build" / "jars").glob(f"flink-boost-{LINE.version}-*.jar")
    built = Built(project="flink-boost", version="1", commit="1" * 40)
    return build_of(built, LINE.version, (jar,))


def sides(after: Build) -> tuple[ProfileSide, ProfileSide]:
    paths = rerun_class_paths(release_of(LINE), stock_build(LINE), after)
    return ProfileSide("base", paths.of(Side.BEFORE)), ProfileSide("head", paths.of(Side.AFTER))


def test_both_sides_are_profiled_in_the_sandbox_and_compared(open_folder: Path) -> None:
    asked = question(patched())
    results = open_folder / "results"
    pair = take(
        *(results, asked.night, asked.cell, sides(patched())),
        profiler=ensure_profiler(),
        java=JAVA,
        environment=os.environ,
        ours=ours_of(LINE.classes),
        seconds=2,
        record=IsolatedProfiles(choose_sandbox({}), open_folder / "places"),
    )
    assert min(pair.before.samples, pair.after.samples) > 200
    assert pair.before.time_per_operation is not None
    assert pair.after.alloc == "", "allocations are not taken"
    folder = folder_of(results, asked.night.run_id, asked.cell)
    assert "StringValue" in (folder / pair.before.cpu).read_text(encoding="utf-8")
    difference = (folder / pair.difference).read_text(encoding="utf-8")
    assert "CPU time: head against base" in difference
    assert len(pair.text) >= 3
    assert any("flink" in frame.method for frame in pair.top)
    assert [path.name for path in (open_folder / "places").iterdir()] == ["owners"]


def test_a_fork_that_lies_gives_no_profile(lying: Path, open_folder: Path) -> None:  # noqa: F811
    built = liar(lying, "name", open_folder)
    asked = question(built)
    fork = ProfiledFork(asked.night, asked.cell, ensure_profiler(), JAVA, asked.night.timings[0])
    record = IsolatedProfiles(choose_sandbox({}), open_folder / "places")
    with pytest.raises(NotProfiled, match="left 0 files of stacks"):
        record(fork, sides(built)[1], open_folder / "after", os.environ)


class Filling:
    """A sandbox in which the command has left what a test says."""

    def __init__(self, fill: Callable[[Path], None]) -> None:
        self._fill = fill

    @property
    def owners(self) -> Owners:
        return choose_sandbox({}).owners

    def run(self, _command: object, *, work: Path, **given: object) -> Ended:
        assert given["environment"] == {}
        assert given["mirrors"] is False
        (work / "profile" / "a").mkdir(parents=True)
        self._fill(work)
        return Ended("exited", 0, "")


def stacks(work: Path, content: bytes, name: str = "a/collapsed-itimer.csv") -> None:
    (work / "profile" / name).write_bytes(content)


def linked(work: Path) -> None:
    (work / "profile" / "a" / "collapsed-itimer.csv").symlink_to("/etc/passwd")


def two(work: Path) -> None:
    stacks(work, b"a;b 1\n")
    (work / "profile" / "b").mkdir()
    stacks(work, b"a;b 1\n", "b/collapsed-itimer.csv")


def without_result(work: Path) -> None:
    stacks(work, b"a;b 1\n")


def large(work: Path) -> None:
    with (work / "profile" / "a" / "collapsed-itimer.csv").open("wb") as file:
        file.truncate(1 << 26)


def other_benchmark(work: Path) -> None:
    stacks(work, b"a;b 1\n")
    (work / "result.json").write_text(json.dumps([{"benchmark": "../../x"}]))


HOSTILE: dict[Callable[[Path], None], str] = {
    linked: "left 0 files of stacks",
    two: "left 2 files of stacks",
    without_result: "result.json was not written",
    large: "and may have 16777216",
    other_benchmark: "is of '../../x', not of",
}


@pytest.mark.parametrize("fill", HOSTILE, ids=lambda fill: fill.__name__)
def test_what_a_stranger_leaves_there_is_refused_with_its_reason(
    fill: Callable[[Path], None], open_folder: Path
) -> None:
    asked = question(patched())
    fork = ProfiledFork(asked.night, asked.cell, ensure_profiler(), JAVA, asked.night.timings[0])
    record = IsolatedProfiles(Filling(fill), open_folder / "places")
    with pytest.raises(NotProfiled) as told:
        record(fork, sides(patched())[1], open_folder / "after", os.environ)
    assert HOSTILE[fill] in told.value.message


@pytest.mark.parametrize(
    ("frame", "plain"),
    [
        ("org/acme/Gauge.read_[j]", "org/acme/Gauge.read_[j]"),
        ("org/acme/Gauge.<init>_[j]", "org/acme/Gauge.<init>_[j]"),
        ("org/acme/Gauge$$Lambda/0x01.<clinit>_[1]", "org/acme/Gauge$$Lambda/0x01.<clinit>_[1]"),
        ("</script><script>alert(1)</script>.x", "?/script??script?alert(1)?/script?.x"),
        ("a.<init>'+alert(1)+'.b_[j]", "a.?init??+alert(1)+?.b_[j]".replace("+", "?")),
        ("\u202eevil`${x}`\\\n\x00", "?evil?$?x?????"),
        ("A" * 5000, "A" * 300 + "..."),
    ],
)
def test_frames_are_mere_names(frame: str, plain: str) -> None:
    assert plain_frame(frame) == plain


def test_stacks_are_bounded_and_equal_ones_are_one() -> None:
    assert checked_stacks("a;<b 1\na;>b 2\n") == {("a", "?b"): 3}
    for text in (
        ";".join(["a"] * 3000) + " 1\n",
        f"a;b {10**10}\n",
        "a;b 1\n" * 200_001,
    ):
        with pytest.raises(RefusedResult):
            checked_stacks(text)
