"""The class path of a release's own tests, made from the POM that Flink published."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import cast
from xml.etree import ElementTree as ET

import pytest

from flink_boost.base.errors import BrokenData, UsageProblem
from flink_boost.flink.lines import load_lines
from flink_boost.flink.package_index import IndexFile
from flink_boost.flink.releases import load_releases
from flink_boost.port.flinktests import ofrelease, published
from flink_boost.port.flinktests.ofrelease import _versions, as_line, jars_beside
from flink_boost.port.flinktests.published import (
    class_path_pom,
    projects_of,
    shaded_by,
    write_class_path_pom,
)
from flink_boost.port.flinktests.test_plan import for_release, load_catalogue, present
from flink_boost.port.newline.look import Source
from flink_boost.port.newline.registries import Artifact

POM = """\
<project xmlns="http://maven.apache.org/POM/4.0.0">
  <parent><groupId>org.apache.flink</groupId><artifactId>flink-parent</artifactId>
    <version>{0}</version></parent>
  <modelVersion>4.0.0</modelVersion>
  <artifactId>flink-core</artifactId>
  <build><plugins><plugin><artifactId>of-flinks-build</artifactId></plugin></plugins></build>
  <profiles><profile><id>its</id></profile></profiles>
  <dependencies>
    <dependency><groupId>org.apache.flink</groupId><artifactId>flink-annotations</artifactId>
      <version>{0}</version></dependency>
    <dependency><groupId>org.apache.flink</groupId><artifactId>flink-migration-test-utils</artifactId>
      <version>${{project.version}}</version><scope>test</scope></dependency>
    <dependency><groupId>org.apache.flink</groupId><artifactId>flink-never</artifactId>
      <version>{0}</version><scope>test</scope></dependency>
    <dependency><groupId>org.apache.flink</groupId><artifactId>flink-shaded-guava</artifactId>
      <version>31.1-17.0</version></dependency>
    <dependency><groupId>org.mockito</groupId><artifactId>mockito-core</artifactId>
      <version>3.4.6</version><scope>test</scope><exclusions><exclusion>
      <groupId>net.bytebuddy</groupId><artifactId>byte-buddy</artifactId>
      </exclusion></exclusions></dependency>
    <dependency><groupId>com.esotericsoftware.kryo</groupId><artifactId>kryo</artifactId>
      <version>2.24.0</version><exclusions><exclusion>
      <groupId>a</groupId><artifactId>b</artifactId></exclusion></exclusions></dependency>
  </dependencies>
</project>
"""
NAMES = {"m": "http://maven.apache.org/POM/4.0.0"}


def nearest(project: str) -> str:
    return {"flink-annotations": "1.19.2", "flink-never": ""}.get(project, "1.19.0")


def made(version: str) -> ET.Element:
    text = class_path_pom(POM.format(version), "flink-core", version, nearest)
    return ET.fromstring(text)  # noqa: S314 - made just now


def versions(root: ET.Element, place: str = "") -> dict[str, str]:
    found = root.iterfind(f"{place}m:dependencies/m:dependency", NAMES)
    return {
        each.findtext("m:artifactId", "", NAMES)
        + each.findtext("m:type", "", NAMES).replace("test-jar", ":tests").replace("pom", ""): (
            each.findtext("m:version", "", NAMES)
        )
        for each in found
    }


def test_flinks_projects_of_the_release_are_those_to_look_for() -> None:
    assert projects_of(POM.format("1.19.2"), "1.19.2") == [
        *("flink-annotations", "flink-migration-test-utils", "flink-never"),
        "flink-architecture-tests-base",
    ]


def test_shaded_libraries_are_found_with_their_own_version() -> None:
    assert shaded_by(POM.format("1.19.2")) == {"flink-shaded-guava": "31.1-17.0"}


@pytest.mark.parametrize(("version", "of_scala"), [("1.13.6", 2), ("1.14.0", 0)])
def test_a_release_whose_runtime_is_one_of_scalas_needs_its_side_of_kryo(
    version: str, of_scala: int, tmp_path: Path
) -> None:
    class Published:
        def fetch(self, artifacts: Iterable[Artifact]) -> dict[Artifact, Path]:
            found = {each: tmp_path / each.file for each in artifacts}
            for file in found.values():
                file.write_text(POM.format(version), encoding="utf-8")
            return found

    source = cast("Source", Published())
    shaded, *more = jars_beside(version, source, tmp_path / "cache")
    assert shaded.name == "flink-shaded-guava-31.1-17.0.jar"
    assert len(more) == of_scala
    assert all(jar.is_relative_to(tmp_path / "cache" / "m2") for jar in more)


def test_what_was_not_published_is_taken_from_the_nearest_release_or_left_out() -> None:
    found = versions(made("1.19.2"))
    assert found["flink-annotations"] == "1.19.2"
    assert found["flink-migration-test-utils"] == "1.19.0"
    assert "flink-never" not in found
    assert found["flink-shaded-guava"] == "31.1-17.0"
    assert found["flink-core"] == found["flink-core:tests"] == "1.19.2"


class PartlyPublished:
    """POMs by project and version, each with the parent that it names."""

    def __init__(self, folder: Path, parents: dict[tuple[str, str], str]) -> None:
        self.folder, self.parents = folder, parents

    def releases(self, project: str) -> tuple[str, ...]:
        return tuple(version for name, version in self.parents if name == project)

    def fetch(self, artifacts: Iterable[Artifact]) -> dict[Artifact, Path]:
        return {
            each: self._pom(each, self.parents[key])
            for each in artifacts
            if (key := (each.project, each.version)) in self.parents
        }

    def files(self, project: str) -> Iterable[IndexFile]:
        raise AssertionError(f"nobody asks for packages of {project}")

    def _pom(self, artifact: Artifact, parent: str) -> Path:
        file = self.folder / artifact.file
        group = "org.apache" if parent == "apache" else "org.apache.flink"
        named = f"<groupId>{group}</groupId><artifactId>{parent}</artifactId>"
        head = f"<parent>{named}<version>{artifact.version}</version></parent>" if parent else ""
        file.write_text(f'<project xmlns="{NAMES["m"]}">{head}</project>', encoding="utf-8")
        return file


def test_a_project_whose_parent_was_not_published_is_none_that_can_be_taken(
    tmp_path: Path,
) -> None:
    source = PartlyPublished(
        tmp_path,
        {
            # As it is on Maven Central: of 2.2.0 the parent is missing.
            ("flink-architecture-tests-test", "2.2.0"): "flink-architecture-tests",
            ("flink-architecture-tests-test", "2.3.0"): "flink-architecture-tests",
            ("flink-architecture-tests", "2.3.0"): "flink-parent",
            ("flink-parent", "2.3.0"): "apache",
            ("flink-parent", "2.2.1"): "apache",
            ("flink-annotations", "2.2.1"): "flink-parent",
        },
    )
    projects = ["flink-architecture-tests-test", "flink-annotations", "flink-never"]
    found = _versions("2.2.1", projects, source)
    assert [found(project) for project in projects] == ["2.3.0", "2.2.1", ""]


def test_a_class_path_that_other_code_made_is_asked_for_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = PartlyPublished(
        tmp_path, {("flink-core", "2.2.1"): "apache", ("flink-runtime", "2.2.1"): "apache"}
    )
    _, own = as_line("2.2.1", load_releases(), load_lines())
    asked: list[Path] = []
    monkeypatch.setattr(ofrelease, "ensure_tests", lambda *given, **_: asked.append(given[3]))

    def folders() -> list[Path]:
        asked.clear()
        ofrelease.tests_of_release(own, source, tmp_path)
        return list(asked)

    before = folders()
    assert all((folder / "flink-2.2.1.xml").is_file() for folder in before)
    assert folders() == before
    changed = tmp_path / "published.py"
    changed.write_text("_JACKSON = {}")
    monkeypatch.setattr(published, "__file__", str(changed))
    assert not set(folders()) & set(before)


def test_nothing_of_flinks_build_runs_and_tests_get_what_shading_left_out() -> None:
    root = made("1.19.2")
    assert root.findtext("m:artifactId", "", NAMES) == "tests-of-flink-core"
    assert root.find("m:build", NAMES) is None
    assert root.find("m:profiles", NAMES) is None
    kept = [
        each.findtext("m:artifactId", "", NAMES)
        for each in root.iterfind("m:dependencies/m:dependency", NAMES)
        if each.find("m:exclusions", NAMES) is not None
    ]
    assert kept == ["kryo"]


@pytest.mark.parametrize(("version", "launcher"), [("1.19.2", "1.11.4"), ("1.20.1", "")])
def test_the_launcher_is_ours_where_flinks_own_is_too_old(version: str, launcher: str) -> None:
    root = made(version)
    assert versions(root)["junit-platform-console"] == launcher
    managed = versions(root, "m:dependencyManagement/")
    assert ("junit-bom" in managed) is bool(launcher)
    assert managed["flink-architecture-tests-base"] == "1.19.0"


def test_a_pom_is_written_once_and_a_damaged_one_named(tmp_path: Path) -> None:
    file = tmp_path / "flink-core.pom"
    file.write_text(POM.format("1.19.2"))
    asked: list[list[str]] = []

    def known(projects: list[str]) -> object:
        asked.append(projects)
        return nearest

    call = (file, "flink-core", "1.19.2", tmp_path / "poms", known)
    write_class_path_pom(*call)  # type: ignore[arg-type]
    (written,) = (tmp_path / "poms").iterdir()
    before = written.stat().st_mtime_ns
    write_class_path_pom(*call)  # type: ignore[arg-type]
    assert written.stat().st_mtime_ns == before
    assert len(asked) == 2
    file.write_text("<project")
    with pytest.raises(BrokenData, match="published POM is damaged"):
        write_class_path_pom(*call)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("version", "line", "suffix"),
    [("1.13.2", "1.17.0", "_2.11"), ("1.14.0", "1.17.0", ""), ("2.2.0", "2.2.1", "")],
)
def test_a_release_has_the_jar_of_its_line_and_its_own_artefacts(
    version: str, line: str, suffix: str
) -> None:
    jars, own = as_line(version, load_releases(), load_lines())
    assert (jars.version, own.version, own.artifact_suffix) == (line, version, suffix)
    with pytest.raises(UsageProblem, match=r"no jar for Flink 9\.9\.9"):
        as_line("9.9.9", load_releases(), load_lines())


def test_a_release_takes_the_settings_of_its_model_and_only_patterns_it_has() -> None:
    catalogue = for_release(load_catalogue(), "1.14.4", ("core", "runtime"))
    assert set(catalogue.lines["1.14.4"]) == {"core", "runtime"}
    assert catalogue.lines["1.14.4"]["core"] == catalogue.lines["1.9.3"]["core"]
    assert catalogue.lines["2.3.0"] == load_catalogue().lines["2.3.0"]
    names = {"core": ["org.apache.flink.types.RowTest", "org.apache.flink.core.memory.ATest"]}
    chosen = present(catalogue, names)
    assert set(chosen.selection["core"]) == {"core.memory.*", "types.RowTest"}
    assert chosen.selection["runtime"] == ()
    with pytest.raises(UsageProblem, match="no model"):
        for_release(load_catalogue(), "1.8.0", ("core",))
