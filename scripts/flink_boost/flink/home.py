"""Reads a Flink installation: its version, and which of our jars it holds.

Nothing here changes anything. Our jars are recognised by what is in them, whatever they are called.
"""

from __future__ import annotations

import hashlib
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from flink_boost.base.errors import (
    BrokenData,
    EnvironmentProblem,
    HalfWritten,
    LinkedLibrary,
    NotAFlinkHome,
    RenamedDropIn,
    ReplacedClasses,
    SeveralDropIns,
    UnsupportedFlink,
    UsageProblem,
    VendorFlink,
)
from flink_boost.base.files import PARTIAL_SUFFIX
from flink_boost.flink.dropin import (
    PREFIX,
    DropIn,
    read_dropin,
    reading_zip,
    table_of_contents,
)
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


@dataclass(frozen=True)
class Contents:
    """What of ours is in ``lib/``.

    ``partial`` are files of an installation that was cut off, ``unreadable`` jars that carry our
    name but cannot be opened and are not the beginning of any jar that we know.
    """

    dropins: tuple[DropIn, ...]
    partial: tuple[Path, ...]
    unreadable: tuple[Path, ...]


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
    with _whole(home.dist), zipfile.ZipFile(home.dist) as archive:
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


def read_contents(lib: Path, known: Iterable[Path]) -> Contents:
    """Finds what is ours in ``lib/``, also below it, because Flink's scripts look there too.

    ``known`` are drop-in jars that we have: a damaged jar is half-written when one of them begins
    with it. Flink's own jar counts as Flink's, even with our classes inside. Raises
    ``EnvironmentProblem`` for a jar of our name that this user may not read.
    """
    dropins: list[DropIn] = []
    partial: list[Path] = []
    unreadable: list[Path] = []
    for file in sorted(_files(lib)):
        if file.name.lstrip(".").startswith(PREFIX) and file.name.endswith(PARTIAL_SUFFIX):
            partial.append(file)
        elif file.suffix == ".jar" and not (file.parent == lib and is_dist(file)):
            try:
                dropin = read_dropin(file)
            except (zipfile.BadZipFile, BrokenData, OSError):
                if file.name.startswith(PREFIX):
                    (partial if _begins_one_of(file, known) else unreadable).append(file)
                continue
            if dropin is not None:
                dropins.append(dropin)
    return Contents(tuple(dropins), tuple(partial), tuple(unreadable))


def require_orderly(contents: Contents, folder: Path) -> DropIn | None:
    """The one jar of ours in an installation, or None when there is none.

    Raises ``HalfWritten``, ``SeveralDropIns``, ``RenamedDropIn`` or, for a jar of our name that
    cannot be read, ``BrokenData``.
    """
    clean = f"Run `flink-boost uninstall {folder}`, which removes what is ours, then install again."
    if contents.unreadable:
        raise BrokenData(
            f"{contents.unreadable[0]} has the name of a flink-boost jar but cannot be read, and"
            " is not one that was cut off.",
            "Look at it, and delete it by hand if it is not yours.",
        )
    if contents.partial:
        raise HalfWritten(
            f"A former installation was cut off and left {_names(contents.partial)} in"
            f" {contents.partial[0].parent}.",
            clean,
        )
    if len(contents.dropins) > 1:
        names = _names(dropin.path for dropin in contents.dropins)
        raise SeveralDropIns(
            f"{folder / 'lib'} holds {len(contents.dropins)} flink-boost jars: {names}; Flink"
            " refuses to start with more than one.",
            clean,
        )
    for dropin in contents.dropins:
        if dropin.path != folder / "lib" / dropin.proper_name:
            raise RenamedDropIn(
                f"{dropin.path} is {dropin.proper_name} under another name or in another place.",
                f"Rename it back. Or: {clean}",
            )
        return dropin
    return None


def require_nothing_beside(contents: Contents, home: FlinkHome) -> Path:
    """The ``flink-dist`` that has our classes inside.

    Raises ``SeveralDropIns`` when a jar of ours is in ``lib/`` as well, and the errors of
    ``require_orderly``.
    """
    if contents.dropins:
        names = _names(dropin.path for dropin in contents.dropins)
        raise SeveralDropIns(
            f"{home.dist} has flink-boost's classes inside, and {home.lib} holds {names} as well:"
            " Flink refuses to start with more than one.",
            f"Run `flink-boost uninstall {home.folder}`, which removes the jar in lib/ only.",
        )
    require_orderly(contents, home.folder)
    return home.dist


def read_inside(home: FlinkHome) -> DropIn:
    """What our classes inside ``flink-dist`` say about themselves. Raises ``BrokenData``."""
    with _whole(home.dist):
        found = read_dropin(home.dist)
    if found is None:
        raise BrokenData(
            f"{home.dist} has flink-boost's classes inside, but not their record.",
            "Put the official jar in its place.",
        )
    return found


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
        f"To check it, run `flink-boost verify {home.folder} --stock JAR` with the official"
        " flink-dist jar; to go back, put that jar in its place.",
    )


@contextmanager
def _whole(dist: Path) -> Iterator[None]:
    """Turns what a damaged ``flink-dist`` answers into a sentence."""
    try:
        with reading_zip():
            yield
    except (zipfile.BadZipFile, OSError) as error:
        raise BrokenData(
            f"{dist} cannot be read as Flink's jar ({error}).", "Put the official jar there."
        ) from error


def _version(dist: Path) -> str:
    with _whole(dist), zipfile.ZipFile(dist) as archive:
        manifest = archive.read("META-INF/MANIFEST.MF").decode(errors="replace")
    for line in manifest.splitlines():
        key, _, value = line.partition(":")
        if key == "Implementation-Version":
            return value.strip()
    return ""


def _begins_one_of(file: Path, known: Iterable[Path]) -> bool:
    try:
        content = file.read_bytes()
    except OSError as error:
        raise EnvironmentProblem(
            f"{file} cannot be read ({error.strerror}).",
            "Run the command as the user who owns it, or correct its permissions.",
        ) from error
    return any(jar.read_bytes().startswith(content) for jar in known)


def _files(folder: Path) -> Iterator[Path]:
    return (path for path in folder.rglob("*") if path.is_file())


def _names(paths: Iterable[Path]) -> str:
    return " and ".join(path.name for path in paths)
