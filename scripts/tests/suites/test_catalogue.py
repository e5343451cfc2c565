"""The suites together run every test once."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from flink_boost.base.places import PROJECT_ROOT
from flink_boost.flink.lines import find_line, load_lines
from suites.catalogue import Suite, all_suites

LINES = [line for line in load_lines().values() if line.enabled]
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


def test_no_two_suites_that_start_jmh_run_at_once_unless_its_lock_is_their_own() -> None:
    tests = (
        *("cli/test_repeat", "measure/test_bench", "measure/test_profiles"),
        *("service/test_reruns", "service/test_bisect_for_real", "service/test_canary_run"),
    )
    starting = list(dict.fromkeys(suite_of(f"{test}.py").name for test in tests))
    assert len(starting) == 3, "a suite per room"
    waits = {suite.name: set(suite.after) for suite in SUITES}

    def before(name: str) -> set[str]:
        return waits[name].union(*(before(each) for each in waits[name]))

    for number, name in enumerate(starting):
        for later in starting[number + 1 :]:
            assert name in before(later)
    for name in ("test_nightly.py", "test_night_profiles.py", "test_real_proof.py"):
        assert not before(suite_of(f"service/{name}").name) & set(starting)
        text = (PROJECT_ROOT / "scripts" / "tests" / "service" / name).read_text()
        assert "-Djava.io.tmpdir={" in text, "where JMH's lock is"


def test_only_quiet_suites_wait_beside_others_and_none_that_starts_jmh() -> None:
    waiting = [suite for suite in SUITES if suite.weight == 0]
    assert suite_of("publish/test_upload.py") in waiting
    for suite in waiting:
        assert suite.quiet
        assert not any("/test_bench" in word or "night" in word for word in suite.command)


def test_the_longest_of_the_quiet_begin_first() -> None:
    quiet = [suite.name for suite in SUITES if suite.quiet]
    chain = [name for name in quiet if name.endswith("-forks")]
    assert quiet[: len(chain)] == chain


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
