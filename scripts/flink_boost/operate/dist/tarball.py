"""Writes a folder as a tarball whose bytes depend on nothing but names, contents and modes.

Order, times, owners and the header of gzip are fixed. The compressed bytes are zlib's: another
release of zlib may write others, with the same content.
"""

from __future__ import annotations

import gzip
import tarfile
from collections.abc import Iterator
from pathlib import Path

from flink_boost.base.errors import BrokenData

# 1 January 2026, as the build of the jars and the wheel has it.
EPOCH = 1_767_225_600

# Nearly all of it are jars, which do not get smaller: a higher level costs time and saves nothing.
_LEVEL = 1


def write_tarball(folder: Path, root: str, target: Path) -> None:
    """Writes the files and folders below ``folder`` to ``target``, with ``root`` as their top.

    What its owner may execute everybody may; all can be read by everybody and written by the owner.
    Raises ``BrokenData`` for anything that is neither a file nor a folder, and ``OSError``.
    """
    with (
        target.open("wb") as file,
        gzip.GzipFile("", "wb", _LEVEL, file, EPOCH) as packed,
        tarfile.open(fileobj=packed, mode="w", format=tarfile.GNU_FORMAT) as archive,
    ):
        for path, name in _members(folder, root):
            member = tarfile.TarInfo(name)
            member.mtime = EPOCH
            member.uname = member.gname = "root"
            if path.is_dir() and not path.is_symlink():
                member.type = tarfile.DIRTYPE
                member.mode = 0o755
                archive.addfile(member)
            elif path.is_file() and not path.is_symlink():
                status = path.stat()
                member.size = status.st_size
                member.mode = 0o755 if status.st_mode & 0o100 else 0o644
                with path.open("rb") as content:
                    archive.addfile(member, content)
            else:
                raise BrokenData(
                    f"{name} is neither a file nor a folder.", "Leave it out of the distribution."
                )


def _members(folder: Path, root: str) -> Iterator[tuple[Path, str]]:
    """Each path with its name in the tarball, a folder before what is in it."""
    yield folder, root
    paths = {f"{root}/{path.relative_to(folder).as_posix()}": path for path in folder.rglob("*")}
    for name in sorted(paths):
        yield paths[name], name
