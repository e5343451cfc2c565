"""The third side of a run: classes of a later Flink release in front of an older line.

``overlay.toml`` names the official jars, their checksums and the classes that are taken from them.
Those classes alone go into one small jar, made from nothing but pinned bytes, so that it is the
same on every machine and a run can be resumed with it.
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

from flink_boost.base.errors import BrokenData, UsageProblem
from flink_boost.base.files import make_folder, write_durably
from flink_boost.flink.distribution import ensure_artifact
from flink_boost.flink.lines import PinnedFile
from flink_boost.measure.classpaths import Third
from flink_boost.measure.toml_file import read_toml

UPSTREAM_FILE = Path(__file__).with_name("overlay.toml")


class _Jar(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    project: str
    version: str
    file: str
    sha256: Annotated[str, Field(pattern="^[0-9a-f]{64}$")]
    classes: Annotated[tuple[str, ...], Field(min_length=1)]

    def pin(self) -> PinnedFile:
        return PinnedFile(self.project, self.version, self.file, self.sha256)


class Fix(BaseModel):
    """What one third side consists of."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    title: str
    jars: Annotated[tuple[_Jar, ...], Field(min_length=1)]


_FIXES = TypeAdapter(dict[str, dict[str, Fix]])


def find_fix(line: str, name: str, path: Path = UPSTREAM_FILE) -> Fix:
    """The fix of that name for a line.

    Raises ``UsageProblem`` naming what exists, ``BrokenData`` when the file is not as it should be.
    """
    fixes = read_toml(path, _FIXES, "Check out the project again.")
    if name in fixes.get(line, {}):
        return fixes[line][name]
    known = [f"{one} (Flink {version})" for version, of in fixes.items() for one in of]
    raise UsageProblem(
        f"There is no third side {name!r} for Flink {line}.", f"There are: {', '.join(known)}."
    )


def ensure_overlay(
    line: str,
    name: str,
    build: Path,
    *,
    path: Path = UPSTREAM_FILE,
    fetch: Callable[[PinnedFile], Path] = ensure_artifact,
) -> Third:
    """The jar of a third side under ``build``; what is missing is fetched.

    ``fetch`` gives a verified jar. Raises what ``find_fix`` and ``fetch`` raise, and ``BrokenData``
    when a jar lacks a class.
    """
    fix = find_fix(line, name, path)
    content = _overlay([(fetch(jar.pin()), jar.classes) for jar in fix.jars])
    target = build / "upstream" / f"flink-{line}-{name}.jar"
    if not target.is_file() or target.read_bytes() != content:
        make_folder(target.parent)
        write_durably(target, content)
    return Third(name, fix.title, target)


def _overlay(sources: Sequence[tuple[Path, Sequence[str]]]) -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_STORED) as overlay:
        for jar, classes in sources:
            with zipfile.ZipFile(jar) as source:
                for name in classes:
                    entry = f"{name.replace('.', '/')}.class"
                    # A ZipInfo made by hand has a fixed date: same classes, same bytes.
                    overlay.writestr(zipfile.ZipInfo(entry), _read(source, entry, jar))
    return target.getvalue()


def _read(source: zipfile.ZipFile, entry: str, jar: Path) -> bytes:
    try:
        return source.read(entry)
    except KeyError:
        raise BrokenData(
            f"{jar} does not hold {entry}.", f"Correct the classes in {UPSTREAM_FILE.name}."
        ) from None
