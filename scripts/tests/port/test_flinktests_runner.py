"""Real JVMs of Flink 2.3.0 over small test classes that fail in every way that matters.

Needs the drop-in jar that ``make build`` leaves, Maven and, for the probes, a compiler.
"""

from __future__ import annotations

import dataclasses
import os
import shutil
import subprocess
import zipfile
from collections.abc import Sequence
from pathlib import Path

import pytest

from flink_boost import __version__
from flink_boost.base.errors import BrokenData, FlinkTestsInvalid
from flink_boost.base.files import sha256
from flink_boost.base.places import PROJECT_ROOT
from flink_boost.flink.distribution import CACHE
from flink_boost.flink.lines import find_line
from flink_boost.flink.side import Side
from flink_boost.port.flinktests.blame import Blame
from flink_boost.port.flinktests.jvm import FlinkTestJvm
from flink_boost.port.flinktests.outcome import LOST, WHOLE_CLASS, Outcome
from flink_boost.port.flinktests.test_class_path import ModuleTests, ensure_tests, replaced_classes
from flink_boost.port.flinktests.test_plan import Chunk, RunLimits
from flink_boost.port.flinktests.test_runner import (
    EndedChunk,
    Plan,
    Results,
    is_complete,
    load_results,
    prepare,
    run_missing_chunks,
)
from flink_boost.port.flinktests.test_summary import (
    describe,
    describe_findings,
    summarize,
    write_junit_xml,
)
from suites.totals import Totals, read_totals

pytestmark = [pytest.mark.test_all, pytest.mark.needs_jars, pytest.mark.quiet]


LINE = find_line("2.3.0")
PROBES = Path(__file__).parents[1] / "data" / "probes"
JAR = f"flink-boost-{LINE.version}-{__version__}.jar"
DROPIN = PROJECT_ROOT / "build" / "jars" / JAR
OPTIONS = ("-ea", "-Xmx128m", "-XX:TieredStopAtLevel=1")
LIMITS = RunLimits.model_validate(
    {
        "classes-per-chunk": 9,
        "integration-tests-per-chunk": 9,
        "chunk-seconds": 120,
        "class-seconds": 120,
        "silent-seconds": 60,
    }
)
CHUNKS = (
    ("core-001", ("PassingTest", "OursTest", "StockTooTest", "NoTest"), False),
    ("core-002", ("UnstableTest",), False),
    ("core-003", ("ExitingTest", "PassingTest"), False),
    ("core-004", ("PassingTest",), True),
)


@pytest.fixture(scope="module")
def flink() -> ModuleTests:
    return ensure_tests(LINE, "core", CACHE)


@pytest.fixture(scope="module")
def probes(flink: ModuleTests, tmp_path_factory: pytest.TempPathFactory) -> ModuleTests:
    """The probes, compiled, in place of Flink's own test jar."""
    folder = tmp_path_factory.mktemp("probes")
    class_path = os.pathsep.join(map(str, (flink.main, *flink.others)))
    sources = sorted(map(str, PROBES.glob("*.java")))
    subprocess.run(
        ["javac", "-proc:none", "-cp", class_path, "-d", str(folder), *sources],
        check=True,
        timeout=120,
    )
    return ModuleTests("core", folder, flink.main, flink.others, "0" * 64)


def probe_jvm(probes: ModuleTests, folder: Path, dropin: Path = DROPIN) -> FlinkTestJvm:
    return FlinkTestJvm(
        java="java",
        tests=probes,
        options=(*OPTIONS, f"-Dprobes.folder={folder}"),
        dropin=dropin,
        woven=replaced_classes(DROPIN),
        scratch=folder / "scratch",
        environment=os.environ,
    )


def plan_of(chunks: Sequence[tuple[str, tuple[str, ...], bool]]) -> Plan:
    return Plan(
        line=LINE.version,
        jdk=17,
        jdk_version="17",
        scope="probes",
        dropin_sha256=sha256(DROPIN),
        class_paths={},
        options={},
        limits=LIMITS,
        chunks=tuple(
            Chunk(
                id=name,
                module="core",
                classes=tuple(f"probes.{each}" for each in classes),
                excluded=excluded,
            )
            for name, classes, excluded in chunks
        ),
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("run")


@pytest.fixture(scope="module")
def results(probes: ModuleTests, folder: Path) -> Results:
    """All probes, run once; the tests below look at what came out."""
    plan = plan_of(CHUNKS)
    state = folder / "state"
    assert not prepare(state, plan, keep_complete=False)
    steps: list[EndedChunk] = []
    found = run_missing_chunks(state, plan, {"core": probe_jvm(probes, folder)}, steps.append)
    assert [step.number for step in steps] == [1, 2, 3, 4]
    assert steps[-1].seconds_left == 0
    return found


def verdicts(results: Results) -> dict[str, tuple[Blame, int, int, int]]:
    return {
        f.case.class_name.removeprefix("probes."): (
            f.verdict,
            f.rounds,
            f.failed_patched,
            f.failed_stock,
        )
        for each in results.investigations
        for f in each.findings
    }


def test_each_failure_gets_its_verdict(results: Results) -> None:
    assert verdicts(results) == {
        "OursTest": (Blame.OURS, 3, 3, 0),
        "StockTooTest": (Blame.STOCK_TOO, 1, 1, 1),
        "UnstableTest": (Blame.UNSTABLE, 3, 0, 0),
        "ExitingTest": (Blame.STOCK_TOO, 1, 1, 1),
    }


def test_a_class_that_ends_the_jvm_does_not_take_others_with_it(results: Results) -> None:
    outcome = results.outcomes[2]
    assert set(outcome.lost) == {"probes.ExitingTest"}
    assert "ended with code 0 before all tests had" in outcome.lost["probes.ExitingTest"]
    assert [case.name for case in outcome.cases if case.class_name == "probes.PassingTest"] == [
        "stringSurvives()",
        "skipped()",
    ]


def test_a_class_that_hangs_is_stopped(probes: ModuleTests, tmp_path: Path) -> None:
    plan = plan_of([("core-001", ("HangingTest",), True)])
    plan = plan.model_copy(update={"limits": LIMITS.model_copy(update={"class_seconds": 10})})
    state = tmp_path / "state"
    prepare(state, plan, keep_complete=False)
    found = run_missing_chunks(state, plan, {"core": probe_jvm(probes, tmp_path)}, [].append)
    (case,) = found.outcomes[0].failures
    why = "did not end within 10 s; it was in HangingTest.hangs()"
    assert (case.name, case.kind, case.message) == (WHOLE_CLASS, LOST, why)
    assert verdicts(found) == {"HangingTest": (Blame.STOCK_TOO, 1, 1, 1)}
    assert summarize(found, DROPIN).stale_exclusions == (), "stock was seen to fail"
    stacks = (state / "logs" / "core-001.log").read_text(encoding="utf-8")
    assert "at probes.HangingTest.hangs(HangingTest.java:" in stacks


def test_a_hang_does_not_take_the_whole_time_of_its_chunk(
    probes: ModuleTests, tmp_path: Path
) -> None:
    """A class that hangs once, beside others, is told of though all pass alone."""
    plan = plan_of([("core-001", ("HangingOnceTest", "PassingTest"), False)])
    plan = plan.model_copy(update={"limits": LIMITS.model_copy(update={"silent_seconds": 5})})
    state = tmp_path / "state"
    prepare(state, plan, keep_complete=False)
    found = run_missing_chunks(state, plan, {"core": probe_jvm(probes, tmp_path)}, [].append)
    (outcome,) = found.outcomes
    why = "it told of no test for 5 s; it was in HangingOnceTest.hangsOnce() (stock's did)"
    assert (outcome.failures, outcome.lost, outcome.run_apart) == ((), {}, why)
    assert (state / "logs" / "core-001.log").exists(), "its stacks are kept"
    summary = summarize(found, DROPIN)
    assert (
        f"  run one by one: the classes of core-001, whose common JVM did not end well: {why}"
    ) in describe(summary, replaced_classes(DROPIN), DROPIN)


def test_what_only_a_common_jvm_shows_is_compared_with_stock(
    probes: ModuleTests, tmp_path: Path
) -> None:
    """Two classes of which one ends the JVM after the other: both pass alone."""
    plan = plan_of([("core-001", ("MarkingTest", "ExitingIfMarkedTest"), False)])
    state = tmp_path / "state"
    prepare(state, plan, keep_complete=False)
    found = run_missing_chunks(state, plan, {"core": probe_jvm(probes, tmp_path)}, [].append)
    (outcome,) = found.outcomes
    assert (len(outcome.cases), outcome.failures, outcome.lost) == (2, (), {})
    assert outcome.run_apart.startswith("its JVM ended with code 7 before all tests had")
    assert outcome.run_apart.endswith("(stock's did not either)")


def test_both_sides_loaded_their_own_classes(results: Results) -> None:
    (ours,) = [each for each in results.investigations if each.class_name == "probes.OursTest"]
    value = "org.apache.flink.types.StringValue"
    assert ours.rounds[0].patched.sources[value] == (f"file:{DROPIN}",)
    (stock,) = ours.rounds[0].stock.sources[value]
    assert Path(stock.removeprefix("file:")).name == "flink-core-2.3.0.jar"
    assert ours.rounds[0].patched.patched is False, "it only asks where the class is from"
    assert results.outcomes[0].patched


def test_the_summary_counts_and_names_what_is_wrong(results: Results, tmp_path: Path) -> None:
    summary = summarize(results, DROPIN)
    assert [finding.case.class_name for finding in summary.ours] == ["probes.OursTest"]
    assert summary.stale_exclusions == ("probes.PassingTest",)
    assert not summary.good
    assert (summary.passed, summary.skipped) == (3, 3)
    memory = "org.apache.flink.core.memory"
    assert {f"{memory}.DataOutputSerializer", f"{memory}.DataInputDeserializer"} <= summary.loaded
    loaded = f"{len(summary.loaded)} of {len(replaced_classes(DROPIN))}"
    printed = "\n".join(describe(summary, replaced_classes(DROPIN), DROPIN))
    assert printed.startswith(
        "Flink 2.3.0, JDK 17: 3 passed, 1 failed only with our jar,"
        " 2 failed on stock as well, 1 unstable, 3 skipped by Flink\n"
        f"  {loaded} woven classes were loaded, all from {JAR},"
        " and their new code ran in 3 of 4 runs;"
        " 1 class without a test: NoTest\n"
        "  failed only with our jar: probes.OursTest.loadsStockClass()"
        " (alone: 3 of 3 with our jar, 0 of 3 on stock): AssertionFailedError: StringValue is"
    )
    assert "out of date: probes.PassingTest is excluded" in printed
    twice = list(describe_findings((*summary.ours, *summary.ours)))
    assert len(twice) == 1
    assert twice[0].endswith(" [and 1 more of this class]")

    write_junit_xml(results, summary, tmp_path / "flink" / "probes.xml")
    assert read_totals([tmp_path / "flink" / "probes.xml"]) == Totals(passed=3, failed=1, skipped=6)


def test_a_run_goes_on_where_it_was(probes: ModuleTests, results: Results, folder: Path) -> None:
    """What is on disk is not run again: a JVM that cannot start would show it."""
    state = folder / "state"
    assert is_complete(state)
    assert load_results(state, results.plan) == results
    assert prepare(state, results.plan, keep_complete=True)
    for name in ("complete", "chunks/core-002.done", "chunks/core-002.json"):
        (state / name).unlink()
    with pytest.raises(BrokenData, match="lacks the result of core-002"):
        load_results(state, results.plan)
    before = {path: path.stat().st_mtime_ns for path in (state / "chunks").iterdir()}
    assert prepare(state, results.plan, keep_complete=False), "it is not complete any more"
    steps: list[EndedChunk] = []
    run_missing_chunks(state, results.plan, {"core": probe_jvm(probes, folder)}, steps.append)
    assert [step.chunk.id for step in steps] == ["core-002"]
    assert {path: path.stat().st_mtime_ns for path in before} == before


def test_another_plan_or_a_complete_run_starts_afresh(tmp_path: Path) -> None:
    state = tmp_path / "state"
    plan = plan_of(CHUNKS[:1])
    assert not prepare(state, plan, keep_complete=True)
    assert prepare(state, plan, keep_complete=True)
    (state / "chunks" / "core-001.done").touch()
    changed = plan.model_copy(update={"dropin_sha256": "1" * 64})
    assert not prepare(state, changed, keep_complete=True)
    assert not list((state / "chunks").iterdir())
    (state / "complete").touch()
    assert prepare(state, changed, keep_complete=True)
    assert not prepare(state, changed, keep_complete=False)
    (state / "plan.json").write_text('{"line": "cut o')
    assert not prepare(state, changed, keep_complete=True)


def test_without_our_classes_in_front_a_run_is_refused(probes: ModuleTests, tmp_path: Path) -> None:
    """The negative control: a jar that shadows nothing leaves stock's StringValue in its place."""
    nothing = tmp_path / "nothing.jar"
    with zipfile.ZipFile(nothing, "w") as archive:
        archive.writestr("README", "no class in here")
    jvm = probe_jvm(probes, tmp_path, nothing)
    with pytest.raises(FlinkTestsInvalid, match=r"patched side loaded .* from .*flink-core-2\.3"):
        jvm.run(Side.PATCHED, ["probes.PassingTest"], tmp_path / "log", 60, 60)


def test_the_jvm_takes_no_options_from_the_environment(probes: ModuleTests, tmp_path: Path) -> None:
    jvm = probe_jvm(probes, tmp_path)
    environment = {**os.environ, "JAVA_TOOL_OPTIONS": "-Dflink.boost.mode=off -Xmx1m"}
    hidden = dataclasses.replace(jvm, environment=environment)
    outcome: Outcome = hidden.run(Side.PATCHED, ["probes.PassingTest"], tmp_path / "log", 60, 60)
    assert not outcome.failures
    assert outcome.patched
    off = dataclasses.replace(jvm, options=(*jvm.options, "-Dflink.boost.mode=off"))
    outcome = off.run(Side.PATCHED, ["probes.PassingTest"], tmp_path / "log", 60, 60)
    assert not outcome.failures
    assert not outcome.patched, "the control: switched off, none of our bodies runs"
    assert "JAVA_TOOL_OPTIONS" not in (tmp_path / "log").read_text(encoding="utf-8")
    assert not (tmp_path / "scratch").exists()


def test_unpacks_again_what_was_cut_off(flink: ModuleTests, tmp_path: Path) -> None:
    """Without its stamp the folder may be incomplete: it is made anew."""
    kept = tmp_path / "flink-tests"
    kept.mkdir()
    listing = f"{LINE.version}-core.class-path"
    shutil.copy(CACHE / "flink-tests" / listing, kept)
    mine = ensure_tests(LINE, "core", tmp_path)
    assert mine.tests_sha256 == flink.tests_sha256
    victim = next(mine.folder.rglob("StringSerializationTest.class"))
    victim.unlink()
    assert ensure_tests(LINE, "core", tmp_path) == mine
    assert not victim.exists(), "a complete folder is left as it is"
    stamp = mine.folder.with_name(f"{mine.folder.name}.sha256")
    stamp.unlink()
    assert ensure_tests(LINE, "core", tmp_path) == mine
    assert victim.is_file()


def test_another_version_of_a_dependency_is_another_class_path(flink: ModuleTests) -> None:
    older = flink.others[0].with_name("flink-core-api-2.2.0.jar")
    changed = dataclasses.replace(flink, others=(older, *flink.others[1:]))
    assert changed.identity() != flink.identity()
    moved = dataclasses.replace(flink, main=Path("/elsewhere") / flink.main.name)
    assert moved.identity() == flink.identity()
