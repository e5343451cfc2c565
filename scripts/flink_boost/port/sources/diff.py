"""Compares what our patches use of Flink's classes between two releases, by their sources.

A member counts as changed when its code, its types or ``static`` differ; comments, layout,
annotations and who may call it do not count. Git shows how.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from flink_boost.base.commands import run_captured
from flink_boost.base.errors import BrokenData, EnvironmentProblem
from flink_boost.port.sources.java import JavaType, Member
from flink_boost.port.sources.patches import Use, UsedClass, UsedMember
from flink_boost.port.sources.tree import SourceTree

# Both folders have the names that a patch gives them; nobody's settings count.
_GIT = ("git", "diff", "--no-index", "--no-prefix", "--no-renames", "a", "b")
_OURS = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
_SECONDS = 60.0
_SHOWN = 300


class MemberStatus(StrEnum):
    """What became of a class or member; only of a class it is known that it was moved."""

    UNCHANGED = "unchanged"
    CHANGED = "changed"
    RENAMED = "renamed"
    GONE = "gone"


@dataclass(frozen=True)
class MemberChange:
    """One method or field that a patch uses.

    ``applies`` tells whether the weaver would still find it; ``found`` is what is there now, in
    words; ``line`` is where, in the file of the class.
    """

    use: Use
    ours: str
    expected: str
    status: MemberStatus
    applies: bool
    found: str = ""
    line: int | None = None
    diff: str = ""


@dataclass(frozen=True)
class ClassChange:
    """One patched class; ``found`` is its name now."""

    name: str
    status: MemberStatus
    found: str | None
    members: tuple[MemberChange, ...]

    @property
    def changed(self) -> bool:
        """Whether anything that we use is not as it was."""
        return self.status is not MemberStatus.UNCHANGED or any(
            member.status is not MemberStatus.UNCHANGED for member in self.members
        )


def compare_sources(
    patches: Sequence[UsedClass], line: Sequence[str], before: SourceTree, now: SourceTree
) -> tuple[ClassChange, ...]:
    """What became of the patched classes.

    ``line`` names the patched classes as they are called in ``before``, the sources of one of our
    lines. Raises ``BrokenData`` when those do not hold what the patches use, and as ``git_diff``.
    """
    return tuple(
        _compare_class(patched, name, before, now)
        for patched in patches
        for name in patched.names
        if name in line
    )


def _compare_class(
    patched: UsedClass, name: str, before: SourceTree, now: SourceTree
) -> ClassChange:
    old = before.find_type(name)
    if old is None:
        raise BrokenData(f"{before.place} does not hold {name}.", "Correct lines.toml.")
    was, new = before.members_of(old), _locate(patched, old, now)
    there = now.members_of(new) if new else ()
    members = []
    for used in patched.members:
        mine = next((member for member in was if used.fits(member)), None)
        if mine is None:
            raise BrokenData(
                f"{used.ours} {used.use} {used.signature}, which {name} in {before.place} has not.",
                "Correct the patch.",
            )
        members.append(_compare_member(used, mine, there))
    if new is None:
        return ClassChange(name, MemberStatus.GONE, None, tuple(members))
    status = MemberStatus.UNCHANGED if new.name == name else MemberStatus.RENAMED
    return ClassChange(name, status, new.name, tuple(members))


def _locate(patched: UsedClass, old: JavaType, now: SourceTree) -> JavaType | None:
    """The class in the other sources: under its names, or moved with all that we use."""
    for name in (old.name, *patched.names):
        found = now.find_type(name)
        if found is not None:
            return found
    return next(
        (
            type_
            for path in now.files_called(old.simple_name)
            for type_ in now.types_of(path).values()
            if type_.simple_name == old.simple_name
            and all(any(map(used.fits, now.members_of(type_))) for used in patched.members)
        ),
        None,
    )


def _compare_member(used: UsedMember, was: Member, there: Sequence[Member]) -> MemberChange:
    same = next((member for member in there if used.is_called(member)), None)
    found = same or next((member for member in there if member.name == used.name), None)
    if found is None:
        gone = (MemberStatus.GONE, False, "nothing like it")
        return MemberChange(used.use, used.ours, used.signature, *gone)
    applies = used.fits(found)
    if found == was:
        unchanged = (MemberStatus.UNCHANGED, True, "", found.line)
        return MemberChange(used.use, used.ours, used.signature, *unchanged)
    words = "another body" if applies and used.parameters is not None else found.signature
    return MemberChange(
        used.use,
        used.ours,
        used.signature,
        MemberStatus.CHANGED,
        applies,
        words,
        found.line,
        _hunks(was.text, found.text),
    )


def _hunks(was: str, now: str) -> str:
    shown = git_diff({"member": f"{was}\n"}, {"member": f"{now}\n"})
    return "\n".join(shown.splitlines()[4:])


def git_diff(before: Mapping[str, str], now: Mapping[str, str]) -> str:
    """What leads from some files to others, by path, in the form that ``git apply`` takes.

    Raises ``EnvironmentProblem`` where Git does not run.
    """
    with tempfile.TemporaryDirectory() as folder:
        for side, texts in (("a", before), ("b", now)):
            Path(folder, side).mkdir()
            for path, text in texts.items():
                file = Path(folder, side, path)
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(text, encoding="utf-8")
        done = run_captured(
            _GIT, _SECONDS, folder=Path(folder), environment={**os.environ, **_OURS}
        )
    if done.returncode not in (0, 1):
        raise EnvironmentProblem(f"Git cannot compare ({done.stdout[:_SHOWN]}).", "Update it.")
    return done.stdout
