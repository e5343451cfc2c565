"""Writes our changes as a patch of Flink's own sources, for those who want them upstream.

What the weaver does to class files is done to the sources: a method that is replaced asks ours
first, a class whose insides we use implements our interface. The codec comes along as new files,
without what only the weaver and the guard need. The kill switch stays with us.
"""

from __future__ import annotations

import difflib
import os
import re
import subprocess
import tempfile
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from flink_boost.base.errors import BrokenData, PatchedCodeChanged
from flink_boost.base.places import PROJECT_ROOT
from flink_boost.base.processes import bare_environment
from flink_boost.flink.jdks import java_home
from flink_boost.port.sources.java import parse_java, without_annotations
from flink_boost.port.sources.java_types import JavaType, Method
from flink_boost.port.sources.patches import (
    MODULES,
    Use,
    find_annotation,
    patched_names,
    receivers,
    used_methods,
)
from flink_boost.port.sources.tree import SourceTree

TEST = Path(__file__).with_name("templates") / "BoostedStringTest.java"

_WEAVERS = frozenset({"Patches", "Replaces", "HandOver", "Reads", "Writes", "Calls", "Adds"})
_IMPORT = re.compile(rb"^import org\.flinkboost\.[^\n]*\n", re.MULTILINE)
# Where a twin comes from, which upstream has no build for.
_TWIN = re.compile(rb"^// (?:@twin|The build writes) [^\n]*\n(?://[^\n]*\n)*\n?", re.MULTILINE)
_WRITER = "weaver/src/main/java/org/flinkboost/weaver/TwinSources.java"
_WRITER_SECONDS = 60.0
_SPDX = re.compile(rb"\A// SPDX[^\n]*\n")
_HEADER = re.compile(rb"\A\s*(/\*.*?\*/)\s*", re.DOTALL)
_NOT_TAKEN = "guard"
_CODEC = "org/apache/flink/boost/strings"
_STRING_VALUE = "org/apache/flink/types/StringValue.java"


@dataclass(frozen=True)
class OurFile:
    """One of our sources: its path below the root of the sources, and what it declares."""

    key: str
    source: bytes
    types: tuple[JavaType, ...]


def our_files(root: Path = PROJECT_ROOT) -> list[OurFile]:
    """All sources of the codec and the patches, with those that the build writes.

    Raises ``BrokenData`` when it would not write them.
    """
    with tempfile.TemporaryDirectory() as twins:
        folders = [root / module / "src" / "main" / "java" for module in MODULES]
        _write_twins(root, folders[0], Path(twins))
        return [file for folder in (*folders, Path(twins)) for file in _files_of(folder)]


def _write_twins(root: Path, sources: Path, folder: Path) -> None:
    java = java_home(17) / "bin" / "java"
    done = subprocess.run(
        [java, root / _WRITER, sources, folder],
        capture_output=True,
        text=True,
        timeout=_WRITER_SECONDS,
        check=False,
        env=bare_environment(os.environ),
    )
    if done.returncode:
        raise BrokenData(f"{_WRITER} failed: {done.stderr.strip()}", "Run `make build` first.")


def _files_of(folder: Path) -> Iterator[OurFile]:
    for path in sorted(folder.rglob("*.java")):
        if _NOT_TAKEN not in path.parts:
            source = _TWIN.sub(b"", path.read_bytes())
            types = parse_java(source, str(path)).values()
            yield OurFile(str(path.relative_to(folder)), source, tuple(types))


def upstream_patch(tree: SourceTree, ours: Sequence[OurFile], test: bytes) -> str:
    """The patch, as ``git apply`` and ``patch -p1`` take it in the folder of the sources.

    Raises ``PatchedCodeChanged`` when a class or method that is patched is not there.
    """
    changed = dict(_changed_files(tree, [type_ for file in ours for type_ in file.types]))
    header = _HEADER.match(tree.files[_STRING_VALUE]())
    licence = header[1] + b"\n" if header else b""
    parts = [_diff(tree.paths[key], tree.files[key](), now) for key, now in sorted(changed.items())]
    for file in ours:
        place = _place(tree, file)
        source = without_annotations(_IMPORT.sub(b"", file.source), _WEAVERS)
        parts.append(_diff(place, None, licence + _SPDX.sub(b"", source)))
    beside = _place(tree, OurFile(f"{_CODEC}/{TEST.name}", test, ()))
    place = PurePosixPath(str(beside).replace("src/main/java", "src/test/java"))
    parts.append(_diff(place, None, licence + _SPDX.sub(b"", test)))
    return "".join(parts)


def _changed_files(tree: SourceTree, ours: Sequence[JavaType]) -> Iterator[tuple[str, bytes]]:
    """Flink's files with our changes; one file may hold several patched classes."""
    insertions: dict[str, list[tuple[int, str]]] = {}
    targets = patched_names(ours)
    hand_over = _hand_over(ours)
    for type_ in ours:
        names = targets.get(type_.name)
        if names is None:
            continue
        target = next((found for name in names if (found := tree.find_type(name))), None)
        if target is None:
            raise PatchedCodeChanged(f"{tree.place} has no {names[0]}.", "Change the patch first.")
        key = f"{target.name.partition('$')[0].replace('.', '/')}.java"
        if type_.is_interface:
            added = _implemented(type_, target)
        else:
            added = _fronted(type_, target, receivers(ours, targets, names), hand_over)
        insertions.setdefault(key, []).extend(added)
    for key, places in insertions.items():
        yield key, _inserted(tree.files[key](), places)


def _fronted(
    patch: JavaType, target: JavaType, interfaces: Container[str], hand_over: str
) -> Iterator[tuple[int, str]]:
    """At the start of each replaced method: ours, unless it hands over."""
    for used, ours in used_methods(patch, interfaces):
        if used.use is not Use.REPLACES:
            continue
        theirs = next((method for method in target.methods if used.fits(method)), None)
        if theirs is None:
            raise PatchedCodeChanged(
                f"{target.name} has no {used.signature}.", "Change the patch first."
            )
        arguments = ", ".join([*([] if used.static else ["this"]), *theirs.parameter_names])
        call = f"{patch.name}.{ours.name}({arguments})"
        if used.returned == "void":
            lines = [f"if ({call}) {{", "    return;", "}"]
        else:
            lines = [
                f"Object boosted = {call};",
                f"if (boosted != {hand_over}) {{",
                f"    return ({theirs.returned}) boosted;",
                "}",
            ]
        yield theirs.inside, "".join(f"\n        {line}" for line in lines)


def _hand_over(ours: Sequence[JavaType]) -> str:
    """The field that means "stock's body", compared by identity."""
    return next(
        f"{type_.name}.{field.name}"
        for type_ in ours
        for field in type_.fields
        if find_annotation(field.annotations, "HandOver")
    )


def _implemented(interface: JavaType, target: JavaType) -> Iterator[tuple[int, str]]:
    """The interface named in the class's head, its methods at the end of the body."""
    word = "," if target.implements else "implements"
    space = "" if target.implements else " "
    yield target.head_end, f"{word} {interface.name.replace('$', '.')}{space}"
    for method in interface.methods:
        statement = _statement(method)
        adds = find_annotation(method.annotations, "Adds")
        if adds and method.returned != "void":
            field = f"private transient {method.returned} {adds.values['value'][0]};"
            yield target.end, f"\n    {field}\n"
        if statement:
            parameters = ", ".join(
                f"{kind} {name}"
                for kind, name in zip(method.parameters, method.parameter_names, strict=True)
            )
            throws = f" {method.throws}" if method.throws else ""
            lines = [
                "@Override",
                f"public {method.returned} {method.name}({parameters}){throws} {{",
                f"    {statement}",
                "}",
            ]
            yield target.end, "".join(f"\n    {line}" for line in lines) + "\n"


def _statement(method: Method) -> str:
    values: Mapping[str, str] = {
        annotation.name: annotation.values["value"][0]
        for annotation in method.annotations
        if annotation.name in _WEAVERS
    }
    arguments = ", ".join(method.parameter_names)
    field = values.get("Reads") or values.get("Writes") or values.get("Adds")
    if field:
        return f"this.{field} = {arguments};" if arguments else f"return {field};"
    if "Calls" in values:
        returns = "" if method.returned == "void" else "return "
        return f"{returns}{values['Calls']}({arguments});"
    return ""


def _inserted(source: bytes, places: Sequence[tuple[int, str]]) -> bytes:
    # From the end on, so that the offsets stay right; of those at one place the first comes first.
    numbered = sorted(enumerate(places), key=lambda each: (each[1][0], each[0]), reverse=True)
    for _, (offset, text) in numbered:
        source = source[:offset] + text.encode() + source[offset:]
    return source


def _place(tree: SourceTree, file: OurFile) -> PurePosixPath:
    """Beside the class that it patches or serves: in the module of flink-core or flink-runtime."""
    neighbour = _STRING_VALUE
    for type_ in file.types:
        patches = find_annotation(type_.annotations, "Patches")
        for name in patches.values["value"] if patches else ():
            key = f"{name.partition('$')[0].replace('.', '/')}.java"
            neighbour = key if key in tree.paths else neighbour
    if "/network/" in file.key and neighbour == _STRING_VALUE:
        neighbour = next((key for key in tree.paths if "/runtime/io/network/" in key), neighbour)
    root = str(tree.paths[neighbour]).removesuffix(neighbour)
    return PurePosixPath(f"{root}{file.key}")


def _diff(path: PurePosixPath, before: bytes | None, now: bytes) -> str:
    """One file of a patch in git's form; ``before`` is nothing for a new file."""
    head = f"diff --git a/{path} b/{path}\n" + ("new file mode 100644\n" if before is None else "")
    lines = difflib.unified_diff(
        (before or b"").decode().splitlines(keepends=True),
        now.decode().splitlines(keepends=True),
        "/dev/null" if before is None else f"a/{path}",
        f"b/{path}",
    )
    return head + "".join(lines)
