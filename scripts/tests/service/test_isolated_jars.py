"""Jars that strangers made by hand: none takes more memory than others, whatever it says."""

from __future__ import annotations

import struct
import tracemalloc
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest

from flink_boost.base.errors import RefusedResult
from flink_boost.flink.dropin import RECORD, read_dropin
from flink_boost.service.builds.isolation.building import _require_jar

MIB = 1 << 20
LOCAL, CENTRAL, END = "<4s2B4HL2L2H", "<4s4B4HL2L5H2L", "<4s4H2LH"


def entry(name: bytes, packed: bytes, size: int) -> tuple[bytes, bytes]:
    """An entry that says it unpacks to ``size`` bytes, and its line in the table of contents."""
    common = (0, 33, 0, len(packed), size, len(name), 0)
    method = 8 if packed else 0
    head = struct.pack(LOCAL, b"PK\3\4", 20, 0, 0, method, *common)
    line = struct.pack(CENTRAL, b"PK\1\2", 20, 0, 20, 0, 0, method, *common, 0, 0, 0, 0, 0)
    return head + name + packed, line + name


def jar_of(content: bytes, table: bytes, comment: bytes = b"") -> bytes:
    count = min(table.count(b"PK\1\2"), 0xFFFF)
    sizes = (len(table), len(content), len(comment))
    return content + table + struct.pack(END, b"PK\5\6", 0, 0, count, count, *sizes) + comment


def most_memory(action: Callable[[], object]) -> int:
    tracemalloc.start()
    try:
        action()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_a_jar_of_endless_entries_is_refused_before_it_is_opened(tmp_path: Path) -> None:
    jar = tmp_path / "a.jar"
    lines = [entry(b"%07x" % number, b"", 0)[1] for number in range(250_000)]
    jar.write_bytes(jar_of(b"", b"".join(lines)))
    del lines

    def refused() -> None:
        with pytest.raises(RefusedResult, match="more than any jar of Flink"):
            _require_jar(jar)

    assert most_memory(refused) < 4 * MIB


def test_a_record_is_never_unpacked_further_than_a_record_goes(tmp_path: Path) -> None:
    jar = tmp_path / "a.jar"
    deflate = zlib.compressobj(9, zlib.DEFLATED, -15)
    packed = deflate.compress(bytes(256 * MIB)) + deflate.flush()
    jar.write_bytes(jar_of(*entry(RECORD.encode(), packed, 100)))

    def lies() -> None:
        _require_jar(jar)
        with pytest.raises(zipfile.BadZipFile):
            read_dropin(jar)

    assert most_memory(lies) < 8 * MIB


def test_a_jar_with_two_ends_or_of_the_large_kind_is_refused(tmp_path: Path) -> None:
    jar = tmp_path / "a.jar"
    content, table = entry(b"a", b"", 0)
    jar.write_bytes(jar_of(content, table, b"a comment"))
    _require_jar(jar)
    for comment in (jar_of(content, table), b"PK\6\7" + bytes(16)):
        jar.write_bytes(jar_of(content, table, comment))
        with pytest.raises(RefusedResult, match="is no jar"):
            _require_jar(jar)
