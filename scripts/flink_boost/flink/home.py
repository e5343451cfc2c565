"""Reads a Flink installation: its version, and which of our jars it holds.

Nothing here changes anything. Our jars are recognised by what is in them, whatever they are called.
"""

from __future__ import annotations

import os
import re
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from shlex import quote

from flink_boost.base.errors import (
    BrokenData,
    EnvironmentProblem,
    LinkedLibrary,
    NotAFlinkHome,
    ReplacedClasses,
    UnsupportedFlink,
    UsageProblem,
    VendorFlink,
)
from flink_boost.base.text import version_text
from flink_boost.flink.dropin import reading_zip, table_of_contents
from flink_boost.flink.lines import Line
from flink_boost.flink.releases import (
    KnownReleases,
    class_checksums,
    fitting_line,
    load_releases,
    patched_names,
)

_OWN_CLASS = "org/apache/flink/boost/guard/BoostMode.class"
_LOOK = os.R_OK | os.X_OK
_AS_OWNER = "Run the command as the user who owns it."

# The names that Flink's configuration has had.
CONFIGURATIONS = ("config.yaml", "flink-conf.yaml")


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

    def conf(self, environment: Mapping[str, str]) -> Path:
        """The folder that the scripts read the configuration from."""
        return Path(environment.get("FLINK_CONF_DIR") or self.folder / "conf")

    @property
    def named(self) -> str:
        """Flink with its number; a repacked jar may not have one."""
        return f"Flink {self.version or 'of unknown version'}"

    @property
    def quoted(self) -> str:
        """The folder as a shell takes it, whatever is in its name."""
        return quote(str(self.folder))


def open_home(folder: Path) -> FlinkHome:
    """The installation in that folder.

    Raises ``NotAFlinkHome`` when it is none, or one with several ``flink-dist`` jars,
    ``BrokenData`` for a ``flink-dist`` that cannot be read, and ``EnvironmentProblem`` where this
    user may not look.
    """
    for place, needed in ((folder, os.X_OK), (folder / "bin", os.X_OK), (folder / "lib", _LOOK)):
        _require_open(place, needed)
    point = "Name the folder that holds Flink's bin/ and lib/."
    if not folder.is_dir():
        raise NotAFlinkHome(f"There is no folder {folder}.", point)
    home = folder.resolve()
    missing = [name for name in ("bin/config.sh", "lib") if not (home / name).exists()]
    if missing:
        if (home / "pyflink" / "lib").is_dir():
            point = f"PyFlink's Flink is in it: name {quote(str(home / 'pyflink'))}."
        elif home.name in {"lib", "usrlib"} and (home.parent / "bin" / "config.sh").is_file():
            point = f"It belongs to one: name {quote(str(home.parent))}."
        raise NotAFlinkHome(f"{folder} is not a Flink home: it has no {missing[0]}.", point)
    dists = sorted((home / "lib").glob("flink-dist*.jar"))
    if len(dists) != 1:
        found = ", ".join(dist.name for dist in dists) or "none"
        raise NotAFlinkHome(
            f"{folder} is not a Flink home: lib/ has to hold one flink-dist jar, found {found}.",
            point if not dists else "Remove the flink-dist jar that does not belong there.",
        )
    return FlinkHome(home, dists[0], _version(dists[0]))


def _require_open(folder: Path, needed: int) -> None:
    """For Python, what may not be looked into is not there, or is no error that tells anything."""
    try:
        folder.stat()
    except PermissionError:
        pass
    except OSError:
        return
    else:
        # As this process may: root's may have put that off.
        if os.access(folder, needed, effective_ids=os.access in os.supports_effective_ids):
            return
    raise EnvironmentProblem(f"This user may not look into {folder}.", _AS_OWNER)


def choose_line(
    home: FlinkHome, lines: Mapping[str, Line], known: KnownReleases | None = None
) -> Line:
    """The line whose classes the installation has, whatever number it carries.

    Classes of a family that the line's jar leaves off there are not among those of the line.
    ``known`` are the official releases, by default those of ``releases.toml``. Raises
    ``UnsupportedFlink`` for classes that no jar fits, ``VendorFlink`` when the installation has the
    number of an official release and not its classes, ``ReplacedClasses`` when our classes are
    inside ``flink-dist``.
    """
    usable = {version: line for version, line in lines.items() if line.enabled}
    with whole(home.dist):
        archive = opened(home.dist)
        if _OWN_CLASS in archive.NameToInfo:
            raise _replaced(home)
        require_unsigned(home, archive)
    found = home_checksums(home, usable.values())
    line = fitting_line(found, usable.values())
    if line is not None:
        return line.in_effect(found)
    releases = load_releases() if known is None else known
    official = releases.releases.get(home.version)
    expected: Mapping[str, str] = {}
    if home.version in usable:
        expected = usable[home.version].strings
    elif official is not None:
        strings = {name for each in usable.values() for name in each.strings}
        files = releases.lock.of(home.version)
        expected = {name: files[name] for name in files if name in strings}
    for name, checksum in expected.items():
        if found.get(name) != checksum:
            raise VendorFlink(
                f"{home.dist} calls itself Flink {home.version}, but its class {name} is not"
                f" the official one (SHA-256 {found.get(name, 'absent')}, expected {checksum}): it"
                " is a rebuild or a vendor's version.",
                _own_jar(home),
            )
    for version, nearest in usable.items():
        if home.version.startswith(version) and not home.version[len(version)].isdigit():
            name = next(
                each for each in nearest.strings if not nearest.accepts(each, found.get(each))
            )
            raise VendorFlink(
                f"{home.folder} holds Flink {home.version}, a vendor's build of {version} with"
                f" another class {name}: flink-boost fits the official classes only.",
                _own_jar(home),
            )
    choices = ", ".join(usable)
    raise UnsupportedFlink(
        f"{home.folder} holds {home.named}, which flink-boost"
        " has no jar for" + (" yet." if official is not None else "."),
        f"It has one for the classes of each of: {choices}; `flink-boost releases` lists all"
        f" releases that have them. {_own_jar(home)}",
    )


def home_checksums(home: FlinkHome, lines: Iterable[Line]) -> dict[str, str]:
    """SHA-256 of the class files that lines patch, as the installation has them.

    Those of strings are in ``flink-dist`` or nowhere, others in that or in the first jar of
    ``lib/`` that has them. Raises ``BrokenData`` for a ``flink-dist`` that cannot be read.
    """
    known = tuple(lines)
    names = patched_names(known)
    with whole(home.dist):
        found = class_checksums(opened(home.dist), names)
    elsewhere = names - found.keys() - {name for line in known for name in line.strings}
    for jar in sorted(home.lib.glob("*.jar")) if elsewhere else ():
        if jar != home.dist:
            found |= _checksums_in(jar, elsewhere - found.keys())
    return found


def _checksums_in(jar: Path, names: set[str]) -> dict[str, str]:
    """None of a jar of ours, and none of what no JVM reads."""
    try:
        listed = table_of_contents(jar)
        if _OWN_CLASS.encode() in listed:
            return {}
        wanted = {name for name in names if name.replace(".", "/").encode() in listed}
        with reading_zip(), zipfile.ZipFile(jar) as archive:
            return class_checksums(archive, wanted)
    except (zipfile.BadZipFile, OSError):
        return {}


def require_unsigned(home: FlinkHome, archive: zipfile.ZipFile) -> None:
    """Raises ``VendorFlink`` for a signed ``flink-dist``."""
    signature = next(
        (name for name in archive.namelist() if re.fullmatch(r"META-INF/[^/]+\.SF", name)), None
    )
    if signature is not None:
        raise VendorFlink(
            f"{home.dist} is signed ({signature}): a JVM refuses classes of one package that are"
            " from a signed and from another jar, so that no jar of ours can work with it.",
            "Use a build that is not signed, or take the signature out of it.",
        )


def _own_jar(home: FlinkHome) -> str:
    return (
        f"`flink-boost install {home.quoted} --weave` makes a jar for these classes if they do what"
        " those of a release do."
    )


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


def holds_own_classes(jar: Path) -> bool:
    """Whether our classes are inside a jar, under their own name. Raises ``BadZipFile``."""
    if _OWN_CLASS.encode() not in table_of_contents(jar):
        return False
    with reading_zip():
        # The name may be the end of another one, as of a relocated class.
        return _OWN_CLASS in opened(jar).NameToInfo


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
    except PermissionError as error:
        raise EnvironmentProblem(f"This user may not read {dist}.", _AS_OWNER) from error
    except (zipfile.BadZipFile, OSError) as error:
        raise BrokenData(
            f"{dist} cannot be read as Flink's jar ({error}).", "Put the official jar there."
        ) from error


def opened(jar: Path) -> zipfile.ZipFile:
    """A jar that is open for reading and stays so, to be used inside ``whole`` or ``reading_zip``.

    A command looks into ``flink-dist`` several times, and each time it would parse a table of tens
    of thousands of entries. A jar that was replaced or changed meanwhile is opened anew.
    """
    return _opened(FileNow.of(jar))


@dataclass(frozen=True)
class FileNow:
    """A file as it is now, under whatever name."""

    device: int
    inode: int
    size: int
    changed: int
    path: Path = field(compare=False)

    @staticmethod
    def of(path: Path) -> FileNow:
        """Raises ``OSError`` where there is none."""
        found = path.stat()
        return FileNow(found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, path)


@lru_cache(maxsize=2)
def _opened(file: FileNow) -> zipfile.ZipFile:
    return zipfile.ZipFile(file.path)


def _version(dist: Path) -> str:
    with whole(dist):
        archive = opened(dist)
        name = "META-INF/MANIFEST.MF"
        # Whoever packs the jar anew may leave it out: the classes say what it is.
        manifest = archive.read(name).decode(errors="replace") if name in archive.NameToInfo else ""
    # What is longer than a line goes on in the next one, after a space.
    for line in re.sub(r"\r?\n ", "", manifest).splitlines():
        key, _, value = line.partition(":")
        if key == "Implementation-Version":
            return version_text(value)
    return ""
