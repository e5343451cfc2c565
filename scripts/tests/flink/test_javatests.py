"""The JVMs of our Java tests: how they are started, and that they run what they should."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from flink_boost.base.errors import EnvironmentProblem
from flink_boost.base.places import PROJECT_ROOT
from flink_boost.flink.javatests import CODEC_MODULE, ModuleBuild, java_command, module_build
from flink_boost.flink.lines import default_line, find_line
from flink_boost.flink.modes import find_mode

LINE = find_line("1.9.3")
JARS = (
    "/m2/flink-boost-weaver-0.2.0.jar",
    "/m2/flink-core-1.9.3.jar",
    "/m2/flink-runtime_2.11-1.9.3.jar",
)


def command(module: str, mode: str = "opened", *patterns: str) -> list[str]:
    build = ModuleBuild(module, Path("/a folder") / module, JARS)
    home = Path("/some jdk")
    found = find_mode(mode)
    return java_command(build, LINE, 11, found, Path("/reports"), lambda _: home, patterns)


def test_woven_classes_come_before_all_jars() -> None:
    shown = command(CODEC_MODULE)
    class_path = shown[shown.index("-cp") + 1].split(os.pathsep)
    folder = "/a folder/flink-patch"
    assert class_path == [f"{folder}/test-classes", f"{folder}/woven", *JARS]
    assert f"-Dstock.jars={JARS[1]}:{JARS[2]}" in shown
    assert shown[0] == "/some jdk/bin/java"
    assert "-ea" in shown


def test_the_benchmarks_are_no_patch() -> None:
    shown = command("benchmarks")
    assert "/a folder/benchmarks/classes" in shown[shown.index("-cp") + 1]
    assert "/a folder/benchmarks/flink-test-classes.jar" in shown[shown.index("-cp") + 1]
    assert "-Djmh.ignoreLock=true" in shown
    assert "-XX:TieredStopAtLevel=1" in shown
    assert not [word for word in shown if "stock.jars" in word]


def chosen(words: list[str], name: str) -> bool:
    """Whether the launcher would take that class."""
    by_option = {
        option: [
            re.compile(word.partition("=")[2]) for word in words if word.startswith(f"{option}=")
        ]
        for option in ("--include-classname", "--exclude-classname")
    }
    included = any(pattern.fullmatch(name) for pattern in by_option["--include-classname"])
    return included and not any(p.fullmatch(name) for p in by_option["--exclude-classname"])


@pytest.mark.parametrize("name", ["a.b.StringCopyTest", "a.Outer$StringCopyTest", "TestOfAll"])
def test_a_mode_runs_all_test_classes_unless_it_says_otherwise(name: str) -> None:
    assert chosen(command(CODEC_MODULE), name)
    assert not chosen(command(CODEC_MODULE), name.replace("Test", "Contract"))
    assert chosen(command(CODEC_MODULE, "switched-off"), name)


def test_a_mode_leaves_out_what_it_says() -> None:
    for name in ("a.MalformedInputTest", "a.SoakTest", "a.StringFuzzTest", "a.ConcurrencyTest"):
        assert chosen(command(CODEC_MODULE, "not-opened"), name)
        assert not chosen(command(CODEC_MODULE, "switched-off"), name)
    assert chosen(command(CODEC_MODULE, "words"), "a.ArrayStringReadTest")
    assert not chosen(command(CODEC_MODULE, "words"), "a.KillSwitchTest")
    assert chosen(command(CODEC_MODULE, "words", "KillSwitchTest"), "a.KillSwitchTest")


def test_what_is_not_built_is_said_with_the_next_step(tmp_path: Path) -> None:
    with pytest.raises(EnvironmentProblem) as problem:
        module_build("weaver", LINE, tmp_path)
    assert problem.value.next_step == "Run `make build LINE=1.9.3`."


def run(reports: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "flink_boost.flink.javatests", *arguments, "--reports", reports],
        cwd=PROJECT_ROOT / "scripts",
        capture_output=True,
        text=True,
        timeout=200,
        check=False,
    )


def test_a_wrong_call_is_refused_without_a_traceback(tmp_path: Path) -> None:
    for arguments in (
        ("1.0.0", "weaver"),
        ("1.9.3", "weaver", "("),
        ("1.9.3", "benchmarks", "--jdk=17"),
        ("2.3.0", CODEC_MODULE, "--jdk=11"),
        ("1.9.3", CODEC_MODULE, "--jdk=17", "--release=1.9.2"),
        ("1.9.3", CODEC_MODULE, "--release=0.9.0"),
    ):
        done = run(tmp_path, *arguments)
        assert done.returncode == 2, arguments
        assert len(done.stderr.splitlines()) == 1


@pytest.mark.needs_jars
def test_a_real_test_runs_and_one_that_finds_nothing_fails(tmp_path: Path) -> None:
    line = default_line()
    done = run(tmp_path, line, CODEC_MODULE, "StringAccessTest", "--mode", "words")
    assert done.returncode == 0, done.stdout + done.stderr
    report = ET.parse(tmp_path / "TEST-junit-jupiter.xml").getroot()  # noqa: S314 - JUnit's own
    classes = {case.get("classname") for case in report.iter("testcase")}
    assert classes == {"org.apache.flink.boost.jdk.StringAccessTest"}
    # A release has JDKs that its line's tests do not run on.
    oldest = ("--jdk", "11", "--release", line)
    # A class may be named in full, and behind the options.
    named = r"org\.apache\.flink\.boost\.jdk\.StringAccessTest"
    assert run(tmp_path, line, CODEC_MODULE, *oldest, named).returncode == 0
    # In a mode that hands out another access than the tests expect, they fail: the mode is real.
    assert run(tmp_path, line, CODEC_MODULE, "NoSuchTest").returncode != 0
