"""Looking at releases: what is published, which classes it has, and what is written down."""

from __future__ import annotations

import hashlib
import tomllib
import zipfile
from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest

from flink_boost.base.errors import BrokenData, EnvironmentProblem
from flink_boost.flink.lines import Line, PinnedFile, load_lines
from flink_boost.flink.releases import KnownReleases, parse_releases
from flink_boost.port.newline.look import look_at, merge, published, render
from flink_boost.port.newline.registries import Artifact

CORE, RUNTIME = "a.Text", "a.run.Frame"
TODAY = date(2030, 1, 2)
PIN = PinnedFile("apache-flink", "2.0.0", "apache_flink-2.0.0.whl", "00")


def checksum(content: str) -> str:
    return hashlib.sha256(content.encode()).hexdigest()


LINES: Mapping[str, Line] = {
    "2.0.0": replace(
        load_lines()["2.3.0"],
        version="2.0.0",
        classes={CORE: checksum("new"), RUNTIME: checksum("frame")},
    )
}
NOTHING = KnownReleases({}, {}, {"1.9.0": (11,), "2.0.0": (17, 21)})


class Shelf:
    """Made-up jars by release: the content of the class in core and of the one in runtime."""

    def __init__(self, folder: Path, jars: Mapping[str, tuple[str, str | None]]) -> None:
        self._folder = folder
        self._jars = jars

    def releases(self, project: str) -> tuple[str, ...]:
        assert project == "flink-core"
        return (*self._jars, "2.1.0-rc1", "1.8.3", "2.0-preview1")

    def fetch(self, artifacts: Iterable[Artifact]) -> Mapping[Artifact, Path]:
        found = {}
        for artifact in artifacts:
            core, runtime = self._jars[artifact.version]
            content = core if artifact.project == "flink-core" else runtime
            if content is not None:
                found[artifact] = self._folder / artifact.file
                with zipfile.ZipFile(found[artifact], "w") as jar:
                    name = CORE if artifact.project == "flink-core" else RUNTIME
                    jar.writestr(zipfile.ZipInfo(name.replace(".", "/") + ".class"), content)
                    jar.writestr(zipfile.ZipInfo("other"), artifact.version)
        return found


def looked(
    tmp_path: Path,
    jars: Mapping[str, tuple[str, str | None]],
    known: KnownReleases = NOTHING,
) -> tuple[KnownReleases, list[str]]:
    said: list[str] = []
    shelf = Shelf(tmp_path, jars)
    looks = look_at(shelf, published(shelf), LINES, said.append)
    return merge(known, looks, LINES, TODAY), said


def test_releases_of_a_line_are_told_from_those_without_one(tmp_path: Path) -> None:
    known, said = looked(
        tmp_path,
        {
            "2.1.0": ("new", "frame"),
            "1.9.0": ("old", "frame"),
            "1.10.0": ("old", "frame"),
            "1.14.0": ("mid", "frame"),
            "2.0.0": ("new", "frame"),
        },
    )

    assert {each.version: each.classes for each in known.releases.values()} == {
        "1.9.0": "1.10.0",
        "1.10.0": "1.10.0",
        "1.14.0": "1.14.0",
        "2.0.0": "2.0.0",
        "2.1.0": "2.0.0",
    }
    assert list(known.releases) == ["1.9.0", "1.10.0", "1.14.0", "2.0.0", "2.1.0"]
    assert known.combinations["1.10.0"] == {CORE: checksum("old"), RUNTIME: checksum("frame")}
    assert known.releases["1.9.0"].jdks == (11,)
    assert set(known.releases["1.9.0"].jars) == {
        "flink-core-1.9.0.jar",
        "flink-runtime_2.11-1.9.0.jar",
    }
    assert "flink-runtime-1.14.0.jar" in known.releases["1.14.0"].jars
    assert all(not release.tested for release in known.releases.values())
    assert said[0] == "Looked at Flink 1.9.0"
    assert parse_releases(tomllib.loads(render(known))) == known


def test_a_name_once_given_stays_and_tests_stay(tmp_path: Path) -> None:
    jars: dict[str, tuple[str, str | None]] = {"1.9.0": ("old", "frame"), "2.0.0": ("new", "frame")}
    before, _ = looked(tmp_path, jars)
    tested = replace(before.releases["2.0.0"], tested={"codec suite": TODAY}, distribution=(PIN,))
    before = replace(before, releases={**before.releases, "2.0.0": tested})

    after, _ = looked(tmp_path, {**jars, "1.9.1": ("old", "frame")}, before)

    assert after.releases["1.9.1"].classes == "1.9.0"
    assert after.releases["2.0.0"].tested == {"codec suite": TODAY}
    assert after.releases["2.0.0"].distribution == (PIN,)
    assert parse_releases(tomllib.loads(render(after))) == after


def test_a_combination_that_became_a_line_is_no_longer_listed(tmp_path: Path) -> None:
    before, _ = looked(tmp_path, {"2.1.0": ("newer", "frame")})
    assert "2.1.0" in before.combinations
    newer = replace(LINES["2.0.0"], version="2.1.0", classes=dict(before.combinations["2.1.0"]))
    shelf = Shelf(tmp_path, {"2.1.0": ("newer", "frame")})
    lines = {**LINES, "2.1.0": newer}

    after = merge(before, look_at(shelf, ["2.1.0"], lines, print), lines, TODAY)

    assert after.releases["2.1.0"].classes == "2.1.0"
    assert after.combinations == {}

    older = {"2.0.5": replace(newer, version="2.0.5")}
    again = merge(before, [], older, TODAY)
    assert again.releases["2.1.0"].classes == "2.0.5"
    assert again.combinations == {}


def test_a_release_published_in_part_is_passed_over(tmp_path: Path) -> None:
    known, said = looked(tmp_path, {"1.13.4": ("old", None), "2.0.0": ("new", "frame")})
    assert list(known.releases) == ["2.0.0"]
    assert said[0] == (
        "Passed over Flink 1.13.4: Maven Central has no flink-runtime_2.11-1.13.4.jar"
    )


def test_another_jar_under_the_same_number_is_refused(tmp_path: Path) -> None:
    before, _ = looked(tmp_path, {"2.0.0": ("new", "frame")})
    with pytest.raises(BrokenData, match=r"flink-core-2\.0\.0\.jar has SHA-256"):
        looked(tmp_path, {"2.0.0": ("changed", "frame")}, before)


def test_a_damaged_jar_is_named(tmp_path: Path) -> None:
    class Broken(Shelf):
        def fetch(self, artifacts: Iterable[Artifact]) -> Mapping[Artifact, Path]:
            found = super().fetch(artifacts)
            for path in found.values():
                path.write_bytes(path.read_bytes()[:50])
            return found

    shelf = Broken(tmp_path, {"2.0.0": ("new", "frame")})
    with pytest.raises(BrokenData, match=r"flink-core-2\.0\.0\.jar is damaged"):
        look_at(shelf, ["2.0.0"], LINES, print)


def test_a_registry_that_names_nothing_is_a_problem(tmp_path: Path) -> None:
    class Empty(Shelf):
        def releases(self, project: str) -> tuple[str, ...]:
            del project
            return ()

    with pytest.raises(EnvironmentProblem, match="names no release"):
        published(Empty(tmp_path, {}))
