"""Profiles of real JMH forks. Needs what ``make build`` leaves."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest
from slow_build import SLOW, slow_jar
from stored_runs import complete_run_ids

from flink_boost import __version__
from flink_boost.base.errors import BrokenData, NoProfiler, NotProfiled
from flink_boost.base.places import PROJECT_ROOT
from flink_boost.cli import bench_profiles
from flink_boost.cli.main import main
from flink_boost.flink.jdks import ask_jdk
from flink_boost.flink.lines import default_line, find_line
from flink_boost.flink.profiler import ensure_profiler
from flink_boost.flink.side import Side
from flink_boost.flink.stacks import MARK, ours_of
from flink_boost.measure import classpaths, fork_files, run_plan, store
from flink_boost.measure.box import describe_box
from flink_boost.measure.groups import choose_cells, find_group, load_groups
from flink_boost.measure.model import RunInfo
from flink_boost.measure.profiles.profile_record import FILE, ProfilePair, folder_of, read_profile
from flink_boost.measure.profiles.take import ProfileSide, remove_left_over, take

LINE = find_line(default_line())
WRITE = "StringSerializationBenchmark.write"
TRIALS = int(os.environ.get("FLINK_BOOST_PROFILE_TRIALS", "3"))
SIDES = (Side.STOCK, Side.CONTROL)
VERSION = __version__

pytestmark = [pytest.mark.forks, pytest.mark.needs_jars, pytest.mark.usefixtures("jmh")]


def class_paths() -> classpaths.ClassPaths:
    return classpaths.find_class_paths(LINE, PROJECT_ROOT / "build", VERSION, SIDES)


@pytest.fixture
def info(tmp_path: Path) -> RunInfo:
    """A planned run of one cell, in the store ``tmp_path``."""
    planned = run_plan.plan_run(
        run_id="planned",
        started=datetime(2026, 3, 1, tzinfo=UTC),
        group=choose_cells(find_group(load_groups(), "smoke"), (WRITE,)),
        line=LINE,
        sides=SIDES,
        pairs=1,
        opened=True,
        extra_options=(),
        class_paths=class_paths(),
        box=describe_box(ask_jdk("java")),
        commit="0" * 40,
        version=VERSION,
    )
    store.create_run(tmp_path, planned)
    return planned


def profile(
    results: Path, info: RunInfo, jar: Path | None = None, java: str = "java"
) -> ProfilePair:
    stock = class_paths().of(Side.STOCK)
    slow = f"{jar}{os.pathsep}{stock}" if jar else stock
    return take(
        *(results, info, info.cells[0]),
        (ProfileSide("stock", stock), ProfileSide("slow <build>", slow)),
        profiler=ensure_profiler(),
        java=java,
        environment=os.environ,
        ours=ours_of(LINE.classes),
        seconds=2,
    )


@pytest.mark.timeout(60 * max(TRIALS, 5))
@pytest.mark.test_all
def test_a_method_that_is_slow_on_purpose_comes_first(tmp_path: Path, info: RunInfo) -> None:
    # Fewer are lost, where the processor is fast, in how samples spread over one inlined method.
    jar = slow_jar(LINE, class_paths().of(Side.STOCK), tmp_path / "slow", rounds=6)
    found = [profile(tmp_path, info, jar) for _ in range(TRIALS)]
    first = [pair.top[0].method for pair in found]
    assert first.count(SLOW) >= 0.9 * TRIALS, first
    pair = found[-1]
    assert len(pair.top) == 5
    assert pair.top[0].before == 0 < pair.top[0].after
    assert pair.top[0].ours  # of a class that the jar replaces
    assert f"{SLOW} {MARK}" in pair.text[1]
    assert re.search(r"0\.0% → \d+\.\d%  \(0 → .* ns/op\)", pair.text[1])

    folder = folder_of(tmp_path, info.run_id, info.cells[0])
    assert read_profile(tmp_path, info.run_id, info.cells[0]) == pair
    assert {*pair.pages.values(), FILE} <= {file.name for file in folder.iterdir()}
    page = (folder / pair.difference).read_text(encoding="utf-8")
    for words in ("slow &lt;build&gt; against stock", "Red: a larger share", f"{MARK} marks"):
        assert words in page
    assert "<build>" not in page
    assert "default-src &#x27;none" in page or "default-src 'none'" in page
    assert SLOW in page
    # Nothing of it is a fork of the run.
    assert fork_files.load_forks(tmp_path, info.run_id) == ()


def test_a_fork_that_fails_leaves_what_was_there(tmp_path: Path, info: RunInfo) -> None:
    java = tmp_path / "java"
    java.write_text("#!/bin/sh\necho 'ERROR: out of luck'; exit 3\n", encoding="utf-8")
    java.chmod(0o755)
    folder = folder_of(tmp_path, info.run_id, info.cells[0])
    folder.mkdir(parents=True)
    (folder / FILE).write_text("{", encoding="utf-8")
    with pytest.raises(NotProfiled, match=r"stock ended with code 3 \(ERROR: out of luck\)"):
        profile(tmp_path, info, java=str(java))
    assert [one.name for one in folder.parent.iterdir()] == [folder.name]
    with pytest.raises(BrokenData, match="cannot be read"):
        read_profile(tmp_path, info.run_id, info.cells[0])
    (folder.parent / ".profiling-killed").mkdir()
    remove_left_over(tmp_path, info.run_id)
    assert [one.name for one in folder.parent.iterdir()] == [folder.name]


@pytest.mark.test_all
def test_bench_profiles_after_it_has_measured_and_only_what_lacks(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def bench(*arguments: str) -> int:
        return main(["--results", str(tmp_path), "bench", *arguments, "--profile"])

    def none() -> Callable[[], None]:
        raise NoProfiler("There is no profiler here.", "Run it elsewhere.")

    with monkeypatch.context() as without:
        without.setattr(bench_profiles, "ensure_profiler", none)
        assert bench("--group", "smoke", WRITE, "--aa", "--pairs", "1") == NoProfiler.exit_code
    (run_id,) = complete_run_ids(tmp_path)
    errors = capsys.readouterr().err
    # It is told before anything is measured, and again at the end.
    assert errors.index("No profiles will be taken.") < errors.index("[1/2] pair")
    assert "Everything was measured, but not profiled: There is no profiler here." in errors
    forks = fork_files.load_forks(tmp_path, run_id)
    assert len(forks) == 2

    assert bench("--resume", run_id) == 0
    assert "[1/1] profiling" in capsys.readouterr().err
    (cell,) = store.load_run(tmp_path, run_id).cells
    pair = read_profile(tmp_path, run_id, cell)
    assert pair is not None
    assert (pair.before.name, pair.after.name) == ("stock", "stock again")
    assert fork_files.load_forks(tmp_path, run_id) == forks
    assert store.is_complete(tmp_path, run_id)

    assert bench("--resume", run_id) == 0
    assert "profiling" not in capsys.readouterr().err
