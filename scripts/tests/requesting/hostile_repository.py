"""A repository that no Git of good will writes: small to send, and large once it is unpacked."""

from __future__ import annotations

import hashlib
import struct
import subprocess
import zlib
from collections.abc import Iterable
from functools import partial
from pathlib import Path

MIB = 1 << 20
_COMMIT, _TREE, _BLOB, _BY_DIFFERENCE = 1, 2, 3, 7
_sha1 = partial(hashlib.sha1, usedforsecurity=False)  # Git's names
_WHO = "a <a@example.org> 1 +0000"


def repository_with(folder: Path, base: bytes, times: int = 0) -> str:
    """The commit of a new repository with the file ``base``.

    With ``times`` there is another file, which is the first so often; the pack only says so. The
    first has less than 16 MiB then.
    """
    first = _id("blob", (base,), len(base))
    entries = [_entry(_BLOB, base)]
    tree = b"100644 a\0" + first
    if times:
        second = _id("blob", (base for _ in range(times)), len(base) * times)
        entries.append(_entry(_BY_DIFFERENCE, _repeated(len(base), times), first))
        tree += b"100644 b\0" + second
    top = _id("tree", (tree,), len(tree))
    text = f"tree {top.hex()}\nauthor {_WHO}\ncommitter {_WHO}\n\nx\n".encode()
    entries += (_entry(_TREE, tree), _entry(_COMMIT, text))
    pack = b"PACK" + struct.pack(">II", 2, len(entries)) + b"".join(entries)
    commit = _id("commit", (text,), len(text)).hex()
    _git("init", "--quiet", "--bare", str(folder))
    _git("-C", str(folder), "config", "uploadpack.allowAnySHA1InWant", "true")
    _git("-C", str(folder), "index-pack", "--stdin", given=pack + _sha1(pack).digest())
    _git("-C", str(folder), "update-ref", "refs/heads/main", commit)
    return commit


def _git(*arguments: str, given: bytes = b"") -> None:
    command = ("git", *arguments)
    subprocess.run(command, input=given, check=True, capture_output=True, timeout=300)


def _id(kind: str, parts: Iterable[bytes], size: int) -> bytes:
    digest = _sha1(f"{kind} {size}\0".encode())
    for part in parts:
        digest.update(part)
    return digest.digest()


def _entry(kind: int, content: bytes, base: bytes = b"") -> bytes:
    size = len(content)
    first, rest = kind << 4 | size & 15, size >> 4
    head = bytes([first | 0x80]) + _number(rest) if rest else bytes([first])
    return head + base + zlib.compress(content)


def _repeated(size: int, times: int) -> bytes:
    """How a file differs from another that it has so often: copy all of it, copy all of it, …"""
    whole = b"\xf0" + struct.pack("<I", size)[:3]
    return _number(size) + _number(size * times) + whole * times


def _number(value: int) -> bytes:
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*out, value])
