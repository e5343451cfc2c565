"""Puts our classes into Flink's own jar, for class paths that are put together by somebody else.

The woven classes take the places of stock's, our other classes come behind. Every other entry is
copied as it lies in the file: compressed bytes, order, time and attributes. Ours are not
compressed, so the result depends on no compression library: same input, same bytes.
"""

from __future__ import annotations

import hashlib
import io
import struct
import zipfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from flink_boost.flink.dropin import ASIDE, DOOR, RECORD
from flink_boost.base.errors import BrokenData

_OURS = "org/apache/flink/boost/"
_SERVICES = "META-INF/services/"
# Flink's jar has its own texts of that name.
_LEGAL = {name: f"META-INF/flink-boost/{name}" for name in ("LICENSE", "NOTICE")}
_MANIFEST = "META-INF/MANIFEST.MF"

# As the entries of the drop-in jar have it: the first instant without time-zone trouble.
_ENTRY_TIME = (1980, 2, 1, 0, 0, 0)
_UNIX = 3
_PLAIN_FILE = 0o100644 << 16

_LOCAL_MARK = b"PK\x03\x04"
_RECORD_MARK = b"PK\x01\x02"
_RECORD_SIZE = 46
_END = struct.Struct("<4s4H2LH")
_END_MARK = b"PK\x05\x06"
_LONGEST_COMMENT = 0xFFFF
# A larger jar has another kind of table of contents, which no flink-dist needed so far.
_MOST_ENTRIES = 0xFFFE
_LARGEST = 0xFFFFFFFE
_BLOCK = 1 << 20

Write = Callable[[bytes], object]


def write_replaced(dist: Path, dropin: Path, write: Write) -> None:
    """Writes ``dist`` with the drop-in jar's classes inside, from first byte to last.

    Raises ``BrokenData`` when either is no whole jar, when the drop-in jar was not made from the
    classes in ``dist``, and for anything in it whose place is not known.
    """
    try:
        with zipfile.ZipFile(dist) as stock, zipfile.ZipFile(dropin) as ours:
            entries = dict(_entries_to_put(stock, ours, dist, dropin))
    except (zipfile.BadZipFile, OSError, EOFError) as error:
        raise BrokenData(
            f"{dist.name} and {dropin.name} cannot be put together ({error}).",
            "Delete the one that is damaged and run the command again, which fetches it anew.",
        ) from error
    with dist.open("rb") as base:
        _merge(base, _archive(entries), dist, write)


def _entries_to_put(
    stock: zipfile.ZipFile, ours: zipfile.ZipFile, dist: Path, dropin: Path
) -> Iterator[tuple[str, bytes]]:
    names = stock.namelist()
    present = set(names)
    woven = _woven(ours, dropin)
    for name in ours.namelist():
        content = ours.read(name)
        if name in woven:
            _require_stock(name, woven[name], stock, names.count(name), dist, dropin)
            yield name, content
        elif name.startswith(_SERVICES):
            # Its own providers stay: on 1.9 there is a file system that is found by the same list.
            before = stock.read(name) if name in present else b""
            yield name, before + (b"\n" if before else b"") + content
        elif name.removeprefix("META-INF/") in _LEGAL:
            yield _LEGAL[name.removeprefix("META-INF/")], content
        elif name == RECORD or name.startswith((_OURS, ASIDE)) or name.endswith(DOOR):
            if name in present:
                raise BrokenData(
                    f"{dist} has flink-boost's {name} inside already.",
                    "Start from the official flink-dist jar.",
                )
            yield name, content
        elif name != _MANIFEST:
            # The manifest stays Flink's, because the guard reads Flink's version from it.
            raise BrokenData(
                f"It is not known where {name} of {dropin} belongs in {dist.name}.",
                "Teach flink_boost/operate/dist/jar.py.",
            )


def _woven(ours: zipfile.ZipFile, dropin: Path) -> dict[str, str]:
    """Entries that take the place of stock's, each with the SHA-256 of stock's."""
    if RECORD not in ours.NameToInfo:
        raise BrokenData(f"{dropin} is no flink-boost jar.", "Run `make jars`.")
    pairs = (line.split("=", 1) for line in ours.read(RECORD).decode("latin-1").splitlines())
    return {
        pair[0].removeprefix("class.").replace(".", "/") + ".class": pair[1].split()[0]
        for pair in pairs
        if pair[0].startswith("class.")
    }


def _require_stock(
    name: str, expected: str, stock: zipfile.ZipFile, copies: int, dist: Path, dropin: Path
) -> None:
    if copies != 1:
        raise BrokenData(
            f"{dist} holds {name} {copies} times, expected once.",
            "Start from the official flink-dist jar.",
        )
    found = hashlib.sha256(stock.read(name)).hexdigest()
    if found != expected:
        raise BrokenData(
            f"{dropin.name} was not made from {dist}: SHA-256 of {name} is {found} there, expected"
            f" {expected}.",
            "Start from the official flink-dist jar of the release that the jar is for.",
        )


def _archive(entries: Mapping[str, bytes]) -> BinaryIO:
    """A zip file in memory; its bytes depend on nothing but the entries."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as archive:
        for name, content in sorted(entries.items()):
            info = zipfile.ZipInfo(name, _ENTRY_TIME)
            info.create_system = _UNIX
            info.external_attr = _PLAIN_FILE
            archive.writestr(info, content)
    return file


@dataclass(frozen=True)
class _Entry:
    """One entry of a zip file: its record in the table of contents, and where it lies."""

    name: bytes
    record: bytes
    start: int
    end: int

    def moved(self, start: int) -> bytes:
        """The record for another place."""
        return self.record[:42] + struct.pack("<L", start) + self.record[46:]


def _merge(base: BinaryIO, ours: BinaryIO, dist: Path, write: Write) -> None:
    """``base`` with the entries of ``ours`` in the places of its own, new ones behind."""
    theirs, comment = _read_directory(base, dist)
    new = {entry.name: entry for entry in _read_directory(ours, dist)[0]}
    kept = {entry.name for entry in theirs}
    in_file = [
        *sorted(theirs, key=lambda entry: entry.start),
        *(entry for entry in new.values() if entry.name not in kept),
    ]
    position = 0
    places: dict[bytes, list[int]] = {}
    for entry in in_file:
        source, chosen = (ours, new[entry.name]) if entry.name in new else (base, entry)
        places.setdefault(entry.name, []).append(position)
        position += _copy(source, chosen, write)
    # A name may be there twice; the records of one name are in the order of the file.
    records = [
        new.get(entry.name, entry).moved(places[entry.name].pop(0))
        for entry in (*theirs, *(entry for entry in new.values() if entry.name not in kept))
    ]
    directory = b"".join(records)
    if len(records) > _MOST_ENTRIES or position + len(directory) > _LARGEST:
        raise BrokenData(
            f"{dist} has too many entries, or is too large, for the simple kind of zip file.",
            "Teach flink_boost/operate/dist/jar.py the other kind.",
        )
    write(directory)
    counts = (0, 0, len(records), len(records))
    write(_END.pack(_END_MARK, *counts, len(directory), position, len(comment)) + comment)


def _read_directory(file: BinaryIO, dist: Path) -> tuple[list[_Entry], bytes]:
    """The entries in the order of the table of contents, and the file's comment."""
    size = file.seek(0, io.SEEK_END)
    tail_start = file.seek(max(0, size - _END.size - _LONGEST_COMMENT))
    tail = file.read()
    end = tail.rfind(_END_MARK)
    if end < 0:
        raise _not_simple(dist)
    _, _, _, _, count, length, offset, _ = _END.unpack_from(tail, end)
    if offset + length != tail_start + end:
        raise _not_simple(dist)
    file.seek(offset)
    directory = file.read(length)
    found: list[tuple[bytes, bytes, int]] = []
    position = 0
    while directory[position : position + 4] == _RECORD_MARK:
        lengths = struct.unpack_from("<3H", directory, position + 28)
        (start,) = struct.unpack_from("<L", directory, position + 42)
        record = directory[position : position + _RECORD_SIZE + sum(lengths)]
        found.append((record[_RECORD_SIZE : _RECORD_SIZE + lengths[0]], record, start))
        position += len(record)
    if position != length or len(found) != count:
        raise _not_simple(dist)
    starts = sorted(start for _, _, start in found)
    ends = dict(zip(starts, [*starts[1:], offset], strict=True))
    return [_Entry(name, record, start, ends[start]) for name, record, start in found], tail[
        end + _END.size :
    ]


def _not_simple(dist: Path) -> BrokenData:
    return BrokenData(
        f"The table of contents of {dist} is not that of a plain zip file.",
        "Put the official flink-dist jar there.",
    )


def _copy(source: BinaryIO, entry: _Entry, write: Write) -> int:
    source.seek(entry.start)
    left = entry.end - entry.start
    block = source.read(min(left, _BLOCK))
    if not block.startswith(_LOCAL_MARK):
        raise BrokenData(
            f"The entry {entry.name.decode(errors='replace')} is not where the table of contents"
            " of its jar says.",
            "Put the official jar there.",
        )
    while block:
        write(block)
        left -= len(block)
        block = source.read(min(left, _BLOCK))
    return entry.end - entry.start
