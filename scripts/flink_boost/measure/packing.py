"""The forks of a run that is complete, in one file: thousands of small ones a night become two.

::

    <run>/forks.zip    what JMH wrote, a file per fork
    <run>/logs.zip     what the forks printed; goes when logs are too old

An archive is written whole before a file goes, so that who is killed in between only leaves both.
What lies in ``forks/`` counts before what is packed. Whoever measures in a run unpacks it first.
A file of an archive that is damaged costs none of the others.
"""

from __future__ import annotations

import io
import lzma
import struct
import zipfile
import zlib
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

from flink_boost.base.errors import BrokenData
from flink_boost.base.files import make_folder, write_durably

FORKS, LOGS = "forks.zip", "logs.zip"
DAMAGED = "damaged"  # folder of fork files and archives that were not whole
# What zipfile raises for bytes that are wrong: encrypted is a RuntimeError, a name a ValueError.
_WRONG = (
    OSError,
    EOFError,
    ValueError,
    RuntimeError,
    struct.error,
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
)
_ANY_TIME = (1980, 1, 1, 0, 0, 0)  # so that the same data gives the same archive


@dataclass(frozen=True)
class Members:
    """The files of an archive by their names: those that are whole, and what the others have."""

    whole: dict[str, bytes] = field(default_factory=dict)
    damaged: dict[str, BrokenData] = field(default_factory=dict)


def pack(run: Path) -> None:
    """Packs what lies in ``forks/``. The caller holds ``store.lock``. Raises as ``contents``."""
    for archive, ending in ((FORKS, ".json"), (LOGS, ".log")):
        paths = sorted((run / "forks").glob(f"*{ending}"))
        if not paths:
            continue
        found = contents(run, archive) | {path.name: path.read_bytes() for path in paths}
        write_durably(run / archive, packed(found))
        for path in paths:
            path.unlink()


def unpack(run: Path) -> None:
    """Puts every whole file back; an archive with others is kept in ``damaged/``.

    The caller holds ``store.lock``. Raises as ``members``.
    """
    for archive in (FORKS, LOGS):
        found = members(run, archive)
        for name, content in found.whole.items():
            make_folder(run / "forks")
            if not (run / "forks" / name).exists():
                write_durably(run / "forks" / name, content)
        if found.damaged:
            make_folder(run / DAMAGED)
            names = (run / DAMAGED / f"{number}.{archive}" for number in count(1))
            (run / archive).rename(next(name for name in names if not name.exists()))
        (run / archive).unlink(missing_ok=True)


def names(run: Path, archive: str = FORKS) -> frozenset[str]:
    """Of the files that are packed, damaged or not. Raises as ``members``."""
    try:
        with zipfile.ZipFile(run / archive) as opened:
            return frozenset(opened.namelist())
    except FileNotFoundError:
        return frozenset()
    except _WRONG as error:
        raise _damaged(run / archive, error) from error


def contents(run: Path, archive: str = FORKS) -> dict[str, bytes]:
    """The files that are packed; none where nothing is. Raises ``BrokenData`` if one is damaged."""
    found = members(run, archive)
    for problem in found.damaged.values():
        raise problem
    return found.whole


def members(run: Path, archive: str = FORKS) -> Members:
    """The files that are packed, each by itself.

    Raises ``BrokenData`` when it cannot be said what there are.
    """
    found = Members()
    try:
        with zipfile.ZipFile(run / archive) as opened:
            for name in opened.namelist():
                try:
                    found.whole[name] = opened.read(name)
                except _WRONG as error:
                    found.damaged[name] = _damaged(run / archive, error, f" at {name}")
    except FileNotFoundError:
        return found
    except _WRONG as error:
        raise _damaged(run / archive, error) from error
    return found


def packed(found: dict[str, bytes]) -> bytes:
    """An archive of these files, in their order."""
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as opened:
        for name, content in found.items():
            opened.writestr(zipfile.ZipInfo(name, _ANY_TIME), content, zipfile.ZIP_DEFLATED)
    return archive.getvalue()


def _damaged(path: Path, error: Exception, place: str = "") -> BrokenData:
    run = path.parent.name
    if place:
        step = f"`flink-boost bench --resume {run}` measures that fork again and keeps the others."
    else:
        step = "Restore it from a copy, or move it away: its forks are measured again with the run."
    kind = f"{type(error).__module__}.{type(error).__name__}".removeprefix("builtins.")
    return BrokenData(
        f"{path} is damaged{place} ({kind}).",
        f"{step} `raw-data.zip` in the folder of the run's report may hold a whole copy.",
    )
