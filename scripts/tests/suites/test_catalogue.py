"""What ``make test`` and ``make test-all`` run: each test once, and nothing that nobody runs."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections import Counter
from functools import partial
from itertools import combinations
from pathlib import Path

import pytest
from _pytest.mark.expression import Expression

from flink_boost.base.places import PROJECT_ROOT
from flink_boost.flink.lines import codec_jdks, default_line, load_lines
from flink_boost.flink.modes import MODES
from suites import budget
from suites.catalogue import (
    DASHBOARD,
    JAVA,
    Choice,
    Suite,
    all_suites,
    bare_python,
    checks,
    chosen_lines,
)

ENABLED = [line for line in load_lines().values() if line.enabled]
LINES = (load_lines()[default_line()], *(x for x in ENABLED if x.version != default_line()))
SHORT = all_suites(Choice(chosen_lines(ENABLED, "")))
WHOLE = all_suites(Choice(LINES, whole=True))


def names(suites: list[Suite], *parts: str) -> list[str]:
    return [suite.name for suite in suites if suite.part in parts]


@pytest.mark.parametrize("suites", [SHORT, WHOLE], ids=["short", "whole"])
def test_names_and_reports_are_each_suites_own_and_each_has_a_budget(suites: list[Suite]) -> None:
    for found in (
        Counter(suite.name for suite in suites),
        Counter(suite.counted.reports for suite in suites if suite.counted),
    ):
        assert max(found.values()) == 1
    known = {suite.name for suite in suites}
    assert {name for suite in suites for name in suite.after} <= known
    assert {suite.part for suite in suites} == set(budget.budgets(whole=False))


def test_the_default_line_is_tested_whole_and_of_the_others_some_in_one_mode() -> None:
    java = names(SHORT, "Java")
    default = [name for name in java if name.startswith(default_line())]
    assert {name.split("-", 2)[2] for name in default if "jdk" in name} == set(MODES)
    assert {name.split("-")[1] for name in default if "jdk" in name} == {
        *("jdk17", "jdk21", "jdk25")
    }
    assert [name for name in default if "jdk25" in name] == ["2.3.0-jdk25-opened"]
    for version in ("1.9.3", "1.20.5", "1.9.1", "2.2.1"):
        (jdk,) = {name.split("-")[1] for name in java if name.startswith(f"{version}-")}
        assert sorted(name for name in java if name.startswith(f"{version}-")) == [
            f"{version}-{jdk}-opened",
        ]


def test_make_test_has_all_classes_once_and_test_all_has_all_cases() -> None:
    brief = {suite.name for suite in SHORT if "--brief" in suite.command}
    fewer = {suite.name for suite in SHORT if "--fewer" in suite.command}
    codec = {suite.name for suite in SHORT if "--mode" in suite.command}
    assert fewer == codec - brief == {f"{default_line()}-jdk17-opened"}
    assert not [suite.name for suite in WHOLE if {"--brief", "--fewer"} & {*suite.command}]


def test_a_line_that_is_served_gets_its_turn() -> None:
    between = {line.version for line in ENABLED if not line.measured} - {"1.9.1", "2.2.1"}
    seen = {chosen_lines(ENABLED, f"{n:08x}{'0' * 32}")[-1].version for n in range(100)}
    assert seen == between
    one = [chosen_lines(ENABLED, "0a1b2c3d" + "0" * 32) for _ in range(2)]
    assert [line.version for line in one[0]] == [line.version for line in one[1]]


def test_everything_is_every_line_in_the_modes_that_it_needs() -> None:
    java = names(WHOLE, "Java")
    for line in ENABLED:
        jdks = {name.split("-")[1] for name in java if name.startswith(f"{line.version}-jdk")}
        wanted = codec_jdks(line) if line.measured else line.jdks[:1]
        assert jdks == {f"jdk{jdk}" for jdk in wanted}
    assert len(names(WHOLE, "Flink's own")) == 3
    assert len(names(SHORT, "Flink's own")) == 1


def test_a_check_builds_nothing() -> None:
    parts = {suite.part for suite in bare_python()}
    assert parts == {"python", "python-quiet"}, "it would be far over no budget at all"
    assert not [suite for suite in (*checks(), *bare_python()) if suite.after]
    assert not [suite.name for suite in SHORT if suite.name.startswith("build") and suite.counted]


@pytest.mark.parametrize("suites", [SHORT, WHOLE], ids=["short", "whole"])
@pytest.mark.parametrize("folder", ["scripts", "codespeed-config"])
def test_every_python_test_is_in_exactly_one_suite(folder: str, suites: list[Suite]) -> None:
    expressions = [
        Expression.compile(suite.command[suite.command.index("-m", 3) + 1])
        for suite in suites
        if suite.command[2:3] == ("pytest",) and suite.folder == folder
    ]
    for count in range(4):
        for markers in combinations(("needs_jars", "quiet", "cluster"), count):
            if "cluster" in markers and "needs_jars" not in markers:
                continue  # tests/cluster/conftest.py gives both
            given = frozenset(markers)
            run = [one.evaluate(lambda name, _in=given, **_: name in _in) for one in expressions]
            assert sum(run) == 1, markers


def test_what_is_marked_test_all_is_left_to_it(tmp_path: Path) -> None:
    (tmp_path / "conftest.py").write_text('pytest_plugins = ["suites.selection"]\n')
    (tmp_path / "test_some.py").write_text(
        "import pytest\n"
        "def test_plain(): pass\n"
        "@pytest.mark.test_all\n"
        "def test_long(): pass\n"
        "@pytest.mark.needs_jars('1.17.0')\n"
        "def test_of_a_line(): pass\n"
        "@pytest.mark.needs_jars\n"
        "def test_of_the_default_line(): pass\n"
    )
    chosen = partial(collected, tmp_path)
    assert chosen("--lines=2.3.0") == {"plain", "of_the_default_line"}
    assert chosen("--lines=2.3.0,1.17.0") == {"plain", "of_the_default_line", "of_a_line"}
    assert chosen("--test-all") == {"plain", "long", "of_a_line", "of_the_default_line"}
    assert chosen() == {"plain", "of_a_line", "of_the_default_line"}


def test_for_quiet_tests_no_file_without_them_is_imported(tmp_path: Path) -> None:
    (tmp_path / "conftest.py").write_text('pytest_plugins = ["suites.selection"]\n')
    (tmp_path / "test_other.py").write_text("def test_other(): pass\n")
    (tmp_path / "test_some.py").write_text(
        "import pytest\ndef test_plain(): pass\n@pytest.mark.quiet\ndef test_still(): pass\n"
    )
    assert collected(tmp_path, "-m", "not quiet") == {"other", "plain"}
    (tmp_path / "test_other.py").write_text("raise AssertionError('imported')\n")
    assert collected(tmp_path, "-m", "quiet") == {"still"}
    assert collected(tmp_path, "-m", "not needs_jars and quiet") == {"still"}
    for needed in ("not quiet", "quiet or needs_jars"):
        with pytest.raises(subprocess.CalledProcessError):
            collected(tmp_path, "-m", needed)


def test_of_a_file_for_test_all_alone_nothing_is_imported_before(tmp_path: Path) -> None:
    (tmp_path / "conftest.py").write_text('pytest_plugins = ["suites.selection"]\n')
    (tmp_path / "test_other.py").write_text("def test_other(): pass\n")
    file = tmp_path / "test_long.py"
    head = "import pytest\npytestmark = pytest.mark.test_all\n"
    file.write_text(f"{head}def test_long(): pass\n")
    assert collected(tmp_path, "--test-all") == {"other", "long"}
    file.write_text(f"{head}raise AssertionError('imported')\n")
    assert collected(tmp_path) == {"other"}
    with pytest.raises(subprocess.CalledProcessError):
        collected(tmp_path, "--test-all")


def test_the_word_of_a_quiet_test_is_in_its_own_file() -> None:
    files = [
        file
        for folder in ("scripts", DASHBOARD)
        for file in (PROJECT_ROOT / folder / "tests").rglob("*.py")
        if "mark.quiet" in file.read_text(encoding="utf-8")
    ]
    assert len(files) > 10
    assert {file.name for file in files if not file.match("test_*.py")} == set()


def collected(folder: Path, *options: str) -> set[str]:
    """The tests below the folder that pytest would run, without ``test_``."""
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "--collect-only", "-q", *options, str(folder)],
        cwd=PROJECT_ROOT / "scripts",
        env={**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},  # it starts faster
        capture_output=True,
        text=True,
        timeout=100,
        check=True,
    )
    return set(re.findall(r"::test_(\w+)", done.stdout))


def test_what_a_jar_is_made_from_is_tested_again_when_it_changes() -> None:
    for suite in WHOLE:
        if suite.part == "Java" and suite.name != "weaver":
            assert all(
                suite.inputs.takes(f"{path}x" if path[-1] == "/" else path) for path in JAVA[:8]
            )
