"""Registries that are folders, whose jars are parts of real ones, and ``line add`` with them."""

from __future__ import annotations

import io
import tarfile
import zipfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from types import MappingProxyType

import tomlkit
from installations import everything_in, flink_boost
from own_flinks import classes_around, compiled, entries_of

from flink_boost.base.files import sha256
from flink_boost.base.places import PROJECT_ROOT
from flink_boost.flink.distribution import ensure_distribution
from flink_boost.flink.downloads import CACHE
from flink_boost.flink.lines import Line, load_lines
from flink_boost.flink.package_index import IndexFile
from flink_boost.flink.releases import Release, load_releases
from flink_boost.port.newline.line_files import projects_of_tests
from flink_boost.port.newline.registries import Artifact

NEW = "2.2.9"
LINES = ("1.9.3", "1.20.5", "2.3.0")
MODEL = load_lines()["2.3.0"]
CONFIG = """\
FLINK_CONF_DIR="$(dirname "$0")/../conf"
YAML_CONF="parallelism.default: 1"
readFromConfig() { echo "$2"; }
constructFlinkClassPath() { echo "{dist}"; }
JAVA_RUN="$JAVA_HOME/bin/java"
FLINK_ENV_JAVA_OPTS="-XX:+IgnoreUnrecognizedVMOptions {opens} --add-exports=a.b/c=ALL-UNNAMED -Dx=y"
"""
OPENS = "--add-opens=java.base/java.lang=ALL-UNNAMED"
# What the class path of Flink's own tests needs and the release did not publish.
MISSING = ("flink-architecture-tests-test", "flink-architecture-tests-base")
# By class the text that is replaced in its source, and by what.
Changes = Mapping[str, tuple[str, str]]


def jar_of_line(artifact: Artifact) -> Path | None:
    """An official jar of a line, with whose class files new ones are compared."""
    if artifact.version not in LINES or (artifact.classifier, artifact.type) != ("", "jar"):
        return None
    jar = CACHE / "m2/org/apache/flink" / artifact.project / artifact.version / artifact.file
    return jar if jar.is_file() else None


@cache
def class_files(version: str) -> dict[str, bytes]:
    """The class files that we patch, out of the official jars."""
    line = load_lines()[version]
    found = {}
    for name in line.jars:
        project = name.removesuffix(f"-{line.version}.jar")
        jar = CACHE / "m2/org/apache/flink" / project / line.version / name
        with zipfile.ZipFile(jar) as archive:
            members = {each.replace(".", "/") + ".class" for each in line.classes}
            found |= {each: archive.read(each) for each in members & set(archive.namelist())}
    return found


@cache
def rebuilt_classes(folder: Path, changes: tuple[tuple[str, str, str], ...]) -> dict[str, bytes]:
    """The default line's, compiled anew without numbers of lines, with these changes."""
    texts = {name: (old, new) for name, old, new in changes}
    place = folder / str(abs(hash(changes)))
    return entries_of(compiled(place, MODEL.classes, changes=texts))


def write_jar(path: Path, content: Mapping[str, bytes | str]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    # It may be a link into the real cache.
    path.unlink(missing_ok=True)
    with zipfile.ZipFile(path, "w") as jar:
        for name, data in content.items():
            jar.writestr(name, data)
    return path


@dataclass
class Shelf:
    """Registries that are a folder: what lies there is published."""

    cache: Path
    made: Path
    artifacts: dict[Artifact, Path] = field(default_factory=dict)
    packages: dict[str, Path] = field(default_factory=dict)

    def releases(self, project: str) -> tuple[str, ...]:
        return (
            *("0.9.0-milestone-1", "2.0-preview1", "1.9.3", "2.3.0"),
            *sorted({each.version for each in self.artifacts if each.project == project}),
        )

    def fetch(self, artifacts: Iterable[Artifact]) -> dict[Artifact, Path]:
        found = {each: self.artifacts.get(each) or jar_of_line(each) for each in artifacts}
        return {each: path for each, path in found.items() if path is not None}

    def files(self, project: str) -> list[IndexFile]:
        path = self.packages.get(project)
        return [] if path is None else [IndexFile(path.name, "", sha256(path))]

    def publish(
        self,
        *,
        version: str = NEW,
        model: str = MODEL.version,
        changes: Changes | None = None,
    ) -> None:
        """A release whose code is that of a line; with ``changes`` it was compiled anew."""
        binary = class_files(model)
        if changes is not None:
            listed = tuple((name, *words) for name, words in changes.items())
            binary = rebuilt_classes(self.made, listed)
        for project in ("flink-core", "flink-runtime"):
            runtime = project == "flink-runtime"
            members = {n: data for n, data in binary.items() if ("runtime" in n) == runtime}
            for classifier, content in (("", members), ("sources", {})):
                artifact = Artifact(project, version, classifier)
                path = self.cache / artifact.folder / artifact.file
                self.artifacts[artifact] = write_jar(path, content)
        for project in projects_of_tests(PROJECT_ROOT, MODEL.version):
            if project not in MISSING:
                pom = Artifact(project, version, type="pom")
                self.artifacts[pom] = self.cache / pom.folder / pom.file
        example = Artifact("flink-examples-streaming", "2.3.0", "WordCount")
        path = self.cache / example.folder / example.file
        self.artifacts[example] = write_jar(path, {"job": ""})
        # What is compared has to have all that our patches link to.
        compared = changes is not None or model != MODEL.version
        around = {**classes_around(load_lines()[model]), **binary} if compared else {}
        wheel = self.cache / "downloads" / f"apache_flink-{version}-py3-none-any.whl"
        self.packages["apache-flink"] = write_jar(wheel, distribution(version, around))
        libraries = wheel.with_name(f"apache_flink_libraries-{version}.tar.gz")
        tarfile.open(libraries, "w:gz").close()
        self.packages["apache-flink-libraries"] = libraries


def distribution(
    version: str, classes: Mapping[str, bytes] = MappingProxyType({}), opens: str = OPENS
) -> dict[str, bytes | str]:
    """The least that Flink's own scripts are; all else is where the default line has it."""
    (dist,) = (ensure_distribution(MODEL) / "lib").glob("flink-dist*.jar")
    return {
        "pyflink/bin/config.sh": CONFIG.replace("{opens}", opens).replace("{dist}", str(dist)),
        "pyflink/bin/flink": "exec $JAVA_RUN $FLINK_ENV_JAVA_OPTS\n",
        "pyflink/conf/config.yaml": "",
        f"pyflink/lib/flink-dist-{version}.jar": dist_jar(version, classes),
        "pyflink/opt/empty": "",
        "pyflink/plugins/empty": "",
    }


def dist_jar(version: str, classes: Mapping[str, bytes]) -> bytes:
    jar = io.BytesIO()
    with zipfile.ZipFile(jar, "w") as archive:
        archive.writestr("META-INF/MANIFEST.MF", f"Implementation-Version: {version}\r\n")
        for name, code in classes.items():
            archive.writestr(name, code)
    return jar.getvalue()


def write_lines(path: Path, *kept: str) -> None:
    """The project's file with these lines only."""
    document = tomlkit.parse((PROJECT_ROOT / "lines.toml").read_text(encoding="utf-8"))
    for version in set(document["lines"]) - set(kept):
        del document["lines"][version]
    path.write_text(tomlkit.dumps(document), encoding="utf-8")


def lines_of(tree: Path) -> dict[str, Line]:
    # Every call of the command is a process of its own, which reads the file anew.
    load_lines.cache_clear()
    return load_lines(tree / "lines.toml")


def add(tree: Path, *arguments: str, own_line: bool = True) -> int:
    load_lines.cache_clear()
    load_releases.cache_clear()
    called = (*arguments, "--own-line") if own_line else arguments
    return flink_boost("--build", tree.parent / "build", "line", "add", "--tree", tree, *called)


def project_files(tree: Path) -> dict[str, str]:
    left = (".cache", "build")
    found = everything_in(tree).items()
    return {path: what for path, what in found if path.partition("/")[0] not in left}


def release_of(tree: Path, version: str) -> Release | None:
    load_releases.cache_clear()
    return load_releases(tree / "releases.toml").releases.get(version)
