"""Jars in pieces, so that a wheel holds once what the jars of several lines have in common.

A jar is cut where its entries begin, and its table of contents is the last piece. Put together
they are the same bytes again, whichever library for compression a machine has: nothing is packed
anew. A list names the SHA-256 of the jar and then of each piece, one a line.
"""

from __future__ import annotations

import hashlib
import io
import zipfile
from collections.abc import Callable, Iterator
from itertools import pairwise

from flink_boost.base.errors import BrokenData

LIST_SUFFIX = ".parts"


def cut(jar: bytes) -> list[bytes]:
    """The pieces of a jar, in their order. Raises ``BadZipFile``."""
    with zipfile.ZipFile(io.BytesIO(jar)) as archive:
        starts = sorted(entry.header_offset for entry in archive.infolist())
        borders = [0, *starts[1:], archive.start_dir, len(jar)]
    return [jar[start:end] for start, end in pairwise(borders)]


def listed(jar: bytes, pieces: list[bytes]) -> str:
    """The list of a jar."""
    return "".join(f"{hashlib.sha256(each).hexdigest()}\n" for each in (jar, *pieces))


def joined(name: str, words: str, read: Callable[[str], bytes]) -> bytes:
    """The jar of that list; ``read`` gives the piece of a checksum.

    Raises ``BrokenData`` when the result is not the jar that was cut.
    """
    expected, *pieces = words.split()
    content = b"".join(_pieces(name, pieces, read))
    if hashlib.sha256(content).hexdigest() != expected:
        raise BrokenData(f"The pieces of {name} do not make the jar.", "Install the wheel anew.")
    return content


def _pieces(name: str, pieces: list[str], read: Callable[[str], bytes]) -> Iterator[bytes]:
    for checksum in pieces:
        try:
            yield read(checksum)
        except OSError as error:
            raise BrokenData(
                f"A piece of {name} cannot be read ({error}).", "Install the wheel anew."
            ) from error
