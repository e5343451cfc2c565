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
from flink_boost.flink.classes import ClassLock, PatchedClass, parse_lock
from flink_boost.flink.lines import Line, PinnedFile, load_lines
from flink_boost.flink.releases import KnownReleases, parse_releases
from flink_boost.flink.switches import STRINGS
from flink_boost.port.newline.equal import with_equal
from flink_boost.port.newline.look import look_at, merge, published, render
from flink_boost.port.newline.registries import Artifact
from flink_boost.port.newline.rows import Looked

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
PATCHED = {
    name: PatchedClass(name, jar, STRINGS)
    for name, jar in ((CORE, "flink-core"), (RUNTIME, "flink-runtime"))
}
NOTHING = KnownReleases(
    {},
    {"1.9.0": (11,), "2.0.0": (17, 21)},
    ClassLock({}).having("2.0.0", LINES["2.0.0"].classes),
)


def written(known: KnownReleases) -> KnownReleases:
    """What there is to read of it in the files that are written."""
    lock = parse_lock(tomllib.loads(known.lock.render()))
    return parse_releases(tomllib.loads(render(known)), lock)


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
    looks = look_at(shelf, published(shelf), PATCHED.values(), said.append)
    return merge(known, looks, LINES, PATCHED, TODAY), said


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
    assert known.lock.of("1.9.0") == {CORE: checksum("old"), RUNTIME: checksum("frame")}
    assert known.lock.of("1.9.0") == known.lock.of("1.10.0")
    assert known.releases["1.9.0"].jdks == (11,)
    assert set(known.releases["1.9.0"].jars) == {
        "flink-core-1.9.0.jar",
        "flink-runtime_2.11-1.9.0.jar",
    }
    assert "flink-runtime-1.14.0.jar" in known.releases["1.14.0"].jars
    assert all(not release.tested for release in known.releases.values())
    assert said[0] == "Looked at Flink 1.9.0"
    assert written(known).releases == known.releases
    assert written(known).lock.render() == known.lock.render()


def test_a_name_once_given_stays_and_tests_stay(tmp_path: Path) -> None:
    jars: dict[str, tuple[str, str | None]] = {"1.9.0": ("old", "frame"), "2.0.0": ("new", "frame")}
    before, _ = looked(tmp_path, jars)
    tested = replace(before.releases["2.0.0"], tested={"codec suite": TODAY}, distribution=(PIN,))
    before = replace(before, releases={**before.releases, "2.0.0": tested})

    after, _ = looked(tmp_path, {**jars, "1.9.1": ("old", "frame")}, before)

    assert after.releases["1.9.1"].classes == "1.9.0"
    assert after.releases["2.0.0"].tested == {"codec suite": TODAY}
    assert after.releases["2.0.0"].distribution == (PIN,)
    assert written(after).releases == after.releases


def test_a_combination_that_became_a_line_is_no_longer_listed(tmp_path: Path) -> None:
    before, _ = looked(tmp_path, {"2.1.0": ("newer", "frame")})
    assert before.releases["2.1.0"].classes == "2.1.0"
    newer = replace(LINES["2.0.0"], version="2.1.0", classes=before.lock.of("2.1.0"))
    shelf = Shelf(tmp_path, {"2.1.0": ("newer", "frame")})
    lines = {**LINES, "2.1.0": newer}

    looks = look_at(shelf, ["2.1.0"], PATCHED.values(), print)
    after = merge(before, looks, lines, PATCHED, TODAY)

    assert after.releases["2.1.0"].classes == "2.1.0"

    older = {"2.0.5": replace(newer, version="2.0.5")}
    tested = replace(before.releases["2.1.0"], tested={"codec suite": TODAY})
    with_its_files = replace(
        before,
        lock=before.lock.having("2.0.5", newer.classes),
        releases={**before.releases, "2.1.0": tested},
    )
    again = merge(with_its_files, [], older, PATCHED, TODAY)
    assert again.releases["2.1.0"].classes == "2.0.5"
    # What passed did so without that jar.
    assert again.releases["2.1.0"].tested == {}
    moved = merge(with_its_files, looks, older, PATCHED, TODAY)
    assert (moved.releases["2.1.0"].classes, moved.releases["2.1.0"].tested) == ("2.0.5", {})


def test_a_class_that_is_patched_since_a_moment_ago_splits_what_was_one_line(
    tmp_path: Path,
) -> None:
    jars: dict[str, tuple[str, str | None]] = {"2.0.0": ("new", "frame"), "2.0.1": ("new", "other")}
    shelf = Shelf(tmp_path, jars)
    core = {CORE: PATCHED[CORE]}
    lines = {"2.0.0": replace(LINES["2.0.0"], classes={CORE: checksum("new")})}
    before = merge(NOTHING, look_at(shelf, [*jars], core.values(), print), lines, core, TODAY)
    assert {each.classes for each in before.releases.values()} == {"2.0.0"}
    assert list(before.lock.groups) == [CORE]
    assert before.has_all("2.0.1", core.values())
    assert not before.has_all("2.0.1", PATCHED.values())

    after = merge(before, look_at(shelf, [*jars], PATCHED.values(), print), lines, PATCHED, TODAY)

    assert {each.version: each.classes for each in after.releases.values()} == {
        "2.0.0": "2.0.0",
        "2.0.1": "2.0.1",
    }


def test_a_class_is_looked_for_in_the_releases_that_are_said_to_have_it(tmp_path: Path) -> None:
    shelf = Shelf(tmp_path, dict.fromkeys(("1.19.3", "1.20.0", "2.0.0"), ("new", "frame")))
    some = [replace(PATCHED[CORE], since="1.20", until="1.20"), PATCHED[RUNTIME]]
    looks = look_at(shelf, ["1.19.3", "1.20.0", "2.0.0"], some, print)
    assert [list(look.classes) for look in looks] == [[RUNTIME], [CORE, RUNTIME], [RUNTIME]]


def test_a_class_of_another_family_splits_no_line(tmp_path: Path) -> None:
    jars: dict[str, tuple[str, str | None]] = {
        "1.14.0": ("mid", "frame"),
        "1.14.1": ("mid", "other"),
        "2.0.0": ("new", "frame"),
        "2.0.1": ("new", "other"),
    }
    patched = {**PATCHED, RUNTIME: replace(PATCHED[RUNTIME], family="records")}
    shelf = Shelf(tmp_path, jars)

    known = merge(NOTHING, look_at(shelf, [*jars], patched.values(), print), LINES, patched, TODAY)

    assert {each.version: each.classes for each in known.releases.values()} == {
        "1.14.0": "1.14.1",
        "1.14.1": "1.14.1",
        "2.0.0": "2.0.0",
        "2.0.1": "2.0.0",
    }
    assert known.lock.of("2.0.1")[RUNTIME] != known.lock.of("2.0.0")[RUNTIME]


def test_a_release_whose_class_files_do_the_same_gets_the_jar_of_the_line(tmp_path: Path) -> None:
    """Here such files are equal but for a dot at the end."""
    jars: dict[str, tuple[str, str | None]] = {
        "2.0.0": ("new", "frame"),
        "2.0.1": ("new.", "frame"),
        "2.1.0": ("newer.", "frame"),
        "2.1.1": ("newer", "frame"),
    }
    shelf = Shelf(tmp_path, jars)
    compared: list[tuple[bytes, bytes]] = []

    def compare(first: bytes, second: bytes) -> bool:
        compared.append((first, second))
        return first.rstrip(b".") == second.rstrip(b".")

    looked = Looked(tuple(look_at(shelf, [*jars], PATCHED.values(), print)), {})
    looked = with_equal(looked, NOTHING.lock, shelf, compare)
    known = merge(NOTHING, looked.looks, LINES, PATCHED, TODAY, looked.equal)

    assert {each.version: each.classes for each in known.releases.values()} == {
        "2.0.0": "2.0.0",
        "2.0.1": "2.0.0",
        "2.1.0": "2.1.1",
        "2.1.1": "2.1.1",
    }
    assert [len(group) for group in known.lock.groups[CORE]] == [2, 2]
    assert known.lock.equal(CORE, checksum("new.")) == {checksum("new"), checksum("new.")}
    assert (b"frame", b"frame") not in compared
    assert known.lock.render() == written(known).lock.render()


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
        look_at(shelf, ["2.0.0"], PATCHED.values(), print)


def test_a_registry_that_names_nothing_is_a_problem(tmp_path: Path) -> None:
    class Empty(Shelf):
        def releases(self, project: str) -> tuple[str, ...]:
            del project
            return ()

    with pytest.raises(EnvironmentProblem, match="names no release"):
        published(Empty(tmp_path, {}))


class TwoPlaces(Shelf):
    """The made-up jars, a third one for some releases on Maven Central, for others elsewhere."""

    def __init__(self, folder: Path, central: set[str], distributions: set[str]) -> None:
        every = ("new", "frame")
        super().__init__(folder, {"1.9.0": every, "2.0.0": every, "2.1.0": every})
        self._central, self._distributions = central, distributions

    def fetch(self, artifacts: Iterable[Artifact]) -> Mapping[Artifact, Path]:
        wanted = list(artifacts)
        found = dict(super().fetch(each for each in wanted if each.project != "flink-rows"))
        for each in wanted:
            if each.project == "flink-rows" and each.version in self._central:
                found[each] = self._rows(self._folder, each.file)
        return found

    def elsewhere(self, version: str, artefact: str) -> Path | None:
        assert artefact == "flink-rows"
        lib = self._folder / version / "lib"
        return self._rows(lib, "rows.jar") if version in self._distributions else None

    def _rows(self, folder: Path, name: str) -> Path:
        folder.mkdir(parents=True, exist_ok=True)
        with zipfile.ZipFile(folder / name, "w") as jar:
            jar.writestr(zipfile.ZipInfo("a/Row.class"), "row")
        return folder / name


def test_a_class_of_a_third_jar_is_looked_for_where_it_is(tmp_path: Path) -> None:
    rows = PatchedClass("a.Row", "flink-rows", "records", since="2")
    patched = {**PATCHED, rows.name: rows}
    shelf = TwoPlaces(tmp_path, {"2.0.0"}, {"1.9.0", "2.1.0"})
    said: list[str] = []
    looks = look_at(
        shelf, published(shelf), patched.values(), said.append, elsewhere=shelf.elsewhere
    )

    known = merge(NOTHING, looks, LINES, patched, TODAY)
    assert "a.Row" not in known.lock.of("1.9.0")
    for version, jar in (("2.0.0", "flink-rows-2.0.0.jar"), ("2.1.0", "lib/rows.jar")):
        assert known.lock.of(version)["a.Row"] == checksum("row")
        assert len(known.releases[version].jars) == 3
        assert jar in known.releases[version].jars
    assert written(known).releases == known.releases
    assert not [sentence for sentence in said if "no " in sentence]


def test_a_third_jar_that_is_nowhere_leaves_its_classes_unknown(tmp_path: Path) -> None:
    rows = PatchedClass("a.Row", "flink-rows", "records", since="2")
    patched = {**PATCHED, rows.name: rows}
    said: list[str] = []
    (look,) = look_at(TwoPlaces(tmp_path, set(), set()), ["2.1.0"], patched.values(), said.append)
    assert look.classes == {CORE: checksum("new"), RUNTIME: checksum("frame")}
    assert said == [
        "Found no flink-rows-2.1.0.jar: its classes stay unknown",
        "Looked at Flink 2.1.0",
    ]
