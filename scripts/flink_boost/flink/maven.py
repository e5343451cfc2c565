"""What selects a Flink line for Maven, and what ``make`` has to know of the lines.

``scripts/mvn --line LINE`` passes these arguments; ``scripts/lines`` runs this module on a bare
Python 3.11, because Maven is called before the project's own environment exists.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from flink_boost import __version__
from flink_boost.base.errors import FlinkBoostError, UsageProblem
from flink_boost.base.places import PROJECT_ROOT
from flink_boost.flink.line_jars import jars_arguments
from flink_boost.flink.lines import (
    Line,
    codec_jdks,
    default_line,
    families_of,
    find_line,
    load_lines,
)
from flink_boost.flink.modes import MODES, find_mode, mode_options
from flink_boost.flink.versions import version_key

# A family of whose classes the sources stand in a folder of their own.
_RECORDS = "records"
# The first release with Kryo 5.
_KRYO_5 = (2, 0)


def maven_arguments(line: Line, root: Path = PROJECT_ROOT) -> list[str]:
    """Arguments that select a line: versions, the artefact suffix, jars, the local repository.

    Raises ``UsageProblem`` when ``lines.toml`` lacks a jar that has a patched class.
    """
    return [
        f"-Dmaven.repo.local={root / '.cache' / 'm2'}",
        f"-Dboost.version={__version__}",
        f"-Dflink.version={line.version}",
        f"-Dflink.artifact.suffix={line.artifact_suffix}",
        *(f"-Dflink.{part}.version={version}" for part, version in line.nearest.items()),
        *jars_arguments(line, root),
        f"-Dline.folder={line.folder}",
        *([] if line.measured else ["-Dwithout.benchmarks"]),
        *(_of_records(line.version) if _RECORDS in families_of(line.version) else []),
    ]


def _of_records(version: str) -> list[str]:
    kryo = "kryo5" if version_key(version) >= _KRYO_5 else "kryo2"
    return ["-Drecords", f"-Dkryo.folder={kryo}"]


def jdk_arguments(line: Line, jdk: int, mode: str, find_home: Callable[[int], Path]) -> list[str]:
    """Arguments that run the line's tests on one of its JDKs in one of ``MODES``.

    Raises ``UsageProblem`` for a JDK that the line does not run on, or another mode.
    """
    require_jdk(line, jdk)
    if mode not in MODES:
        raise UsageProblem(f"There is no mode {mode!r}.", f"Choose one of: {', '.join(MODES)}.")
    return [
        f"-Dtest.jvm={find_home(jdk) / 'bin' / 'java'}",
        f"-Dtest.options={' '.join(mode_options(line, jdk, find_mode(mode)))}",
    ]


def require_jdk(line: Line, jdk: int) -> None:
    """Raises ``UsageProblem`` for a JDK that neither the line nor its codec's tests run on."""
    known = codec_jdks(line)
    if jdk not in known:
        numbers = ", ".join(map(str, known))
        raise UsageProblem(
            f"Flink {line.version} does not run on JDK {jdk}.", f"Choose one of: {numbers}."
        )


def enabled_versions() -> list[str]:
    """The lines that can be built."""
    return [version for version, line in load_lines().items() if line.enabled]


def main(arguments: Sequence[str]) -> int:
    """Prints what was asked for, on one line."""
    parser = argparse.ArgumentParser(
        prog="lines", description="What lines.toml says; without an option, all lines."
    )
    parser.add_argument("line", nargs="?", help="Flink release; fails when it is not one of them")
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--default", action="store_true", help="print the default line")
    what.add_argument("--jdks", action="store_true", help="print the JDKs of LINE")
    call = parser.parse_args(arguments)
    try:
        line = find_line(call.line or default_line())
    except FlinkBoostError as error:
        sys.stderr.write(f"{error}\n")
        return error.exit_code
    words = enabled_versions()
    if call.default:
        words = [default_line()]
    elif call.jdks:
        words = [str(jdk) for jdk in line.jdks]
    sys.stdout.write(" ".join(words) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
