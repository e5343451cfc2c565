"""Builds of Flink that are nobody's release: stock's sources compiled anew, some with a change."""

from __future__ import annotations

import shutil
import subprocess
import zipfile
from collections.abc import Iterable, Mapping
from pathlib import Path

from installations import LINE, neighbours, new_home

from flink_boost.flink.distribution import ensure_distribution
from flink_boost.flink.downloads import CACHE
from flink_boost.flink.lines import Line
from flink_boost.port.sources.tree import fetch_sources

_SECONDS = 120


def source_path(name: str) -> str:
    """Where the source of a top-level class is."""
    return name.replace(".", "/") + ".java"


def own_home(
    folder: Path,
    options: tuple[str, ...] = ("-g:none",),
    changes: Mapping[str, tuple[str, str]] | None = None,
) -> Path:
    """A private copy of the default line's distribution, with classes from another compilation.

    All that the drop-in jar replaces, and those with ``changes``: by class name the text that is
    replaced in its source, once, and by what.
    """
    home = new_home(folder / "flink")
    classes = compiled(folder, (*LINE.classes, *(changes or {})), options, changes)
    with_entries(home, entries_of(classes))
    return home


def compiled(
    folder: Path,
    names: Iterable[str],
    options: tuple[str, ...] = ("-g:none",),
    changes: Mapping[str, tuple[str, str]] | None = None,
) -> Path:
    """A folder with these classes of the default line, compiled anew; ``changes`` as above."""
    (dist,) = (ensure_distribution(LINE) / "lib").glob("flink-dist*.jar")
    sources = folder / "sources"
    wanted = {source_path(name) for name in names}
    for pin in LINE.sources:
        with zipfile.ZipFile(fetch_sources(pin, CACHE)) as archive:
            for name in wanted & set(archive.namelist()):
                archive.extract(name, sources)
    for name, (old, new) in (changes or {}).items():
        file = sources / source_path(name)
        text = file.read_text(encoding="utf-8")
        assert text.count(old) == 1, f"{name} has {old!r} {text.count(old)} times"
        file.write_text(text.replace(old, new), encoding="utf-8")
    classes = folder / "classes"
    compile_it = [
        *(
            "javac",
            "-J-XX:TieredStopAtLevel=1",
            "-J-XX:+UseSerialGC",
            "-nowarn",
            "-proc:none",
            "--release",
            "11",
            *options,
        ),
        *("-cp", str(dist), "-d", str(classes)),
        *(str(sources / name) for name in sorted(wanted)),
    ]
    done = subprocess.run(compile_it, capture_output=True, text=True, timeout=_SECONDS, check=False)
    assert done.returncode == 0, done.stderr
    return classes


def with_entries(home: Path, changed: Mapping[str, bytes]) -> None:
    """Gives an installation a ``flink-dist`` of its own, with those entries instead of stock's.

    ``jar --update`` would do the same, and pack all of it anew.
    """
    (dist,) = (home / "lib").glob("flink-dist*.jar")
    # The distribution's is a link to what all tests use.
    content = dist.with_suffix(".own")
    shutil.copyfile(dist, content)
    content.replace(dist)
    with zipfile.ZipFile(dist, "a", zipfile.ZIP_DEFLATED) as archive:
        # The directory at the end says what is in it; replaced entries are named there no more.
        archive.filelist[:] = [old for old in archive.filelist if old.filename not in changed]
        for name in changed:
            archive.NameToInfo.pop(name, None)
        for name, entry in changed.items():
            archive.writestr(name, entry)


def entries_of(classes: Path) -> dict[str, bytes]:
    """The files of a folder as entries of a jar."""
    files = sorted(file for file in classes.rglob("*") if file.is_file())
    return {str(file.relative_to(classes)): file.read_bytes() for file in files}


def repacked(
    home: Path,
    more: Mapping[str, bytes],
    changed: Mapping[str, bytes] | None = None,
    *,
    manifest: bool = True,
    line: Line = LINE,
) -> None:
    """Puts a small ``flink-dist`` in the place of the real one.

    It has the classes around those that we patch, some of them ``changed``, and ``more`` entries.
    """
    (dist,) = (home / "lib").glob("flink-dist*.jar")
    dist.unlink()
    others = {f"{name.replace('.', '/')}.class": code for name, code in (changed or {}).items()}
    with zipfile.ZipFile(dist, "w") as target:
        for name, content in {**classes_around(line, manifest=manifest), **others, **more}.items():
            target.writestr(name, content)


def classes_around(line: Line = LINE, *, manifest: bool = False) -> dict[str, bytes]:
    """The entries of a line's ``flink-dist`` that stand around the classes that we patch."""
    kept = ("org/apache/flink/core/", "org/apache/flink/types/")
    kept += ("META-INF/MANIFEST.MF",) if manifest else ()
    kept += ("org/apache/flink/api/common/", "org/apache/flink/runtime/io/network/")
    real = ensure_distribution(line) / "lib" / f"flink-dist-{line.version}.jar"
    linked = {f"{name.replace('.', '/')}.class" for name in neighbours(line)}
    with zipfile.ZipFile(real) as source:
        names = [n for n in source.namelist() if n.startswith(kept) or n in linked]
        return {name: source.read(name) for name in names}
