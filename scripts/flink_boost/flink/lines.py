"""The supported Flink lines, read from ``lines.toml`` (the only place that names them)."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path, PurePosixPath
from typing import Any

from flink_boost.base.errors import UsageProblem
from flink_boost.base.places import CARRIED, PROJECT_ROOT
from flink_boost.flink.classes import LOCK, ClassLock, PatchedClass, parse_lock, parse_patched
from flink_boost.flink.switches import STRINGS
from flink_boost.flink.versions import distance

LINES_FILE = (CARRIED if CARRIED.is_dir() else PROJECT_ROOT) / "lines.toml"

# Before the name of a jar that is taken out of the distribution.
FOLDER_OF_JARS = "lib/"

# With it the codec sees the insides of strings ("opened"); newer lines ship it themselves.
OPENS_JAVA_LANG = "--add-opens=java.base/java.lang=ALL-UNNAMED"


@dataclass(frozen=True)
class PinnedFile:
    """A file of a project on PyPI or Maven Central, with the checksum that it must have."""

    project: str
    version: str
    file: str
    sha256: str


@dataclass(frozen=True)
class Line:
    """One supported Flink release; ``jdks`` the fully tested one first.

    ``classes`` are those that are patched, with the SHA-256 of the release's own class files,
    ``equal`` those of class files that do the same, each itself among them, and ``family_of`` the
    family of each; one that is not there is of strings.
    ``jars`` are SHA-256 by file name; those ``from_distribution`` are in its ``lib``.
    A line that is not ``measured`` has a jar and the codec's tests, but no benchmarks. ``folder``
    below ``src/line`` of ``flink-runtime-patch`` has what the line shares with its like only.
    """

    version: str
    enabled: bool
    artifact_suffix: str
    jdks: tuple[int, ...]
    jvm_options: tuple[str, ...]
    jars: dict[str, str]
    classes: dict[str, str]
    distribution: tuple[PinnedFile, ...]
    examples: dict[str, PinnedFile]
    sources: tuple[PinnedFile, ...] = ()
    nearest: dict[str, str] = field(default_factory=dict)
    measured: bool = True
    folder: str = "newer"
    equal: dict[str, frozenset[str]] = field(default_factory=dict)
    family_of: dict[str, str] = field(default_factory=dict)
    from_distribution: frozenset[str] = frozenset()

    @property
    def strings(self) -> dict[str, str]:
        """Those of its classes that a Flink has to have, for which the line's jar is."""
        return {
            name: checksum
            for name, checksum in self.classes.items()
            if self.family_of.get(name, STRINGS) == STRINGS
        }

    def without(self, found: Mapping[str, str]) -> frozenset[str]:
        """The families beside strings that are off where Flink has these classes."""
        return frozenset(
            family
            for name in self.classes
            if (family := self.family_of.get(name, STRINGS)) != STRINGS
            and not self.accepts(name, found.get(name))
        )

    def in_effect(self, found: Mapping[str, str]) -> Line:
        """The line with the classes that its jar replaces where Flink has these class files."""
        off = self.without(found)
        family_of = {name: each for name, each in self.family_of.items() if each not in off}
        gone = self.family_of.keys() - family_of.keys()
        classes = {name: self.classes[name] for name in self.classes if name not in gone}
        return replace(self, classes=classes, family_of=family_of)

    def accepts(self, name: str, checksum: str | None) -> bool:
        """Whether the line's jar stands for a class file of that class."""
        own = self.classes[name]
        return checksum == own or (own in (known := self.equal.get(name, ())) and checksum in known)

    def jar(self, artefact: str) -> str:
        """The file name of one of its jars, by what Flink calls it without a version of Scala.

        Raises ``UsageProblem`` when it is not among them.
        """
        own = re.compile(rf"{re.escape(artefact)}(_[\d.]+)?-{re.escape(self.version)}\.jar")
        for name in self.jars:
            if own.fullmatch(name):
                return name
        raise UsageProblem(
            f"lines.toml has no {artefact} of Flink {self.version}.",
            f'Add it to [lines."{self.version}".jars].',
        )

    def dropin_name(self, boost_version: str) -> str:
        """File name of the line's drop-in jar."""
        return f"flink-boost-{self.version}-{boost_version}.jar"


@cache
def load_lines(path: Path = LINES_FILE) -> dict[str, Line]:
    """All lines by version, switched on or not."""
    patched, lock = load_patched(path), read_lock(path.with_name(LOCK))
    return {
        version: with_classes(_line(version, entry), lock, patched.values())
        for version, entry in _document(path)["lines"].items()
    }


@cache
def load_patched(path: Path = LINES_FILE) -> dict[str, PatchedClass]:
    """The classes that patches change, of all lines, by binary name."""
    return parse_patched(_document(path))


def families_of(version: str) -> frozenset[str]:
    """The families of the classes that are patched in a release of that number."""
    return frozenset(each.family for each in load_patched().values() if each.is_in(version))


def artefacts_of(version: str, path: Path = LINES_FILE) -> tuple[str, ...]:
    """The jars of Flink's that hold the classes that are patched in a release of that number.

    Without versions, neither of Flink nor of Scala; those of strings first.
    """
    own = [each for each in load_patched(path).values() if each.is_in(version)]
    return tuple(dict.fromkeys(each.jar for each in sorted(own, key=lambda e: e.family != STRINGS)))


def read_lock(path: Path) -> ClassLock:
    """The class files of the releases, as ``classes.lock`` says now."""
    with path.open("rb") as file:
        return parse_lock(tomllib.load(file))


def with_classes(line: Line, lock: ClassLock, patched: Iterable[PatchedClass]) -> Line:
    """The line with its patched classes, as far as ``classes.lock`` has their files."""
    files, all_patched = lock.of(line.version), tuple(patched)
    classes = {
        each.name: files[each.name]
        for each in all_patched
        if each.is_in(line.version) and each.name in files
    }
    equal = {name: lock.equal(name, checksum) for name, checksum in classes.items()}
    family_of = {each.name: each.family for each in all_patched if each.name in classes}
    return replace(line, classes=classes, equal=equal, family_of=family_of)


@cache
def load_jdks() -> dict[int, PinnedFile]:
    """The wheels on PyPI that hold a JDK, by feature number."""
    jdks = _document(LINES_FILE)["jdks"]
    return {int(number): _pin(pin["project"], pin) for number, pin in jdks.items()}


def codec_jdks(line: Line) -> tuple[int, ...]:
    """The JDKs that the codec's tests run on for that line: its own, and for the default line those
    that are pinned for no line, on which Flink's own scripts do not start.
    """
    if line.version != default_line():
        return line.jdks
    of_lines = {jdk for each in load_lines().values() for jdk in each.jdks}
    return (*line.jdks, *sorted(set(load_jdks()) - of_lines))


@cache
def default_line() -> str:
    """The version that commands work on when none is named."""
    return str(_document(LINES_FILE)["default"])


def find_line(version: str, path: Path = LINES_FILE) -> Line:
    """The line of that version.

    Raises ``UsageProblem`` for a version that ``lines.toml`` does not name or has not switched on.
    """
    lines = load_lines(path)
    usable = ", ".join(v for v, line in lines.items() if line.enabled)
    if version not in lines:
        raise UsageProblem(f"There is no Flink line {version!r}.", f"Choose one of: {usable}.")
    if not lines[version].enabled:
        raise UsageProblem(
            f"The Flink line {version} is known but not switched on yet.",
            f"Choose one of: {usable}.",
        )
    return lines[version]


def find_measured_line(version: str) -> Line:
    """As ``find_line``; raises ``UsageProblem`` for a line without benchmarks, too."""
    line = find_line(version)
    if not line.measured:
        measured = ", ".join(each.version for each in measured_lines())
        raise UsageProblem(
            f"The Flink line {version} has a jar but no benchmarks.", f"Choose one of: {measured}."
        )
    return line


def measured_lines() -> list[Line]:
    """The lines that are switched on and have benchmarks."""
    return [line for line in load_lines().values() if line.enabled and line.measured]


def nearest_line(version: str, lines: Iterable[Line]) -> Line:
    """The switched-on line whose number is nearest to that release."""
    return min(
        (line for line in lines if line.enabled), key=lambda line: distance(version, line.version)
    )


def _document(path: Path) -> dict[str, Any]:
    with path.open("rb") as file:
        return tomllib.load(file)


def _line(version: str, entry: dict[str, Any]) -> Line:
    return Line(
        version=version,
        enabled=entry["enabled"],
        artifact_suffix=entry["artifact-suffix"],
        jdks=tuple(entry["jdks"]),
        jvm_options=tuple(entry["jvm-options"]),
        jars={PurePosixPath(name).name: sha256 for name, sha256 in entry["jars"].items()},
        from_distribution=frozenset(
            PurePosixPath(name).name for name in entry["jars"] if name.startswith(FOLDER_OF_JARS)
        ),
        classes={},
        distribution=tuple(
            _pin(project, pin) for project, pin in entry.get("distribution", {}).items()
        ),
        examples={
            name: _pin(pin["project"], pin) for name, pin in entry.get("examples", {}).items()
        },
        sources=tuple(
            PinnedFile(file.removesuffix(f"-{version}-sources.jar"), version, file, sha256)
            for file, sha256 in entry.get("sources", {}).items()
        ),
        nearest=dict(entry.get("nearest", {})),
        measured=entry.get("measured", True),
        folder=entry.get("folder", "newer"),
    )


def _pin(project: str, entry: dict[str, str]) -> PinnedFile:
    return PinnedFile(project, entry["version"], entry["file"], entry["sha256"])
