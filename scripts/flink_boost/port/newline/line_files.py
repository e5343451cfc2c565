"""Adds a line to the project's files: all of them or none, comments and order kept.

``lines.toml`` comes last: a line that it does not name does not exist. What a call that was killed
left behind, or somebody prepared by hand, is therefore found and kept.
"""

from __future__ import annotations

import copy
import json
import re
import shutil
import tomllib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import tomlkit
from tomlkit.items import Comment, Item, Key, Table, Whitespace

from flink_boost.base.errors import BrokenData
from flink_boost.base.files import write_durably
from flink_boost.flink.classes import LOCK
from flink_boost.flink.lines import FOLDER_OF_JARS, Line, PinnedFile, read_lock
from flink_boost.flink.versions import version_key

_LINES = Path("lines.toml")
_LOCK = Path(LOCK)

# What Flink's parent asks for in its own version, although not every release publishes it.
_MANAGED = ("flink-architecture-tests-base",)
_MANAGEMENT = "    <dependencyManagement>\n        <dependencies>\n"

_CATALOGUE = Path("scripts/flink-tests/flink-tests.toml")


@dataclass(frozen=True)
class NewLine:
    """A line to be added, and ``model``, the line whose folders it begins with.

    ``remark`` is what has to be said about its example jobs. ``unpublished`` are projects that the
    class path of Flink's own tests needs and the release does not have; the model's are taken,
    which are known to be complete. ``equal`` are new checksums of class files that do what one
    with a known checksum does.
    """

    line: Line
    model: str
    remark: str = ""
    unpublished: tuple[str, ...] = ()
    equal: Mapping[str, str] = field(default_factory=dict)


def record(new: NewLine) -> str:
    """The tables of a line as ``lines.toml`` has them."""
    line = new.line
    name = f'[lines."{line.version}"'
    options = "".join(f"    {_quoted(option)},\n" for option in line.jvm_options)
    parts = [
        f"{name}]",
        f"enabled = {str(line.enabled).lower()}",
        *(["measured = false"] if not line.measured else []),
        *([f"folder = {_quoted(line.folder)}"] if line.folder != "newer" else []),
        f"artifact-suffix = {_quoted(line.artifact_suffix)}",
        *([f"nearest = {_inline(line.nearest)}"] if line.nearest else []),
        f"jdks = [{', '.join(map(str, line.jdks))}]",
        f"jvm-options = [\n{options}]" if options else "jvm-options = []",
        *_table(
            f"{name}.jars]",
            {
                (FOLDER_OF_JARS if file in line.from_distribution else "") + file: _quoted(sha256)
                for file, sha256 in line.jars.items()
            },
        ),
        *_table(f"{name}.sources]", {pin.file: _quoted(pin.sha256) for pin in line.sources}),
        *_table(f"{name}.distribution]", {pin.project: _pin(pin, "") for pin in line.distribution}),
        *([f"\n# {new.remark}".rstrip()] if new.remark and line.examples else []),
        *_table(
            f"{name}.examples]",
            {key: _pin(pin, pin.project) for key, pin in line.examples.items()},
            apart=not new.remark,
        ),
    ]
    return "\n".join(parts) + "\n"


def with_line(text: str, new: NewLine) -> str:
    """``lines.toml`` with the line in its place among the others; all else is kept as it is.

    Raises ``BrokenData`` when the file is not TOML or names the line already.
    """
    version = new.line.version
    document = _parsed(text, _LINES)
    if version in document["lines"]:
        raise BrokenData(f"lines.toml names Flink {version} already.", "Look at it.")
    is_last = not _later(document["lines"], version)
    if is_last:
        document = _parsed(text.rstrip("\n") + "\n\n", _LINES)
    added = tomlkit.parse(record(new) + ("" if is_last else "\n"))["lines"][version]
    _insert(document["lines"], version, added)
    result = tomlkit.dumps(document)
    _require_same(text, result, version)
    return result


def with_tests(text: str, version: str, model: str) -> str:
    """``flink-tests.toml`` with a line that begins with what another one has.

    Raises ``BrokenData`` when the file is not TOML.
    """
    document = _parsed(text, _CATALOGUE)
    lines = document["lines"]
    if version in lines or model not in lines:
        return text
    added = copy.deepcopy(lines[model])
    _detach_tail(added)
    # What stands behind the last line is about what follows it.
    last = lines[list(lines)[-1]]
    tail = _detach_tail(last)
    _innermost(last).append((None, Whitespace("\n")))
    _innermost(added).append((None, Whitespace("\n")))
    _insert(lines, version, added)
    innermost = _innermost(lines[list(lines)[-1]])
    innermost[-1:] = tail
    for exclusion in document.get("exclusions", []):
        if model in exclusion["lines"]:
            exclusion["lines"].append(version)
    return tomlkit.dumps(document)


def add_line(root: Path, new: NewLine) -> list[Path]:
    """Adds the line to the project in ``root``; returns what was written, relative, in that order.

    Raises ``BrokenData`` when the project's files do not let us; on any error nothing is changed.
    """
    version, model = new.line.version, new.model
    adaptor = Path("benchmarks/src/line") / version
    pom = Path("scripts/flink-tests") / f"flink-{version}.xml"
    lines = with_line((root / _LINES).read_text(encoding="utf-8"), new)
    catalogue = (root / _CATALOGUE).read_text(encoding="utf-8")
    tests = with_tests(catalogue, version, model)
    model_pom = (root / pom).with_name(f"flink-{model}.xml").read_text(encoding="utf-8")
    before = read_lock(root / _LOCK)
    lock = before.having(version, new.line.classes, new.equal).render()
    written: list[Path] = []
    with _undone_on_error() as undo:
        if new.line.measured and not (root / adaptor).exists():
            undo.append(lambda: shutil.rmtree(root / adaptor, ignore_errors=True))
            _copy_folder((root / adaptor).with_name(model), root / adaptor)
            written.append(adaptor)
        if new.line.measured and not (root / pom).exists():
            undo.append(lambda: (root / pom).unlink(missing_ok=True))
            write_durably(root / pom, _class_path_pom(model_pom, new))
            written.append(pom)
        if new.line.measured and tests != catalogue:
            undo.append(lambda: write_durably(root / _CATALOGUE, catalogue))
            write_durably(root / _CATALOGUE, tests)
            written.append(_CATALOGUE)
        if lock != before.render():
            undo.append(lambda: write_durably(root / _LOCK, before.render()))
            write_durably(root / _LOCK, lock)
            written.append(_LOCK)
        write_durably(root / _LINES, lines)
        written.append(_LINES)
    return written


def projects_of_tests(root: Path, model: str) -> list[str]:
    """Flink's own projects that the class path of a line's tests needs in the line's version."""
    pom = root / "scripts" / "flink-tests" / f"flink-{model}.xml"
    named = _dependency("([^<]+)", model)
    found: list[str] = re.findall(named, pom.read_text(encoding="utf-8"))
    return list(dict.fromkeys([*found, *_MANAGED]))


def _class_path_pom(text: str, new: NewLine) -> str:
    version = new.line.version
    text = text.replace(new.model, version)
    for project in new.unpublished:
        place = re.compile(_dependency(re.escape(project), version))
        text = place.sub(lambda found: found[0].replace(version, new.model), text)
        if project in _MANAGED and f">{project}<" not in text:
            text = text.replace(_MANAGEMENT, _MANAGEMENT + _managed(project, new.model), 1)
    return text


def _managed(project: str, version: str) -> str:
    lines = [
        "<dependency>",
        "    <groupId>org.apache.flink</groupId>",
        f"    <artifactId>{project}</artifactId>",
        f"    <version>{version}</version>",
        "</dependency>",
    ]
    return "".join(f"            {line}\n" for line in lines)


def _dependency(project: str, version: str) -> str:
    artifact = rf"<artifactId>{project}</artifactId>\s*<version>{re.escape(version)}</version>"
    return rf"<groupId>org\.apache\.flink</groupId>\s*{artifact}"


@contextmanager
def _undone_on_error() -> Iterator[list[Callable[[], object]]]:
    steps: list[Callable[[], object]] = []
    try:
        yield steps
    except BaseException:
        for step in reversed(steps):
            step()
        raise


def _copy_folder(source: Path, target: Path) -> None:
    """The folder appears complete or not at all."""
    aside = target.with_name(f".{target.name}.partial")
    shutil.rmtree(aside, ignore_errors=True)
    try:
        shutil.copytree(source, aside)
        aside.rename(target)
    finally:
        shutil.rmtree(aside, ignore_errors=True)


def _insert(lines: Table, version: str, added: Table) -> None:
    """Puts a line in front of the later ones; they are taken out and put behind it again."""
    tables = {key: lines[key] for key in _later(lines, version)}
    for key in tables:
        lines.remove(key)
    lines.append(version, added)
    for key, table in tables.items():
        lines.append(key, table)


def _detach_tail(table: Table) -> list[tuple[Key | None, Item]]:
    """Takes the blank lines and comments at a table's end off it."""
    body = _innermost(table)
    start = len(body)
    while start and isinstance(body[start - 1][1], Whitespace | Comment):
        start -= 1
    tail = body[start:]
    del body[start:]
    return tail


def _innermost(table: Table) -> list[tuple[Key | None, Item]]:
    """The entries of the last table within, whose end is the end of the whole."""
    entries = table.value.body
    while entries and isinstance(entries[-1][1], Table):
        entries = entries[-1][1].value.body
    return entries


def _later(lines: Table, version: str) -> list[str]:
    return [key for key in lines if version_key(key) > version_key(version)]


def _require_same(before: str, after: str, version: str) -> None:
    old, now = tomllib.loads(before), tomllib.loads(after)
    added = now["lines"].pop(version, None)
    if added is None or old != now:
        raise BrokenData(
            f"Flink {version} cannot be added to lines.toml without changing something else.",
            "Look whether all tables of a line stand together, lines in the order of versions.",
        )


def _parsed(text: str, path: Path) -> tomlkit.TOMLDocument:
    try:
        return tomlkit.parse(text)
    except tomlkit.exceptions.TOMLKitError as error:
        raise BrokenData(f"{path.name} is not TOML ({error}).", "Correct it.") from error


def _table(head: str, entries: Mapping[str, str], apart: bool = True) -> list[str]:
    if not entries:
        return []
    rows = [f"{_quoted(key)} = {value}" for key, value in entries.items()]
    return [f"\n{head}" if apart else head, *rows]


def _pin(pin: PinnedFile, project: str) -> str:
    words = {"project": project, "version": pin.version, "file": pin.file, "sha256": pin.sha256}
    return _inline({key: value for key, value in words.items() if value})


def _inline(words: Mapping[str, str]) -> str:
    shown = ", ".join(f"{key} = {_quoted(value)}" for key, value in words.items())
    return f"{{ {shown} }}"


def _quoted(text: str) -> str:
    # A JSON string is a TOML string.
    return json.dumps(text, ensure_ascii=False)
