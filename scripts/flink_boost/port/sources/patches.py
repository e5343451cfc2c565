"""What our patches change in Flink's classes, read from the patches' own sources.

The annotations are the weaver's (see ``weaver/README.md``), and mean here what they mean there.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from flink_boost.base.errors import BrokenData
from flink_boost.base.places import PROJECT_ROOT
from flink_boost.flink.javatests import PATCHES
from flink_boost.port.sources.java import JavaType, Member, parse_java, signature

# The folders of the patches, and what Flink calls the module whose classes they change.
MODULES = {name: name.removesuffix("-patch") for name in PATCHES}

_PRIMITIVES = frozenset({"boolean", "byte", "char", "double", "float", "int", "long", "short"})


class Use(StrEnum):
    """What a patch does with a member of Flink's class."""

    REPLACES = "replaces"
    CALLS = "calls"
    READS = "reads"
    WRITES = "writes"


@dataclass(frozen=True)
class UsedMember:
    """A member that our code replaces, calls, reads or writes, as our code expects it.

    Of a method that is replaced ``type`` is ``Object`` for whatever object it returns. ``ours``
    names our method, and ``method`` is that.
    """

    use: Use
    name: str
    type: str
    parameters: tuple[str, ...] | None
    static: bool
    ours: str
    method: Member

    @property
    def signature(self) -> str:
        """As in ``static String readString(DataInput)`` and ``byte[] buffer``."""
        return signature(self.name, self.type, self.parameters, self.static)

    def is_called(self, member: Member) -> bool:
        """Whether a member has the name, and the parameters if it is a method."""
        mine, theirs = self.parameters, member.parameters
        if self.name != member.name or mine is None or theirs is None:
            return self.name == member.name and mine is theirs
        return len(mine) == len(theirs) and all(map(_is_same, mine, theirs))

    def fits(self, member: Member) -> bool:
        """Whether the weaver would take that member for it."""
        as_object = (
            self.type == "Object"
            and self.use is not Use.CALLS
            and member.type not in (*_PRIMITIVES, "void")
        )
        # A method of an abstract class may be called, but there is no body to replace.
        lacking = (self.use is Use.REPLACES and not member.inside) or (
            self.use is Use.WRITES and member.final
        )
        return (
            self.is_called(member)
            and self.static == member.static
            and (as_object or _is_same(self.type, member.type))
            and not lacking
        )


@dataclass(frozen=True)
class UsedClass:
    """A class of Flink's that is patched, under all names that it has on our lines."""

    names: tuple[str, ...]
    members: tuple[UsedMember, ...]


def patches_of_tree(root: Path = PROJECT_ROOT) -> tuple[UsedClass, ...]:
    """All patches of the source tree, of whatever lines. Raises ``BrokenData`` for none."""
    files = sorted(
        file
        for module in MODULES
        for pattern in ("src/main", "src/records/main", "src/line/*/main")
        for folder in (root / module).glob(pattern)
        for file in folder.rglob("*.java")
    )
    patched = read_patches(
        [type_ for file in files for type_ in parse_java(file.read_text("utf-8")).values()]
    )
    if not patched:
        raise BrokenData(f"There are no patches in {root}.", "Check out the project again.")
    return patched


def read_patches(types: Sequence[JavaType]) -> tuple[UsedClass, ...]:
    """The patches among these types; those of one class are put together."""
    merged: dict[tuple[str, ...], dict[object, UsedMember]] = {}
    targets = patched_names(types)
    for type_ in types:
        names = targets.get(type_.name)
        if names is None:
            continue
        members = merged.setdefault(names, {})
        for used in used_members(type_, receivers(types, targets, names)):
            # Of a field one entry: writing asks for more than reading.
            key = used.name if used.parameters is None else (used.use, used.signature)
            if key not in members or used.use is Use.WRITES:
                members[key] = used
    return tuple(UsedClass(names, tuple(each.values())) for names, each in merged.items())


def patched_names(types: Sequence[JavaType]) -> dict[str, tuple[str, ...]]:
    """By each patch what it patches; of an interface in a patch that is what the patch does."""
    found: dict[str, tuple[str, ...]] = {}
    for type_ in types:
        around = found.get(type_.name.rpartition("$")[0])
        if "Patches" in type_.annotations:
            found[type_.name] = type_.annotations["Patches"]
        elif around is not None and type_.kind == "interface":
            found[type_.name] = around
    return found


def receivers(
    types: Sequence[JavaType], targets: Mapping[str, tuple[str, ...]], names: tuple[str, ...]
) -> frozenset[str]:
    """The simple names of the interfaces that these classes of Flink's are given."""
    return frozenset(
        type_.simple_name
        for type_ in types
        if type_.kind == "interface" and targets.get(type_.name) == names
    )


def used_members(type_: JavaType, interfaces: Container[str]) -> Iterator[UsedMember]:
    """What the methods of a patch do with members of Flink's.

    A method that replaces takes the receiver first, as one of ``interfaces``, unless Flink's method
    is static.
    """
    for method in type_.members:
        ours = f"{type_.name.rpartition('.')[2].replace('$', '.')}.{method.name}"
        for use in Use:
            given = method.annotations.get(use.capitalize())
            parameters = method.parameters or ()
            if given is None:
                continue
            if use is Use.REPLACES:
                instance = bool(parameters) and parameters[0] in interfaces
                # In front of a void method ours returns whether it is done.
                returned = "void" if method.type == "boolean" else method.type
                rest = parameters[1:] if instance else parameters
                yield UsedMember(use, method.name, returned, rest, not instance, ours, method)
            elif use is Use.CALLS:
                yield UsedMember(use, given[0], method.type, parameters, False, ours, method)
            else:
                kind = method.type if use is Use.READS else parameters[0]
                yield UsedMember(use, given[0], kind, None, False, ours, method)


def _is_same(ours: str, theirs: str) -> bool:
    """A type variable of Flink's may stand for any class; it has one letter."""
    mine, my_array, _ = ours.partition("[")
    other, array, _ = theirs.partition("[")
    return ours == theirs or (len(other) == 1 and my_array == array and mine not in _PRIMITIVES)
