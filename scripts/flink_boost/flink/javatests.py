"""Runs a module's Java tests in one JVM, on what ``make build`` left, without Maven.

``python -m flink_boost.flink.javatests LINE MODULE [--jdk N] [--mode MODE] [--release VERSION]
[PATTERN...]``, where patterns are regular expressions for simple names of test classes, and the
release is another one with the line's classes, whose own jars take the place of the line's. Maven
compiles, weaves and writes the class path once, ``<module>/target/<line>/test-classpath.txt``. Each
JDK and mode then costs one JVM with the console launcher of the JUnit Platform, whose exit code and
reports are passed on.
"""

from __future__ import annotations

import argparse
import os
import re
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

from flink_boost.base.errors import EnvironmentProblem, FlinkBoostError, UsageProblem
from flink_boost.base.places import PROJECT_ROOT
from flink_boost.base.processes import foreign_environment
from flink_boost.flink.distribution import ensure_release_jars
from flink_boost.flink.jdks import java_home
from flink_boost.flink.line_jars import class_path_jar, further_jars, jar_path
from flink_boost.flink.lines import Line, find_line, load_lines, load_patched
from flink_boost.flink.maven import require_jdk
from flink_boost.flink.modes import (
    MODES,
    CodecMode,
    classes_left_out,
    find_mode,
    mode_options,
)
from flink_boost.flink.releases import load_releases, served

# What it compiles lies in the folders of the patches, named after the Flink jar that they patch.
CODEC_MODULE = "flink-patch"
PATCHES = tuple(sorted(each.name for each in PROJECT_ROOT.glob("flink-*-patch")))
# On the first JDK of a line, in no mode; the weaver's do not depend on the line either.
OTHER_MODULES = ("weaver", "benchmarks")

_LAUNCHER = "org.junit.platform.console.ConsoleLauncher"
# What Surefire takes for a test class by its simple name.
_TEST_CLASS = r"(Test\w*|\w+(Test|Tests|TestCase))"
# Kryo looks into java.util.Arrays; Flink's own configuration allows it. JMH lets one run at a time
# measure; the tests do not measure. What the optimising compiler does they look at in forks, which
# have it. JMH collects garbage before every iteration, and G1 takes its time for a heap of nothing;
# the weaver's compile hundreds of small sources, and end before optimised code would pay.
_QUICK = ("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC")
_OPTIONS = {
    "benchmarks": (
        *("--add-opens=java.base/java.util=ALL-UNNAMED", "-Djmh.ignoreLock=true"),
        *_QUICK,
    ),
    "weaver": _QUICK,
}

# A release before 1.14 names Scala's version in flink-runtime, another one of its line may not.
_SCALA = r"(?:_2\.\d+)?"


@dataclass(frozen=True)
class ModuleBuild:
    """What a build left of a module: its folders, and the jars that its tests need besides."""

    module: str
    folder: Path
    jars: tuple[str, ...]

    @property
    def tests(self) -> Path:
        return self.folder / "test-classes"

    def class_path(self) -> str:
        """Tests, the module's own classes (woven ones of the patches), jars in their order."""
        own = "woven" if self.module == CODEC_MODULE else "classes"
        extra = ("flink-test-classes.jar",) if self.module == "benchmarks" else ()
        folders = [self.tests, *(self.folder / name for name in (own, *extra))]
        return os.pathsep.join([*map(str, folders), *self.jars])

    def stock_jars(self) -> str:
        """The official jars whose classes the tests compare with."""
        # Behind the name comes a number; "flink-core-api" is another jar.
        artefacts = dict.fromkeys(each.jar for each in load_patched().values())
        names = [re.compile(rf"{name}{_SCALA}-\d[\w.]*\.jar") for name in artefacts]
        return os.pathsep.join(
            jar for name in names for jar in self.jars if name.fullmatch(Path(jar).name)
        )

    def with_jars_of(self, line: Line, release: str, jars: Sequence[Path]) -> ModuleBuild:
        """The same with another release's jars in the places of the line's.

        Raises ``EnvironmentProblem`` when one has no place.
        """
        changed = list(self.jars)
        for jar in jars:
            project = re.sub(rf"{_SCALA}-{re.escape(release)}\.jar$", "", jar.name)
            old = re.compile(rf"{project}{_SCALA}-{re.escape(line.version)}\.jar")
            places = [n for n, each in enumerate(changed) if old.fullmatch(Path(each).name)]
            if not places and self.module == CODEC_MODULE:
                raise EnvironmentProblem(
                    f"{jar.name} has no place on the class path of {self.module}.",
                    f"Run `make build LINE={line.version}`.",
                )
            for place in places:
                changed[place] = str(jar)
        return ModuleBuild(self.module, self.folder, tuple(changed))

    def with_more(self, jars: Sequence[Path]) -> ModuleBuild:
        """The same with these jars behind all others."""
        return ModuleBuild(self.module, self.folder, (*self.jars, *map(str, jars)))


def module_build(module: str, line: Line, root: Path = PROJECT_ROOT) -> ModuleBuild:
    """The module as it was built for that line; ``EnvironmentProblem`` when it was not."""
    folder = root / module / "target" / line.version
    try:
        jars = (folder / "test-classpath.txt").read_text(encoding="utf-8").strip()
    except FileNotFoundError as error:
        raise EnvironmentProblem(
            f"{module} is not built for Flink {line.version}.",
            f"Run `make build LINE={line.version}`.",
        ) from error
    cache = root / ".cache"
    further = [str(jar_path(line, file, cache)) for file in further_jars(line)]
    # One that stands for several is good for Maven only.
    named = {str(class_path_jar(line, cache)): further}
    each = (jar for entry in jars.split(os.pathsep) for jar in named.get(entry, [entry]))
    return ModuleBuild(module, folder, tuple(each))


def java_command(
    build: ModuleBuild,
    line: Line,
    jdk: int,
    mode: CodecMode,
    reports: Path,
    find_home: Callable[[int], Path],
    patterns: Sequence[str] = (),
    *,
    optimised: bool = False,
    brief: bool = False,
    fewer: bool = False,
    method: str = "",
) -> list[str]:
    """The command that runs the tests and writes JUnit's XML into ``reports``.

    ``method``: only methods of this name.
    """
    options = _OPTIONS.get(build.module, ())
    of_codec = build.module == CODEC_MODULE
    if of_codec:
        stock = f"-Dstock.jars={build.stock_jars()}"
        how = mode_options(line, jdk, mode, optimised=optimised, brief=brief, fewer=fewer)
        options = (*how, stock)
    chosen = patterns or (mode.only if of_codec else ()) or (_TEST_CLASS,)
    without = classes_left_out(mode, jdk, brief=brief) if of_codec and not patterns else ()
    return [
        str(find_home(jdk) / "bin" / "java"),
        "-ea",
        *options,
        *("-cp", build.class_path()),
        *(_LAUNCHER, "execute", "--disable-banner", "--disable-ansi-colors"),
        *("--details=testfeed", "--fail-if-no-tests", f"--reports-dir={reports}"),
        f"--scan-class-path={build.tests}",
        *(f"--include-classname={_simple(pattern)}" for pattern in chosen),
        *(f"--exclude-classname={_simple(pattern)}" for pattern in without),
        *((rf"--include-methodname=.*[.#]{method}",) if method else ()),
    ]


def _simple(pattern: str) -> str:
    return rf"(.*[.$])?({pattern})"


def main(arguments: Sequence[str]) -> NoReturn:
    """Becomes the JVM that runs the tests, or exits saying why it cannot."""
    parser = argparse.ArgumentParser(prog="javatests", description=__doc__.partition("\n")[0])
    parser.add_argument("line", help="Flink release")
    parser.add_argument("module", choices=(CODEC_MODULE, *OTHER_MODULES))
    parser.add_argument("patterns", nargs="*", metavar="PATTERN", help="default: all of the mode")
    parser.add_argument("--jdk", type=int, help="default: the line's first")
    parser.add_argument("--mode", choices=MODES, default=MODES[0])
    parser.add_argument(
        "--optimised",
        action="store_true",
        help="not opened with the optimising compiler on any line",
    )
    short = parser.add_mutually_exclusive_group()
    short.add_argument(
        "--brief", action="store_true", help="fewer cases and classes, first compiler"
    )
    short.add_argument("--fewer", action="store_true", help="fewer cases")
    parser.add_argument("--method", default="", help="only methods of this name")
    parser.add_argument("--release", help="another release with the line's classes")
    parser.add_argument(
        "--also", type=Path, action="append", default=[], help="a jar that the release needs"
    )
    parser.add_argument("--reports", type=Path, help="folder of the XML; default: in target")
    call = parser.parse_intermixed_args(arguments)
    try:
        _require_expressions(call.patterns)
        line = find_line(call.line)
        jdk = call.jdk or line.jdks[0]
        if call.module != "weaver":
            own = served(call.release, load_releases(), load_lines())[1] if call.release else line
            require_jdk(own, jdk)
        build = module_build(call.module, line)
        if call.release:
            build = build.with_jars_of(line, call.release, ensure_release_jars(call.release))
            build = build.with_more(call.also)
        reports = (call.reports or build.folder / "test-reports").resolve()
        mode = find_mode(call.mode)
        command = java_command(
            *(build, line, jdk, mode, reports, java_home, call.patterns),
            optimised=call.optimised,
            brief=call.brief,
            fewer=call.fewer,
            method=call.method,
        )
    except FlinkBoostError as error:
        sys.stderr.write(f"{error}\n")
        sys.exit(error.exit_code)
    # Tests read files of their module, as under Maven.
    os.chdir(PROJECT_ROOT / call.module)
    os.execve(command[0], command, foreign_environment(os.environ))  # noqa: S606 - its purpose


def _require_expressions(patterns: Sequence[str]) -> None:
    for pattern in patterns:
        try:
            re.compile(pattern)
        except re.error as error:
            raise UsageProblem(f"{pattern!r} is not a regular expression ({error}).") from error


if __name__ == "__main__":
    main(sys.argv[1:])
