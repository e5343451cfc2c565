"""Compares what our patches use of Flink's classes between two releases, by their sources.

A method counts as changed when the tokens of its body, its types or ``static`` differ; comments,
layout, parameter annotations and who may call it do not count.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from flink_boost.base.errors import BrokenData
from flink_boost.port.sources.java_types import Field, JavaType, Method
from flink_boost.port.sources.patches import Use, UsedClass, UsedField, UsedMethod
from flink_boost.port.sources.tree import SourceTree


class MemberStatus(StrEnum):
    """What became of a class or member."""

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
    """One patched class. ``found`` is its name now; ``beside`` what else changed in it."""

    name: str
    status: MemberStatus
    found: str | None
    members: tuple[MemberChange, ...]
    beside: tuple[str, ...] = ()

    @property
    def changed(self) -> bool:
        """Whether anything that we use is not as it was."""
        return self.status is not MemberStatus.UNCHANGED or any(
            member.status is not MemberStatus.UNCHANGED for member in self.members
        )

    @property
    def unchanged_members(self) -> int:
        """How many of the members are as they were."""
        return sum(member.status is MemberStatus.UNCHANGED for member in self.members)


def compare_sources(
    patches: Sequence[UsedClass], line: Sequence[str], before: SourceTree, now: SourceTree
) -> tuple[ClassChange, ...]:
    """What became of the patched classes.

    ``line`` names the patched classes as they are called in ``before``, the sources of one of our
    lines. Raises ``BrokenData`` when those do not hold what the patches use.
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
    new = _locate(patched, old, now)
    if new is None:
        members = [_lost(method) for method in patched.methods]
        members += [_lost(field) for field in patched.fields]
        return ClassChange(name, MemberStatus.GONE, None, tuple(members))
    members = [_compare_method(used, old, new, before) for used in patched.methods]
    fields = before.fields_of(old), now.fields_of(new)
    members += [_compare_field(used, old, fields, before) for used in patched.fields]
    status = MemberStatus.UNCHANGED if new.name == name else MemberStatus.RENAMED
    return ClassChange(name, status, new.name, tuple(members), tuple(_beside(patched, old, new)))


def _locate(patched: UsedClass, old: JavaType, now: SourceTree) -> JavaType | None:
    """The class in the other sources: under its names, moved, or under a new name beside it."""
    for name in (old.name, *patched.names):
        found = now.find_type(name)
        if found is not None:
            return found
    for path in now.files_called(old.simple_name):
        for type_ in now.types_of(path).values():
            if type_.simple_name == old.simple_name and _resembles(patched, type_):
                return type_
    for path in now.neighbours(old.name):
        for type_ in now.types_of(path).values():
            if _is_renamed(patched, old, type_):
                return type_
    return None


def _resembles(patched: UsedClass, type_: JavaType) -> bool:
    """Whether it has all that we use, so that it is no other class of the same name."""
    return all(any(used.fits(each) for each in type_.methods) for used in patched.methods) and all(
        any(used.fits(each) for each in type_.fields) for used in patched.fields
    )


def _is_renamed(patched: UsedClass, old: JavaType, type_: JavaType) -> bool:
    """Whether it has all that we use, and methods with the very code of the old class."""
    bodies = {method.body for method in old.methods if len(method.body) > 2}
    kept = sum(method.body in bodies for method in type_.methods)
    return _resembles(patched, type_) and 2 * kept >= len(old.methods) > 0


def _compare_method(
    used: UsedMethod, old: JavaType, new: JavaType, before: SourceTree
) -> MemberChange:
    was = next((method for method in old.methods if used.fits(method)), None)
    if was is None:
        raise _not_ours(used, old, before)
    same = [m for m in new.methods if (m.name, m.parameters) == (used.name, used.parameters)]
    if same:
        return _same_place(used, was, same[0])
    known = {method.signature for method in old.methods}
    twin = next((m for m in new.methods if m.body == was.body and m.signature not in known), None)
    if twin is not None:
        return _changed(used, MemberStatus.RENAMED, twin, was)
    overloads = [method for method in new.methods if method.name == used.name]
    if overloads:
        return _changed(used, MemberStatus.CHANGED, overloads[0], was)
    return _lost(used)


def _same_place(used: UsedMethod, was: Method, now: Method) -> MemberChange:
    if not used.fits(now):
        return _changed(used, MemberStatus.CHANGED, now, was)
    unchanged = now.body == was.body
    return MemberChange(
        used.use,
        used.ours,
        used.signature,
        MemberStatus.UNCHANGED if unchanged else MemberStatus.CHANGED,
        applies=True,
        found="" if unchanged else "another body",
        line=now.line,
        diff="" if unchanged else _diff(was.text, now.text),
    )


def _compare_field(
    used: UsedField,
    old: JavaType,
    fields: tuple[Sequence[Field], Sequence[Field]],
    before: SourceTree,
) -> MemberChange:
    """``fields`` are those of the old class and of the new one."""
    earlier, later = fields
    was = next((field for field in earlier if used.fits(field)), None)
    if was is None:
        raise _not_ours(used, old, before)
    now = next((field for field in later if field.name == used.name), None)
    if now is not None and used.fits(now):
        if now == was:
            return MemberChange(
                used.use, used.ours, used.signature, MemberStatus.UNCHANGED, True, line=now.line
            )
        return _changed(used, MemberStatus.CHANGED, now, was, applies=True)
    if now is not None:
        return _changed(used, MemberStatus.CHANGED, now, was)
    known = {field.name for field in earlier}
    added = [field for field in later if field.type == used.type and field.name not in known]
    if len(added) == 1 and not added[0].static:
        return _changed(used, MemberStatus.RENAMED, added[0], was)
    return _lost(used)


def _changed(
    used: UsedMethod | UsedField,
    status: MemberStatus,
    now: Method | Field,
    was: Method | Field,
    applies: bool = False,
) -> MemberChange:
    diff = _diff(was.text, now.text)
    return MemberChange(
        used.use, used.ours, used.signature, status, applies, now.signature, now.line, diff
    )


def _lost(used: UsedMethod | UsedField) -> MemberChange:
    return MemberChange(
        used.use, used.ours, used.signature, MemberStatus.GONE, False, "nothing like it"
    )


def _not_ours(used: UsedMethod | UsedField, old: JavaType, before: SourceTree) -> BrokenData:
    return BrokenData(
        f"{used.ours} {used.use} {used.signature}, which {old.name} in {before.place} has not.",
        "Correct the patch.",
    )


def _beside(patched: UsedClass, old: JavaType, new: JavaType) -> Iterator[str]:
    """What changed in the class besides what the patches use, one line each."""
    used = {(method.name, method.parameters) for method in patched.methods}
    was = {(m.name, m.parameters): m for m in old.methods if (m.name, m.parameters) not in used}
    now = {(m.name, m.parameters): m for m in new.methods if (m.name, m.parameters) not in used}
    for key, method in was.items():
        if key not in now:
            yield f"{method.signature} is gone"
        elif now[key] != method:
            yield f"{now[key].signature} changed"
    for key, method in now.items():
        if key not in was:
            yield f"{method.signature} is new"


def _diff(before: str, now: str) -> str:
    lines = difflib.unified_diff(before.splitlines(), now.splitlines(), lineterm="", n=3)
    return "\n".join(list(lines)[2:])
