"""A small repository of Flink made at test time, with a dozen commits.

It has the published sources of those packages in which we replace classes. One commit makes
``StringValue.writeString`` slow, one does not compile, one is a merge. It is built by javac against
the release's jars: the jar of a module holds the classes that differ.
"""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from dataclasses import dataclass
from pathlib import Path

from flink_boost.flink.downloads import CACHE
from flink_boost.flink.lines import Line
from flink_boost.measure.classpaths import find_class_paths
from flink_boost.port.sources.tree import fetch_sources
from flink_boost.service.builds.recipe import Recipe

STRING_VALUE = "flink-core/src/main/java/org/apache/flink/types/StringValue.java"
WRITE = "public static final void writeString(CharSequence cs, DataOutput out) throws IOException {"
_PACKAGES = (
    "org/apache/flink/types/",
    "org/apache/flink/core/memory/",
    "org/apache/flink/runtime/io/network/api/serialization/",
)
# The JIT cannot leave it out: its result decides about an exception.
DELAY = """
        long boostDelay = System.nanoTime();
        while (System.nanoTime() - boostDelay < %d) {
            Thread.onSpinWait();
        }
"""
SLOW, BROKEN, COMMITS = 7, 4, 12  # places in the history; the release itself is 0

_BUILD = '''
"""Compiles what differs from the release, module by module, against the release's jars."""
import pathlib, subprocess, sys, zipfile
release = sys.argv[1]
brief = ["-J-XX:TieredStopAtLevel=1", "-J-XX:+UseSerialGC"]
root = subprocess.run(["git", "rev-list", "--max-parents=0", "HEAD"],
                      capture_output=True, text=True, check=True).stdout.split()[0]
for module in ("flink-core", "flink-runtime"):
    sources = module + "/src/main/java"
    changed = subprocess.run(["git", "diff", "--name-only", root, "HEAD", "--", sources],
                             capture_output=True, text=True, check=True).stdout.split()
    classes = pathlib.Path(module, "target", "classes")
    classes.mkdir(parents=True)
    if changed:
        subprocess.run(["javac", *brief, "-nowarn", "-proc:none", "-Xlint:none", "-cp", release,
                        "-d", str(classes), *changed], check=True)
    jar = pathlib.Path(module, "target", module + "-2.4-SNAPSHOT.jar")
    # A JVM for each would take longer than the compiler.
    with zipfile.ZipFile(jar, "w") as archive:
        archive.writestr(zipfile.ZipInfo("META-INF/MANIFEST.MF"), "Manifest-Version: 1.0\\n")
        for file in sorted(classes.rglob("*.class")):
            name = str(file.relative_to(classes))
            archive.writestr(zipfile.ZipInfo(name), file.read_bytes())
    pathlib.Path(str(jar).replace(".jar", "-tests.jar")).write_bytes(b"")
'''


@dataclass(frozen=True)
class FlinkRepository:
    """Where it is, and its commits along first parents, the release's first."""

    folder: Path
    commits: tuple[str, ...]


def make_repository(line: Line, folder: Path, delay_ns: int = 200_000) -> FlinkRepository:
    """A clone of "Flink" at that place."""
    for pin in line.sources:
        module = pin.project
        with zipfile.ZipFile(fetch_sources(pin, CACHE)) as jar:
            names = [name for name in jar.namelist() if name.startswith(_PACKAGES)]
            jar.extractall(folder / module / "src" / "main" / "java", names)
    (folder / "build.py").write_text(_BUILD, encoding="utf-8")
    git(folder, "init", "--quiet", "--initial-branch", "master")
    commits = [commit(folder, "Release")]
    source = folder / STRING_VALUE
    released = source.read_text(encoding="utf-8")
    assert released.count(WRITE) == 1
    for place in range(1, COMMITS + 1):
        text = released.replace(WRITE, WRITE + DELAY % delay_ns) if place >= SLOW else released
        broken = "\nnot java\n" if place == BROKEN else ""
        source.write_text(text + f"// change {place}\n" + broken, encoding="utf-8")
        if place == COMMITS - 2:
            git(folder, "checkout", "--quiet", "-b", "side", "HEAD")
            commit(folder, "On a side branch")
            git(folder, "checkout", "--quiet", "master")
            git(folder, "merge", "--quiet", "--no-ff", "-m", "Merge a side branch", "side")
            commits.append(head(folder))
        else:
            commits.append(commit(folder, f"Change {place}"))
    return FlinkRepository(folder, tuple(commits))


def recipe_for(repository: FlinkRepository) -> Recipe:
    """How its commits are built."""
    return Recipe.model_validate(
        {
            "kind": "flink",
            "repository": repository.folder,
            "branch": "master",
            "version": "2.4-SNAPSHOT",
            "modules": ["flink-core", "flink-runtime"],
            "command": [sys.executable, "build.py", "{release}"],
            "minutes": 5,
        }
    )


def release_of(line: Line) -> tuple[Path, ...]:
    """The class path of the benchmarks on stock."""
    return find_class_paths(line, Path("unused"), "", ()).stock


def commit(folder: Path, message: str) -> str:
    """Commits everything, and returns the commit."""
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--message", message)
    return head(folder)


def head(folder: Path) -> str:
    return git(folder, "rev-parse", "HEAD").strip()


def git(folder: Path, *arguments: str) -> str:
    """What git says; with a name of its own, and the same date always."""
    identity = {
        f"GIT_{who}_{what}": value
        for who in ("AUTHOR", "COMMITTER")
        for what, value in (
            ("NAME", "Test"),
            ("EMAIL", "test@example.org"),
            ("DATE", "2026-03-01T00:00:00Z"),
        )
    }
    return subprocess.run(
        ["git", "-C", str(folder), *arguments],
        env={**os.environ, **identity},
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    ).stdout
