"""The classes of Flink that our patches change, and what class files the releases have of them.

``[patched]`` of ``lines.toml`` names the classes, ``classes.lock`` the SHA-256 of each release's.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from flink_boost.flink.versions import version_key

LOCK = "classes.lock"

_HEADER = """\
# The class files of the classes that lines.toml names under [patched], in every official release
# that was looked at: SHA-256, and the releases that have that file. `flink-boost releases --look`
# and `line add` write this file; nobody edits it.
#
# A class has a table for each group of files that do the same, which says its name in [[ ]]: they
# differ in what no program can see, such as the numbers of lines. A jar for one fits the others.
"""


@dataclass(frozen=True)
class PatchedClass:
    """A class that patches of a family change, in the jar of Flink's that is named so.

    ``since`` and ``until`` are the first and last release with it, or the first numbers of them.
    """

    name: str
    jar: str
    family: str
    since: str = ""
    until: str = ""

    def is_in(self, version: str) -> bool:
        """Whether a release of that number has the class."""
        since, until = _numbers(self.since), _numbers(self.until)
        number = version_key(version)
        return since <= number[: len(since)] and (not until or number[: len(until)] <= until)


@dataclass(frozen=True)
class ClassLock:
    """Which class files the releases have: by class, groups of equal ones: SHA-256 to releases."""

    groups: Mapping[str, tuple[Mapping[str, tuple[str, ...]], ...]]

    def of(self, version: str) -> dict[str, str]:
        """SHA-256 of a release's class files, by binary name; of an unknown one there is none."""
        return {name: checksum for name, checksum, releases in self._files() if version in releases}

    def equal(self, name: str, checksum: str) -> frozenset[str]:
        """SHA-256 of all files of a class that do what that one does, itself among them."""
        groups = (group for group in self.groups.get(name, ()) if checksum in group)
        return frozenset(next(groups, {checksum: ()}))

    def having(
        self,
        version: str,
        checksums: Mapping[str, str],
        equal: Mapping[str, str] = MappingProxyType({}),
    ) -> ClassLock:
        """The same with a release's class files, in place of what was said of it before.

        ``equal`` tells of a new file a known one that does the same.
        """
        groups = {
            name: [_without(group, version) for group in own] for name, own in self.groups.items()
        }
        for name, checksum in checksums.items():
            own = groups.setdefault(name, [])
            like = equal.get(checksum, checksum)
            # Where it was before: the only release of a file is taken out of its group above.
            places = [
                place
                for place, group in enumerate(self.groups.get(name, ()))
                if checksum in group or like in group
            ]
            if not places:
                places.append(len(own))
                own.append({})
            group = own[places[0]]
            group[checksum] = (*group.get(checksum, ()), version)
        return ClassLock(
            {name: tuple(each for each in own if each) for name, own in groups.items() if any(own)}
        )

    def only(self, names: Iterable[str]) -> ClassLock:
        """The same of these classes, in that order."""
        return ClassLock({name: self.groups[name] for name in names if name in self.groups})

    def render(self) -> str:
        """The text of ``classes.lock``, the oldest release first."""
        parts = [_HEADER.rstrip("\n")]
        for name, files in self.groups.items():
            groups = [_sorted(group) for group in files]
            for group in sorted(groups, key=_oldest):
                parts += ["", f"[[{json.dumps(name)}]]"]
                parts += [f"{checksum} = {json.dumps(rows)}" for checksum, rows in group.items()]
        return "\n".join(parts) + "\n"

    def _files(self) -> Iterator[tuple[str, str, tuple[str, ...]]]:
        for name, groups in self.groups.items():
            for group in groups:
                for checksum, releases in group.items():
                    yield name, checksum, releases


def parse_lock(document: Mapping[str, Any]) -> ClassLock:
    """The content of ``classes.lock``."""
    return ClassLock(
        {
            name: tuple(
                {checksum: tuple(releases) for checksum, releases in group.items()}
                for group in groups
            )
            for name, groups in document.items()
        }
    )


def parse_patched(document: Mapping[str, Any]) -> dict[str, PatchedClass]:
    """What ``lines.toml`` says of the patched classes, in its order.

    Raises ``KeyError`` for an entry that lacks its jar or family.
    """
    return {
        name: PatchedClass(
            name,
            entry["jar"],
            entry["family"],
            entry.get("since", ""),
            entry.get("until", ""),
        )
        for name, entry in document["patched"].items()
    }


def _without(group: Mapping[str, tuple[str, ...]], version: str) -> dict[str, tuple[str, ...]]:
    left = {
        checksum: tuple(each for each in releases if each != version)
        for checksum, releases in group.items()
    }
    return {checksum: releases for checksum, releases in left.items() if releases}


def _sorted(group: Mapping[str, tuple[str, ...]]) -> dict[str, list[str]]:
    rows = {checksum: sorted(releases, key=version_key) for checksum, releases in group.items()}
    return dict(sorted(rows.items(), key=lambda row: version_key(row[1][0])))


def _oldest(group: Mapping[str, list[str]]) -> tuple[int, ...]:
    return min(version_key(releases[0]) for releases in group.values())


def _numbers(bound: str) -> tuple[int, ...]:
    return tuple(int(number) for number in re.findall(r"\d+", bound))
