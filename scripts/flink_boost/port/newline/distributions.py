"""Which files on PyPI are the whole distribution of a release: chosen from what the index lists.

Nothing is fetched: the index says the checksums. Until 1.10 one source package holds all of it,
until 1.12 each wheel does, and since then a wheel and ``apache-flink-libraries`` together. PyPI has
the libraries from 1.13.6 on.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace

from flink_boost.flink.lines import PinnedFile
from flink_boost.flink.package_index import IndexFile
from flink_boost.flink.releases import KnownReleases
from flink_boost.flink.versions import version_key

PROJECT, LIBRARIES = "apache-flink", "apache-flink-libraries"
_IN_TWO_PARTS = "1.13.0"
_NAME = re.compile(r"apache[-_]flink(?:[-_]libraries)?-(\d+\.\d+\.\d+)(?:-.*\.whl|\.tar\.gz)")
# Wheels for macOS have fewer libraries of other programs in them; what we take is in all alike.
_SMALL = "macosx_10_9_x86_64.whl"


def with_distributions(
    known: KnownReleases, listed: Mapping[str, Iterable[IndexFile]], pinned: Collection[str] = ()
) -> KnownReleases:
    """The releases, those without a distribution with what PyPI has; ``pinned`` have one already.

    ``listed`` are the files of both projects, by project.
    """
    files = {project: _by_release(found) for project, found in listed.items()}
    releases = {
        version: release
        if release.distribution or version in pinned
        else replace(release, distribution=_choose(version, files))
        for version, release in known.releases.items()
    }
    return replace(known, releases=releases)


def _choose(
    version: str, files: Mapping[str, Mapping[str, list[IndexFile]]]
) -> tuple[PinnedFile, ...]:
    parts = version_key(version) >= version_key(_IN_TWO_PARTS)
    main = files.get(PROJECT, {}).get(version, [])
    libraries = [f for f in files.get(LIBRARIES, {}).get(version, []) if _is_source(f)]
    wheels = [file for file in main if not _is_source(file)]
    chosen = min(wheels or main, key=_rank, default=None)
    if parts and not libraries:
        return ()
    pairs = [(PROJECT, chosen), (LIBRARIES, libraries[0] if libraries else None)]
    return tuple(
        PinnedFile(project, version, file.name, file.sha256)
        for project, file in pairs
        if chosen is not None and file is not None and file.sha256 is not None
    )


def _by_release(listed: Iterable[IndexFile]) -> dict[str, list[IndexFile]]:
    found: dict[str, list[IndexFile]] = {}
    for file in listed:
        name = _NAME.fullmatch(file.name)
        # What the index gives no checksum for cannot be pinned.
        if name is not None and file.sha256 is not None:
            found.setdefault(name[1], []).append(file)
    return found


def _rank(file: IndexFile) -> tuple[bool, bool, str]:
    return not file.name.endswith(_SMALL), "-cp311-" not in file.name, file.name


def _is_source(file: IndexFile) -> bool:
    return file.name.endswith(".tar.gz")
