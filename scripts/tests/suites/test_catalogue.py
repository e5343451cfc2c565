"""The suites together run every test once."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from flink_boost.base.places import PROJECT_ROOT
from flink_boost.flink.lines import find_line, load_lines
from suites.catalogue import FORKING, Suite, all_suites

LINES = [line for line in load_lines().values() if line.enabled]
TESTS = PROJECT_ROOT / "scripts" / "tests"
SUITES = all_suites(LINES, LINES, all_modes=False)


def test_names_and_reports_are_each_suites_own() -> None:
    names = Counter(suite.name for suite in SUITES)
    reports = Counter(suite.counted.reports for suite in SUITES if suite.counted)
    assert max(names.values()) == max(reports.values()) == 1


@pytest.mark.parametrize("folder", ["scripts", "codespeed-config"])
def test_every_python_test_is_in_exactly_one_suite_and_no_suite_is_empty(folder: str) -> None:
    root = PROJECT_ROOT / folder
    runs: Counter[Path] = Counter()
    for suite in SUITES:
        if suite.command[2:3] != ("pytest",) or suite.folder != folder:
            continue
        before = runs.total()
        left = [root / word.partition("=")[2] for word in suite.command if "--ignore=" in word]
        places = [root / word for word in suite.command if word.startswith("tests")]
        for place in places or [root / "tests"]:
            for file in [place] if place.is_file() else place.rglob("test_*.py"):
                if not any(file.is_relative_to(each) for each in left):
                    runs[file] += 1
        assert runs.total() > before, f"pytest fails where it finds no test: {suite.name}"
    assert runs == Counter((root / "tests").rglob("test_*.py"))


def test_what_is_waited_for_is_a_suite() -> None:
    names = {suite.name for suite in SUITES}
    assert {name for suite in SUITES for name in suite.after} <= names


def suite_of(test: str) -> Suite:
    """The suite that runs a file of tests/."""
    (found,) = [suite for suite in SUITES if f"tests/{test}" in suite.command]
    return found


OWN_LOCK = ('pytest.mark.usefixtures("own_jmh")', "-Djava.io.tmpdir={")
IN_SANDBOXES = ("test_isolated_for_real.py", "test_isolated_profiles.py", "test_whole_way.py")
QUIET_AND_FORKING = (
    "service/test_real_proof.py",
    "measure/test_bench.py",
    "service/test_isolated_profiles.py",
)
IN_A_NIGHT = ("test_nightly_recipe.py",)  # whose world is that of test_nightly.py


def test_suites_that_start_jmh_at_once_do_not_wait_for_one_lock_of_it() -> None:
    others = [
        name
        for name in (*FORKING, *QUIET_AND_FORKING)
        if not name.endswith((*IN_SANDBOXES, *IN_A_NIGHT))
        and not any(words in (TESTS / name).read_text("utf-8") for words in OWN_LOCK)
    ]
    # On a JDK that the line has fetched, and so on the machine's lock: one may be.
    assert others == ["measure/test_onrelease.py"]


def test_only_quiet_suites_wait_beside_others_and_none_that_starts_jmh() -> None:
    waiting = [suite for suite in SUITES if suite.weight == 0]
    assert suite_of("publish/test_upload.py") in waiting
    for suite in waiting:
        assert suite.quiet
        assert not any("/test_bench" in word or "night" in word for word in suite.command)


def test_the_longest_begin_first() -> None:
    quiet = [suite.name for suite in SUITES if suite.quiet and suite.weight]
    long = [
        suite_of(f"{name}.py").name for name in ("service/test_real_proof", "measure/test_bench")
    ]
    assert quiet[:2] == long
    loud = [suite.name for suite in SUITES if not suite.quiet]
    assert loud.index(suite_of(FORKING[0]).name) < loud.index("scripts-tree")


def test_a_single_line_still_builds_all_for_the_tests_of_python() -> None:
    names = {suite.name for suite in all_suites([find_line("1.9.3")], LINES, all_modes=False)}
    assert {"build-1.9.3", "build-2.3.0", "weaver", "1.9.3-benchmarks", "scripts-tree"} <= names
    assert not [name for name in names if name.startswith("2.3.0-")]


@pytest.mark.parametrize("folder", ["scripts", "codespeed-config"])
def test_suites_run_where_their_tests_are(folder: str) -> None:
    found = [suite for suite in SUITES if suite.folder == folder and suite.counted]
    assert found
    for suite in found:
        for word in suite.command:
            if word.startswith("tests/"):
                assert (PROJECT_ROOT / folder / word).exists(), word
