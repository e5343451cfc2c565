"""Flink's sources, wherever they lie: a checkout, or sources jars, unpacked or as they are.

Those of our own lines are fetched from Maven Central.

A class is found by its path below the root of the sources, in whichever module it lies: Flink moves
classes between modules. Such a path is ``org/apache/flink/types/StringValue.java``.
"""

from __future__ import annotations

import os
import re
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path, PurePosixPath

from flink_boost.base.errors import BrokenData, EnvironmentProblem, UsageProblem
from flink_boost.flink.distribution import ensure_artifact
from flink_boost.flink.lines import Line, PinnedFile
from flink_boost.port.sources.java import JavaType, Member, parse_java

_PACKAGE = ("org", "apache", "flink")
_MAVEN_ROOT = ("src", "main", "java")
_VERSION = re.compile(r"<artifactId>flink-parent</artifactId>\s*<version>([^<]+)</version>")


@dataclass(frozen=True)
class SourceTree:
    """The Java files of Flink's main code, by their path below the root of the sources.

    ``version`` is what the checkout's own POM says, when there is one; ``paths`` tells where the
    files of a folder are, relative to it.
    """

    place: str
    version: str | None
    files: Mapping[str, Callable[[], bytes]]
    paths: Mapping[str, PurePosixPath] = field(default_factory=dict)

    def find_type(self, name: str) -> JavaType | None:
        """The type of that binary name. Raises ``BrokenData`` for a file that is cut off."""
        path = f"{name.partition('$')[0].replace('.', '/')}.java"
        return self.types_of(path).get(name) if path in self.files else None

    def members_of(self, type_: JavaType) -> tuple[Member, ...]:
        """Its own members, then the fields of its superclasses in the same package."""
        package = type_.name.rpartition(".")[0]
        above = self.find_type(f"{package}.{type_.superclass}") if type_.superclass else None
        inherited = self.members_of(above) if above else ()
        return type_.members + tuple(each for each in inherited if each.parameters is None)

    def types_of(self, path: str) -> dict[str, JavaType]:
        """All types that one of the files declares."""
        return parse_java(self.text_of(path), f"{self.place}/{path}")

    def text_of(self, path: str) -> str:
        """The content of one of the files."""
        return self.files[path]().decode("utf-8", "replace")

    def files_called(self, simple_name: str) -> Iterator[str]:
        """The files that are called as that type would be, in any package."""
        return (path for path in self.files if path.endswith(f"/{simple_name}.java"))


def read_folder(root: Path) -> SourceTree:
    """The sources in a checkout of Flink, or in a folder that sources jars were unpacked to.

    Raises ``UsageProblem`` when it holds none.
    """
    files: dict[str, Callable[[], bytes]] = {}
    paths: dict[str, PurePosixPath] = {}
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(name for name in folders if _is_searched(name))
        for name in names:
            path = Path(folder, name)
            relative = PurePosixPath(path.relative_to(root))
            key = _key(relative.parts)
            if key is not None and key not in files:
                files[key], paths[key] = path.read_bytes, relative
    if not files:
        raise UsageProblem(
            f"{root} holds no sources of Flink.",
            "Name a checkout of apache/flink, or a folder with unpacked *-sources.jar files.",
        )
    return SourceTree(str(root), _version(root / "pom.xml"), files, paths)


def read_jars(jars: Sequence[Path], place: str) -> SourceTree:
    """The sources in sources jars. Raises ``BrokenData`` for a file that is not a jar."""
    files: dict[str, Callable[[], bytes]] = {}
    for jar in jars:
        try:
            with zipfile.ZipFile(jar) as archive:
                names = archive.namelist()
        except zipfile.BadZipFile as error:
            raise BrokenData(
                f"{jar} is not a jar ({error}).", "Delete it and try again."
            ) from error
        for name in names:
            key = _key(PurePosixPath(name).parts)
            if key is not None:
                files.setdefault(key, partial(_read_member, jar, name))
    return SourceTree(place, None, files)


def sources_of(line: Line, cache: Path) -> SourceTree:
    """The sources of a line's patched jars, fetched when they are not in the cache.

    Raises ``EnvironmentProblem`` when ``lines.toml`` pins none, and as ``fetch_sources``.
    """
    if not line.sources:
        raise EnvironmentProblem(
            f"lines.toml pins no sources of Flink {line.version}.",
            f'Add [lines."{line.version}".sources] to it.',
        )
    return read_jars([fetch_sources(pin, cache) for pin in line.sources], f"Flink {line.version}")


def fetch_sources(pin: PinnedFile, cache: Path) -> Path:
    """A sources jar on Maven Central; raises what ``ensure_artifact`` raises."""
    return ensure_artifact(pin, cache, classifier="sources", folder="sources")


def _is_searched(folder: str) -> bool:
    return not folder.startswith(".") and folder not in ("target", "node_modules")


def _key(parts: Sequence[str]) -> str | None:
    """The path below the root of the sources; None for what is not Flink's main code."""
    if not parts[-1].endswith(".java"):
        return None
    for start in range(len(parts)):
        if tuple(parts[start : start + 3]) == _PACKAGE:
            above = tuple(parts[:start])
            if "src" in above and above[-3:] != _MAVEN_ROOT:
                return None
            return "/".join(parts[start:])
    return None


def _version(pom: Path) -> str | None:
    if not pom.is_file():
        return None
    found = _VERSION.search(pom.read_text(encoding="utf-8", errors="replace"))
    return found[1].strip() if found else None


def _read_member(jar: Path, name: str) -> bytes:
    with zipfile.ZipFile(jar) as archive:
        return archive.read(name)
