"""The class path of a release's own tests, from the POM that Flink published with the module.

A line has a POM of ours, in ``scripts/flink-tests``. For every other release Flink's own says what
its tests need; some of it was never published for the release, or is not on Maven Central, and is
replaced by what is nearest.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from xml.etree import ElementTree as ET

from flink_boost.base.errors import BrokenData
from flink_boost.base.files import make_folder, write_durably
from flink_boost.flink.versions import version_key

GROUP = "org.apache.flink"
_MAVEN = "http://maven.apache.org/POM/4.0.0"
_NAMESPACE = {"m": _MAVEN}
# What Flink's parent asks for in its own version, although not every release publishes it.
_MANAGED = "flink-architecture-tests-base"
# The build of Jackson that Flink names from 2.1 on is not on Maven Central.
_JACKSON = {"jackson-mapper-asl": "1.9.13", "jackson-core-asl": "1.9.13"}
# Before 1.20 Flink's parent names no JUnit 5, or one whose launcher lacks what we ask of it.
_OWN_JUNIT = "1.20.0"
_LAUNCHER = {"platform.junit-platform-console": "1.11.4", "vintage.junit-vintage-engine": "5.11.4"}
_BOM = ("org.junit", "junit-bom", "5.11.4")
_DROPPED = ("build", "profiles", "reporting", "repositories", "pluginRepositories")


# Answers which version of one of Flink's projects there is for a release: its own if it is
# published, else the nearest; empty when there is none.
Versions = Callable[[str], str]


def projects_of(pom: str, version: str) -> list[str]:
    """Flink's own projects that the POM names in the release's version."""
    root = _parsed(pom)
    found = [each for each in _dependencies(root) if _is_flinks(each, version)]
    return list(dict.fromkeys([*(_text(each, "artifactId") for each in found), _MANAGED]))


def shaded_by(pom: str) -> dict[str, str]:
    """The libraries that Flink has shaded for itself and a module needs: version by project."""
    found = [each for each in _dependencies(_parsed(pom)) if _text(each, "scope") != "test"]
    return {
        _text(each, "artifactId"): _text(each, "version")
        for each in found
        if _text(each, "artifactId").startswith("flink-shaded-")
    }


def parent_of(pom: str) -> tuple[str, str] | None:
    """Project and version of the POM's parent, if that is one of Flink's."""
    found = _parsed(pom).find("m:parent", _NAMESPACE)
    if found is None or _text(found, "groupId") != GROUP:
        return None
    return _text(found, "artifactId"), _text(found, "version")


def class_path_pom(pom: str, module: str, version: str, versions: Versions) -> str:
    """A POM with the module, its test jar, what its own POM names, and JUnit's launcher.

    ``module`` is the artefact, such as ``flink-runtime_2.11``. Raises ``BrokenData`` for a POM that
    is not one.
    """
    root = _parsed(pom)
    for name in _DROPPED:
        for element in root.findall(f"m:{name}", _NAMESPACE):
            root.remove(element)
    _child(root, "artifactId").text = f"tests-of-{module}"
    _child(root, "packaging").text = "jar"
    dependencies = _child(root, "dependencies")
    _correct(dependencies, version, versions)
    _add(dependencies, GROUP, module, version)
    _add(dependencies, GROUP, module, version, type="test-jar")
    before = version_key(version) < version_key(_OWN_JUNIT)
    for name, number in _LAUNCHER.items():
        part, _, project = name.partition(".")
        _add(dependencies, f"org.junit.{part}", project, number if before else "")
    managed = _child(_child(root, "dependencyManagement"), "dependencies")
    if before:
        _add(managed, *_BOM, type="pom", scope="import")
    for project, number in _JACKSON.items():
        _add(managed, "org.codehaus.jackson", project, number)
    if nearest := versions(_MANAGED):
        _add(managed, GROUP, _MANAGED, nearest)
    ET.register_namespace("", _MAVEN)
    return ET.tostring(root, encoding="unicode")


def write_class_path_pom(
    pom: Path,
    module: str,
    version: str,
    folder: Path,
    known: Callable[[list[str]], Versions],
) -> None:
    """Writes ``flink-<version>.xml`` into the folder, only when it changes."""
    text = pom.read_text(encoding="utf-8")
    made = class_path_pom(text, module, version, known(projects_of(text, version)))
    target = folder / f"flink-{version}.xml"
    make_folder(folder)
    if not target.is_file() or target.read_text(encoding="utf-8") != made:
        write_durably(target, made)


def _correct(dependencies: ET.Element, version: str, versions: Versions) -> None:
    """Takes what can be had, and lets Maven's shade plugin exclude nothing that tests need."""
    for each in list(dependencies):
        excluded = each.find("m:exclusions", _NAMESPACE)
        if _text(each, "scope") == "test" and excluded is not None:
            each.remove(excluded)
        if _is_flinks(each, version):
            nearest = versions(_text(each, "artifactId"))
            if nearest:
                _child(each, "version").text = nearest
            else:
                dependencies.remove(each)


def _parsed(pom: str) -> ET.Element:
    try:
        return ET.fromstring(pom)  # noqa: S314 - Maven has verified it
    except ET.ParseError as error:
        raise BrokenData(
            f"A published POM is damaged ({error}).", "Delete it from .cache/poms and try again."
        ) from error


def _dependencies(root: ET.Element) -> Iterator[ET.Element]:
    yield from root.iterfind("m:dependencies/m:dependency", _NAMESPACE)


def _is_flinks(dependency: ET.Element, version: str) -> bool:
    own = (version, "${project.version}")
    return _text(dependency, "groupId") == GROUP and _text(dependency, "version") in own


def _text(element: ET.Element, name: str) -> str:
    return (element.findtext(f"m:{name}", "", _NAMESPACE)).strip()


def _child(parent: ET.Element, name: str) -> ET.Element:
    found = parent.find(f"m:{name}", _NAMESPACE)
    return ET.SubElement(parent, f"{{{_MAVEN}}}{name}") if found is None else found


def _add(parent: ET.Element, group: str, project: str, version: str, **more: str) -> None:
    element = ET.SubElement(parent, f"{{{_MAVEN}}}dependency")
    words = {"groupId": group, "artifactId": project, "version": version, **more}
    for name, text in words.items():
        if text:
            ET.SubElement(element, f"{{{_MAVEN}}}{name}").text = text
