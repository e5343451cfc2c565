"""Looks at official releases on Maven Central and writes down which class files they have.

Jars are kept in the cache and compared with the checksums of the row that a former look left: a
release is published once and never again under the same number.
"""

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path
from types import MappingProxyType
from typing import Protocol

from flink_boost.base.errors import BrokenData, EnvironmentProblem
from flink_boost.base.files import sha256
from flink_boost.flink.classes import ClassLock, PatchedClass
from flink_boost.flink.line_jars import OF_MAVEN
from flink_boost.flink.lines import FOLDER_OF_JARS, Line, PinnedFile, with_classes
from flink_boost.flink.package_index import IndexFile
from flink_boost.flink.releases import (
    KnownReleases,
    Release,
    class_checksums,
    fitting_line,
)
from flink_boost.flink.switches import STRINGS
from flink_boost.flink.versions import version_key
from flink_boost.port.newline.registries import Artifact

OLDEST = "1.9.0"
# From here on flink-runtime is published once; before, once for each version of Scala.
_ONE_RUNTIME = "1.14.0"
_BATCH = 6

HEADER = """\
# The official Flink releases that were looked at: `flink-boost releases` prints them, with
# `--look` it fetches those that are missing from Maven Central and writes this file anew.
#
# What identifies a Flink is the class files that our patches of strings change. Releases in which
# all of them do the same, as classes.lock says, have one combination, named after one of them. One
# that a jar exists for is a line of lines.toml with the same name. Where the class files of another
# family differ, a line of its own has them, or the jar leaves that family off.
#
# classes:   the name of the release's combination.
# jars:      SHA-256 of the jars that were looked at; of one in lib/, that of the distribution.
# tested:    what passed on this release with the jar of its line, and when. Nothing: its classes
#     do what those of a release that was tested do, and that is all that is known.
# distribution: the whole of it on PyPI, for tests; lines.toml has those of the lines.
# jdks:      what a release and all later ones run on, of the JDKs of lines.toml. All of them have
#     `make test-releases`, those of the lines `make test-all`.
"""


# The jar of a release, by what Flink calls it; None when it is not there either.
Elsewhere = Callable[[str, str], Path | None]


def nowhere(version: str, artefact: str) -> Path | None:  # noqa: ARG001 - as Elsewhere has them
    """For who asks Maven Central only."""
    return None


class Source(Protocol):
    """Where releases come from; ``Registries`` is the real one."""

    def releases(self, project: str) -> tuple[str, ...]:
        """All versions of an artefact."""

    def fetch(self, artifacts: Iterable[Artifact]) -> Mapping[Artifact, Path]:
        """The files that are there."""

    def files(self, project: str) -> Iterable[IndexFile]:
        """What the package index lists of a project."""


@dataclass(frozen=True)
class Look:
    """What one release has: checksums of its jars, and of the classes that are patched in it."""

    version: str
    jars: Mapping[str, str]
    classes: Mapping[str, str]


def published(source: Source) -> list[str]:
    """The releases from 1.9.0 on, oldest first; pre-releases and the like left out."""
    numbers = [each for each in source.releases("flink-core") if _is_release(each)]
    if not numbers:
        raise EnvironmentProblem(
            "Maven Central names no release of flink-core.", "Check the network, then try again."
        )
    return sorted(
        {each for each in numbers if version_key(each) >= version_key(OLDEST)}, key=version_key
    )


def look_at(
    source: Source,
    versions: Sequence[str],
    patched: Iterable[PatchedClass],
    progress: Callable[[str], None],
    elsewhere: Elsewhere = nowhere,
) -> list[Look]:
    """Fetches the jars of these releases and reads their classes; a step is told in a sentence.

    A release that was withdrawn before all of its jars were published is passed over. ``elsewhere``
    finds a jar beside the first two that Maven Central lacks. Raises what these raise.
    """
    classes = list(patched)
    looks = []
    for start in range(0, len(versions), _BATCH):
        batch = versions[start : start + _BATCH]
        # All at once, because each call starts Maven.
        source.fetch(each for version in batch for each in artifacts(version, classes))
        for version in batch:
            files = jars_of(version, classes, source, elsewhere)
            missing = [each.file for each in artifacts(version, classes) if each not in files]
            if any(each.file in missing for each in artifacts(version)):
                progress(f"Passed over Flink {version}: Maven Central has no {missing[0]}")
                continue
            for file in missing:
                progress(f"Found no {file}: its classes stay unknown")
            names = [each.name for each in classes if each.is_in(version)]
            looks.append(look_at_jars(version, list(files.values()), names))
            progress(f"Looked at Flink {version}")
    return looks


def artifacts(
    version: str, patched: Iterable[PatchedClass] = ()
) -> tuple[Artifact, Artifact, *tuple[Artifact, ...]]:
    """``flink-core`` and ``flink-runtime``, and whatever else holds a class that is patched."""
    later = version_key(version) >= version_key(_ONE_RUNTIME)
    further = dict.fromkeys(each.jar for each in patched if each.is_in(version))
    return (
        Artifact("flink-core", version),
        Artifact("flink-runtime" if later else "flink-runtime_2.11", version),
        *(Artifact(jar, version) for jar in further if jar not in OF_MAVEN),
    )


def jars_of(
    version: str, patched: Iterable[PatchedClass], source: Source, elsewhere: Elsewhere
) -> dict[Artifact, Path]:
    """Those of ``artifacts`` that Maven Central has, or ``elsewhere`` where that lacks them."""
    wanted = artifacts(version, patched)
    found = dict(source.fetch(wanted))
    for each in wanted:
        jar = None if each in found else elsewhere(version, each.project)
        if jar is not None:
            found[each] = jar
    return {each: found[each] for each in wanted if each in found}


def merge(
    known: KnownReleases,
    looks: Iterable[Look],
    lines: Mapping[str, Line],
    patched: Mapping[str, PatchedClass],
    today: date,
    equal: Mapping[str, str] = MappingProxyType({}),
) -> KnownReleases:
    """What is known, with these looks in it; tests that passed stay. ``equal`` as in ``Looked``.

    Raises ``BrokenData`` when a jar is not the one that was looked at before.
    """
    releases = dict(known.releases)
    # The newest first, because it gives its name to all that have the same classes.
    newest_first = sorted(looks, key=lambda each: version_key(each.version), reverse=True)
    lock = known.lock
    for look in newest_first:
        lock = lock.having(look.version, look.classes, equal)
    lock = lock.only(patched)
    strings = {each.name for each in patched.values() if each.family == STRINGS}
    # A class that is patched since a moment ago tells releases apart that were one line's before.
    of_today = [with_classes(line, lock, patched.values()) for line in lines.values()]
    for look in newest_first:
        before = releases.get(look.version)
        if before is not None:
            _require_same(before, look)
        name = _combination(look, of_today, lock.only(strings), releases)
        releases[look.version] = Release(
            version=look.version,
            classes=name,
            jdks=known.jdks_of(look.version),
            jars=dict(look.jars),
            looked_at=today if before is None or before.classes != name else before.looked_at,
            # With the jar of another line it was not.
            tested=before.tested if before is not None and before.classes == name else {},
            distribution=() if before is None else before.distribution,
        )
    for version, release in releases.items():
        # What had no jar may have become a line since, under the number of any of its releases.
        line = None if release.classes in lines else fitting_line(lock.of(version), of_today)
        if line is not None:
            releases[version] = replace(release, classes=line.version, tested={})
    return replace(
        known,
        releases=dict(sorted(releases.items(), key=lambda item: version_key(item[0]))),
        lock=lock,
    )


def render(known: KnownReleases) -> str:
    """The text of ``releases.toml``."""
    parts = [HEADER, "[jdks]"]
    parts += [f"{json.dumps(first)} = {list(numbers)}" for first, numbers in known.jdks.items()]
    for version, release in known.releases.items():
        tested = ", ".join(
            f"{json.dumps(what)} = {day.isoformat()}" for what, day in release.tested.items()
        )
        parts += [
            "",
            f"[releases.{json.dumps(version)}]",
            f"classes = {json.dumps(release.classes)}",
            f"looked-at = {release.looked_at.isoformat()}",
            f"tested = {{ {tested} }}" if tested else "tested = {}",
            f"[releases.{json.dumps(version)}.jars]",
            *_pairs(release.jars),
        ]
        if release.distribution:
            parts += [f"[releases.{json.dumps(version)}.distribution]"]
            parts += [_pin(pin) for pin in release.distribution]
    return "\n".join(parts) + "\n"


def look_at_jars(version: str, jars: Sequence[Path], names: Sequence[str]) -> Look:
    """What is in jars of a release. Raises ``BrokenData`` for a file that is not a jar."""
    classes: dict[str, str] = {}
    for jar in jars:
        try:
            with zipfile.ZipFile(jar) as archive:
                classes |= class_checksums(archive, names)
        except zipfile.BadZipFile as error:
            raise BrokenData(
                f"{jar} is damaged ({error}).", "Delete it, then run the command again."
            ) from error
    return Look(version, {_place(jar): sha256(jar) for jar in jars}, classes)


def _place(jar: Path) -> str:
    """Its name; one of a distribution is in a folder."""
    own = FOLDER_OF_JARS.rstrip("/")
    return f"{FOLDER_OF_JARS}{jar.name}" if jar.parent.name == own else jar.name


def _combination(
    look: Look, lines: Sequence[Line], lock: ClassLock, releases: Mapping[str, Release]
) -> str:
    """The name of the look's combination, which is its own number when it is new."""
    line = fitting_line(look.classes, lines)
    if line is not None:
        return line.version
    same = (
        each.classes
        for each in releases.values()
        if _do_same(lock, lock.of(each.version), look.classes)
        and each.classes not in {line.version for line in lines}
    )
    return next(same, look.version)


def _do_same(lock: ClassLock, first: Mapping[str, str], look: Mapping[str, str]) -> bool:
    """Of the classes that the lock has."""
    second = {name: checksum for name, checksum in look.items() if name in lock.groups}
    return first.keys() == second.keys() and all(
        second[name] in lock.equal(name, checksum) for name, checksum in first.items()
    )


def _require_same(before: Release, look: Look) -> None:
    for file, checksum in look.jars.items():
        if before.jars.get(file, checksum) != checksum:
            raise BrokenData(
                f"{file} has SHA-256 {checksum}, but {before.jars[file]} was seen on"
                f" {before.looked_at}: a release is not published twice.",
                "Delete it from .cache/jars and fetch it anew; if it stays, do not trust it.",
            )


def _pin(pin: PinnedFile) -> str:
    values = {"version": pin.version, "file": pin.file, "sha256": pin.sha256}
    inner = ", ".join(f"{key} = {json.dumps(value)}" for key, value in values.items())
    return f"{json.dumps(pin.project)} = {{ {inner} }}"


def _pairs(table: Mapping[str, str]) -> list[str]:
    return [f"{json.dumps(key)} = {json.dumps(value)}" for key, value in sorted(table.items())]


def _is_release(version: str) -> bool:
    return version.count(".") == 2 and version.replace(".", "").isdigit()
