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
from flink_boost.port.sources.java import parse_java
from flink_boost.port.sources.java_types import Annotation, Field, JavaType, Method

# The folders of the patches, and what Flink calls the module whose classes they change.
MODULES = {"flink-core-patch": "flink-core", "flink-runtime-patch": "flink-runtime"}

_PRIMITIVES = frozenset({"boolean", "byte", "char", "double", "float", "int", "long", "short"})


class Use(StrEnum):
    """What a patch does with a member of Flink's class."""

    REPLACES = "replaces"
    CALLS = "calls"
    READS = "reads"
    WRITES = "writes"


@dataclass(frozen=True)
class UsedMethod:
    """A method whose body is replaced, or that we call. Types are erased, without packages.

    Of one that is replaced ``returned`` is ``Object`` for whatever object it returns.
    """

    use: Use
    name: str
    parameters: tuple[str, ...]
    returned: str
    static: bool
    ours: str

    @property
    def signature(self) -> str:
        """As in ``static String readString(DataInput)``."""
        static = "static " if self.static else ""
        return f"{static}{self.returned} {self.name}({', '.join(self.parameters)})"

    def fits(self, method: Method) -> bool:
        """Whether the weaver would take that method for it."""
        same = (self.name, self.parameters, self.static) == (
            method.name,
            method.parameters,
            method.static,
        )
        if self.use is not Use.REPLACES:
            return same and self.returned == method.returned
        of_object = self.returned == "Object" and method.returned not in (*_PRIMITIVES, "void")
        # A method of an abstract class may be called, but there is no body to replace.
        return same and bool(method.body) and (of_object or self.returned == method.returned)


@dataclass(frozen=True)
class UsedField:
    """An instance field that our code reads or writes."""

    use: Use
    name: str
    type: str
    ours: str

    @property
    def signature(self) -> str:
        """As in ``byte[] buffer``."""
        return f"{self.type} {self.name}"

    def fits(self, found: Field) -> bool:
        """Whether the weaver would take that field for it."""
        # An object may be read as Object, where its own type is not visible to our code.
        as_object = (
            self.use is Use.READS and self.type == "Object" and found.type not in _PRIMITIVES
        )
        return (
            found.name == self.name
            and (found.type == self.type or as_object)
            and not found.static
            and not (found.final and self.use is Use.WRITES)
        )


@dataclass(frozen=True)
class UsedClass:
    """A class of Flink's that is patched, under all names that it has on our lines."""

    names: tuple[str, ...]
    methods: tuple[UsedMethod, ...]
    fields: tuple[UsedField, ...]


def patches_of_tree(root: Path = PROJECT_ROOT) -> tuple[UsedClass, ...]:
    """All patches of the source tree, of whatever lines. Raises ``BrokenData`` for none."""
    files = sorted(
        file
        for module in MODULES
        for pattern in ("src/main", "src/records/main", "src/line/*/main")
        for folder in (root / module).glob(pattern)
        for file in folder.rglob("*.java")
    )
    types = [type_ for file in files for type_ in parse_java(file.read_bytes(), str(file)).values()]
    patched = read_patches(types)
    if not patched:
        raise BrokenData(f"There are no patches in {root}.", "Check out the project again.")
    return patched


def patches_of_line(patches: Sequence[UsedClass], classes: Container[str]) -> tuple[UsedClass, ...]:
    """Those of the patches that change one of a line's patched classes."""
    return tuple(each for each in patches if any(name in classes for name in each.names))


def read_patches(types: Sequence[JavaType]) -> tuple[UsedClass, ...]:
    """The patches among these types; those of one class are put together."""
    merged: dict[tuple[str, ...], UsedClass] = {}
    targets = patched_names(types)
    for type_ in types:
        names = targets.get(type_.name)
        if names is None:
            continue
        before = merged.get(names, UsedClass(names, (), ()))
        interfaces = receivers(types, targets, names)
        merged[names] = UsedClass(
            names,
            (*before.methods, *(used for used, _ in used_methods(type_, interfaces))),
            _without_repetition((*before.fields, *_fields(type_))),
        )
    return tuple(merged.values())


def patched_names(types: Sequence[JavaType]) -> dict[str, tuple[str, ...]]:
    """By each patch what it patches; of an interface in a patch that is what the patch does."""
    found: dict[str, tuple[str, ...]] = {}
    for type_ in types:
        patches = find_annotation(type_.annotations, "Patches")
        around = found.get(type_.name.rpartition("$")[0])
        if patches is not None:
            found[type_.name] = patches.values["value"]
        elif around is not None and type_.is_interface:
            found[type_.name] = around
    return found


def receivers(
    types: Sequence[JavaType], targets: Mapping[str, tuple[str, ...]], names: tuple[str, ...]
) -> frozenset[str]:
    """The simple names of the interfaces that these classes of Flink's are given."""
    return frozenset(
        type_.simple_name
        for type_ in types
        if type_.is_interface and targets.get(type_.name) == names
    )


def find_annotation(annotations: Sequence[Annotation], name: str) -> Annotation | None:
    """The annotation of that simple name."""
    return next((each for each in annotations if each.name == name), None)


def used_methods(
    type_: JavaType, interfaces: Container[str]
) -> Iterator[tuple[UsedMethod, Method]]:
    """The methods that a patch replaces or calls, each with ours that does it.

    Ours takes the receiver first, as one of ``interfaces``, unless Flink's method is static.
    """
    for method in type_.methods:
        ours = f"{type_.nested_name}.{method.name}"
        replaces = find_annotation(method.annotations, "Replaces")
        calls = find_annotation(method.annotations, "Calls")
        if replaces is not None:
            instance = bool(method.parameters) and method.parameters[0] in interfaces
            used = UsedMethod(
                Use.REPLACES,
                method.name,
                method.parameters[1:] if instance else method.parameters,
                # In front of a void method ours returns whether it is done.
                "void" if method.returned == "boolean" else method.returned,
                not instance,
                ours,
            )
            yield used, method
        if calls is not None:
            (name,) = calls.values["value"]
            parameters = method.parameters
            yield UsedMethod(Use.CALLS, name, parameters, method.returned, False, ours), method


def _fields(type_: JavaType) -> Iterator[UsedField]:
    for method in type_.methods:
        ours = f"{type_.nested_name}.{method.name}"
        reads = find_annotation(method.annotations, "Reads")
        writes = find_annotation(method.annotations, "Writes")
        if reads is not None:
            yield UsedField(Use.READS, reads.values["value"][0], method.returned, ours)
        if writes is not None:
            yield UsedField(Use.WRITES, writes.values["value"][0], method.parameters[0], ours)


def _without_repetition(fields: Sequence[UsedField]) -> tuple[UsedField, ...]:
    """One entry per field; writing asks for more than reading."""
    kept: dict[str, UsedField] = {}
    for each in fields:
        if each.name not in kept or each.use is Use.WRITES:
            kept[each.name] = each
    return tuple(kept.values())
