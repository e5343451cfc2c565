"""``verify --classpath`` called by root: nothing that another user can change runs as root."""

from __future__ import annotations

import os
import shutil
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from given_class_paths import DIST, Answer, of
from installations import JAR, LINE, java_environment, put_jar, small_home

from flink_boost.base.errors import EnvironmentProblem

pytestmark = pytest.mark.needs_jars

NOBODY = 65534


@dataclass(frozen=True)
class Roots:
    """What root alone can change, but for what a test gives away, and as whom its Java ran."""

    folder: Path
    jar: Path
    dist: Path

    @property
    def java(self) -> Path:
        return self.folder / "java" / "bin" / "java"

    def ran_as(self) -> list[int]:
        return [int(word) for word in (self.folder / "who").read_text().split()]

    def theirs(self, source: Path | None = None) -> Path:
        """A jar of another user's, in a folder with a space."""
        place = self.folder / "their own" / JAR
        place.parent.mkdir()
        shutil.copy(source or self.jar, place)
        os.chown(place, NOBODY, NOBODY)
        return place


@pytest.fixture
def roots(open_folder: Path, monkeypatch: pytest.MonkeyPatch) -> Roots:
    if os.geteuid() != 0:
        pytest.skip("root alone can become another user")
    home = small_home(open_folder / "flink")
    found = Roots(open_folder, put_jar(home), home / "lib" / DIST)
    who = open_folder / "who"
    found.java.parent.mkdir(parents=True)
    environment = java_environment(LINE)
    real = Path(environment["JAVA_HOME"]) / "bin" / "java"
    found.java.write_text(f'#!/bin/sh\nid -u >> {who}\nexec {real} "$@"\n')
    found.java.chmod(0o755)
    who.touch()
    who.chmod(0o666)
    monkeypatch.setattr("os.environ", {**environment, "JAVA_HOME": str(found.java.parents[1])})
    return found


def naming(folder: Path, file: str, text: str) -> Path:
    """A jar with nothing but that in META-INF, reached by a link from elsewhere."""
    path = folder / "path.jar"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(f"META-INF/{file}", text)
    link = folder / "links" / "linked.jar"
    link.parent.mkdir()
    link.symlink_to(path)
    return link


def test_root_runs_what_another_user_can_change_as_that_user(roots: Roots, answer: Answer) -> None:
    jar, dist = roots.jar, roots.dist
    assert of(answer, jar, dist)["ok"]
    os.chown(jar, NOBODY, NOBODY)
    assert of(answer, jar, dist)["ok"]
    jar.chmod(0o664)
    os.chown(jar, 0, NOBODY)
    found = of(answer, jar, dist)
    assert found["exit_code"] == EnvironmentProblem.exit_code
    assert f"Root does not run what other users can change: {jar}." in found["error"]
    assert roots.ran_as() == [0, 0, NOBODY, NOBODY]


def by_a_manifest(roots: Roots) -> list[Path]:
    roots.theirs()
    # A line ends after 72 bytes, wherever that is.
    text = "Manifest-Version: 1.0\r\nclass-path: none.jar their%2\r\n 0own/"
    return [naming(roots.folder, "manifest.mf", f"{text}{JAR}\r\n"), roots.dist]


def by_the_manifest_of_a_jar_that_a_manifest_names(roots: Roots) -> list[Path]:
    theirs = str(roots.theirs()).replace(" ", "%20")
    first = naming(roots.folder, "MANIFEST.MF", "Class-Path: second/path.jar\n")
    (roots.folder / "second").mkdir()
    naming(roots.folder / "second", "MANIFEST.MF", f"Class-Path: file://{theirs}\n")
    return [first, roots.dist]


def by_an_index(roots: Roots) -> list[Path]:
    theirs = roots.theirs().rename(roots.folder / JAR)
    text = f"JarIndex-Version: 1.0\n\npath.jar\nMETA-INF\n\n{theirs.name}\norg\n"
    return [naming(roots.folder, "INDEX.LIST", text), roots.jar, roots.dist]


def in_a_folder(roots: Roots) -> list[Path]:
    file = roots.folder / "classes" / "org" / "Any.class"
    file.parent.mkdir(parents=True)
    file.touch()
    os.chown(file, NOBODY, NOBODY)
    return [file.parents[1], roots.jar, roots.dist]


def in_a_folder_behind_a_link(roots: Roots) -> list[Path]:
    (folder, *_) = in_a_folder(roots)
    (roots.folder / "linking").mkdir()
    (roots.folder / "linking" / "org").symlink_to(folder / "org")
    # In a circle, too.
    (roots.folder / "linking" / "again").symlink_to(roots.folder / "linking")
    return [roots.folder / "linking", roots.jar, roots.dist]


def in_the_java(roots: Roots) -> list[Path]:
    library = roots.java.parents[1] / "lib" / "server" / "libjvm.so"
    library.parent.mkdir(parents=True)
    library.touch()
    os.chown(library, NOBODY, NOBODY)
    return [roots.jar, roots.dist]


def by_an_option(roots: Roots) -> list[Path]:
    theirs = roots.theirs(roots.dist).rename(roots.folder / "theirs.jar")
    os.environ["JAVA_TOOL_OPTIONS"] = f"-Xbootclasspath/a:{theirs}"
    return [roots.jar, roots.dist]


@pytest.mark.parametrize(
    "change",
    [
        by_a_manifest,
        by_the_manifest_of_a_jar_that_a_manifest_names,
        by_an_index,
        in_a_folder,
        in_a_folder_behind_a_link,
        in_the_java,
        by_an_option,
    ],
    ids=lambda change: change.__name__,
)
def test_nothing_of_another_users_runs_as_root(
    change: Callable[[Roots], list[Path]], roots: Roots, answer: Answer
) -> None:
    found = of(answer, *change(roots))
    assert roots.ran_as() == [NOBODY, NOBODY], found


@pytest.mark.parametrize("address", ["http://any/a.jar", "file://host/a.jar", "jar:file:/a!/b"])
def test_an_address_that_cannot_be_looked_at_is_refused_to_root(
    address: str, roots: Roots, answer: Answer
) -> None:
    path = naming(roots.folder, "MANIFEST.MF", f"Class-Path: {address}\n")
    found = of(answer, path, roots.dist)
    assert found["exit_code"] == EnvironmentProblem.exit_code
    assert f"Root runs no {path}, whose manifest names {address}: " in found["error"]
    assert roots.ran_as() == []
