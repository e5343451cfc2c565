"""What one kind of thing takes on the disk, and what of it is too old."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

from flink_boost.base.errors import FlinkBoostError
from flink_boost.measure.run_listing import size_of
from flink_boost.service.retention.references import References


@dataclass(frozen=True)
class Old:
    """Something that goes. ``delete`` may be called again where an earlier call was killed."""

    what: str
    paths: tuple[Path, ...]
    delete: Callable[[], None]
    run_id: str = ""

    @property
    def bytes(self) -> int:
        """How large it is now."""
        below = (path for path in self.paths if path.is_dir() and not path.is_symlink())
        return size_of((*self.paths, *files_below(*below)))


@dataclass(frozen=True)
class KeptKind:
    """``name`` is its setting. ``files`` lists all there are of it, ``old`` what is older than that
    and needed by nothing; ``lock`` is held while something goes."""

    name: str
    days: int
    files: Callable[[], Iterator[Path]]
    old: Callable[[datetime, References], Iterator[Old]]
    lock: Callable[[], AbstractContextManager[None]] = nullcontext

    def has_old(self, now: datetime, references: References) -> bool:
        """Whether anything goes now."""
        return next(self.old(now - timedelta(days=self.days), references), None) is not None

    def too_old(self, now: datetime, references: References) -> tuple[Old, ...]:
        """What goes now."""
        return tuple(self.old(now - timedelta(days=self.days), references))


def delete_all(
    found: Iterable[Old], most: int | None = None
) -> tuple[tuple[Old, ...], tuple[FlinkBoostError | OSError, ...]]:
    """What of it is gone, at most so many, and why each of the others could not go."""
    gone: list[Old] = []
    stays: list[FlinkBoostError | OSError] = []
    for one in found:
        if most is not None and len(gone) >= most:
            break
        try:
            one.delete()
            gone.append(one)
        except (FlinkBoostError, OSError) as problem:
            stays.append(problem)
    return tuple(gone), tuple(stays)


def files_below(*folders: Path) -> Iterator[Path]:
    """All files there, links to folders not followed."""
    for folder in folders:
        for path in folder.rglob("*"):
            if path.is_symlink() or path.is_file():
                yield path


def is_before(path: Path, moment: datetime) -> bool:
    """Whether it was written before; no for what is gone."""
    with suppress(OSError):
        return path.lstat().st_mtime < moment.timestamp()
    return False


def deletion(what: str, *paths: Path) -> Old:
    """These files and folders."""

    def delete() -> None:
        for path in paths:
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path)
            else:
                path.unlink(missing_ok=True)

    return Old(what, paths, delete)
