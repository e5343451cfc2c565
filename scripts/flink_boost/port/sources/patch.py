"""Writes our changes as a patch of Flink's own sources, for those who want them upstream.

What the weaver does to class files is done to the sources: a method that is replaced asks ours
first, a class whose insides we use implements our interface. The codec comes along as new files,
without what only the weaver and the guard need. The kill switch stays with us.
"""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from flink_boost.base.commands import run_captured
from flink_boost.base.errors import BrokenData, PatchedCodeChanged
from flink_boost.base.places import PROJECT_ROOT
from flink_boost.base.processes import bare_environment
from flink_boost.flink.jdks import java_home
from flink_boost.port.sources.diff import git_diff
from flink_boost.port.sources.java import JavaType, Member, parse_java, without_annotations
from flink_boost.port.sources.patches import MODULES, Use, patched_names, receivers, used_members
from flink_boost.port.sources.tree import SourceTree

TEST = Path(__file__).with_name("templates") / "BoostedStringTest.java"

_WEAVERS = frozenset({"Patches", "Replaces", "HandOver", "Reads", "Writes", "Calls", "Adds"})
_IMPORT = re.compile(r"^import org\.flinkboost\.[^\n]*\n", re.MULTILINE)
# Where a twin comes from, which upstream has no build for.
_TWIN = re.compile(r"^// (?:@twin|The build writes) [^\n]*\n(?://[^\n]*\n)*\n?", re.MULTILINE)
_WRITER = "weaver/src/main/java/org/flinkboost/weaver/TwinSources.java"
_WRITER_SECONDS = 60.0
_SPDX = re.compile(r"\A// SPDX[^\n]*\n")
_HEADER = re.compile(r"\A\s*(/\*.*?\*/)\s*", re.DOTALL)
_NOT_TAKEN = "guard"
_CODEC = "org/apache/flink/boost/strings"
_STRING_VALUE = "org/apache/flink/types/StringValue.java"


@dataclass(frozen=True)
class OurFile:
    """One of our sources: its path below the root of the sources, and what it declares."""

    key: str
    source: str
    types: tuple[JavaType, ...]


def our_files() -> list[OurFile]:
    """All sources of the codec and the patches, with those that the build writes.

    Raises ``BrokenData`` when it would not write them.
    """
    with tempfile.TemporaryDirectory() as twins:
        folders = [PROJECT_ROOT / module / "src" / "main" / "java" for module in MODULES]
        _write_twins(folders[0], Path(twins))
        return [file for folder in (*folders, Path(twins)) for file in _files_of(folder)]


def _write_twins(sources: Path, folder: Path) -> None:
    java = java_home(17) / "bin" / "java"
    command = [str(java), str(PROJECT_ROOT / _WRITER), str(sources), str(folder)]
    done = run_captured(command, _WRITER_SECONDS, environment=bare_environment(os.environ))
    if done.returncode:
        raise BrokenData(f"{_WRITER} failed: {done.stdout.strip()}", "Run `make build` first.")


def _files_of(folder: Path) -> Iterator[OurFile]:
    for path in sorted(folder.rglob("*.java")):
        if _NOT_TAKEN not in path.parts:
            source = _TWIN.sub("", path.read_text("utf-8"))
            types = parse_java(source).values()
            yield OurFile(str(path.relative_to(folder)), source, tuple(types))


def upstream_patch(tree: SourceTree, ours: Sequence[OurFile], test: str) -> str:
    """The patch, as ``git apply`` and ``patch -p1`` take it in the folder of the sources.

    Raises ``PatchedCodeChanged`` when a class or method that is patched is not there.
    """
    changed = dict(_changed_files(tree, [type_ for file in ours for type_ in file.types]))
    header = _HEADER.match(tree.text_of(_STRING_VALUE))
    licence = header[1] + "\n" if header else ""
    now = {str(tree.paths[key]): text for key, text in changed.items()}
    before = {str(tree.paths[key]): tree.text_of(key) for key in changed}
    for file in ours:
        source = without_annotations(_IMPORT.sub("", file.source), _WEAVERS)
        now[_place(tree, file)] = licence + _SPDX.sub("", source)
    beside = _place(tree, OurFile(f"{_CODEC}/{TEST.name}", test, ()))
    now[beside.replace("src/main/java", "src/test/java")] = licence + _SPDX.sub("", test)
    return git_diff(before, now)


def _changed_files(tree: SourceTree, ours: Sequence[JavaType]) -> Iterator[tuple[str, str]]:
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
        if type_.kind == "interface":
            added = _implemented(type_, target)
        else:
            added = _fronted(type_, target, receivers(ours, targets, names), hand_over)
        insertions.setdefault(key, []).extend(added)
    for key, places in insertions.items():
        yield key, _inserted(tree.text_of(key), places)


def _fronted(
    patch: JavaType, target: JavaType, interfaces: Container[str], hand_over: str
) -> Iterator[tuple[int, str]]:
    """At the start of each replaced method: ours, unless it hands over."""
    for used in used_members(patch, interfaces):
        if used.use is not Use.REPLACES:
            continue
        theirs = next((member for member in target.members if used.fits(member)), None)
        if theirs is None:
            raise PatchedCodeChanged(
                f"{target.name} has no {used.signature}.", "Change the patch first."
            )
        arguments = ", ".join([*([] if used.static else ["this"]), *theirs.parameter_names])
        call = f"{patch.name}.{used.method.name}({arguments})"
        if used.type == "void":
            lines = [f"if ({call}) {{", "    return;", "}"]
        else:
            lines = [
                f"Object boosted = {call};",
                f"if (boosted != {hand_over}) {{",
                f"    return ({theirs.type}) boosted;",
                "}",
            ]
        yield theirs.inside, "".join(f"\n        {line}" for line in lines)


def _hand_over(ours: Sequence[JavaType]) -> str:
    """The field that means "stock's body", compared by identity."""
    return next(
        f"{type_.name}.{field.name}"
        for type_ in ours
        for field in type_.members
        if "HandOver" in field.annotations
    )


def _implemented(interface: JavaType, target: JavaType) -> Iterator[tuple[int, str]]:
    """The interface named in the class's head, its methods at the end of the body."""
    word = "," if target.implements else " implements"
    yield target.head_end, f"{word} {interface.name.replace('$', '.')}"
    for method in interface.members:
        statement = _statement(method)
        if statement:
            parameters = ", ".join(
                f"{kind} {name}"
                for kind, name in zip(method.parameters or (), method.parameter_names, strict=True)
            )
            throws = f" {method.throws}" if method.throws else ""
            lines = [
                "@Override",
                f"public {method.type} {method.name}({parameters}){throws} {{",
                f"    {statement}",
                "}",
            ]
            yield target.end, "".join(f"\n    {line}" for line in lines) + "\n"


def _statement(method: Member) -> str:
    arguments = ", ".join(method.parameter_names)
    for word, names in method.annotations.items():
        if word in ("Reads", "Writes"):
            return f"this.{names[0]} = {arguments};" if arguments else f"return {names[0]};"
        if word == "Calls":
            returns = "" if method.type == "void" else "return "
            return f"{returns}{names[0]}({arguments});"
    return ""


def _inserted(source: str, places: Sequence[tuple[int, str]]) -> str:
    # From the end on, so that the offsets stay right; of those at one place the first comes first.
    numbered = sorted(enumerate(places), key=lambda each: (each[1][0], each[0]), reverse=True)
    for _, (offset, text) in numbered:
        source = source[:offset] + text + source[offset:]
    return source


def _place(tree: SourceTree, file: OurFile) -> str:
    """Beside the class that it patches or serves: in the module of flink-core or flink-runtime."""
    neighbour = _STRING_VALUE
    for type_ in file.types:
        for name in type_.annotations.get("Patches", ()):
            key = f"{name.partition('$')[0].replace('.', '/')}.java"
            neighbour = key if key in tree.paths else neighbour
    if "/network/" in file.key and neighbour == _STRING_VALUE:
        neighbour = next((key for key in tree.paths if "/runtime/io/network/" in key), neighbour)
    root = str(tree.paths[neighbour]).removesuffix(neighbour)
    return f"{root}{file.key}"
