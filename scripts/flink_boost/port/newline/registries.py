"""What Maven Central and PyPI have of Flink: which releases, and their files, not pinned yet.

What is fetched is compared with the checksums of the registry, and nothing of it is run. Files go
to the places of the cache where the pinned downloads look for them.
"""

from __future__ import annotations

import re
import subprocess
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree as ET

from flink_boost.base.commands import run_captured
from flink_boost.base.errors import BrokenData, EnvironmentProblem
from flink_boost.flink.package_index import IndexFile, list_files
from flink_boost.flink.pinned_maven import maven_command

_GROUP = "org.apache.flink"
_PLUGIN_VERSION = "2.10"  # newer ones need parent POMs that are not published, see `distribution`
_COPY = f"org.apache.maven.plugins:maven-dependency-plugin:{_PLUGIN_VERSION}:copy"
_MAVEN_SECONDS = 900
_NEXT_STEP = "Check the network, then run the command again."

_MISSING = re.compile(
    rf"Could not find artifact {re.escape(_GROUP)}:([^:\s]+):(jar|pom):(?:([^:\s]+):)?([^:\s]+) in"
)


@dataclass(frozen=True)
class Artifact:
    """A file of Flink's on Maven Central; ``type`` is jar or pom."""

    project: str
    version: str
    classifier: str = ""
    type: str = "jar"

    @property
    def file(self) -> str:
        """Its file name."""
        classifier = f"-{self.classifier}" if self.classifier else ""
        return f"{self.project}-{self.version}{classifier}.{self.type}"

    @property
    def folder(self) -> str:
        """The folder of the cache that it belongs to."""
        if self.type == "pom":
            return "poms"
        return {"": "jars", "sources": "sources"}.get(self.classifier, "examples")


class Registries:
    """The real registries, with the machine's own settings of Maven and pip.

    Each starts Maven for a question once: what it said is kept as long as the object.
    """

    def __init__(self, cache: Path, maven_options: Sequence[str] = ()) -> None:
        self._cache = cache
        self._maven_options = tuple(maven_options)
        self._listed: dict[str, tuple[str, ...]] = {}
        self._missing: set[Artifact] = set()

    def releases(self, project: str) -> tuple[str, ...]:
        """All releases of an artefact on Maven Central; empty when there is none of that name.

        Raises ``EnvironmentProblem`` when Maven cannot ask.
        """
        if project not in self._listed:
            self._listed[project] = self._list(project)
        return self._listed[project]

    def _list(self, project: str) -> tuple[str, ...]:
        with tempfile.TemporaryDirectory() as folder:
            # Asking for the newest makes Maven fetch the list of all.
            wanted = f"-Dartifact={_GROUP}:{project}:LATEST:pom"
            done = self._maven(Path(folder), _COPY, wanted, f"-DoutputDirectory={folder}")
        place = self._cache / "m2" / _GROUP.replace(".", "/") / project
        lists = sorted(place.glob("maven-metadata-*.xml"))
        # A name that is not there is an answer, a registry that is not there is none.
        if done.returncode and ("LATEST" not in done.stdout or "transfer" in done.stdout):
            raise _maven_failed(f"list the releases of {project}", done.stdout)
        return tuple(dict.fromkeys(version for path in lists for version in _versions(path)))

    def fetch(self, artifacts: Iterable[Artifact]) -> Mapping[Artifact, Path]:
        """The files, those that Maven Central does not have left out.

        Raises ``BrokenData`` for a file that differs from the registry's own checksum,
        ``EnvironmentProblem`` when Maven cannot fetch.
        """
        wanted = list(artifacts)
        found = {each: path for each in wanted if (path := self._kept(each)).is_file()}
        missing = self._missing
        while left := [each for each in wanted if each not in found and each not in missing]:
            with tempfile.TemporaryDirectory(dir=self._make("jars"), prefix=".fetch-") as name:
                folder = Path(name)
                (folder / "pom.xml").write_text(_pom(left, folder), encoding="utf-8")
                done = self._maven(folder, _COPY)
                if done.returncode:
                    missing.add(_missing(done.stdout, left))
                    continue
                for each in left:
                    target = self._make(each.folder) / each.file
                    (folder / each.file).replace(target)
                    found[each] = target
        return found

    def files(self, project: str) -> list[IndexFile]:
        """What PyPI lists of a project; ``EnvironmentProblem`` when the index does not answer."""
        return list_files(project)

    def _kept(self, artifact: Artifact) -> Path:
        return self._cache / artifact.folder / artifact.file

    def _make(self, folder: str) -> Path:
        path = self._cache / folder
        path.mkdir(parents=True, exist_ok=True)
        return path

    def _maven(self, folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
        # -U: what was missing a while ago may have been published since.
        # A release that is not a line yet is not recorded; the plugin that fetches it is.
        command = [*maven_command(self._cache, mode="known"), *self._maven_options]
        return run_captured([*command, "-U", *arguments], _MAVEN_SECONDS, folder=folder)


def _pom(artifacts: Iterable[Artifact], folder: Path) -> str:
    """A project that does nothing but copy these jars to a folder."""
    project = ET.Element("project", xmlns="http://maven.apache.org/POM/4.0.0")
    for tag, text in {
        "modelVersion": "4.0.0",
        "groupId": "org.flinkboost",
        "artifactId": "fetched",
        "version": "1",
        "packaging": "pom",
    }.items():
        ET.SubElement(project, tag).text = text
    plugins = ET.SubElement(ET.SubElement(project, "build"), "plugins")
    plugin = ET.SubElement(plugins, "plugin")
    ET.SubElement(plugin, "artifactId").text = "maven-dependency-plugin"
    ET.SubElement(plugin, "version").text = _PLUGIN_VERSION
    configuration = ET.SubElement(plugin, "configuration")
    ET.SubElement(configuration, "outputDirectory").text = str(folder)
    items = ET.SubElement(configuration, "artifactItems")
    for each in artifacts:
        item = ET.SubElement(items, "artifactItem")
        ET.SubElement(item, "groupId").text = _GROUP
        ET.SubElement(item, "artifactId").text = each.project
        ET.SubElement(item, "version").text = each.version
        ET.SubElement(item, "type").text = each.type
        if each.classifier:
            ET.SubElement(item, "classifier").text = each.classifier
    return ET.tostring(project, encoding="unicode")


def _missing(output: str, wanted: Sequence[Artifact]) -> Artifact:
    """The artefact that Maven says is not there; any other failure is raised."""
    found = _MISSING.search(output)
    if found is not None:
        missing = Artifact(found[1], found[4], found[3] or "", found[2])
        if missing in wanted:
            return missing
    names = ", ".join(each.file for each in wanted)
    if "hecksum validation failed" in output:
        raise BrokenData(
            f"A file among {names} differs from the checksum that Maven Central gives for it.",
            "Run the command again; if that fails too, do not trust the source.",
        )
    raise _maven_failed(f"fetch {names}", output)


def _maven_failed(purpose: str, output: str) -> EnvironmentProblem:
    errors = [line for line in output.splitlines() if "ERROR" in line]
    return EnvironmentProblem(
        f"Maven could not {purpose} ({(errors or ['no output'])[0][:400]}).", _NEXT_STEP
    )


def _versions(metadata: Path) -> list[str]:
    try:
        root = ET.parse(metadata).getroot()  # noqa: S314 - Maven has verified it
    except ET.ParseError as error:
        raise BrokenData(f"{metadata} is damaged ({error}).", "Delete it and try again.") from error
    return [element.text or "" for element in root.iterfind("versioning/versions/version")]
