"""Builds a new line's jar and tests it, in a copy of the source tree that has the line already.

What runs is what ``make test LINE=...`` runs for a line: on each of its JDKs the codec's tests in
the modes that they need there, the benchmarks' on the first, then Flink's own of what we patch.
"""

from __future__ import annotations

import re
import shutil
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from flink_boost.base.errors import EnvironmentProblem, PatchedCodeChanged
from flink_boost.base.processes import end_supervised, has_ended, start_supervised
from flink_boost.flink.javatests import CODEC_MODULE, PATCHES
from flink_boost.flink.line_build import ensure_further_jars
from flink_boost.flink.lines import Line
from flink_boost.flink.maven import maven_arguments
from flink_boost.flink.modes import modes_of_tests

_FOLDERS = (
    ".mvn",
    "weaver",
    CODEC_MODULE,
    *PATCHES,
    "benchmarks",
    "scripts",
)
_FILES = ("pom.xml", "lines.toml", "classes.lock", "releases.toml", "LICENSE", "NOTICE")
_NOT_COPIED = (
    "target",
    "build",
    "__pycache__",
    ".mypy_cache",
    ".ruff_cache",
    ".pytest_cache",
    ".hypothesis",
)

_STEP_SECONDS = 5400.0
_TELL_SECONDS = 30.0

# A test as JUnit's console launcher says it, and a batch as `flink-boost flink-tests` does.
_TESTED = re.compile(r" :: SUCCESSFUL$|^\[\d+/\d+\] \S+: (\d+) passed", re.MULTILINE)
_WEAVER = re.compile(r"^weaver: (.+)$", re.MULTILINE)
# A test that JUnit says has failed, with the exception below it; headings of Maven say nothing yet.
_FAILED_TEST = re.compile(r"^(?:JUnit|jqwik)[^>]*> (.+) :: FAILED\n+\s*(?:=> )?(.*)$", re.MULTILINE)
_FAILED = re.compile(r"^\[ERROR\] +(?!COMPILATION ERROR|Failed to execute)(.+)$", re.MULTILINE)
_ADAPTOR = re.compile(r"/(benchmarks/src/line/\d[^/]*)/")

Tell = Callable[[str], None]


@dataclass(frozen=True)
class Step:
    """One command of the suite; ``log`` is the name of the file with its output."""

    title: str
    command: tuple[str, ...]
    log: str


def copy_tree(root: Path, target: Path) -> None:
    """Copies what the suite needs, and links the cache; what was there is replaced."""
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir(parents=True)
    for name in _FOLDERS:
        shutil.copytree(root / name, target / name, ignore=shutil.ignore_patterns(*_NOT_COPIED))
    for name in _FILES:
        shutil.copy(root / name, target)
    (target / ".cache").symlink_to(root / ".cache")


def steps_of(line: Line, tree: Path, flinks_tests: bool) -> list[Step]:
    """The suite of a line in a tree that has it."""
    # The format does not depend on the line.
    build = ("scripts/mvn", *maven_arguments(line, tree), "-Dspotless.check.skip=true")
    ensure_further_jars(line, tree / ".cache")
    steps = [Step("build", (*build, "package", "-DskipTests"), "build.log")]
    program = (sys.executable, "-m", "flink_boost.flink.javatests", line.version)
    for jdk in line.jdks if line.measured else line.jdks[:1]:
        for mode in modes_of_tests(line, jdk):
            title = f"tests of the patches on JDK {jdk}, {mode}"
            command = (*program, CODEC_MODULE, "--jdk", str(jdk), "--mode", mode)
            steps.append(Step(title, command, f"{CODEC_MODULE}-jdk{jdk}-{mode}.log"))
    if line.measured:
        steps.append(Step("tests of the benchmarks", (*program, "benchmarks"), "benchmarks.log"))
    if flinks_tests and line.measured:
        first = str(line.jdks[0])
        flinks = (sys.executable, "-m", "flink_boost.cli", "flink-tests", "--line", line.version)
        title = f"Flink's own tests on JDK {first}"
        steps.append(Step(title, (*flinks, "--jdk", first), "flink-tests.log"))
    return steps


def run_step(step: Step, tree: Path, logs: Path, environment: Mapping[str, str], tell: Tell) -> int:
    """Runs a step in the tree and returns the seconds it took.

    Raises ``PatchedCodeChanged`` with the first thing that went wrong, ``EnvironmentProblem`` when
    it does not come to an end or cannot fetch what it needs.
    """
    began = time.monotonic()
    log = logs / step.log
    own = {**environment, "PYTHONPATH": str(tree / "scripts")}
    guard = start_supervised(step.command, log, own, tree)
    try:
        while not has_ended(guard, _TELL_SECONDS):
            seconds = time.monotonic() - began
            tell(f"{step.title}: {_minutes(seconds)}, {_tested(log)} tests passed so far")
            if seconds > _STEP_SECONDS:
                raise EnvironmentProblem(
                    f"{step.title} did not end within {_minutes(_STEP_SECONDS)}.",
                    f"Look at {log}.",
                )
    finally:
        end_supervised(guard)
    seconds = time.monotonic() - began
    if guard.returncode == EnvironmentProblem.exit_code:
        # Of a program of ours, in its last line; Maven, JUnit and Flink's tests end with others.
        raise EnvironmentProblem(f"{step.title}: {_last_line(log)}", f"Look at {log}.")
    if guard.returncode:
        raise _failure(step, log)
    tell(f"{step.title}: passed in {_minutes(seconds)}, {_tested(log)} tests")
    return round(seconds)


def _failure(step: Step, log: Path) -> PatchedCodeChanged | EnvironmentProblem:
    text = log.read_text(encoding="utf-8", errors="replace")
    if "Could not transfer" in text or "Could not find artifact" in text:
        lines = [line for line in text.splitlines() if "Could not" in line]
        return EnvironmentProblem(
            f"{step.title}: not everything could be fetched ({lines[0][:300]}).", f"Look at {log}."
        )
    woven = _WEAVER.search(text)
    if woven is not None:
        return PatchedCodeChanged(f"A patch does not apply: {woven[1]}", f"Look at {log}.")
    wrong = _FAILED.search(text)
    test = _FAILED_TEST.search(text)
    if test is not None:
        words = f"{test[1].replace(' > ', '.')}: {test[2].strip()}"
    else:
        words = wrong[1].strip() if wrong else _last_line(log)
    adaptor = _ADAPTOR.search(words)
    return PatchedCodeChanged(
        f"{step.title} failed ({words[:300].rstrip('.')}).",
        f"Look at {log}."
        + (f" An adaptor that you put into {adaptor[1]} is kept." if adaptor else ""),
    )


def _last_line(log: Path) -> str:
    text = log.read_text(encoding="utf-8", errors="replace")
    return (text.strip().splitlines() or ["no output"])[-1]


def _tested(log: Path) -> int:
    text = log.read_text(encoding="utf-8", errors="replace")
    return sum(int(batch or 1) for batch in _TESTED.findall(text))


def _minutes(seconds: float) -> str:
    return f"{int(seconds) // 60} min {int(seconds) % 60:02} s"
