"""The suites of ``make test``: what runs, on which inputs, and where its reports are."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from flink_boost.flink.javatests import CODEC_MODULES, OTHER_MODULES
from flink_boost.flink.lines import Line
from flink_boost.flink.modes import modes_of_tests
from suites.inputs import Inputs

REPORTS = "build/test-reports"
FLINKS = "Flink's own tests"

_JAVA: tuple[str, ...] = (
    *(
        ".mvn/",
        "pom.xml",
        "lines.toml",
        "releases.toml",
        "LICENSE",
        "NOTICE",
        "weaver/",
        "patch-parent/",
    ),
    *(f"{module}/" for module in CODEC_MODULES),
)
_PAGES = ("*.md", "docs/*")
_PACKAGE = ("scripts/flink_boost/", "scripts/suites/", "scripts/requirements/")
_RUNS_JAVA = (
    "Makefile",
    "scripts/mvn",
    "scripts/lines",
    "scripts/suites/",
    "scripts/flink_boost/base/",
    "scripts/flink_boost/flink/",
)
_TESTS = "scripts/tests/"
_DASHBOARD = "codespeed-config"

# Tests that kill processes, hold locks, wait for servers or judge times: others would move their
# moments. The room whose tests take longest comes first.
_QUIET = (
    "measure/test_bench.py",
    "measure/test_boxlock.py",
    "measure/test_ending.py",
    "measure/test_noise.py",
    "measure/test_turns.py",
    "base/test_files.py",
    "base/test_processes.py",
    "base/test_scratch.py",
    "cli/test_flink_tests_command.py",
    "cli/test_gaps.py",
    "cli/test_run_command.py",
    "operate/test_attach.py",
    "operate/test_interrupted.py",
    "port/test_flinktests_runner.py",
    "port/test_soak.py",
    "publish/test_notify.py",
    "publish/test_notify_mail.py",
    "publish/test_upload.py",
    "publish/test_told_codespeed.py",
    "publish/test_upload_codespeed.py",
    "publish/test_upload_killed.py",
    "requesting/test_desk.py",
    "requesting/test_killed.py",
    "requesting/test_postgresql.py",
    "service/test_isolated_builds.py",
    "service/test_isolated_profiles.py",
    "service/test_quicklook.py",
    "service/test_real_proof.py",
    "service/test_sandbox.py",
)
# Of these, the one that takes longest: it waits for a delay to be seen in times, and begins first.
_LONG = ("service/test_real_proof.py",)
# Tests that start JMH, of builds that they make. They take minutes, so they begin early; others run
# beside them: each has a JMH lock of its own, and finds what it put in on a busy machine, too.
_NIGHTS = (
    "service/test_nightly.py",
    "service/test_nightly_recipe.py",
    "service/test_night_profiles.py",
)
_FORKS = (
    "service/test_bisect_for_real.py",
    "service/test_isolated_for_real.py",
    "service/test_canary_run.py",
    "service/test_reruns.py",
    "requesting/test_whole_way.py",
    "cli/test_repeat.py",
    "measure/test_onrelease.py",
    "measure/test_profiles.py",
)
FORKING = (*_NIGHTS, *_FORKS)
# Of the quiet ones, those that mostly wait for answers that do not come: they take nobody's place.
_WAITING = (
    "port/test_flinktests_runner.py",
    "publish/test_upload.py",
    "service/test_quicklook.py",
)
_INSTALLATIONS = (
    "operate/test_install.py",
    "operate/test_verify.py",
    "operate/test_dist.py",
    "operate/test_dropin_jars.py",
    "operate/test_own_build.py",
    "operate/test_own_fields.py",
    "operate/test_wheel.py",
)
# Of the dashboard: in a browser; and on servers that are killed, filled up, or kept waiting.
_BROWSER = ("browser", "browser_large", "landing_browser", "requests_browser", "told_browser")
_SERVER = (
    ("serve", "server_end", "full_disk"),
    ("slow_clients", "limits", "bodies", "health", "request_log"),
    ("postgresql",),
)
# Rooms whose tests use nothing that is built, and those whose tests read no pages.
_BARE = ("base", "judge")
_WITHOUT_PAGES = (*_BARE, "flink", "service", "cli")
_ROOMS = (*_WITHOUT_PAGES, "measure", "publish", "operate", "port", "requesting")
_ALL_ROOMS = (*_ROOMS, "cluster", "suites")


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
    after all that are not. Beside one of ``weight`` 2 fewer others run, beside one of weight 0 as
    many as without it. One that others need runs
    ``always``, and knows by itself what is missing; files that it ``makes``, below the root, are
    deleted before unless they were made of the same inputs.
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


def all_suites(lines: Sequence[Line], every: Sequence[Line], all_modes: bool) -> list[Suite]:
    """What runs for these lines, in the order in which it should begin.

    ``every`` line is built, for some tests of Python use all of them. ``all_modes``: the codec in
    every mode on each line, and Flink's own tests on every JDK.
    """
    builds = list(_builds(every))
    built = tuple(suite.name for suite in builds)
    java = [suite for line in lines for suite in _java(line, all_modes)]
    measured = [line for line in lines if line.measured]
    flinks = [suite for line in measured for suite in _flinks_own(line, built, all_modes)]
    return [
        *builds,
        *_checks(),
        *_distributions([line for line in every if line.measured]),
        *_dashboard(),
        *flinks,
        *_clusters(built, every),
        *_forking(built),
        *java,
        _weaver(every[0]),
        *_python(built),
        *_quiet(built),
        *_dashboard_quiet(),
    ]


def _checks() -> Iterator[Suite]:
    tools = str(Path(sys.executable).parent)
    python = Inputs(("scripts/", "codespeed-config/"), _PAGES)
    for name, title, line, folder in (
        ("lint", "Python lint", "ruff check scripts codespeed-config", "."),
        ("format", "Python format", "ruff format --check scripts codespeed-config", "."),
        ("rooms", "Rooms of the Python package", "lint-imports --no-cache", "scripts"),
        ("types", "Python types", "mypy", "scripts"),
        ("dashboard-types", "Python types of the dashboard", "mypy .", "codespeed-config"),
    ):
        tool, *words = line.split()
        yield Suite(name, title, (f"{tools}/{tool}", *words), python, folder)


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
        inputs = Inputs((*_JAVA, *_RUNS_JAVA, "benchmarks/"))
        title = f"Flink {line.version}: build"
        modules = (*CODEC_MODULES, *(OTHER_MODULES if line.measured else ("weaver",)))
        makes = (
            f"build/jars/.built-{line.version}",
            *(f"{module}/target/{line.version}/test-classpath.txt" for module in modules),
        )
        yield Suite(name, title, command, inputs, after=before, always=True, makes=makes)
        before = (name,)


def _distributions(lines: Sequence[Line]) -> Iterator[Suite]:
    for line in lines:
        yield Suite(
            f"distribution-{line.version}",
            f"Flink {line.version}: distribution",
            (sys.executable, "-m", "flink_boost.flink.distribution", line.version),
            Inputs(
                (
                    "lines.toml",
                    "releases.toml",
                    "scripts/flink_boost/flink/",
                    "scripts/flink_boost/base/",
                )
            ),
            "scripts",
            always=True,
        )


def _java(line: Line, all_modes: bool) -> Iterator[Suite]:
    """The codec's tests on every JDK of the line, in the modes that it needs there; benchmarks.

    Of a line that is not measured on the first JDK only.
    """
    codec = Inputs((*_JAVA, *_RUNS_JAVA), ("weaver/src/test/*", "*.md"))
    jdks = line.jdks if line.measured or all_modes else line.jdks[:1]
    for jdk in jdks:
        heading = f"Flink {line.version} on JDK {jdk}"
        for mode in modes_of_tests(line, jdk, all_modes):
            for module in CODEC_MODULES:
                name = f"{line.version}-jdk{jdk}-{mode}-{module}"
                options = ("--jdk", str(jdk), *(("--optimised",) if all_modes else ()))
                yield _java_suite(name, line, module, codec, heading, (*options, "--mode", mode))
        if line.measured and jdk == line.jdks[0]:
            name = f"{line.version}-benchmarks"
            inputs = Inputs((*_JAVA, *_RUNS_JAVA, "benchmarks/"), ("weaver/src/test/*",))
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
    )


def _flinks_own(line: Line, built: tuple[str, ...], all_modes: bool) -> Iterator[Suite]:
    tests = Inputs((*_JAVA, *_PACKAGE, "scripts/flink-tests/"), ("*/src/test/*", "*.md"))
    for jdk in line.jdks if all_modes else line.jdks[:1]:
        yield Suite(
            f"flinks-own-{line.version}-jdk{jdk}",
            f"{FLINKS}, Flink {line.version} on JDK {jdk}",
            (
                *(sys.executable, "-m", "flink_boost.cli", "flink-tests"),
                *("--line", line.version, "--jdk", str(jdk)),
            ),
            tests,
            "scripts",
            built,
            counted=Counted(
                FLINKS,
                f"Flink {line.version} on JDK {jdk}",
                f"{REPORTS}/flink/{line.version}-jdk{jdk}-selection.xml",
            ),
        )


def _dashboard() -> Iterator[Suite]:
    """The dashboard's tests but for those that hold a server up; those in a browser apart."""
    apart = [f"tests/test_{name}.py" for names in (*_SERVER, _BROWSER) for name in names]
    yield _of_dashboard("dashboard-browser", _BROWSER)
    left = tuple(f"--ignore={file}" for file in apart)
    yield _pytest(_DASHBOARD, _DASHBOARD, left, _inputs_of_dashboard(), folder=_DASHBOARD)


def _dashboard_quiet() -> Iterator[Suite]:
    for names in _SERVER:
        title = f"quiet-dashboard-{names[0].replace('_', '-')}"
        yield replace(_of_dashboard(title, names), quiet=True)


def _of_dashboard(name: str, modules: Sequence[str]) -> Suite:
    files = tuple(f"tests/test_{module}.py" for module in modules)
    return _pytest(name, _DASHBOARD, files, _inputs_of_dashboard(), folder=_DASHBOARD)


def _inputs_of_dashboard() -> Inputs:
    java = ("flink-*", "weaver/*", "patch-parent/*", "benchmarks/src/*")
    return Inputs(("",), (*_PAGES, *java, *(f"{_TESTS}{room}/*" for room in _ALL_ROOMS)))


def _clusters(built: tuple[str, ...], lines: Sequence[Line]) -> Iterator[Suite]:
    after = (*built, *(f"distribution-{line.version}" for line in lines if line.measured))
    # Several JVMs at once.
    clusters = _pytest("clusters", "clusters", ("tests/cluster",), _inputs_of("cluster"), after)
    yield replace(clusters, weight=2)
    files = tuple(f"tests/{name}" for name in _INSTALLATIONS)
    yield _pytest("installations", "installations", files, _inputs_of("operate"), after)


def _python(built: tuple[str, ...]) -> Iterator[Suite]:
    """The tests of scripts but for quiet ones: a suite per room, and one of the tree as a whole."""
    apart = (*_QUIET, *_INSTALLATIONS, *FORKING)
    left = tuple(f"--ignore=tests/{name}" for name in apart)
    for room in reversed(_ROOMS):
        after = () if room in _BARE else built
        yield _pytest(
            f"scripts-{room}", "scripts", (f"tests/{room}", *left), _inputs_of(room), after
        )
    rooms = tuple(f"--ignore=tests/{room}" for room in (*_ROOMS, "cluster"))
    yield _pytest("scripts-tree", "scripts", ("tests", *rooms, *left), Inputs(), built)


def _forking(built: tuple[str, ...]) -> Iterator[Suite]:
    """The tests that measure for real, a suite per room and kind."""
    for kind, every in (("nights", _NIGHTS), ("forks", _FORKS)):
        for room, names in _by_room(every):
            files = tuple(f"tests/{name}" for name in names)
            yield _pytest(f"scripts-{room}-{kind}", "scripts", files, _inputs_of(room), built)


def _quiet(built: tuple[str, ...]) -> Iterator[Suite]:
    """The quiet tests of scripts, a suite per room and kind, for pytest takes seconds to start."""
    others = [name for name in _QUIET if name not in (*_LONG, *_WAITING)]
    for room, names in _by_room(_LONG):
        yield _of_quiet(room, "-long", names, built)
    for room, names in _by_room(_WAITING):
        yield replace(_of_quiet(room, "-waits", names, built), weight=0)
    for room, names in _by_room(others):
        yield _of_quiet(room, "", names, built)


def _of_quiet(room: str, kind: str, names: Sequence[str], after: tuple[str, ...]) -> Suite:
    files = tuple(f"tests/{name}" for name in names)
    name = f"quiet-{room}{kind}"
    return _pytest(name, "scripts", files, _inputs_of(room), after, quiet=True)


def _by_room(names: Sequence[str]) -> Iterator[tuple[str, list[str]]]:
    rooms = dict.fromkeys(name.partition("/")[0] for name in names)
    return ((room, [name for name in names if name.startswith(f"{room}/")]) for room in rooms)


def _inputs_of(room: str) -> Inputs:
    """Everything but the tests of other rooms; what is built, and pages, only where it is used."""
    others = [f"{_TESTS}{other}/*" for other in _ALL_ROOMS if other != room]
    below: tuple[str, ...] = ("",)
    if room in _BARE:
        below = ("scripts/", "lines.toml", "benchmarks/")
    pages = _PAGES if room in _WITHOUT_PAGES else ()
    # The tests of requests start the dashboard as its own tests do.
    dashboards = () if room == "requesting" else (f"{_DASHBOARD}/tests/*",)
    return Inputs(below, (*others, *pages, *dashboards))


def _pytest(
    name: str,
    row: str,
    arguments: tuple[str, ...],
    inputs: Inputs,
    after: tuple[str, ...] = (),
    *,
    folder: str = "scripts",
    quiet: bool = False,
) -> Suite:
    report = f"--junitxml=../{REPORTS}/{name}/TEST-pytest.xml"
    return Suite(
        name,
        f"Python: {name.replace('-', ' ', 1)}",
        (sys.executable, "-m", "pytest", "-q", report, *arguments),
        inputs,
        folder,
        after,
        quiet,
        counted=Counted("", row, f"{REPORTS}/{name}/TEST-*.xml", f" ({name})"),
    )
