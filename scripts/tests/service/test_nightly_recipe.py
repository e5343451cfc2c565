"""Nights of a checkout of Flink: real builds of its published sources, kill -9.

Needs what ``make build`` leaves for the default line.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from eventual import eventually
from failing_codespeed import failing_codespeed
from flink_repository import BROKEN, SLOW, FlinkRepository, git, make_repository
from jmh_java import BY_DOUBLE_AND_JMH
from night_world import (
    AT,
    LINE,
    MEASURE,
    ORDER,
    World,
    environment,
    forks_of,
    java_processes,
    nightly,
)

from flink_boost.base.errors import BuildFailed, UsageProblem
from flink_boost.base.places import PROJECT_ROOT
from flink_boost.flink.lines import find_line
from flink_boost.flink.side import Side
from flink_boost.judge.series import build_series
from flink_boost.measure import run_plan, store
from flink_boost.measure.commit_jars import BuildPair
from flink_boost.measure.finalize import load_summary
from flink_boost.measure.history import load_history
from flink_boost.measure.model import Purpose
from flink_boost.measure.night_record import (
    Against,
    NightState,
    Order,
    StepRecord,
    StepState,
)
from flink_boost.publish.codespeed import entries_of
from flink_boost.service.nightly.box_shift import BoxShift
from flink_boost.service.nightly.night import NightEnd
from flink_boost.service.nightly.night_journal import NightJournal
from flink_boost.service.nightly.recipes import last_complete, pinned, recipe_builds, with_recipe

pytestmark = pytest.mark.needs_jars

GOOD = 2  # a place in the history before the slow commit
VERIFY = f"verify {LINE}"
STEP = "old-against-new"
# Waits as long as the test wants it to, then builds as the repository says.
_HELD = """
import os, pathlib, sys, time
hold = pathlib.Path(sys.argv[1])
hold.with_name("building").write_text(str(os.getpid()))
while hold.exists():
    time.sleep(0.05)
os.execv(sys.executable, [sys.executable, "build.py", sys.argv[2]])
"""


@pytest.fixture(scope="module")
def flink(tmp_path_factory: pytest.TempPathFactory) -> FlinkRepository:
    return make_repository(find_line(LINE), tmp_path_factory.mktemp("flink"))


@pytest.fixture
def world(tmp_path: Path, double: bool) -> Iterator[World]:
    folder = tmp_path / "build"
    folder.mkdir()
    (folder / "jars").symlink_to(PROJECT_ROOT / "build" / "jars")
    with failing_codespeed() as server:
        yield World(folder, server, double)


@pytest.fixture
def recipe(tmp_path: Path, flink: FlinkRepository) -> Path:
    """A recipe for the branch ``tested``, which stands at a good commit; nothing is held."""
    move(flink, GOOD)
    held = tmp_path / "held.py"
    held.write_text(_HELD, encoding="utf-8")
    file = tmp_path / "flink.toml"
    command = [sys.executable, str(held), str(tmp_path / "hold"), "{release}"]
    file.write_text(
        f"kind = 'flink'\nrepository = '{flink.folder}'\nbranch = 'tested'\n"
        "version = '2.4-SNAPSHOT'\nmodules = ['flink-core', 'flink-runtime']\n"
        f"command = {command}\nminutes = 5\n",
        encoding="utf-8",
    )
    return file


def move(flink: FlinkRepository, place: int) -> None:
    git(flink.folder, "branch", "--force", "tested", flink.commits[place])


def order(
    recipe: Path, commits: str = "", against: Against | None = None, *, pairs: int = 1
) -> Order:
    short = ORDER.model_copy(update={"pairs": pairs})
    return with_recipe(short, str(recipe), commits, against)


def night(world: World, wanted: Order) -> NightEnd:
    ended = world.service().run(wanted, AT, resume=False)
    assert ended is not None
    world.now += timedelta(days=1)
    return ended


@BY_DOUBLE_AND_JMH
def test_a_night_per_commit_shows_the_slow_one(
    world: World, recipe: Path, flink: FlinkRepository, by: str
) -> None:
    first = night(world, order(recipe))
    assert first.problems == (), world.said
    assert first.night.state is NightState.COMPLETE
    skipped = first.night.step(VERIFY)
    assert skipped.state is StepState.SKIPPED
    assert "not that of flink" in skipped.note
    assert f"flink {flink.commits[GOOD][:12]}" in first.night.step(f"build {LINE}").note
    (run_id,) = first.night.runs
    good = store.load_run(world.results, run_id)
    assert (good.subject.project, good.subject.commit) == ("flink", flink.commits[GOOD])  # type: ignore[union-attr]
    assert good.baseline is not None
    assert (good.baseline.commit, good.before_digest, good.dropin_sha256) == ("", "", "")
    assert good.after_digest
    assert {key[3] for key in world.server.stored} == {
        f"stock {LINE} flink",
        f"patched {LINE} flink",
    }

    # The night before is the reference; the release is none of its sides any more.
    move(flink, SLOW)
    second = night(world, order(recipe, against=Against.NIGHT_BEFORE, pairs=2))
    assert second.problems == (), world.said
    (run_id,) = second.night.runs
    slow = store.load_run(world.results, run_id)
    assert slow.subject_commit == flink.commits[SLOW]
    assert slow.baseline is not None
    assert slow.baseline.commit == flink.commits[GOOD]
    assert slow.before_digest == good.after_digest
    (cell,) = load_summary(world.results, run_id).cells
    for before, after in cell.paired_scores(slow.main_sides):
        assert after > 3 * before, "20 µs in a method that takes less than 1"

    # Two chosen commits are compared, and are neither a point nor a night to be followed.
    third = night(world, order(recipe, f"{flink.commits[1]}..{flink.commits[GOOD]}"))
    assert third.problems == (), world.said
    (run_id,) = third.night.runs
    assert store.load_run(world.results, run_id).purpose is Purpose.BY_HAND
    assert last_complete(world.service().journal, "flink") == flink.commits[SLOW]

    # One of ours beside them: no series, track or name on the dashboard is shared.
    ours = night(world, ORDER.model_copy(update={"pairs": 1}))
    assert ours.problems == (), world.said
    history = load_history(world.results)
    found = [(one.settings.project, one.settings.reference) for one in build_series(history.runs)]
    assert sorted(found) == [("", ""), ("flink", ""), ("flink", "build")]
    assert len({one.settings.identity for one in build_series(history.runs)}) == 3
    entries = [entry for run in history.runs for entry in entries_of(run, None)]
    names = [(one.results[0].branch, one.results[0].executable) for one in entries]
    # Of a quick look: the group of these nights is one.
    assert sorted(names) == [
        ("by-hand", f"patched {LINE} flink prev"),
        ("by-hand", f"stock {LINE} flink prev"),
        ("quick-look", f"patched {LINE}"),
        ("quick-look", f"patched {LINE} flink"),
        ("quick-look", f"patched {LINE} flink prev"),
        ("quick-look", f"stock {LINE}"),
        ("quick-look", f"stock {LINE} flink"),
        ("quick-look", f"stock {LINE} flink prev"),
    ]


def test_a_commit_that_does_not_build_costs_its_line_and_says_where_to_read(
    world: World, recipe: Path, flink: FlinkRepository
) -> None:
    move(flink, BROKEN)
    ended = night(world, order(recipe))
    assert [type(problem) for problem in ended.problems] == [BuildFailed]
    assert ended.night.state is NightState.EMPTY
    note = ended.night.step(f"build {LINE}").note
    assert flink.commits[BROKEN][:12] in note
    assert ended.night.step(MEASURE).note == f"skipped: build {LINE} failed"
    assert store.run_ids(world.results) == ()
    assert last_complete(world.service().journal, "flink") is None


def on_another_kernel(world: World, run_id: str) -> None:
    """As if the run had been made before an update of the kernel."""
    plan_file = world.results / run_id / "run.json"
    content = json.loads(plan_file.read_text(encoding="utf-8"))
    content["box"]["kernel"] = "0.9-before"
    plan_file.write_text(json.dumps(content), encoding="utf-8")


@pytest.mark.test_all
def test_after_an_update_of_the_box_the_old_build_is_set_against_the_new(
    world: World, recipe: Path, flink: FlinkRepository
) -> None:
    def tonight(wanted: Order) -> NightEnd:
        service = world.service()
        shift = BoxShift(
            places=service.places,
            journal=service.journal,
            environ=service.environ,
            groups={},
            describe=service.parts.describe,
            class_paths=service.parts.class_paths,
            shown=service.shown,
            tell=world.said.append,
            clock=service.clock,
        )
        parts = replace(service.parts, old_against_new=shift)
        ended = replace(service, parts=parts).run(wanted, AT, resume=False)
        assert ended is not None
        assert ended.problems == (), world.said
        world.now += timedelta(days=1)
        return ended

    first = tonight(order(recipe))
    assert first.night.step(STEP).note == "skipped: no complete night came before"
    same_box = tonight(order(recipe, pairs=2))
    assert "the box is as it was" in same_box.night.step(STEP).note
    assert same_box.night.old_against_new == ()

    on_another_kernel(world, same_box.night.runs[0])
    move(flink, SLOW)
    updated = tonight(order(recipe, pairs=2))
    (found,) = updated.night.old_against_new
    assert (found.before, found.after) == (flink.commits[GOOD], flink.commits[SLOW])
    assert not found.same
    assert found.code is not None
    assert found.code.ratio < 0.5, "the slow commit, on the same box"
    assert found.box is not None
    # The same build, then and now: whatever else this machine does, nothing like the slow commit.
    assert found.box.ratio > 3 * found.code.ratio
    assert [one.what for one in updated.night.box_changes] == ["kernel"]
    assert "against stock, the build of before is" in updated.night.step(STEP).note
    # In the record, in the report, on the dashboard; and in no series.
    told = world.server.nights[updated.night.box, updated.night.night]
    assert told["old_against_new"][0]["sentence"] == found.sentence
    assert world.server.nights[first.night.box, first.night.night]["old_against_new"] == []
    assert world.service().journal.load(updated.night.night) == updated.night
    assert found.run not in store.run_ids(world.results)
    assert found.run in store.run_ids(world.results / "reruns")
    info = store.load_run(world.results / "reruns", found.run)
    assert info.purpose is Purpose.CONFIRMATION
    assert info.sides == (Side.STOCK, Side.BEFORE, Side.AFTER)

    # Going on measures nothing of it again, and the next night on that box nothing at all.
    forks = forks_of(world.results / "reruns")
    world.now -= timedelta(days=1)
    journal = world.service().journal
    half = updated.night.with_step(StepRecord(name=STEP, state=StepState.RUNNING))
    journal.write(half.model_copy(update={"state": NightState.RUNNING}))
    assert tonight(order(recipe, pairs=2)).night.old_against_new == (found,)
    assert forks_of(world.results / "reruns") == forks
    next_night = tonight(order(recipe)).night
    assert "the box is as it was" in next_night.step(STEP).note
    assert next_night.box_changes == (), "people are told once"

    # Nights that are not complete, too: nothing is measured for it, but the change is told.
    for name in world.service().journal.nights():
        record = world.service().journal.load(name)
        world.service().journal.write(record.model_copy(update={"state": NightState.SHORT}))
    on_another_kernel(world, next_night.runs[0])
    short = tonight(order(recipe)).night
    assert short.step(STEP).note == "nothing to compare: no complete night came before"
    assert [one.what for one in short.box_changes] == ["kernel"]
    assert short.old_against_new == ()


def test_a_night_killed_while_it_builds_and_measures_goes_on_with_its_commit(
    tmp_path: Path, world: World, recipe: Path, flink: FlinkRepository
) -> None:
    hold = tmp_path / "hold"
    hold.write_text("")
    command, environ = nightly(world, "--recipe", str(recipe), "--pairs", "4"), environment(world)

    def start() -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            command, env=environ, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )

    building = tmp_path / "building"
    process = start()
    assert eventually(building.exists, 120), "the build did not begin"
    assert eventually(building.read_text, 5)
    process.kill()
    process.wait()
    builder = Path("/proc") / building.read_text()
    assert eventually(lambda: not builder.exists(), 10), "a build outlived its night"

    # Somebody pushes; the night is one of what the branch was at.
    move(flink, SLOW)
    hold.unlink()
    process = start()
    assert eventually(lambda: len(forks_of(world.results)) >= 2, 240), "nothing was measured"
    process.kill()
    process.wait()
    assert eventually(lambda: not java_processes(world.folder), 10), "a JVM outlived its night"
    before = forks_of(world.results)
    # A deleted branch is no hindrance either: its commit is known.
    git(flink.folder, "branch", "-D", "tested")
    last = subprocess.run(command, env=environ, capture_output=True, text=True, timeout=600)
    assert last.returncode == 0, last.stderr
    assert before.items() <= forks_of(world.results).items(), "a fork was measured again"
    (name,) = world.service().journal.nights()
    assert world.night(name).state is NightState.COMPLETE
    (run_id,) = world.night(name).runs
    assert store.load_run(world.results, run_id).subject_commit == flink.commits[GOOD]
    assert world.service().journal.order(name).commit == flink.commits[GOOD]
    assert len(forks_of(world.results)) == 2 * 4
    assert len(store.run_ids(world.results)) == 1
    left = list((world.folder / "builds" / "flink").glob(".building.*"))
    assert left == [], "what the killed build left is removed"


def test_builds_that_changed_give_no_run_to_go_on_with(
    world: World, recipe: Path, flink: FlinkRepository
) -> None:
    line = find_line(LINE)
    journal = NightJournal(world.folder / "nights")
    service = world.service()
    both = [
        recipe_builds(
            *(pinned(order(recipe, flink.commits[place]), journal, world.said.append),),
            *(world.folder, os.environ, service.parts.class_paths, world.said.append),
        )(line)
        for place in (GOOD, SLOW)
    ]
    stock = service.parts.class_paths(line).stock
    ended = night(world, order(recipe))
    info = store.load_run(world.results, ended.night.runs[0])
    box = info.box
    run_plan.require_same_circumstances(info, both[0].class_paths(stock), box)
    with pytest.raises(UsageProblem, match="candidate's build has changed"):
        run_plan.require_same_circumstances(info, both[1].class_paths(stock), box)
    swapped = BuildPair(both[1].candidate, both[0].candidate)
    with pytest.raises(UsageProblem, match="reference's build has changed"):
        run_plan.require_same_circumstances(info, swapped.class_paths(stock), box)
    assert not both[0].class_paths(stock).loads_dropin((Side.STOCK, Side.PATCHED))


def test_wrong_calls_say_what_to_do(tmp_path: Path, world: World, recipe: Path) -> None:
    with pytest.raises(UsageProblem, match="no pair of commits"):
        order(recipe, "a..")
    with pytest.raises(UsageProblem, match="no pair of commits"):
        order(recipe, "a...b")
    with pytest.raises(UsageProblem, match="--against is given"):
        order(recipe, "a..b", Against.NIGHT_BEFORE)
    chosen = {commits: order(recipe, commits).is_chosen for commits in ("", "HEAD~3", "a..b")}
    assert chosen == {"": False, "HEAD~3": True, "a..b": True}
    with pytest.raises(UsageProblem, match="of which a night measures this tree"):
        with_recipe(ORDER, "flink-boost", "HEAD", None)
    assert with_recipe(ORDER, "flink-boost", "", None).project == ""
    journal = NightJournal(world.folder / "nights")
    with pytest.raises(UsageProblem, match="does not have the commit 'nowhere'"):
        pinned(order(recipe, "nowhere"), journal, world.said.append)
    long = tmp_path / "long.toml"
    text = recipe.read_text(encoding="utf-8")
    long.write_text(text + "project = 'flink-with-a-long-name'\n", encoding="utf-8")
    with pytest.raises(UsageProblem, match="no room for 'patched"):
        order(long)
    wanted = pinned(order(recipe), journal, world.said.append)
    recipe.write_text(text + "project = 'other'\n", encoding="utf-8")
    service = world.service()
    build = recipe_builds(
        wanted, world.folder, os.environ, service.parts.class_paths, world.said.append
    )
    with pytest.raises(UsageProblem, match="builds other by now"):
        build(find_line(LINE))
