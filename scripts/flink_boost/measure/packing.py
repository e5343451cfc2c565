"""The forks of a run that is complete, in one file: thousands of small ones a night become two.

::

    <run>/forks.zip    what JMH wrote, a file per fork
    <run>/logs.zip     what the forks printed; goes when logs are too old

An archive is written whole before a file goes, so that who is killed in between only leaves both.
What lies in ``forks/`` counts before what is packed. Whoever measures in a run unpacks it first.
"""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

from flink_boost.base.errors import BrokenData
from flink_boost.base.files import make_folder, write_durably

FORKS, LOGS = "forks.zip", "logs.zip"
_ANY_TIME = (1980, 1, 1, 0, 0, 0)  # so that the same data gives the same archive


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
    """Puts every file back. The caller holds ``store.lock``. Raises as ``contents``."""
    for archive in (FORKS, LOGS):
        for name, content in contents(run, archive).items():
            make_folder(run / "forks")
            if not (run / "forks" / name).exists():
                write_durably(run / "forks" / name, content)
        (run / archive).unlink(missing_ok=True)


def names(run: Path, archive: str = FORKS) -> frozenset[str]:
    """Of the files that are packed. Raises as ``contents``."""
    try:
        with zipfile.ZipFile(run / archive) as opened:
            return frozenset(opened.namelist())
    except FileNotFoundError:
        return frozenset()
    except (OSError, zipfile.BadZipFile) as error:
        raise _damaged(run / archive, error) from error


def contents(run: Path, archive: str = FORKS) -> dict[str, bytes]:
    """The files that are packed; none where nothing is. Raises ``BrokenData``."""
    try:
        with zipfile.ZipFile(run / archive) as opened:
            return {name: opened.read(name) for name in opened.namelist()}
    except FileNotFoundError:
        return {}
    except (OSError, EOFError, zipfile.BadZipFile) as error:
        raise _damaged(run / archive, error) from error


def packed(found: dict[str, bytes]) -> bytes:
    """An archive of these files, in their order."""
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as opened:
        for name, content in found.items():
            opened.writestr(zipfile.ZipInfo(name, _ANY_TIME), content, zipfile.ZIP_DEFLATED)
    return archive.getvalue()


def _damaged(path: Path, error: Exception) -> BrokenData:
    return BrokenData(
        f"{path} is damaged ({type(error).__name__}).",
        "Restore it, or move it away: its forks are then measured again with the run.",
    )
