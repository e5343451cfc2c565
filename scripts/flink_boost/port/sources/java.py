"""Reads Java source files that compile: which types, methods and fields they declare.

Nothing has to compile here and no class path is needed: comments and literals are blanked, then
braces and semicolons tell where each declaration begins and ends.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from flink_boost.base.errors import BrokenData

_COMMENT = r"//[^\n]*|/\*.*?\*/"
_LITERAL = r"\"{3}(?:\\.|.)*?\"{3}|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])+'"
_APART = re.compile(f"(?P<comment>{_COMMENT})|(?P<literal>{_LITERAL})", re.DOTALL)
_TOKEN = re.compile(rf"{_LITERAL}|\w+|\S", re.DOTALL)
_PACKAGE = re.compile(r"^\s*package\s+([\w.]+)\s*;", re.MULTILINE)
_ANNOTATION = re.compile(r"@(?!interface\b)([\w.]+)\s*(\((?:[^()]|\([^()]*\))*\))?")
_GENERIC = re.compile(r"<[^<>]*>")
_MODIFIERS = (
    r"\s*(?P<modifiers>(?:(?:public|protected|private|static|final|abstract|synchronized|native"
    r"|default|transient|volatile|strictfp|sealed|non-sealed)\s+)*)"
)
_TYPE = re.compile(rf"{_MODIFIERS}(?P<kind>class|interface|enum|record|@interface)\s+(?P<name>\w+)")
_METHOD = re.compile(
    rf"{_MODIFIERS}(?P<type>[\w.]+(?:\s*\[\s*\])*)\s+(?P<name>\w+)\s*"
    r"\((?P<parameters>[^()]*)\)\s*(?P<throws>throws\b.*)?",
    re.DOTALL,
)
_FIELD = re.compile(
    rf"{_MODIFIERS}(?P<type>[\w.]+(?:\s*\[\s*\])*)\s+(?P<names>\w+(?:\s*,\s*\w+)*)\s*"
)


@dataclass(frozen=True)
class Member:
    """A method, or a field: then ``parameters`` is None.

    Types are without type arguments and packages: ``byte[]``, ``CharSequence``, and ``T`` for a
    variable. ``code`` has the tokens of the body, or of the initial value; nothing else but the
    signature counts when two are compared. Of fields that are declared together and have initial
    values only the first is found. ``line`` counts from 1, ``text`` is the declaration as
    it stands there, and ``inside`` the offset behind the brace that opens the body, 0 for none.
    """

    name: str
    type: str
    parameters: tuple[str, ...] | None
    static: bool
    final: bool
    code: tuple[str, ...]
    line: int = field(compare=False)
    text: str = field(compare=False)
    annotations: Mapping[str, tuple[str, ...]] = field(compare=False)
    parameter_names: tuple[str, ...] = field(default=(), compare=False)
    throws: str = field(default="", compare=False)
    inside: int = field(default=0, compare=False)

    @property
    def signature(self) -> str:
        """As in ``static String readString(DataInput)`` and ``final int size``."""
        return signature(self.name, self.type, self.parameters, self.static, self.final)


@dataclass(frozen=True)
class JavaType:
    """A class, interface, enum or record under its binary name: ``a.b.Outer$Inner``.

    ``superclass`` is its simple name, where one is named. ``head_end`` is the offset behind the
    head's last word, ``end`` that of the brace that closes the body.
    """

    name: str
    kind: str
    members: tuple[Member, ...]
    annotations: Mapping[str, tuple[str, ...]]
    superclass: str
    implements: bool
    head_end: int
    end: int

    @property
    def simple_name(self) -> str:
        """The name alone, without package and outer type."""
        return re.split(r"[.$]", self.name)[-1]


def signature(
    name: str, kind: str, parameters: tuple[str, ...] | None, static: bool, final: bool = False
) -> str:
    """A method or field in words; whether a method is final does not matter to a patch."""
    words = "static " if static else ""
    if parameters is None:
        return f"{words}{'final ' if final else ''}{kind} {name}"
    return f"{words}{kind} {name}({', '.join(parameters)})"


def parse_java(source: str, place: str = "The file") -> dict[str, JavaType]:
    """All types that a file declares, nested ones too, by binary name.

    ``place`` names the file in messages. Raises ``BrokenData`` for one that is cut off.
    """
    file = _File(source)
    if file.code.count("{") != file.code.count("}"):
        raise BrokenData(f"{place} is not whole: a brace is not closed.", "Look at it.")
    package = _PACKAGE.search(file.code)
    prefix = f"{package[1]}." if package else ""
    return {each.name: each for each in file.types(package.end() if package else 0, None, prefix)}


def without_annotations(source: str, names: frozenset[str]) -> str:
    """The source without all annotations of these simple names."""
    code = _blanked(source, "comment", "literal")
    for found in reversed(list(_ANNOTATION.finditer(code))):
        if found[1].rpartition(".")[2] in names:
            source = source[: found.start()] + source[found.end() :].lstrip()
    return source


@dataclass(frozen=True)
class _Piece:
    """A declaration: where it begins, where its head ends, and where all of it ends."""

    begin: int
    head_end: int
    end: int


class _File:
    def __init__(self, source: str) -> None:
        self.source = source
        # Both are as long as the source, so that offsets are the same in all three.
        self.plain = _blanked(source, "comment")
        self.code = _blanked(source, "comment", "literal")

    def types(self, begin: int, end: int | None, prefix: str) -> Iterator[JavaType]:
        for piece in self._pieces(begin, end):
            found = _TYPE.match(self._head(piece))
            if found is None:
                continue
            name, inside = prefix + found["name"], (piece.head_end + 1, piece.end - 1)
            head = _erased(self._head(piece))
            above = re.search(r"\bextends\s+([\w.]+)", head)
            yield JavaType(
                name,
                found["kind"],
                tuple(member for each in self._pieces(*inside) for member in self._members(each)),
                self._annotations(piece),
                above[1].rpartition(".")[2] if above else "",
                bool(re.search(r"\bimplements\b", head)),
                piece.begin + len(self._head(piece).rstrip()),
                piece.end - 1,
            )
            yield from self.types(*inside, f"{name}$")

    def _pieces(self, begin: int, end: int | None) -> Iterator[_Piece]:
        """The declarations between two offsets, of which none is inside another."""
        start, head_end, parentheses, braces, assigned = begin, begin, 0, 0, False
        for found in re.finditer(r"[;{}()=]", self.code[begin:end]):
            place, mark = begin + found.start(), found[0]
            parentheses += {"(": 1, ")": -1}.get(mark, 0)
            if parentheses or mark == ")":
                continue
            if mark == "{":
                head_end = place if not braces else head_end
            elif mark == "=":
                assigned = assigned or not braces
            braces += {"{": 1, "}": -1}.get(mark, 0)
            if not braces and (mark == ";" or (mark == "}" and not assigned)):
                yield _Piece(start, place if mark == ";" else head_end, place + 1)
                start, assigned = place + 1, False

    def _head(self, piece: _Piece) -> str:
        """What stands in front of the body, its annotations blanked."""
        head = self.code[piece.begin : piece.head_end]
        return _ANNOTATION.sub(lambda found: " " * len(found[0]), head)

    def _annotations(self, piece: _Piece) -> dict[str, tuple[str, ...]]:
        """Their strings, by simple name; a string in parts is put together."""
        values = {}
        for found in _ANNOTATION.finditer(self.code, piece.begin, piece.head_end):
            text = re.sub(r'"\s*\+\s*"', "", self.plain[found.start() : found.end()])
            values[found[1].rpartition(".")[2]] = tuple(re.findall(r'"([^"]*)"', text))
        return values

    def _members(self, piece: _Piece) -> Iterator[Member]:
        head, equals, _ = self._head(piece).partition("=")
        declared = _erased(head)
        method = None if equals else _METHOD.fullmatch(declared)
        found = method or _FIELD.fullmatch(declared)
        if found is None or _TYPE.match(head):
            return
        words = found["modifiers"].split()
        first = re.search(r"\S", self.plain[piece.begin :])
        begin = piece.begin + (first.start() if first else 0)
        body = piece.begin + len(head) + 1 if equals else piece.head_end
        parameters = _parameters(method["parameters"]) if method else ()
        for name in [found["name"]] if method else re.split(r"\s*,\s*", found["names"]):
            yield Member(
                name=name,
                type=_simple(found["type"]),
                parameters=tuple(kind for kind, _ in parameters) if method else None,
                static="static" in words,
                final="final" in words,
                code=tuple(_TOKEN.findall(self.plain[body : piece.end])),
                line=1 + self.source.count("\n", 0, begin),
                text=self.source[begin : piece.end],
                annotations=self._annotations(piece),
                parameter_names=tuple(name for _, name in parameters),
                throws=" ".join((method["throws"] or "").split()) if method else "",
                inside=piece.head_end + 1 if self.code[piece.head_end] == "{" else 0,
            )


def _parameters(listed: str) -> list[tuple[str, str]]:
    """The type and name of each."""
    found = []
    for parameter in filter(str.strip, listed.split(",")):
        kind, _, name = re.sub(r"\bfinal\s", "", parameter).strip().rpartition(" ")
        found.append((_simple(kind), name))
    return found


def _simple(kind: str) -> str:
    return "".join(kind.replace("...", "[]").split()).rpartition(".")[2]


def _erased(head: str) -> str:
    """The head without type arguments and parameters."""
    shorter = _GENERIC.sub("", head)
    return shorter if shorter == head else _erased(shorter)


def _blanked(source: str, *kinds: str) -> str:
    """The source with spaces in the place of comments or literals; line breaks stay."""

    def blank(found: re.Match[str]) -> str:
        return re.sub(r"[^\n]", " ", found[0]) if found.lastgroup in kinds else found[0]

    return _APART.sub(blank, source)
