"""What runs on every release: the order, what is run again, what is kept, the page."""

from __future__ import annotations

import shutil
import tomllib
import zipfile
from dataclasses import replace
from datetime import date
from pathlib import Path
from threading import Barrier, Event

import pytest
from release_cells import KNOWN, LINES, ONE, THREE, TWO, result

from flink_boost import __version__
from flink_boost.base.errors import BrokenData, EnvironmentProblem, UsageProblem
from flink_boost.base.places import PROJECT_ROOT
from flink_boost.flink.distribution import ensure_release_jars
from flink_boost.flink.javatests import CODEC_MODULE, ModuleBuild
from flink_boost.flink.lines import find_line
from flink_boost.port.everyrelease.__main__ import (
    classes_of_jars,
    gained_and_lost,
    with_tested,
)
from flink_boost.port.everyrelease.cells import (
    CellResult,
    ReleaseCell,
    What,
    cells_of,
    code_of,
    read_results,
    why_not,
    write_results,
)
from flink_boost.port.everyrelease.running import Bench, counted, remove_distribution, run_open
from flink_boost.port.newline.look import render


def test_the_newest_release_of_each_line_comes_first() -> None:
    cells = cells_of(KNOWN, LINES)
    places = {cell.release: place for place, cell in reversed(list(enumerate(cells)))}
    assert places["2.3.0"] < places["2.2.0"]
    assert places["1.9.1"] < places["1.9.0"]
    assert places["1.10.3"] < places["2.2.0"], "another line before another release of one"
    flinks = ReleaseCell("1.9.2", 11, What.FLINKS)
    assert cells.index(flinks) < cells.index(ReleaseCell("2.2.0", 11, What.CODEC))
    assert cells.index(ReleaseCell("2.3.0", 11, What.CODEC)) < cells.index(flinks)
    assert len(cells) == len(set(cells))
    assert {cell.release for cell in cells} == set(KNOWN.releases)


def test_what_cannot_be_run_says_why() -> None:
    release = KNOWN.releases["1.20.2"]
    assert why_not(release, What.CODEC, LINES) == ""
    assert why_not(replace(release, classes="9.9.9"), What.CODEC, LINES) == "no jar"
    assert why_not(replace(release, distribution=()), What.CLUSTER, LINES) == ("not on PyPI")
    assert why_not(KNOWN.releases["2.3.0"], What.CLUSTER, LINES) == ""


def test_a_killed_run_goes_on_and_repeats_nothing(tmp_path: Path) -> None:
    file = tmp_path / "releases.jsonl"
    ran: list[ReleaseCell] = []
    left: list[ReleaseCell] = []
    said: list[str] = []

    def run(cell: ReleaseCell) -> tuple[int, int]:
        if len(ran) == 1:
            raise KeyboardInterrupt
        ran.append(cell)
        return 640, 0

    def call(run_one: object) -> list[CellResult]:
        results = read_results(file)

        def keep(one: CellResult) -> None:
            results[one.cell] = one
            write_results(file, results.values())

        return run_open(
            *([ONE, TWO, THREE], dict(results), lambda _: "now"),
            *(run_one, keep, left.append, said.append),  # type: ignore[arg-type]
            day="2026-11-25",
            seconds=1e6,
        )

    with pytest.raises(KeyboardInterrupt):
        call(run)
    assert list(read_results(file)) == [ONE]
    later: list[ReleaseCell] = []
    done = call(lambda cell: (later.append(cell), (1, 0))[1])
    assert later == [one.cell for one in done] == [TWO, THREE]
    assert "1 of 3 are done already" in said
    assert left == [TWO, THREE], "after its last cell each release is left"
    assert call(run) == []


def test_what_failed_and_what_has_other_code_runs_again() -> None:
    known = {ONE: result(ONE, failed=1), TWO: result(TWO, classes="before"), THREE: result(THREE)}
    said: list[str] = []
    kept: list[CellResult] = []
    done = run_open(
        *([ONE, TWO, THREE], known, lambda _: "now", lambda _: (3, 2), kept.append),
        *(lambda _: None, said.append),
        day="2026-11-26",
        seconds=1e6,
    )
    assert [one.cell for one in done] == [ONE, TWO]
    assert kept == done
    assert not any(one.passed for one in done)
    assert "FAILED (2 of 5)" in said[1]


def test_nothing_begins_when_the_time_is_over() -> None:
    now = [0.0]
    said: list[str] = []
    left: list[ReleaseCell] = []

    def run(_: ReleaseCell) -> tuple[int, int]:
        now[0] += 70.0
        return 1, 0

    done = run_open(
        *([ONE, TWO, THREE], {}, lambda _: "now", run, lambda _: None),
        *(left.append, said.append),
        day="2026-11-26",
        seconds=60,
        clock=lambda: now[0],
    )
    assert [one.cell for one in done] == [ONE]
    assert said[-1] == "The time is over; the same command goes on with 2."
    assert left == [ONE], "the release is fetched again when its other cells run"


def test_a_release_is_left_once_after_its_last_cell_of_a_kind() -> None:
    left: list[ReleaseCell] = []
    cluster = replace(ONE, what=What.CLUSTER)
    run_open(
        *([ONE, TWO, THREE, cluster], {}, lambda _: "now", lambda _: (1, 0), lambda _: None),
        *(left.append, lambda _: None),
        day="2026-11-26",
        seconds=1e6,
    )
    assert left == [TWO, THREE, cluster]


def test_cells_run_at_once_and_their_release_stays_until_both_ended() -> None:
    both = Barrier(2)
    kept: list[CellResult] = []
    left: list[tuple[ReleaseCell, int]] = []

    def run(cell: ReleaseCell) -> tuple[int, int]:
        if cell.release == ONE.release:
            both.wait(timeout=60)
        return 1, 0

    done = run_open(
        *([ONE, TWO, THREE], {}, lambda _: "now", run, kept.append),
        *(lambda cell: left.append((cell, len(kept))), lambda _: None),
        day="2026-11-26",
        seconds=1e6,
        workers=2,
    )
    assert {one.cell for one in done} == {ONE, TWO, THREE}
    assert kept == done
    ended = [one.cell for one in done]
    after = dict(left)
    assert after[THREE] == ended.index(THREE) + 1
    of_two = [cell for cell in after if cell.release == ONE.release]
    assert len(of_two) == 1
    assert after[of_two[0]] > max(ended.index(ONE), ended.index(TWO))


def test_ctrl_c_waits_for_nothing_that_runs() -> None:
    release = Event()

    def run(cell: ReleaseCell) -> tuple[int, int]:
        if cell == ONE:
            release.wait(timeout=60)
            return 1, 0
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_open(
            *([ONE, TWO, THREE], {}, lambda _: "now", run, lambda _: None),
            *(lambda _: None, lambda _: None),
            day="2026-11-26",
            seconds=1e6,
            workers=2,
        )
    assert not release.is_set()
    release.set()


def test_a_cell_that_cannot_be_run_costs_no_other_its_result() -> None:
    failed = Event()
    kept: list[CellResult] = []
    said: list[str] = []

    def run(cell: ReleaseCell) -> tuple[int, int]:
        if cell == TWO:
            failed.set()
            raise EnvironmentProblem("There is no network.")
        assert failed.wait(timeout=60)
        return 1, 0

    with pytest.raises(EnvironmentProblem, match="no network"):
        run_open(
            *([ONE, TWO, THREE], {}, lambda _: "now", run, kept.append),
            *(lambda _: None, said.append),
            day="2026-11-26",
            seconds=1e6,
            workers=2,
        )
    assert [one.cell for one in kept] == [ONE]
    assert f"{TWO.name} could not be run; nothing more begins." in said


def test_a_report_that_was_cut_off_is_a_failure(tmp_path: Path) -> None:
    (tmp_path / "TEST-whole.xml").write_text("<testsuite><testcase/></testsuite>")
    (tmp_path / "TEST-cut.xml").write_text("<testsuite><testcase/>")
    assert counted(tmp_path) == (1, 1)


def test_a_fetched_distribution_is_removed_and_that_of_a_line_stays(tmp_path: Path) -> None:
    (tmp_path / "downloads").mkdir()
    of_release = KNOWN.releases["1.20.2"].distribution
    of_line = LINES["1.20.5"].distribution
    for pin in (*of_release, *of_line):
        (tmp_path / "downloads" / pin.file).write_text("package")
    for version in ("1.20.2", "1.20.5"):
        (tmp_path / f"flink-{version}" / "lib").mkdir(parents=True)
        cell = ReleaseCell(version, 17, What.CLUSTER)
        remove_distribution(cell, KNOWN, LINES, tmp_path)
    left = {file.name for file in (tmp_path / "downloads").iterdir()}
    assert left == {pin.file for pin in of_line}
    assert {path.name for path in tmp_path.iterdir()} == {"downloads", "flink-1.20.5"}
    assert of_release


def test_a_removal_that_is_cut_off_leaves_no_half_of_a_distribution(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "flink-1.20.2" / "lib").mkdir(parents=True)

    def killed(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(shutil, "rmtree", killed)
    with pytest.raises(KeyboardInterrupt):
        remove_distribution(ReleaseCell("1.20.2", 11, What.CLUSTER), KNOWN, LINES, tmp_path)
    assert not (tmp_path / "flink-1.20.2").exists()


@pytest.mark.parametrize("what", [What.CODEC, What.FLINKS])
def test_a_distribution_stays_while_a_cluster_may_run_on_it(what: What, tmp_path: Path) -> None:
    (tmp_path / "flink-1.20.2" / "lib").mkdir(parents=True)
    remove_distribution(ReleaseCell("1.20.2", 11, what), KNOWN, LINES, tmp_path)
    assert (tmp_path / "flink-1.20.2" / "lib").is_dir()


def test_flinks_own_tests_are_called_with_the_release_and_its_jdk(tmp_path: Path) -> None:
    bench = Bench(PROJECT_ROOT / "scripts", tmp_path, {})
    (command,) = bench.commands(ReleaseCell("1.20.2", 17, What.FLINKS), "1.20.5")
    assert command[2:] == [
        *("flink_boost.cli", "flink-tests", "--release", "1.20.2", "--jdk", "17"),
        *("--reports", str(tmp_path / "1.20.2-jdk17-flinks-tests")),
    ]


def test_the_codecs_tests_get_what_the_release_needs_besides(tmp_path: Path) -> None:
    guava = tmp_path / "flink-shaded-guava-18.0-12.0.jar"
    bench = Bench(PROJECT_ROOT / "scripts", tmp_path, {}, lambda version: [guava / version])
    (command,) = bench.commands(ReleaseCell("1.13.2", 11, What.CODEC), "1.17.0")
    assert command[-1] == f"--also={guava / '1.13.2'}"
    build = ModuleBuild(CODEC_MODULE, Path("t"), ("/m2/flink-core-1.13.2.jar",))
    assert build.with_more([guava]).jars[-1] == str(guava)


def test_tests_are_counted_and_a_command_that_breaks_off_is_a_failure(tmp_path: Path) -> None:
    (tmp_path / "TEST-a.xml").write_text(
        "<testsuite><testcase/><testcase><skipped/></testcase><testcase><failure/></testcase>"
        "<testcase><error/></testcase></testsuite>"
    )
    assert counted(tmp_path) == (1, 2)
    bench = Bench(PROJECT_ROOT / "scripts", tmp_path / "bench", {"PATH": "/usr/bin:/bin"})
    passed, failed = bench.run(ReleaseCell("1.20.2", 11, What.CODEC), "no-such-line")
    assert (passed, failed) == (0, 1)
    assert not result(ONE, failed=2).passed
    assert not CellResult(ONE, 0, 0, "now", "2026-11-25").passed, "nothing ran"
    assert "no-such-line" in (tmp_path / "bench" / f"{ONE.name}-0.log").read_text()


def test_code_is_class_files_and_not_the_list_of_tested_releases(tmp_path: Path) -> None:
    def jar(name: str, record: bytes, code: bytes) -> Path:
        with zipfile.ZipFile(tmp_path / name, "w") as archive:
            archive.writestr("META-INF/flink-boost/weave.properties", record)
            archive.writestr("a/B.class", code)
        return tmp_path / name

    first = code_of(jar("1", b"tested.0=1", b"code"))
    assert code_of(jar("2", b"tested.0=2", b"code")) == first
    assert code_of(jar("3", b"tested.0=1", b"other")) != first


def test_a_file_of_results_that_is_damaged_is_named(tmp_path: Path) -> None:
    file = tmp_path / "releases.jsonl"
    file.write_text('{"release": "1.9.2"}\n')
    with pytest.raises(BrokenData, match="Take it from git again"):
        read_results(file)


def test_what_passed_with_the_code_of_today_is_entered_and_nothing_else() -> None:
    cluster = ReleaseCell("1.20.2", 17, What.CLUSTER)
    flinks = ReleaseCell("1.20.5", 11, What.FLINKS)
    results = {
        cluster: result(cluster),
        flinks: result(flinks),
        ONE: result(ONE),
        TWO: result(TWO, failed=1, classes="before"),
        THREE: result(THREE, classes="before"),
    }
    before = dict(KNOWN.releases)
    before["1.9.2"] = replace(before["1.9.2"], tested={"codec, JDK 11": date(2026, 1, 1)})
    before["1.20.2"] = replace(before["1.20.2"], tested={})
    before["1.20.5"] = replace(before["1.20.5"], tested={"make test": date(2026, 1, 1)})
    known = replace(KNOWN, releases=before)
    after = with_tested(known, results, dict.fromkeys(LINES, "now"))
    entered = after.releases
    day = date(2026, 11, 25)
    assert list(entered["1.20.2"].tested.items()) == [
        ("codec, JDK 11", day),
        ("cluster, JDK 17", day),
    ]
    assert entered["1.20.5"].tested == {
        "make test": date(2026, 1, 1),
        "Flink's tests, JDK 11": day,
    }
    assert not entered["1.9.2"].tested
    gained, lost = gained_and_lost(known, after)
    assert gained == ["1.20.2", "1.20.5"]
    assert "1.9.2" in lost
    assert tomllib.loads(render(after))["releases"]["1.20.2"]["tested"]


def test_nothing_is_said_of_a_release_on_which_something_fails_today() -> None:
    results = {ONE: result(ONE), TWO: result(TWO, failed=1)}
    before = replace(KNOWN.releases["1.20.2"], tested={"codec, JDK 11": date(2026, 1, 1)})
    known = replace(KNOWN, releases={**KNOWN.releases, "1.20.2": before})
    after = with_tested(known, results, dict.fromkeys(LINES, "now"))
    assert not after.releases["1.20.2"].tested


def test_one_release_is_entered_and_the_others_stay() -> None:
    results = {ONE: result(ONE), THREE: result(THREE, classes="before")}
    before = dict(KNOWN.releases)
    before["1.9.2"] = replace(before["1.9.2"], tested={"codec, JDK 11": date(2026, 1, 1)})
    known = replace(KNOWN, releases=before)
    after = with_tested(known, results, dict.fromkeys(LINES, "now"), ["1.20.2"])
    assert list(after.releases["1.20.2"].tested) == ["codec, JDK 11"]
    others = {name: each for name, each in after.releases.items() if name != "1.20.2"}
    assert others == {name: each for name, each in before.items() if name != "1.20.2"}


def test_the_jars_of_the_release_take_the_places_of_the_lines() -> None:
    line = find_line("1.20.5")
    own = ("/m2/flink-core-1.20.5.jar", "/m2/flink-core-api-1.20.5.jar")
    build = ModuleBuild(CODEC_MODULE, Path("t"), (*own, "/m2/flink-runtime-1.20.5.jar"))
    jars = [Path("/c/flink-core-1.20.2.jar"), Path("/c/flink-runtime-1.20.2.jar")]
    changed = build.with_jars_of(line, "1.20.2", jars)
    assert changed.jars == (str(jars[0]), own[1], str(jars[1]))
    assert changed.stock_jars() == f"{jars[0]}:{jars[1]}"
    with_scala = Path("/c/flink-runtime_2.11-1.13.2.jar")
    older = build.with_jars_of(line, "1.13.2", [with_scala])
    assert older.jars[2] == str(with_scala)
    assert older.stock_jars() == f"{own[0]}:{with_scala}"
    with pytest.raises(EnvironmentProblem, match="has no place on the class path"):
        build.with_jars_of(line, "1.20.2", [Path("/c/flink-java-1.20.2.jar")])


def test_a_release_that_nobody_looked_at_is_refused() -> None:
    with pytest.raises(UsageProblem, match=r"has no Flink 9\.9\.9"):
        ensure_release_jars("9.9.9")


@pytest.mark.needs_jars
@pytest.mark.test_all
def test_jars_of_another_flink_boost_beside_ours_do_not_count(tmp_path: Path) -> None:
    built = PROJECT_ROOT / "build" / "jars"
    for line in LINES.values():
        shutil.copy(built / line.dropin_name(__version__), tmp_path)
    ours = classes_of_jars(tmp_path)
    assert ours == classes_of_jars()
    newest = tmp_path / LINES["2.3.0"].dropin_name(__version__)
    shutil.copy(newest, tmp_path / LINES["2.3.0"].dropin_name("0.1.0"))
    assert classes_of_jars(tmp_path) == ours
    newest.unlink()
    with pytest.raises(EnvironmentProblem, match=rf"no {newest.name} for Flink 2\.3\.0"):
        classes_of_jars(tmp_path)
