"""Two builds measured against each other: real JMH forks, interrupted and gone on with."""

from __future__ import annotations

import os
import statistics
import zipfile
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from flink_repository import SLOW, make_repository, recipe_for, release_of

from flink_boost.base.errors import UsageProblem
from flink_boost.flink.jdks import ask_jdk
from flink_boost.flink.lines import default_line, find_line
from flink_boost.flink.side import Side
from flink_boost.measure import classpaths, fork_files, run_plan, runner, store
from flink_boost.measure.box import choose_java, describe_box
from flink_boost.measure.commit_jars import Build, build_of, stock_build
from flink_boost.measure.fork_launch import ForkLaunch, ForkOrder
from flink_boost.measure.groups import choose_cells, find_group, load_groups
from flink_boost.measure.history import load_history
from flink_boost.measure.model import Built, Purpose, RunInfo
from flink_boost.service.builds.builder import RecipeBuilder
from flink_boost.service.detect.reruns.bench import BuildQuestion, ForkRerun

LINE = find_line(default_line())
COMPARATOR = "writeUtf"

pytestmark = [pytest.mark.forks, pytest.mark.needs_jars, pytest.mark.usefixtures("jmh")]


class Watched:
    """Counts forks, and interrupts after so many."""

    def __init__(self, after: int = 999) -> None:
        self.started_forks: list[str] = []
        self._after = after

    def started(self, info: RunInfo, number: int, planned: fork_files.PlannedFork) -> None:
        assert 1 <= number <= 2 * info.pairs
        if len(self.started_forks) == self._after:
            raise KeyboardInterrupt
        self.started_forks.append(f"{planned.pair}{planned.side.value[0]}")

    def ended(self, info: RunInfo, step: runner.EndedFork) -> None:
        assert not isinstance(step.outcome, runner.Failure), (info.run_id, step.outcome.tail)


def night(line_java: str) -> RunInfo:
    """A night's run of two benchmarks, as it would be planned; nothing of it is measured."""
    group = choose_cells(find_group(load_groups(), "smoke"), ["Serialization.*write", COMPARATOR])
    paths = replace(
        classpaths.find_class_paths(LINE, Path("unused"), "", ()), dropin=release_of(LINE)[0]
    )
    return run_plan.plan_run(
        run_id="20260301T010000Z-night",
        started=datetime(2026, 3, 1, 1, tzinfo=UTC),
        group=group,
        line=LINE,
        sides=(Side.STOCK, Side.PATCHED),
        pairs=1,
        opened=True,
        extra_options=(),
        class_paths=paths,
        box=describe_box(ask_jdk(line_java)),
        commit="0" * 40,
        version="0.2.0",
        purpose=Purpose.NIGHTLY,
    )


def bench(results: Path, progress: runner.Progress, launch: ForkLaunch | None = None) -> ForkRerun:
    return ForkRerun(
        results,
        os.environ,
        stock_of=release_of,
        box=None,
        progress=progress,
        now=lambda: datetime(2026, 3, 2, tzinfo=UTC),
        launch=launch,
    )


@pytest.fixture(scope="module")
def slow(tmp_path_factory: pytest.TempPathFactory) -> Build:
    """A build of Flink whose strings are written slowly."""
    folder = tmp_path_factory.mktemp("slow")
    flink = make_repository(LINE, folder / "flink")
    builder = RecipeBuilder(
        recipe_for(flink), folder / "build", os.environ, lambda _: None, release_of
    )
    return builder.build(flink.commits[SLOW], LINE)


def test_the_slower_build_is_slower_and_what_was_measured_is_kept(
    slow: Build, tmp_path: Path
) -> None:
    java = choose_java(None, None, LINE.jdks, dict(os.environ))
    about = night(java)
    cell = next(one for one in about.cells if one.name.startswith("StringSerialization"))
    question = BuildQuestion(
        about, cell, stock_build(LINE), slow, Purpose.CONFIRMATION, about.run_id
    )
    assert bench(tmp_path, Watched()).asked_before(question) == 0
    stopped = Watched(after=3)
    with pytest.raises(KeyboardInterrupt):
        bench(tmp_path, stopped).rerun(question, 0, 2)
    assert stopped.started_forks == ["1b", "1a", "2a"]
    second = Watched()
    found = bench(tmp_path, second).rerun(question, 0, 2)
    assert second.started_forks == ["2b"]
    assert len(found) == 2
    assert max(found) < -0.5  # 200 microseconds on far less than one
    # Asked for more, it measures those pairs only; asked for the same, it answers from the disk.
    third = Watched()
    more = bench(tmp_path, third).rerun(question, 2, 1)
    assert third.started_forks == ["3b", "3a"]
    assert len(more) == 1
    again = Watched()
    assert bench(tmp_path, again).rerun(question, 0, 2) == found
    assert again.started_forks == []
    assert bench(tmp_path, again).asked_before(question) == 3
    assert statistics.median([*found, *more]) < -0.5

    results = tmp_path / "reruns"
    (run_id,) = store.run_ids(results)
    info = store.load_run(results, run_id)
    assert store.state(results, run_id) is store.RunState.COMPLETE
    assert (info.purpose, info.pairs, info.alternating) == (Purpose.CONFIRMATION, 3, True)
    assert info.subject == slow.built
    assert info.after_digest == slow.digest
    assert info.title_of(Side.AFTER) == f"after, {slow.built.commit[:8]}"
    assert not info.purpose.makes_a_point
    assert load_history(tmp_path).runs == ()
    with pytest.raises(UsageProblem, match="is a rerun of two builds"):
        run_plan.require_same_circumstances(
            info, classpaths.ClassPaths(release_of(LINE), Path()), info.box
        )


def test_a_comparator_is_code_of_neither_build(slow: Build, tmp_path: Path) -> None:
    about = night(choose_java(None, None, LINE.jdks, dict(os.environ)))
    cell = next(one for one in about.cells if one.is_comparator)
    question = BuildQuestion(about, cell, stock_build(LINE), slow, Purpose.BISECT, "a0123456789")
    with pytest.raises(UsageProblem, match="cannot be rerun"):
        bench(tmp_path, Watched()).rerun(question, 0, 1)


class Crashing:
    """Forks that all end with an error."""

    has_own_temporary_files = True

    def __init__(self) -> None:
        self.started = 0

    def launch(self, _: ForkOrder, attempt: fork_files.Attempt) -> int:
        self.started += 1
        attempt.log.write_text("it crashed", encoding="utf-8")
        return 1


class Quiet:
    """Shows nothing."""

    def started(self, *_: object) -> None:
        """Nothing."""

    def ended(self, *_: object) -> None:
        """Nothing."""


def test_what_crashes_is_given_up_after_one_batch(tmp_path: Path) -> None:
    jar = tmp_path / "other.jar"
    with zipfile.ZipFile(jar, "w") as archive:
        archive.writestr("nothing", "")
    other = build_of(Built(project="flink", version="1", commit="1" * 40), LINE.version, (jar,))
    about = night(choose_java(None, None, LINE.jdks, dict(os.environ)))
    cell = next(one for one in about.cells if not one.is_comparator)
    question = BuildQuestion(
        about, cell, stock_build(LINE), other, Purpose.CONFIRMATION, about.run_id
    )
    crashing = Crashing()
    measuring = bench(tmp_path, Quiet(), crashing)
    assert measuring.rerun(question, 0, 4) == ()
    assert crashing.started == 8
    for known in (0, 4, 8):
        assert measuring.rerun(question, known, 4) == ()
    assert crashing.started == 8, "not tried again with each batch"
    (run_id,) = store.run_ids(tmp_path / "reruns")
    assert store.state(tmp_path / "reruns", run_id) is store.RunState.WITH_FAILURES
