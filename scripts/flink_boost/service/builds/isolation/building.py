"""Builds of strangers' commits: in a sandbox, offline unless the recipe says otherwise.

A build sees its checkout, without Git's folder, and of our downloads what Maven needs, read-only:
the pinned Maven, JDKs and the local repository. Its own local repository is a tree of links to the
files of ours, and gone with the build: it may put there what it likes, and ours stays as it is.
"""

from __future__ import annotations

import os
import re
import shutil
import struct
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from flink_boost.base.errors import BuildFailed, RefusedResult
from flink_boost.base.files import make_folder
from flink_boost.base.places import PROJECT_ROOT
from flink_boost.flink.dropin import MOST_RECORD
from flink_boost.service.builds.build_launch import BuildOrder
from flink_boost.service.builds.isolation.bubblewrap import Bubblewrap
from flink_boost.service.builds.isolation.fetching import MOST_JAR, fetch_file, find_files
from flink_boost.service.builds.isolation.sandbox import Ended, Limits
from flink_boost.service.builds.isolation.workplace import fresh_workplace, give_all
from flink_boost.service.builds.jars import only_one

LIMITS = Limits(seconds=3600)
_CACHE = ".cache"
_REPOSITORY = "m2"
_REWRITTEN = ("_remote.repositories", "resolver-status", "maven-metadata")
_SHARED = ("apache-maven-*", "jdk-*")
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+-]{0,150}\.jar")
_MOST_ENTRIES = 50_000
_MOST_OF_ENTRY = 200  # bytes of an entry in the table of contents, its name among them
_MOST_UNPACKED = 2 << 30  # bytes of all entries together
# The record at the end of a zip file, with the longest comment; in front of it, what points to the
# record of a large one.
_END, _END_SIZE, _LONGEST_END = b"PK\x05\x06", 22, 22 + (1 << 16)
_LARGE, _BEFORE_END = b"PK\x06\x07", 20


class IsolatedBuilds:
    """A ``BuildLaunch``. ``folder`` is where workplaces are; ``root`` is whose downloads are used.

    ``ended`` is how the newest build ended, for the answer.
    """

    isolated = True

    def __init__(
        self,
        sandbox: Bubblewrap,
        folder: Path,
        *,
        limits: Limits = LIMITS,
        mirrors: bool = False,
        root: Path = PROJECT_ROOT,
    ) -> None:
        self.ended: Ended | None = None
        self.most_bytes: int | None = limits.disk
        self._sandbox = sandbox
        self._folder = folder
        self._limits = limits
        self._mirrors = mirrors
        self._cache = root / _CACHE
        self._root = root

    @contextmanager
    def place(self, aside: Path) -> Iterator[Path]:  # noqa: ARG002 - others may not enter it
        """As the protocol says."""
        make_folder(self._folder)
        self._folder.chmod(0o711)
        with fresh_workplace(self._folder, self._sandbox.owners, disk=self._limits.disk) as work:
            yield work

    def run(self, order: BuildOrder) -> None:
        """As the protocol says."""
        work = order.checkout.parent
        readable = self._prepared(order, work)
        environment = dict(order.named)
        if not self._mirrors:
            environment["MAVEN_ARGS"] = f"{environment.get('MAVEN_ARGS', '')} --offline".strip()
        seconds = min(order.seconds, self._limits.seconds)
        self.ended = self._sandbox.run(
            order.command,
            work=work,
            readable=readable,
            environment=environment,
            limits=replace(self._limits, seconds=seconds),
            log=order.log,
            mirrors=self._mirrors,
            folder=order.checkout,
        )
        if not self.ended.well:
            said = f": {self.ended.said}" if self.ended.said else "."
            raise BuildFailed(f"{order.command[0]} {self.ended.sentence}{said}")

    def jars(self, checkout: Path, patterns: Sequence[str], aside: Path) -> tuple[Path, ...]:
        """As the protocol says."""
        work = checkout.parent
        taken = []
        for place, pattern in enumerate(patterns):
            name = only_one(find_files(work, f"{checkout.name}/{pattern}"), pattern)
            last = name.rpartition("/")[2]
            # A colon would be the end of it on a class path.
            if not _NAME.fullmatch(last):
                raise BuildFailed(f"{last!a} is no name for a jar.")
            folder = aside / f"jar-{place}"
            folder.mkdir()
            try:
                fetch_file(work, name, folder / last, most=MOST_JAR)
                _require_jar(folder / last)
            except RefusedResult as error:
                raise BuildFailed(error.message) from error
            taken.append(folder / last)
        return tuple(taken)

    def _prepared(self, order: BuildOrder, work: Path) -> list[Path]:
        """Makes the checkout the build's own; returns what has to be readable for it.

        The commit says how much room and how long names that takes: what is too much is its fault.
        """
        try:
            # It leads to the clone's objects, which may be of private branches.
            shutil.rmtree(order.checkout / ".git")
            readable = [*self._linked(order, work), *_java(order)]
            give_all(work, None if self._sandbox.owners.first is None else work.stat().st_uid)
        except OSError as error:
            why = error.strerror or type(error).__name__
            raise BuildFailed(f"the commit does not fit into a build's folder ({why}).") from error
        return readable

    def _linked(self, order: BuildOrder, work: Path) -> Iterator[Path]:
        """Gives the checkout our folders; yields what has to be readable for that."""
        for name in order.links:
            link = order.checkout / name
            if len(Path(name).parts) != 1 or os.path.lexists(link):
                raise BuildFailed(f"the commit has a {name} of its own, which is never used.")
            if name != _CACHE:
                link.symlink_to(self._root / name, target_is_directory=True)
                yield self._root / name
                continue
            own = work / "cache"
            own.mkdir()
            link.symlink_to(own, target_is_directory=True)
            if (self._cache / _REPOSITORY).is_dir():
                _link_repository(self._cache / _REPOSITORY, own / _REPOSITORY)
                yield self._cache / _REPOSITORY
            for pattern in _SHARED:
                for shared in sorted(self._cache.glob(pattern)):
                    (own / shared.name).symlink_to(shared, target_is_directory=True)
                    yield shared


def _link_repository(source: Path, target: Path) -> None:
    """A local repository with every file of another: links, and copies of what Maven rewrites."""
    for place, _, files in os.walk(source):
        folder = target / Path(place).relative_to(source)
        folder.mkdir()
        for name in files:
            if name.startswith(_REWRITTEN):
                shutil.copyfile(Path(place, name), folder / name)
            else:
                (folder / name).symlink_to(Path(place, name))


def _java(order: BuildOrder) -> Iterator[Path]:
    if home := order.named.get("JAVA_HOME"):
        path = Path(home)
        yield from (path,) if not path.resolve().is_relative_to("/usr") else ()


def _require_jar(jar: Path) -> None:
    """Raises ``RefusedResult`` for what would not be read in a moment and a few megabytes."""
    try:
        # Before it is opened: that makes an object of each entry.
        if _length_of_table(jar) > _MOST_ENTRIES * _MOST_OF_ENTRY:
            raise RefusedResult(f"{jar.name} holds more than any jar of Flink.")
        with zipfile.ZipFile(jar) as archive:
            entries = archive.infolist()
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError) as error:
        raise RefusedResult(f"{jar.name} is no jar.") from error
    names = {entry.filename for entry in entries}
    if len(entries) > _MOST_ENTRIES or sum(one.file_size for one in entries) > _MOST_UNPACKED:
        raise RefusedResult(f"{jar.name} holds more than any jar of Flink.")
    if len(names) != len(entries):
        raise RefusedResult(f"{jar.name} has two entries of one name.")
    for entry in entries:
        if entry.filename.startswith("META-INF/") and entry.file_size > MOST_RECORD:
            raise RefusedResult(f"{jar.name} has an entry in META-INF that is too large.")


def _length_of_table(jar: Path) -> int:
    """Bytes of a jar's table of contents, as the record at its end says.

    Raises ``BadZipFile`` where there may be two such records: which of them is read, we or those
    who open it, is then up to them. A large file of the other format (zip64) is refused, too.
    """
    with jar.open("rb") as file:
        file.seek(max(0, file.seek(0, os.SEEK_END) - _LONGEST_END - _BEFORE_END))
        tail = file.read()
    end = tail.find(_END)
    if end < 0 or end + _END_SIZE > len(tail) or tail.count(_END) > 1 or _LARGE in tail:
        raise zipfile.BadZipFile("it has not one end")
    (length,) = struct.unpack_from("<I", tail, end + 12)
    return int(length)
