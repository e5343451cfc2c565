"""Whether our patches fit a Flink release that is no line yet, and which line is most like it.

A class whose file is, byte for byte, that of a line needs no more questions. Of the others the
sources are compared with those of every line, and the line with the fewest differences counts.
"""

from __future__ import annotations

import hashlib
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from flink_boost.base.errors import BrokenData
from flink_boost.flink.lines import Line
from flink_boost.flink.versions import distance
from flink_boost.port.sources.diff import ClassChange, MemberChange, MemberStatus, compare_sources
from flink_boost.port.sources.patches import UsedClass
from flink_boost.port.sources.tree import SourceTree


@dataclass(frozen=True)
class ClassVerdict:
    """One patched class of the release.

    ``line`` is the line that is most like it. ``same_file`` tells that the class files are equal;
    then ``change`` is nothing.
    """

    name: str
    line: str
    same_file: bool
    change: ClassChange | None

    @property
    def fits(self) -> bool:
        """Whether the weaver can patch it, which does not mean that the patch is still right."""
        if self.change is None:
            return True
        return self.change.found == self.name and all(m.applies for m in self.change.members)

    @property
    def is_known(self) -> bool:
        """Whether everything that our patches use of it is as in that line."""
        return self.change is None or (self.fits and not _changed_members(self.change))

    def diffs(self) -> list[str]:
        """How the code differs, one text per member."""
        changed = [] if self.change is None else _changed_members(self.change)
        return [member.diff for member in changed if member.diff]

    def differences(self) -> list[str]:
        """What is not as in that line: member, what was expected and what is there."""
        if self.change is None:
            return []
        simple = self.name.rpartition(".")[2]
        if self.change.found is None:
            return [f"{simple}: expected the class as in Flink {self.line}, found none"]
        if self.change.found != self.name:
            return [
                f"{simple}: expected that name as in Flink {self.line}, found {self.change.found}"
            ]
        return [
            f"{simple}: expected `{member.expected}` as in Flink {self.line}, found {member.found}"
            + (f" in line {member.line}" if member.line else "")
            for member in _changed_members(self.change)
        ]


def _changed_members(change: ClassChange) -> list[MemberChange]:
    return [member for member in change.members if member.status is not MemberStatus.UNCHANGED]


def class_checksums(patches: Sequence[UsedClass], jars: Sequence[Path]) -> dict[str, str]:
    """SHA-256 of each patched class file that the release has, by its name there.

    Raises ``BrokenData`` for a file that is not a jar.
    """
    found = {}
    for jar in jars:
        try:
            with zipfile.ZipFile(jar) as archive:
                members = set(archive.namelist())
                for name in (name for patched in patches for name in patched.names):
                    member = f"{name.replace('.', '/')}.class"
                    if member in members:
                        found[name] = hashlib.sha256(archive.read(member)).hexdigest()
        except zipfile.BadZipFile as error:
            raise BrokenData(f"{jar} is not a jar ({error}).", "Delete it, try again.") from error
    return found


def check_release(
    version: str,
    patches: Sequence[UsedClass],
    checksums: Mapping[str, str],
    sources: SourceTree,
    lines: Sequence[tuple[Line, SourceTree]],
) -> tuple[ClassVerdict, ...]:
    """A verdict on every patched class; ``lines`` are the lines with their sources."""
    nearest = sorted(lines, key=lambda each: distance(version, each[0].version))
    return tuple(_check_class(patched, checksums, sources, nearest) for patched in patches)


def _check_class(
    patched: UsedClass,
    checksums: Mapping[str, str],
    sources: SourceTree,
    nearest: Sequence[tuple[Line, SourceTree]],
) -> ClassVerdict:
    here = [name for name in patched.names if name in checksums]
    for line, _ in nearest:
        for name in here:
            if line.classes.get(name) == checksums[name]:
                return ClassVerdict(name, line.version, True, None)
    compared = [
        (line, change)
        for line, theirs in nearest
        for change in compare_sources([patched], list(line.classes), theirs, sources)
    ]
    # The first of those with the most in common, so the one with the nearest number.
    line, change = max(compared, key=lambda each: each[1].unchanged_members)
    return ClassVerdict(here[0] if here else change.name, line.version, False, change)
