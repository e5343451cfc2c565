"""What is kept of builds: a folder per commit and line, complete or not there at all.

::

    <build>/builds/<project>/<commit>/<line>/build.json    what it is, with checksums
    <build>/builds/<project>/<commit>/<line>/jars/         the jars, numbered in class path order
    <build>/builds/<project>/<commit>/<line>/build.log     what the command printed
    <build>/builds/<project>/failed/<commit>-<line>.log    of the newest try that failed
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Collection, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Literal

from pydantic import ValidationError

from flink_boost.base.files import make_folder, publish, write_durably
from flink_boost.measure.commit_jars import Build, build_of
from flink_boost.measure.model import Built, Frozen

_FILE = "build.json"
_LOG = "build.log"
_FAILED = "failed"


class KeptBuild(Frozen):
    """What ``build.json`` says: names of the jars in class path order, and what they must be."""

    schema_version: Literal[1] = 1
    built: Built
    line: str
    recipe: str
    jars: tuple[str, ...]
    digest: str


class BuildCache:
    """The builds of one project."""

    def __init__(self, build: Path, project: str) -> None:
        self._folder = build / "builds" / project

    @property
    def folder(self) -> Path:
        """Where they are; it is made by ``keep``."""
        return self._folder

    def find(self, commit: str, line: str, recipe: str) -> Build | None:
        """The build of that commit by that recipe; None when it is not there, or damaged."""
        folder = self._place(commit, line)
        try:
            kept = KeptBuild.model_validate_json((folder / _FILE).read_bytes())
            found = build_of(kept.built, line, tuple(folder / "jars" / name for name in kept.jars))
        except (OSError, ValidationError):
            return None
        if (kept.recipe, kept.line, kept.digest) != (recipe, line, found.digest):
            return None
        with suppress(OSError):  # a store that may only be read is used all the same
            os.utime(folder / _FILE)
        return found

    def keep(
        self, built: Built, line: str, recipe: str, jars: Sequence[Path], log: Path, aside: Path
    ) -> Build:
        """Copies the jars in and makes them a build; ``aside`` is a folder on the same disk."""
        new = aside / "kept"
        make_folder(new / "jars")
        names = tuple(f"{place}-{jar.name}" for place, jar in enumerate(jars, 1))
        for jar, name in zip(jars, names, strict=True):
            partial = new / f"{name}.partial"
            shutil.copyfile(jar, partial)
            publish(partial, new / "jars" / name)
        found = build_of(built, line, tuple(new / "jars" / name for name in names))
        shutil.copyfile(log, new / _LOG)
        kept = KeptBuild(built=built, line=line, recipe=recipe, jars=names, digest=found.digest)
        write_durably(new / _FILE, kept.model_dump_json(indent=1) + "\n")
        place = self._place(built.commit, line)
        make_folder(place.parent)
        if place.exists():
            # Damaged, or of another recipe. Renamed first: half a folder must never stand there.
            place.rename(aside / "replaced")
        new.rename(place)
        with suppress(FileNotFoundError):
            self.failed_log(built.commit, line).unlink()
        return build_of(built, line, tuple(place / "jars" / name for name in names))

    def failed_log(self, commit: str, line: str) -> Path:
        """Where the log of a try that failed is."""
        return self._folder / _FAILED / f"{commit}-{line}.log"

    def keep_log(self, commit: str, line: str, log: Path) -> Path:
        """Keeps the log of a try that failed."""
        path = self.failed_log(commit, line)
        make_folder(path.parent)
        write_durably(path, log.read_bytes() if log.is_file() else b"")
        return path

    def prune(self, line: str, keep: int, wanted: Collection[str] = ()) -> tuple[str, ...]:
        """Deletes all but the ``keep`` builds used last and the wanted commits; returns those.

        Of tries that failed as many logs are kept.
        """
        files = sorted(
            self._folder.glob(f"*/{line}/{_FILE}"),
            key=lambda file: (file.stat().st_mtime, file.parent.parent.name),
            reverse=True,
        )
        deleted = []
        for file in files[keep:]:
            commit = file.parent.parent.name
            if commit in wanted:
                continue
            file.unlink()  # from here on it is no build
            shutil.rmtree(file.parent)
            with suppress(OSError):
                file.parent.parent.rmdir()
            deleted.append(commit)
        logs = sorted(
            self._folder.glob(f"{_FAILED}/*-{line}.log"), key=lambda log: log.stat().st_mtime
        )
        for log in logs[: -keep or None]:
            log.unlink()
        return tuple(deleted)

    def _place(self, commit: str, line: str) -> Path:
        return self._folder / commit / line
