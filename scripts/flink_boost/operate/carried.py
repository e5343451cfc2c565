"""What an operator's commands need beside the code: drop-in jars, verifiers, example jobs.

A wheel carries them, so that it works without the source tree::

    <package>/data/lines.toml                       the supported lines
    <package>/data/classes.lock                     the class files that the releases have
    <package>/data/releases.toml                    the releases that have the classes of each
    <package>/data/jars/flink-boost-<line>-<version>.jar, and .jar.sha256
    <package>/data/verifiers/<line>.jar             ``InstallationCheck``
    <package>/data/classes/<SHA-256>                stock's class files, as classes.lock names them
    <package>/data/weaver/                          the weaver and ByteBuddy, for ``weave``
    <package>/data/examples/<line>/WordCount.jar    Flink's own example job
    <package>/data/profiler/                        async-profiler and its converter, for ``flame``

In the source tree the same files are where ``make jars`` and the cache keep them.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from flink_boost.base.errors import BrokenData, EnvironmentProblem
from flink_boost.base.files import sha256
from flink_boost.base.places import CARRIED, PROJECT_ROOT
from flink_boost.flink.distribution import ensure_example
from flink_boost.flink.home import opened
from flink_boost.flink.line_jars import jar_path
from flink_boost.flink.lines import Line, load_lines, load_patched

EXAMPLE = "WordCount"
CHECKSUM_SUFFIX = ".sha256"
BYTE_BUDDY = "net/bytebuddy/byte-buddy"


@dataclass(frozen=True)
class Carried:
    """Where the files are; ``version`` is that of flink-boost.

    ``stock_class`` gives one of the class files that ``classes.lock`` names, by line and binary
    name; ``weaver`` are the jars that weave, in the order of a class path.
    """

    version: str
    dropin: Callable[[Line], Path]
    verifier: Callable[[Line], Path]
    example: Callable[[Line], Path]
    stock_class: Callable[[Line, str], bytes]
    weaver: Callable[[], tuple[Path, ...]]

    def dropins(self, lines: Iterable[Line]) -> list[Path]:
        """The drop-in jars that can be had: in the source tree not every line may be built."""
        found = []
        for line in lines:
            with suppress(EnvironmentProblem):
                found.append(self.dropin(line))
        return found


def carried(version: str) -> Carried:
    """What this package carries, or what the source tree holds.

    Its functions raise ``EnvironmentProblem`` for a file that is not there.
    """
    return of_wheel(version, CARRIED) if CARRIED.is_dir() else of_tree(version)


def of_tree(version: str, root: Path = PROJECT_ROOT) -> Carried:
    """What is built in the source tree."""

    def dropin(line: Line) -> Path:
        return _existing(
            root / "build" / "jars" / line.dropin_name(version),
            f"Run `make build LINE={line.version}`.",
        )

    def verifier(line: Line) -> Path:
        folder = root / "flink-patch" / "target" / line.version
        return _existing(
            folder / f"flink-patch-{version}-verifier.jar",
            f"Run `make build LINE={line.version}`.",
        )

    def example(line: Line) -> Path:
        return ensure_example(line, EXAMPLE, root / ".cache")

    def stock_class(line: Line, name: str) -> bytes:
        entry = name.replace(".", "/") + ".class"
        jar = jar_path(line, line.jar(load_patched()[name].jar), root / ".cache")
        content = _released(_existing(jar, f"Run `make build LINE={line.version}`."), entry)
        if content is None:
            raise EnvironmentProblem(f"{jar} has no {name}.", "Fetch it anew.")
        return _checked(content, line, name)

    def weaver() -> tuple[Path, ...]:
        # All lines build it; what is left of a line that is no more, or not built lately, is old.
        lines = load_lines(root / "lines.toml")
        jars = (root / "weaver" / "target").glob(f"*/flink-boost-weaver-{version}.jar")
        ours = (jar for jar in jars if jar.parent.name in lines)
        built = sorted(ours, key=lambda jar: jar.stat().st_mtime_ns)
        byte_buddy = sorted((root / ".cache" / "m2" / BYTE_BUDDY).glob("*/byte-buddy-*.jar"))
        wanted = f"byte-buddy-{_byte_buddy_version(root)}.jar"
        found = (
            *built[-1:],
            *(jar for jar in byte_buddy if jar.name == wanted),
        )
        if len(found) != len(("weaver", "ByteBuddy")):
            raise EnvironmentProblem("The weaver is not built.", "Run `make build`.")
        return found

    return Carried(version, dropin, verifier, example, stock_class, weaver)


def of_wheel(version: str, folder: Path) -> Carried:
    """What a wheel has in its folder ``data``."""
    again = "Install the wheel anew."

    def stock_class(line: Line, name: str) -> bytes:
        file = _existing(folder / "classes" / line.classes[name], again)
        return _checked(file.read_bytes(), line, name)

    def weaver() -> tuple[Path, ...]:
        found = tuple(sorted((folder / "weaver").glob("*.jar")))
        if not found:
            raise EnvironmentProblem(f"{folder / 'weaver'} is empty.", again)
        return found

    return Carried(
        version=version,
        dropin=lambda line: _whole(folder / "jars" / line.dropin_name(version), again),
        verifier=lambda line: _existing(folder / "verifiers" / f"{line.version}.jar", again),
        example=lambda line: _existing(
            folder / "examples" / line.version / f"{EXAMPLE}.jar", again
        ),
        stock_class=stock_class,
        weaver=weaver,
    )


@cache
def _released(jar: Path, entry: str) -> bytes | None:
    """A file in a jar of Flink's, which does not change; None when it has none of that name."""
    archive = opened(jar)
    return archive.read(entry) if entry in archive.NameToInfo else None


def _byte_buddy_version(root: Path) -> str:
    words = (root / "pom.xml").read_text("utf-8")
    return words.partition("<bytebuddy.version>")[2].partition("<")[0]


def _checked(content: bytes, line: Line, name: str) -> bytes:
    if hashlib.sha256(content).hexdigest() != line.classes[name]:
        raise BrokenData(
            f"The class file of {name} is not the one of Flink {line.version}.",
            "Install the wheel anew, or fetch Flink's jars anew in a source tree.",
        )
    return content


def _whole(jar: Path, next_step: str) -> Path:
    """A jar that goes into ``lib/``, as it was built."""
    expected = _existing(jar.with_name(f"{jar.name}{CHECKSUM_SUFFIX}"), next_step)
    try:
        is_whole = sha256(_existing(jar, next_step)) == expected.read_text("ascii")
    except (OSError, UnicodeDecodeError) as error:
        raise BrokenData(f"{jar} cannot be read ({error}).", next_step) from error
    if not is_whole:
        raise BrokenData(f"{jar} is not the jar that was built.", next_step)
    return jar


def _existing(file: Path, next_step: str) -> Path:
    if not file.is_file():
        raise EnvironmentProblem(f"{file} is missing.", next_step)
    return file
