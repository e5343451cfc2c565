"""What an operator's commands need beside the code: drop-in jars, verifiers, example jobs.

A wheel carries them, so that it works without the source tree::

    <package>/data/lines.toml                       the supported lines
    <package>/data/releases.toml                    the releases that have the classes of each
    <package>/data/jars/flink-boost-<line>-<version>.jar
    <package>/data/verifiers/<line>.jar             ``InstallationCheck``
    <package>/data/examples/<line>/WordCount.jar    Flink's own example job
    <package>/data/profiler/                        async-profiler and its converter, for ``flame``

In the source tree the same files are where ``make jars`` and the cache keep them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from flink_boost.base.errors import EnvironmentProblem
from flink_boost.base.places import CARRIED, PROJECT_ROOT
from flink_boost.flink.distribution import ensure_example
from flink_boost.flink.lines import Line

EXAMPLE = "WordCount"


@dataclass(frozen=True)
class Carried:
    """Where the files are; ``version`` is that of flink-boost."""

    version: str
    dropin: Callable[[Line], Path]
    verifier: Callable[[Line], Path]
    example: Callable[[Line], Path]

    def dropins(self, lines: Iterable[Line]) -> list[Path]:
        """The drop-in jars that are there; in the source tree not every line may be built."""
        found = []
        for line in lines:
            with suppress(EnvironmentProblem):
                found.append(self.dropin(line))
        return found


def carried(version: str) -> Carried:
    """What this package carries, or what the source tree holds.

    Its functions raise ``EnvironmentProblem`` for a file that is not there.
    """
    return _of_wheel(version, CARRIED) if CARRIED.is_dir() else of_tree(version)


def of_tree(version: str, root: Path = PROJECT_ROOT) -> Carried:
    """What is built in the source tree."""

    def dropin(line: Line) -> Path:
        return _existing(
            root / "build" / "jars" / line.dropin_name(version),
            f"Run `make build LINE={line.version}`.",
        )

    def verifier(line: Line) -> Path:
        folder = root / "flink-core-patch" / "target" / line.version
        return _existing(
            folder / f"flink-core-patch-{version}-verifier.jar",
            f"Run `make build LINE={line.version}`.",
        )

    def example(line: Line) -> Path:
        return ensure_example(line, EXAMPLE, root / ".cache")

    return Carried(version, dropin, verifier, example)


def _of_wheel(version: str, folder: Path) -> Carried:
    again = "Install the wheel anew."
    return Carried(
        version=version,
        dropin=lambda line: _existing(folder / "jars" / line.dropin_name(version), again),
        verifier=lambda line: _existing(folder / "verifiers" / f"{line.version}.jar", again),
        example=lambda line: _existing(
            folder / "examples" / line.version / f"{EXAMPLE}.jar", again
        ),
    )


def _existing(file: Path, next_step: str) -> Path:
    if not file.is_file():
        raise EnvironmentProblem(f"{file} is missing.", next_step)
    return file
