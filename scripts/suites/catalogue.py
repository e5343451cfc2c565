"""The suites of ``make test`` and ``make test-all``: what runs, on which inputs, with reports."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from flink_boost.flink.javatests import CODEC_MODULE, OTHER_MODULES, PATCHES
from flink_boost.flink.lines import Line, codec_jdks, default_line
from flink_boost.flink.modes import modes_of_tests
from suites.inputs import Inputs

REPORTS = "build/test-reports"
FLINKS = "Flink's own tests"
DASHBOARD = "codespeed-config"

# What a drop-in jar is made from: codec, families, guard and weaver.
JAVA: tuple[str, ...] = (
    *(".mvn/", "pom.xml", "lines.toml", "classes.lock", "releases.toml", "LICENSE", "NOTICE"),
    "scripts/flink_boost/__init__.py",  # the version
    *(f"{folder}/" for folder in ("weaver", CODEC_MODULE, *PATCHES)),
)
_RUNS_JAVA = (
    *("Makefile", "scripts/mvn", "scripts/lines", "scripts/suites/"),
    *("scripts/flink_boost/base/", "scripts/flink_boost/flink/"),
)
_NO_TESTS = ("weaver/src/test/*", "*.md")
_TREE = Inputs(("",), ("docs/test-all.json",))


@dataclass(frozen=True)
class Counted:
    """Where a suite's reports are, and the line of the totals that counts them.

    ``reports`` is a pattern below the root. Lines of one ``heading`` are summed up together, and
    reports of one ``row`` below it on one line; ``detail`` tells them apart when one is missing.
    """

    heading: str
    row: str
    reports: str
    detail: str = ""


@dataclass(frozen=True)
class Suite:
    """A command that passes or fails; ``counted`` is None for one that leaves no reports.

    It runs in ``folder``, below the root, after the suites named in ``after``; a ``quiet`` one
    after all that are not. Beside one of a higher ``weight`` fewer others run. One that others need
    runs ``always``, and knows by itself what is missing; files that it ``makes``, below the root,
    are deleted before unless they were made of the same inputs. What it takes counts for the
    ``part`` of ``budget.toml``. ``again``, with names of tests behind it, runs them alone, with
    reports in a folder ``<name>-again``.
    """

    name: str
    title: str
    command: tuple[str, ...]
    inputs: Inputs
    folder: str = "."
    after: tuple[str, ...] = ()
    quiet: bool = False
    always: bool = False
    makes: tuple[str, ...] = ()
    weight: int = 1
    counted: Counted | None = None
    part: str = ""
    again: tuple[str, ...] = ()


@dataclass(frozen=True)
class Choice:
    """What is tested: ``lines`` are built, the default one first, and their Java tests run.

    Those of ``full`` in every mode and on every JDK that they need, the others in one.
    ``whole``: all of them so, and what takes long. ``all_modes``: the codec in every mode on each
    line, and Flink's own tests on every JDK.
    """

    lines: tuple[Line, ...]
    full: frozenset[str] = frozenset([default_line()])
    whole: bool = False
    all_modes: bool = False

    @property
    def measured(self) -> list[Line]:
        return [line for line in self.lines if line.measured]

    def is_full(self, line: Line) -> bool:
        """Whether the line is tested on all its JDKs and in all modes that it needs there."""
        return self.whole or self.all_modes or line.version in self.full


def chosen_lines(lines: Sequence[Line], commit: str) -> tuple[Line, ...]:
    """The lines of ``make test``, the default one first: those that are measured, and of the others
    the oldest, the newest, and one that changes from commit to commit.
    """
    measured = [line for line in lines if line.measured]
    oldest, *between, newest = [line for line in lines if not line.measured]
    turn = between[int(commit[:8] or "0", 16) % len(between)]
    found = {line.version: line for line in (*measured, oldest, newest, turn)}
    return (found.pop(default_line()), *found.values())


def all_suites(choice: Choice) -> list[Suite]:
    """What runs, in the order in which it should begin."""
    builds = [replace(suite, part="builds") for suite in _builds(choice.lines)]
    built = tuple(suite.name for suite in builds)
    java = [suite for line in choice.lines for suite in _java(line, choice)]
    flinks = [suite for line in choice.measured for suite in _flinks_own(line, built, choice)]
    homes = [replace(suite, part="builds") for suite in _distributions(choice.measured)]
    ready = (*built, *(suite.name for suite in homes))
    return [
        *builds,
        *homes,
        # They wait for processes half of their time.
        replace(
            _pytest("python", "not quiet and not cluster", choice, "tests", workers=3), after=ready
        ),
        _pytest("dashboard", "not quiet", choice, workers=0, folder=DASHBOARD),
        _clusters(choice, ready),
        *(replace(suite, part="Flink's own") for suite in flinks),
        *(replace(suite, part="Java") for suite in java),
        replace(_weaver(choice.lines[0]), part="Java"),
        *(replace(suite, part="checks") for suite in checks()),
        replace(_pytest("python-quiet", "quiet", choice, "tests"), after=ready, quiet=True),
        replace(_pytest("dashboard-quiet", "quiet", choice, folder=DASHBOARD), quiet=True),
    ]


def checks() -> Iterator[Suite]:
    """Lint, format, rooms and types."""
    tools = str(Path(sys.executable).parent)
    python = Inputs(("scripts/", "codespeed-config/"), ("*.md",))
    for name, title, line, folder in (
        ("lint", "Python lint", "ruff check scripts codespeed-config", "."),
        ("format", "Python format", "ruff format --check scripts codespeed-config", "."),
        ("rooms", "Rooms of the Python package", "lint-imports --no-cache", "scripts"),
        ("types", "Python types", "mypy", "scripts"),
        ("dashboard-types", "Python types of the dashboard", "mypy .", "codespeed-config"),
    ):
        tool, *words = line.split()
        yield Suite(name, title, (f"{tools}/{tool}", *words), python, folder)


def bare_python() -> Iterator[Suite]:
    """The tests of Python for which nothing is built."""
    yield _pytest("python-bare", "not needs_jars and not quiet", None, "tests")
    quiet = _pytest("python-bare-quiet", "not needs_jars and quiet", None, "tests")
    yield replace(quiet, quiet=True)


def _builds(lines: Sequence[Line]) -> Iterator[Suite]:
    before: tuple[str, ...] = ()
    for number, line in enumerate(lines):
        name = f"build-{line.version}"
        command: tuple[str, ...] = (
            *("make", "--no-print-directory", "build"),
            f"LINE={line.version}",
        )
        if number:
            # The format does not depend on the line.
            command += ("MAVEN_OPTIONS=-Dspotless.check.skip=true",)
        # One after the other, for they fetch into one repository.
        inputs = Inputs((*JAVA, *_RUNS_JAVA, "benchmarks/"))
        title = f"Flink {line.version}: build"
        modules = (CODEC_MODULE, *(OTHER_MODULES if line.measured else ("weaver",)))
        makes = (
            f"build/jars/.built-{line.version}",
            *(f"{module}/target/{line.version}/test-classpath.txt" for module in modules),
        )
        yield Suite(name, title, command, inputs, after=before, always=True, makes=makes)
        before = (name,)


def _distributions(lines: Sequence[Line]) -> Iterator[Suite]:
    inputs = Inputs(("lines.toml", "classes.lock", "releases.toml", *_RUNS_JAVA[-2:]))
    for line in lines:
        name, title = f"distribution-{line.version}", f"Flink {line.version}: distribution"
        command = (sys.executable, "-m", "flink_boost.flink.distribution", line.version)
        yield Suite(name, title, command, inputs, "scripts", always=True)


def _java(line: Line, choice: Choice) -> Iterator[Suite]:
    """The codec's tests on the JDKs of the line, in the modes that it needs there; benchmarks."""
    codec = Inputs((*JAVA, *_RUNS_JAVA), _NO_TESTS)
    full = choice.is_full(line) and (line.measured or choice.all_modes)
    everything = choice.whole or choice.all_modes
    how: tuple[str, ...] = ("--optimised",) if choice.all_modes else ()
    for jdk in codec_jdks(line) if full else line.jdks[:1]:
        heading = f"Flink {line.version} on JDK {jdk}"
        modes = modes_of_tests(line, jdk, choice.all_modes)
        # A line's first JDK stands for its others, and its first mode for what all modes share.
        first = choice.is_full(line) and jdk == line.jdks[0]
        for mode in modes if full else modes[:1]:
            name = f"{line.version}-jdk{jdk}-{mode}"
            short = "--fewer" if first and mode == modes[0] else "--brief"
            options = ("--jdk", str(jdk), *(how if everything else (short,)), "--mode", mode)
            yield _java_suite(name, line, CODEC_MODULE, codec, heading, options)
        if line.measured and jdk == line.jdks[0] and choice.is_full(line):
            name = f"{line.version}-benchmarks"
            inputs = Inputs((*JAVA, *_RUNS_JAVA, "benchmarks/"), _NO_TESTS[:1])
            yield _java_suite(name, line, "benchmarks", inputs, heading, ())


def _weaver(line: Line) -> Suite:
    inputs = Inputs((".mvn/", "pom.xml", "weaver/", *_RUNS_JAVA))
    # Compiled for the JDK of the build, whatever the line runs on.
    return _java_suite("weaver", line, "weaver", inputs, "", ("--jdk", "17"))


def _java_suite(
    name: str, line: Line, module: str, inputs: Inputs, heading: str, options: tuple[str, ...]
) -> Suite:
    mode = f", mode {options[-1]}" if "--mode" in options else ""
    program = (sys.executable, "-m", "flink_boost.flink.javatests", line.version, module, *options)
    return Suite(
        name,
        f"{heading}, {module}{mode}".removeprefix(", "),
        (*program, "--reports", f"../{REPORTS}/{name}"),
        inputs,
        "scripts",
        (f"build-{line.version}",),
        counted=Counted(heading, module, f"{REPORTS}/{name}/TEST-*.xml", mode),
        again=(*program, "--reports", f"../{REPORTS}/{name}-again"),
    )


def _flinks_own(line: Line, built: tuple[str, ...], choice: Choice) -> Iterator[Suite]:
    package = ("scripts/flink_boost/", "scripts/suites/", "scripts/requirements/")
    tests = Inputs((*JAVA, *package, "scripts/flink-tests/"), ("*/src/test/*", "*.md"))
    if not choice.is_full(line):
        return
    for jdk in line.jdks if choice.all_modes else line.jdks[:1]:
        row = f"Flink {line.version} on JDK {jdk}"
        program = (sys.executable, "-m", "flink_boost.cli", "flink-tests")
        reports = f"{REPORTS}/flink/{line.version}-jdk{jdk}-selection.xml"
        yield Suite(
            f"flinks-own-{line.version}-jdk{jdk}",
            f"{FLINKS}, {row}",
            (*program, "--line", line.version, "--jdk", str(jdk)),
            tests,
            "scripts",
            built,
            counted=Counted(FLINKS, row, reports),
        )


def _clusters(choice: Choice, ready: tuple[str, ...]) -> Suite:
    # What a test file starts the next one uses.
    suite = _pytest("clusters", "cluster and not quiet", choice, "tests/cluster", workers=0)
    return replace(suite, after=ready)


def _pytest(
    name: str,
    markers: str,
    choice: Choice | None,
    *places: str,
    workers: int = 2,
    folder: str = "scripts",
) -> Suite:
    """Tests of Python with these markers, side by side in so many processes."""
    options: tuple[str, ...] = ()
    if choice is not None and choice.whole:
        # What passed in one form says nothing of the other.
        name = f"{name}-all"
        options = ("--test-all",)
    elif choice is not None:
        options = (f"--lines={','.join(line.version for line in choice.lines if line.measured)}",)
    part = "dashboard" if folder == DASHBOARD else re.sub("-(all|bare)", "", name)
    # A file's tests share what it makes; the order is that of suites/selection.py.
    side = ("-n", str(workers), "--dist", "loadfile", "--no-loadscope-reorder") if workers else ()
    command = (sys.executable, "-m", "pytest", "-q", "-m", markers, *options)
    report = "--junitxml=../{}/{}/TEST-pytest.xml"
    return Suite(
        name,
        f"Python: {name.replace('-', ', ')}",
        (*command, *side, report.format(REPORTS, name), *places),
        _TREE,
        folder,
        weight=max(1, workers),
        counted=Counted("", name, f"{REPORTS}/{name}/TEST-*.xml"),
        part=part,
        again=(*command, report.format(REPORTS, f"{name}-again")),
    )
