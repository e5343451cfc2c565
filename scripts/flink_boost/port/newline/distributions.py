"""Which files on PyPI are the whole distribution of a release: chosen from what the index lists.

Nothing is fetched: the index says the checksums. Until 1.10 one source package holds all of it,
until 1.12 each wheel does, and since then a wheel and ``apache-flink-libraries`` together. PyPI has
the libraries from 1.13.6 on.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
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
    known: KnownReleases, listed: Mapping[str, Sequence[IndexFile]], pinned: Collection[str] = ()
) -> KnownReleases:
    """The releases, those without a distribution with what PyPI has; ``pinned`` have one already.

    ``listed`` are the files of both projects, by project.
    """
    releases = {
        version: release
        if release.distribution or version in pinned
        else replace(release, distribution=distribution_of(version, listed))
        for version, release in known.releases.items()
    }
    return replace(known, releases=releases)


def distribution_of(
    version: str, listed: Mapping[str, Iterable[IndexFile]]
) -> tuple[PinnedFile, ...]:
    """The files that are the distribution of a release; none when PyPI has not all of it."""
    main, libraries = (_pins(name, version, listed.get(name, ())) for name in (PROJECT, LIBRARIES))
    wheels = [pin for pin in main if not _is_source(pin)]
    libraries = [pin for pin in libraries if _is_source(pin)][:1]
    if not main or (version_key(version) >= version_key(_IN_TWO_PARTS) and not libraries):
        return ()
    return (min(wheels or main, key=_rank), *libraries)


def _pins(project: str, version: str, listed: Iterable[IndexFile]) -> list[PinnedFile]:
    """Those of a release; what the index gives no checksum for cannot be pinned."""
    return [
        PinnedFile(project, version, file.name, file.sha256)
        for file in listed
        if file.sha256 and (name := _NAME.fullmatch(file.name)) and name[1] == version
    ]


def _rank(pin: PinnedFile) -> tuple[bool, bool, str]:
    return not pin.file.endswith(_SMALL), "-cp311-" not in pin.file, pin.file


def _is_source(pin: PinnedFile) -> bool:
    return pin.file.endswith(".tar.gz")
