"""The releases of flink-boost that an operator should leave, and why."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

# By version, what whoever replaces or removes such a jar has to know first, with where it stands.
TO_LEAVE: Mapping[str, str] = {
    "0.1.0": "Jobs whose keys go through Kryo may find other state afterwards: read"
    ' "Jobs that ran on 0.1.0" in CHANGELOG.md.',
}


def notes_on_leaving(boost_versions: Iterable[str]) -> tuple[str, ...]:
    """A sentence for each of those versions that is one to leave, named once."""
    return tuple(
        f"The jar was of flink-boost {version}. {TO_LEAVE[version]}"
        for version in sorted(set(boost_versions))
        if version in TO_LEAVE
    )
