"""Reads Java source files: which types, methods and fields they declare, and with what code.

Parsed by tree-sitter with its Java grammar, so nothing has to compile and no class path is needed.
Code is compared as a sequence of tokens; comments and layout do not count.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import tree_sitter_java
from tree_sitter import Language, Node, Parser

from flink_boost.base.errors import BrokenData
from flink_boost.port.sources.java_types import Annotation, Field, JavaType, Method

_TYPES = frozenset(
    {
        "class_declaration",
        "interface_declaration",
        "enum_declaration",
        "record_declaration",
        "annotation_type_declaration",
    }
)
_COMMENTS = frozenset({"line_comment", "block_comment"})
_WITHOUT_BODY = frozenset({"abstract", "native"})


def parse_java(source: bytes, place: str) -> dict[str, JavaType]:
    """All types that a file declares, nested ones too, by binary name.

    ``place`` names the file in messages. Raises ``BrokenData`` for one that is not whole Java.
    """
    root = _parser().parse(source).root_node
    if root.has_error:
        raise BrokenData(
            f"{place} is not Java that can be read, see line {_first_error(root)}.",
            "Look whether the file is whole.",
        )
    package = next((node for node in root.children if node.type == "package_declaration"), None)
    prefix = f"{_text(package.named_children[-1])}." if package else ""
    return {type_.name: type_ for type_ in _types(root, prefix)}


def without_annotations(source: bytes, names: frozenset[str]) -> bytes:
    """The source without all annotations of these simple names."""
    found = [
        (node.start_byte, node.end_byte)
        for node in _all_nodes(_parser().parse(source).root_node)
        if node.type in ("annotation", "marker_annotation")
        if _name(node).rpartition(".")[2] in names
    ]
    for start, end in sorted(found, reverse=True):
        rest = source[end:].lstrip()
        source = source[:start] + rest
    return source


def _all_nodes(node: Node) -> Iterator[Node]:
    yield node
    for child in node.children:
        yield from _all_nodes(child)


@cache
def _parser() -> Parser:
    return Parser(Language(tree_sitter_java.language()))


def _types(node: Node, prefix: str) -> Iterator[JavaType]:
    for child in node.named_children:
        if child.type in _TYPES:
            yield from _declared(child, prefix)


def _declared(node: Node, prefix: str) -> Iterator[JavaType]:
    name = prefix + _name(node)
    body = _required(node, "body")
    members = list(_members(body))
    interfaces = node.child_by_field_name("interfaces")
    superclass = node.child_by_field_name("superclass")
    yield JavaType(
        name,
        tuple(_method(member) for member in members if member.type == "method_declaration"),
        tuple(field for member in members for field in _fields(member)),
        _annotations(node),
        superclass=_type(superclass.named_children[-1]) if superclass else "",
        is_interface=node.type == "interface_declaration",
        implements=interfaces is not None,
        head_end=interfaces.end_byte if interfaces else body.start_byte,
        end=body.end_byte - 1,
    )
    for member in members:
        if member.type in _TYPES:
            yield from _declared(member, f"{name}$")


def _members(body: Node) -> Iterator[Node]:
    for child in body.named_children:
        if child.type == "enum_body_declarations":
            yield from child.named_children
        else:
            yield child


def _method(node: Node) -> Method:
    words = _modifiers(node)
    body = node.child_by_field_name("body")
    parameters = _required(node, "parameters")
    throws = next((child for child in node.children if child.type == "throws"), None)
    return Method(
        name=_name(node),
        parameters=tuple(_parameters(parameters)),
        returned=_type(_required(node, "type")) + _dimensions(node),
        static="static" in words,
        body=tuple(_tokens(body)) if body and not words & _WITHOUT_BODY else (),
        line=node.start_point.row + 1,
        text=_text(node),
        annotations=_annotations(node),
        parameter_names=tuple(
            _name(child) for child in parameters.named_children if child.type == "formal_parameter"
        ),
        throws=_text(throws) if throws else "",
        inside=body.start_byte + 1 if body else 0,
    )


def _parameters(node: Node) -> Iterator[str]:
    for child in node.named_children:
        if child.type == "formal_parameter":
            yield _type(_required(child, "type")) + _dimensions(child)
        elif child.type == "spread_parameter":
            named = [part for part in child.named_children if part.type != "modifiers"]
            yield f"{_type(named[0])}[]"


def _fields(node: Node) -> Iterator[Field]:
    # The fields of an interface are a kind of their own, static and final without a word.
    constant = node.type == "constant_declaration"
    if not constant and node.type != "field_declaration":
        return
    words = _modifiers(node)
    for declarator in node.children_by_field_name("declarator"):
        initial = declarator.child_by_field_name("value")
        yield Field(
            name=_name(declarator),
            type=_type(_required(node, "type")) + _dimensions(declarator),
            static=constant or "static" in words,
            final=constant or "final" in words,
            initial=tuple(_tokens(initial)) if initial else (),
            line=node.start_point.row + 1,
            text=_text(node),
            annotations=_annotations(node),
        )


def _type(node: Node) -> str:
    """The erased type, without its package."""
    if node.type == "array_type":
        return _type(_required(node, "element")) + _dimensions(node)
    if node.type == "annotated_type":
        return _type(node.named_children[-1])
    if node.type == "generic_type":
        return _type(node.named_children[0])
    if node.type == "scoped_type_identifier":
        return _text(node.named_children[-1])
    variable = _type_variable(node) if node.type == "type_identifier" else None
    return _text(node) if variable is None else _bound(variable)


def _type_variable(node: Node) -> Node | None:
    """Where the name is declared as a type parameter, of the method or of a type around it."""
    around = node.parent
    while around is not None:
        declared = around.child_by_field_name("type_parameters")
        for parameter in declared.named_children if declared else ():
            names = (part for part in parameter.named_children if part.type == "type_identifier")
            if any(name.text == node.text for name in names):
                return parameter
        around = around.parent
    return None


def _bound(parameter: Node) -> str:
    """What a type parameter is erased to: its first bound."""
    bound = next((part for part in parameter.named_children if part.type == "type_bound"), None)
    return _type(bound.named_children[0]) if bound else "Object"


def _dimensions(node: Node) -> str:
    dimensions = node.child_by_field_name("dimensions")
    return "[]" * _text(dimensions).count("[") if dimensions else ""


def _modifiers(node: Node) -> frozenset[str]:
    return frozenset(
        _text(word)
        for child in node.children
        if child.type == "modifiers"
        for word in child.children
    )


def _annotations(node: Node) -> tuple[Annotation, ...]:
    return tuple(
        Annotation(_name(each).rpartition(".")[2], _arguments(each))
        for child in node.children
        if child.type == "modifiers"
        for each in child.named_children
        if each.type in ("annotation", "marker_annotation")
    )


def _arguments(annotation: Node) -> dict[str, tuple[str, ...]]:
    listed = annotation.child_by_field_name("arguments")
    values = {}
    for child in listed.named_children if listed else ():
        if child.type == "element_value_pair":
            values[_text(_required(child, "key"))] = _constants(_required(child, "value"))
        elif child.type not in _COMMENTS:
            values["value"] = _constants(child)
    return values


def _constants(node: Node) -> tuple[str, ...]:
    if node.type == "element_value_array_initializer":
        return tuple(each for child in node.named_children for each in _constants(child))
    if node.type == "binary_expression":
        parts = (_required(node, "left"), _required(node, "right"))
        return ("".join(text for part in parts for text in _constants(part)),)
    if node.type == "string_literal":
        return ("".join(_text(child) for child in node.named_children),)
    return () if node.type in _COMMENTS else (_text(node),)


def _tokens(node: Node) -> Iterator[str]:
    if node.type in _COMMENTS:
        return
    if not node.children:
        yield _text(node)
    for child in node.children:
        yield from _tokens(child)


def _first_error(node: Node) -> int:
    for child in node.children:
        if child.has_error or child.is_missing:
            return _first_error(child)
    return node.start_point.row + 1


def _name(node: Node) -> str:
    return _text(_required(node, "name"))


def _required(node: Node, name: str) -> Node:
    child = node.child_by_field_name(name)
    if child is None:
        raise BrokenData(
            f"Line {node.start_point.row + 1} has a {node.type} without its {name}.",
            "Look whether the file is whole.",
        )
    return child


def _text(node: Node) -> str:
    return (node.text or b"").decode("utf-8", "replace")
