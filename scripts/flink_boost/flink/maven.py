"""Prints the Maven arguments for a line: ``scripts/maven-arguments [LINE] [--jdk N]``.

With ``--jdk`` the tests run on that JDK, which is fetched if it has to be; without, on the JDK of
the build. ``--default`` prints the default line instead, ``--lines`` all lines that are switched
on, ``--jdks`` the JDKs of a line. Runs on a bare Python 3.11, because Maven is called before the
project's own environment exists.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from flink_boost.base.errors import FlinkBoostError, UsageProblem
from flink_boost.base.places import PROJECT_ROOT
from flink_boost.flink.jdks import java_home
from flink_boost.flink.lines import OPENS_JAVA_LANG, Line, default_line, find_line, load_lines

_FIRST_COMPILER = "-XX:TieredStopAtLevel=1"

# The executions of patch-parent/pom.xml.
MODES = ("opened", "not-opened", "plain", "switched-off", "words", "no-compact-strings")


def maven_arguments(line: Line, root: Path = PROJECT_ROOT) -> list[str]:
    """Arguments that select a line: versions, the artefact suffix, the local repository."""
    return [
        f"-Dmaven.repo.local={root / '.cache' / 'm2'}",
        f"-Dflink.version={line.version}",
        f"-Dflink.artifact.suffix={line.artifact_suffix}",
        *(f"-Dflink.{part}.version={version}" for part, version in line.nearest.items()),
    ]


def jdk_arguments(
    line: Line, jdk: int, find_home: Callable[[int], Path], all_modes: bool = False
) -> list[str]:
    """Arguments that run the line's tests on one of its JDKs; reports go to a folder of its own.

    ``all_modes`` as in ``modes_of_tests``.

    Raises ``UsageProblem`` for a JDK that the line does not run on.
    """
    if jdk not in line.jdks:
        numbers = ", ".join(map(str, line.jdks))
        raise UsageProblem(
            f"Flink {line.version} does not run on JDK {jdk}.", f"Choose one of: {numbers}."
        )
    modes = modes_of_tests(line, jdk, all_modes)
    return [
        f"-Dtest.jdk={jdk}",
        f"-Dtest.jvm={find_home(jdk) / 'bin' / 'java'}",
        # "Opened" means: as the line's own configuration leaves java.lang.
        f"-Dtest.opened={OPENS_JAVA_LANG if OPENS_JAVA_LANG in line.jvm_options else ''}",
        f"-Dtest.not.opened.skipped={_flag('not-opened' not in modes)}",
        f"-Dtest.not.opened.compiler={'' if modes == MODES else _FIRST_COMPILER}",
        f"-Dtest.rare.modes.skipped={_flag(modes != MODES)}",
    ]


def modes_of_tests(line: Line, jdk: int, all_modes: bool = False) -> tuple[str, ...]:
    """The modes in which the codec's tests run there.

    Every mode on the default line's first JDK, opened and not opened on that of another line. On
    further JDKs opened only, because it alone depends on the JDK's own classes. ``all_modes`` gives
    each of them what the one above it has.
    """
    if jdk == line.jdks[0]:
        return MODES if all_modes or line.version == default_line() else MODES[:2]
    return MODES[:2] if all_modes else MODES[:1]


def _flag(value: bool) -> str:
    return "true" if value else "false"


def enabled_versions() -> list[str]:
    """The lines that can be built."""
    return [version for version, line in load_lines().items() if line.enabled]


def main(arguments: Sequence[str]) -> int:
    """Prints what was asked for, on one line."""
    parser = argparse.ArgumentParser(prog="maven-arguments", description=__doc__.partition("\n")[0])
    parser.add_argument("line", nargs="?", help="Flink release; default: the default line")
    parser.add_argument(
        "--all-modes",
        action="store_true",
        help="with --jdk: also the modes left out for time",
    )
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--jdk", type=int, metavar="N", help="run the tests on that JDK")
    what.add_argument("--default", action="store_true", help="print the default line instead")
    what.add_argument("--lines", action="store_true", help="print all lines instead")
    what.add_argument("--jdks", action="store_true", help="print the line's JDKs instead")
    call = parser.parse_args(arguments)
    try:
        line = find_line(call.line or default_line())
        if call.default:
            words = [default_line()]
        elif call.lines:
            words = enabled_versions()
        elif call.jdks:
            words = [str(jdk) for jdk in line.jdks]
        elif call.jdk:
            words = maven_arguments(line)
            words += jdk_arguments(line, call.jdk, java_home, call.all_modes)
        else:
            words = maven_arguments(line)
    except FlinkBoostError as error:
        sys.stderr.write(f"{error}\n")
        return error.exit_code
    sys.stdout.write(" ".join(words) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
