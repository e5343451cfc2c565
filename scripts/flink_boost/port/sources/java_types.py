"""Types of Java sources and their members, as far as a patch may depend on them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Annotation:
    """An annotation, such as ``@Patches("a.B")``; every value is a tuple of its constants."""

    name: str
    values: Mapping[str, tuple[str, ...]]


@dataclass(frozen=True)
class Method:
    """A method. Types are erased, without packages: ``byte[]``, ``CharSequence``.

    ``body`` holds the tokens of the body, braces included, or nothing when there is none. ``line``
    counts from 1; ``text`` is the declaration as it stands there, from its first annotation on;
    ``inside`` is the offset in bytes behind the brace that opens the body.
    """

    name: str
    parameters: tuple[str, ...]
    returned: str
    static: bool
    body: tuple[str, ...]
    line: int = field(compare=False)
    text: str = field(compare=False)
    annotations: tuple[Annotation, ...] = field(default=(), compare=False)
    parameter_names: tuple[str, ...] = field(default=(), compare=False)
    throws: str = field(default="", compare=False)
    inside: int = field(default=0, compare=False)

    @property
    def signature(self) -> str:
        """As in ``static String readString(DataInput)``."""
        static = "static " if self.static else ""
        return f"{static}{self.returned} {self.name}({', '.join(self.parameters)})"


@dataclass(frozen=True)
class Field:
    """A field; ``initial`` holds the tokens of its initial value."""

    name: str
    type: str
    static: bool
    final: bool
    initial: tuple[str, ...]
    line: int = field(compare=False)
    text: str = field(compare=False)
    annotations: tuple[Annotation, ...] = field(default=(), compare=False)

    @property
    def signature(self) -> str:
        """As in ``static final int SIZE``."""
        words = ("static " if self.static else "") + ("final " if self.final else "")
        return f"{words}{self.type} {self.name}"


@dataclass(frozen=True)
class JavaType:
    """A class, interface, enum or record under its binary name: ``a.b.Outer$Inner``.

    ``superclass`` is its simple name, where one is named. Offsets are in bytes: ``head_end`` is
    where another interface can be named, ``implements`` tells whether there are some already;
    ``end`` is that of the brace that closes the body.
    """

    name: str
    methods: tuple[Method, ...]
    fields: tuple[Field, ...]
    annotations: tuple[Annotation, ...]
    superclass: str = field(default="", compare=False)
    is_interface: bool = field(default=False, compare=False)
    implements: bool = field(default=False, compare=False)
    head_end: int = field(default=0, compare=False)
    end: int = field(default=0, compare=False)

    @property
    def simple_name(self) -> str:
        """The name alone, without package and outer type."""
        return self.name.rpartition(".")[2].rpartition("$")[2]

    @property
    def nested_name(self) -> str:
        """The name without the package: ``Outer.Inner``."""
        return self.name.rpartition(".")[2].replace("$", ".")
