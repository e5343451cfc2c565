"""Reads a drop-in jar: what it says about itself, and whether it is whole."""

from __future__ import annotations

import os
import struct
import zipfile
import zlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from flink_boost.base.errors import BrokenData
from flink_boost.base.files import sha256
from flink_boost.base.text import version_text
from flink_boost.flink.switches import FAMILIES, STRINGS

RECORD = "META-INF/flink-boost/weave.properties"
MOST_RECORD = 1 << 20  # bytes of it; ours have some thousand
PREFIX = "flink-boost-"
OWN = "org/apache/flink/boost/"
# Classes that become ones only where their family fits, and what lets them into their package.
ASIDE = "META-INF/flink-boost/aside/"
DOOR = "/FlinkBoostDoor.class"
_FAMILY = "family."
# In the name of a combination that is somebody's own build of Flink.
OWN_BUILD = "-own-"

# The record that ends every zip file, with the longest comment behind it.
_END_MARK = b"PK\x05\x06"
_END_SIZE = 22
_LONGEST_END = _END_SIZE + 0xFFFF

# What the standard library raises for a damaged entry, beside BadZipFile.
_DAMAGED = (zlib.error, EOFError, NotImplementedError, RuntimeError, KeyError, UnicodeDecodeError)


@dataclass(frozen=True)
class DropIn:
    """One of our jars, with the versions of Flink and flink-boost that it was built for.

    ``classes`` are those that it replaces, with the SHA-256 of stock's class files, ``equal`` those
    of all that do the same, each itself among them. ``own_line`` is
    the line whose patches are in a jar that was woven for somebody's own build of Flink; its
    ``flink_version`` then is the name of that combination. ``foreign`` is the first class file
    that is not ours, where somebody packed our jar into one of their own. ``family_of`` tells the
    family of each class; one that is not there is of strings.
    """

    path: Path
    flink_version: str
    boost_version: str
    classes: Mapping[str, str]
    own_line: str = ""
    foreign: str = ""
    family_of: Mapping[str, str] = field(default_factory=dict)
    equal: Mapping[str, frozenset[str]] = field(default_factory=dict)

    @property
    def families(self) -> tuple[str, ...]:
        """The families of its classes, in the order in which they are told."""
        there = {self.family_of.get(name, STRINGS) for name in self.classes}
        return tuple(family for family in FAMILIES if family in there)

    @property
    def strings(self) -> Mapping[str, str]:
        """Those of its classes without which no process starts."""
        return {
            name: checksum
            for name, checksum in self.classes.items()
            if self.family_of.get(name, STRINGS) == STRINGS
        }

    def accepts(self, name: str, checksum: str) -> bool:
        """Whether the jar stands for a class file of that class."""
        return checksum == self.classes[name] or checksum in self.equal.get(name, ())

    @property
    def proper_name(self) -> str:
        """The name that we give such a jar."""
        return f"{PREFIX}{self.flink_version}-{self.boost_version}.jar"


def read_dropin(jar: Path) -> DropIn | None:
    """What a jar says about itself, None when it is none of ours.

    Raises ``BadZipFile``, and ``BrokenData`` for one of ours whose record is damaged.
    """
    if RECORD.encode() not in table_of_contents(jar):
        return None
    with reading_zip(), zipfile.ZipFile(jar) as archive:
        names = archive.namelist()
        with archive.open(RECORD) as entry:
            # As much and no more, whatever the table of contents says: a stranger may have made it.
            content = entry.read(MOST_RECORD + 1)
    if len(content) > MOST_RECORD:
        raise BrokenData(f"{RECORD} in {jar} is too large.", "Remove the jar.")
    record = dict(
        line.split("=", 1) for line in content.decode("latin-1").splitlines() if "=" in line
    )
    prefix = "class."
    stock = {
        key.removeprefix(prefix): value.split()
        for key, value in record.items()
        if key.startswith(prefix) and value.strip()
    }
    classes = {name: checksums[0] for name, checksums in stock.items()}
    try:
        return DropIn(
            jar,
            version_text(record["flink.version"]),
            version_text(record["boost.version"]),
            classes,
            record.get("own.line", "").strip(),
            _foreign(names, classes),
            {
                key.removeprefix(_FAMILY): value.strip()
                for key, value in record.items()
                if key.startswith(_FAMILY)
            },
            {name: frozenset(checksums) for name, checksums in stock.items()},
        )
    except KeyError as error:
        raise BrokenData(f"{RECORD} in {jar} has no {error}.", "Remove the jar.") from error


def _foreign(names: Iterable[str], classes: Iterable[str]) -> str:
    replaced = {f"{name.replace('.', '/')}.class" for name in classes}
    for name in names:
        ours = name.startswith((OWN, ASIDE)) or name.endswith(DOOR) or name in replaced
        if name.endswith(".class") and not ours:
            return name
    return ""


def require_whole(dropin: DropIn, known: Iterable[Path]) -> bool:
    """Whether the jar was compared with the one of its name among the ``known`` ones.

    Raises ``BrokenData`` when it differs from that, or when one of its entries is damaged.
    """
    require_undamaged(dropin.path)
    for jar in known:
        if jar.name == dropin.proper_name:
            found, expected = sha256(dropin.path), sha256(jar)
            if found != expected:
                raise BrokenData(
                    f"{dropin.path} (SHA-256 {found}) is not the jar that this flink-boost carries"
                    f" (SHA-256 {expected}).",
                    _repair(dropin.path),
                )
            return True
    return False


def require_undamaged(jar: Path) -> None:
    """Raises ``BrokenData`` when an entry of the jar is not what its checksum says."""
    damage = _damage(jar)
    if damage:
        raise BrokenData(f"{jar} is damaged ({damage}).", _repair(jar))


def _repair(jar: Path) -> str:
    weave = " --weave" if OWN_BUILD in jar.name else ""
    return f"Run `flink-boost install{weave}` again, which replaces it."


def _damage(jar: Path) -> str:
    """What is wrong with an entry of a jar, by the checksums inside it; empty when nothing is."""
    try:
        with reading_zip(), zipfile.ZipFile(jar) as archive:
            broken = archive.testzip()
    except zipfile.BadZipFile as error:
        return str(error)
    return f"the checksum of {broken} is wrong" if broken else ""


@contextmanager
def reading_zip() -> Iterator[None]:
    """Raises ``BadZipFile`` for whatever the standard library answers to damaged content."""
    try:
        yield
    except _DAMAGED as error:
        raise zipfile.BadZipFile(str(error) or type(error).__name__) from error


def table_of_contents(jar: Path) -> bytes:
    """The end of a zip file, where its names are: Flink's jars have too many to parse each.

    Raises ``BadZipFile``.
    """
    with jar.open("rb") as file:
        size = file.seek(0, os.SEEK_END)
        start = file.seek(max(0, size - _LONGEST_END))
        tail = file.read()
        end = tail.rfind(_END_MARK)
        if end < 0 or len(tail) < end + _END_SIZE:
            raise zipfile.BadZipFile("File is not a zip file")
        length, offset = struct.unpack_from("<II", tail, end + 12)
        # Bytes in front of the archive would make the offset too small, never too large.
        file.seek(min(offset, max(0, start + end - length)))
        return file.read()
