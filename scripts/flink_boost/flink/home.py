"""Reads a Flink installation: its version, and which of our jars it holds.

Nothing here changes anything. Our jars are recognised by what is in them, whatever they are called.
"""

from __future__ import annotations

import hashlib
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from shlex import quote

from flink_boost.base.errors import (
    BrokenData,
    LinkedLibrary,
    NotAFlinkHome,
    ReplacedClasses,
    UnsupportedFlink,
    UsageProblem,
    VendorFlink,
)
from flink_boost.flink.dropin import reading_zip, table_of_contents
from flink_boost.flink.lines import Line

_OWN_CLASS = "org/apache/flink/boost/guard/BoostMode.class"


@dataclass(frozen=True)
class FlinkHome:
    """An installation. ``dist`` is the jar with Flink's own classes."""

    folder: Path
    dist: Path
    version: str

    @property
    def lib(self) -> Path:
        """The folder whose jars are on the class path."""
        return self.folder / "lib"

    @property
    def quoted(self) -> str:
        """The folder as a shell takes it, whatever is in its name."""
        return quote(str(self.folder))


def open_home(folder: Path) -> FlinkHome:
    """The installation in that folder.

    Raises ``NotAFlinkHome`` when it is none, or one with several ``flink-dist`` jars, and
    ``BrokenData`` for a ``flink-dist`` that cannot be read.
    """
    point = "Name the folder that holds Flink's bin/, conf/ and lib/."
    if not folder.is_dir():
        raise NotAFlinkHome(f"There is no folder {folder}.", point)
    home = folder.resolve()
    missing = [name for name in ("bin/config.sh", "conf", "lib") if not (home / name).exists()]
    if missing:
        raise NotAFlinkHome(f"{folder} is not a Flink home: it has no {missing[0]}.", point)
    dists = sorted((home / "lib").glob("flink-dist*.jar"))
    if len(dists) != 1:
        found = ", ".join(dist.name for dist in dists) or "none"
        raise NotAFlinkHome(
            f"{folder} is not a Flink home: lib/ has to hold one flink-dist jar, found {found}.",
            point if not dists else "Remove the flink-dist jar that does not belong there.",
        )
    return FlinkHome(home, dists[0], _version(dists[0]))


def choose_line(home: FlinkHome, lines: Mapping[str, Line]) -> Line:
    """The supported line that the installation is, judged by number and by class files.

    Raises ``UnsupportedFlink`` for a release that is no line, ``VendorFlink`` for a build of a
    line's release that is not the official one, ``ReplacedClasses`` when our classes are inside
    ``flink-dist``.
    """
    usable = {version: line for version, line in lines.items() if line.enabled}
    choices = ", ".join(usable)
    line = usable.get(home.version)
    if line is None:
        for version in usable:
            if home.version.startswith(version) and not home.version[len(version)].isdigit():
                raise VendorFlink(
                    f"{home.folder} holds Flink {home.version}, a vendor's build of {version}:"
                    " flink-boost fits the official release only.",
                    f"Use the official Flink {version}, or leave this one as it is.",
                )
        raise UnsupportedFlink(
            f"{home.folder} holds Flink {home.version or 'of unknown version'}, which flink-boost"
            " has no jar for.",
            f"It has one for each of: {choices}.",
        )
    with whole(home.dist), zipfile.ZipFile(home.dist) as archive:
        names = set(archive.namelist())
        if _OWN_CLASS in names:
            raise _replaced(home)
        for name, expected in line.classes.items():
            entry = name.replace(".", "/") + ".class"
            found = hashlib.sha256(archive.read(entry)).hexdigest() if entry in names else "absent"
            if found != expected:
                raise VendorFlink(
                    f"{home.dist} calls itself Flink {home.version}, but its class {name} is not"
                    f" the official one (SHA-256 {found}, expected {expected}): it is a rebuild or"
                    " a vendor's version.",
                    f"Use the official Flink {home.version}, or leave this one as it is.",
                )
    return line


def with_stock(home: FlinkHome, stock: Path) -> FlinkHome:
    """The installation, with that official jar for its ``flink-dist``.

    Raises ``UsageProblem`` for a jar of another Flink and ``BrokenData`` for one that cannot be
    read.
    """
    version = _version(stock)
    if version != home.version:
        raise UsageProblem(
            f"{stock} is Flink {version or 'of unknown version'}, but {home.folder} holds Flink"
            f" {home.version}.",
            f"Name the flink-dist jar of the official Flink {home.version}.",
        )
    return FlinkHome(home.folder, stock.resolve(), version)


def is_dist(jar: Path) -> bool:
    """Whether Flink's scripts take a jar for the one with Flink's own classes, by its name."""
    return jar.name.startswith("flink-dist")


def holds_own_classes(dist: Path) -> bool:
    """Whether our classes are inside that ``flink-dist``. Raises ``BadZipFile``."""
    return _OWN_CLASS.encode() in table_of_contents(dist)


def require_stock_dist(home: FlinkHome) -> None:
    """Raises ``ReplacedClasses`` when our classes are inside ``flink-dist``."""
    if holds_own_classes(home.dist):
        raise _replaced(home)


def require_own_library(home: FlinkHome) -> None:
    """Raises ``LinkedLibrary`` when ``lib/`` is a link to somewhere else."""
    if home.lib.is_symlink():
        raise LinkedLibrary(
            f"{home.lib} is a link to {home.lib.resolve()}: Flink's scripts find no jar behind it,"
            " and a change there would reach every installation that shares it.",
            "Name the installation that owns that folder, or put a folder of its own in the place"
            " of the link.",
        )


def _replaced(home: FlinkHome) -> ReplacedClasses:
    return ReplacedClasses(
        f"{home.dist} has flink-boost's classes inside (the variant whose own classes are"
        " replaced): no jar is needed in lib/, and there is no stock to compare with.",
        f"To check it, run `flink-boost verify {home.quoted} --stock JAR` with the official"
        " flink-dist jar; to go back, put that jar in its place.",
    )


@contextmanager
def whole(dist: Path) -> Iterator[None]:
    """Turns what a damaged ``flink-dist`` answers into a sentence."""
    try:
        with reading_zip():
            yield
    except (zipfile.BadZipFile, OSError) as error:
        raise BrokenData(
            f"{dist} cannot be read as Flink's jar ({error}).", "Put the official jar there."
        ) from error


def _version(dist: Path) -> str:
    with whole(dist), zipfile.ZipFile(dist) as archive:
        manifest = archive.read("META-INF/MANIFEST.MF").decode(errors="replace")
    for line in manifest.splitlines():
        key, _, value = line.partition(":")
        if key == "Implementation-Version":
            return value.strip()
    return ""
