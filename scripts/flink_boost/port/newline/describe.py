"""Finds out all that ``lines.toml`` records of a Flink release."""

from __future__ import annotations

import re
import struct
import zipfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from flink_boost.base.errors import EnvironmentProblem, UsageProblem
from flink_boost.base.files import sha256
from flink_boost.flink.distribution import ensure_distribution
from flink_boost.flink.home import FlinkHome, open_home
from flink_boost.flink.jvm_options import joined
from flink_boost.flink.launch import Launch, ask_scripts
from flink_boost.flink.line_jars import further_jars, pin_of
from flink_boost.flink.lines import OPENS_JAVA_LANG, Line, PinnedFile, nearest_line
from flink_boost.flink.versions import distance, version_key
from flink_boost.port.newline.distributions import LIBRARIES, PROJECT, distribution_of
from flink_boost.port.newline.line_files import NewLine, projects_of_tests
from flink_boost.port.newline.look import Source
from flink_boost.port.newline.registries import Artifact

_RELEASE = re.compile(r"\d+\.\d+\.\d+")
_EXAMPLE = "WordCount"
_MAY_BE_MISSING = {"avro": "flink-avro", "table": "flink-table-runtime"}
_SHOWN = 3

# Java 8 has class files of version 52. The JDKs from 17 on close java.lang to Flink by themselves.
_CLASS_FILES_OF_JAVA_0 = 44
_CLOSED_FROM = 17

Tell = Callable[[str], None]


@dataclass(frozen=True)
class Surroundings:
    """Where a release is looked at: our lines, the registries, the source tree."""

    lines: Sequence[Line]
    published: Source
    tree: Path
    jdk_home: Callable[[int], Path]
    environment: Mapping[str, str]
    tell: Tell

    @property
    def cache(self) -> Path:
        """The tree's cache of downloads."""
        return self.tree / ".cache"


@dataclass(frozen=True)
class Jars:
    """The official jars of a release whose classes we patch, and their sources."""

    suffix: str
    binaries: tuple[Path, ...]
    sources: tuple[Path, ...]


def require_number(version: str) -> None:
    """Raises ``UsageProblem`` for what cannot be the number of a release."""
    if not _RELEASE.fullmatch(version):
        raise UsageProblem(f"{version!r} is not a Flink release.", "Name one as in 2.3.0.")


def require_release(version: str, published: Source) -> None:
    """Raises ``UsageProblem``, naming the nearest releases, for one that does not exist."""
    require_number(version)
    known = [each for each in published.releases("flink-core") if _RELEASE.fullmatch(each)]
    if version not in known:
        nearest = sorted(known, key=lambda each: distance(version, each))[:_SHOWN]
        raise UsageProblem(
            f"Maven Central has no Flink {version}.",
            f"The nearest releases are {', '.join(sorted(nearest, key=version_key))}.",
        )


def fetch_jars(version: str, around: Surroundings) -> Jars:
    """Fetches jars and sources. Raises ``EnvironmentProblem`` when one of them is not published."""
    model = nearest_line(version, around.lines)
    further = [pin_of(model, file).project for file in further_jars(model)]
    for suffix in dict.fromkeys((model.artifact_suffix, "", "_2.12", "_2.11")):
        projects = ("flink-core", f"flink-runtime{suffix}", *further)
        wanted = [Artifact(name, version, kind) for kind in ("", "sources") for name in projects]
        found = around.published.fetch(wanted)
        if wanted[1] not in found:
            continue
        missing = [each.file for each in wanted if each not in found]
        if missing:
            raise EnvironmentProblem(
                f"Maven Central has no {', '.join(missing)}.",
                "Name another release, or add the line to lines.toml by hand.",
            )
        files = [found[each] for each in wanted]
        half = len(projects)
        return Jars(suffix, tuple(files[:half]), tuple(files[half:]))
    raise EnvironmentProblem(
        f"Maven Central has no flink-runtime of Flink {version}.", "Name another release."
    )


def describe_release(
    version: str,
    jars: Jars,
    classes: Mapping[str, str],
    around: Surroundings,
    *,
    measured: bool = True,
) -> NewLine:
    """All that ``lines.toml`` records; the line is switched off yet.

    Raises ``EnvironmentProblem`` when a part of the release is not published, ``UsageProblem`` when
    none of our JDKs can run it.
    """
    model = nearest_line(version, around.lines)
    jdks = _jdks_for(jars.binaries[0], model)
    around.tell("distribution")
    line = Line(
        version=version,
        enabled=False,
        artifact_suffix=jars.suffix,
        jdks=jdks,
        jvm_options=(),
        jars={path.name: sha256(path) for path in jars.binaries},
        classes={name: classes[name] for name in _in_order(classes, model)},
        distribution=_packages(version, around),
        examples={},
        measured=measured,
        folder=model.folder,
        sources=tuple(
            PinnedFile(path.name.removesuffix(f"-{version}-sources.jar"), version, path.name, sum_)
            for path, sum_ in ((path, sha256(path)) for path in jars.sources)
        ),
    )
    around.tell("JVM options, from the release's own scripts and configuration")
    options = _options(line, around)
    jdks = tuple(n for n in line.jdks if n < _CLOSED_FROM or OPENS_JAVA_LANG in options)
    if not jdks:
        raise UsageProblem(
            f"Flink {version} runs on none of the JDKs of Flink {model.version}: its configuration"
            " does not open java.lang.",
            "Add the line to lines.toml by hand.",
        )
    around.tell("example jobs, Avro format, rows and class path of Flink's tests")
    example = _example(version, jars.suffix, around)
    return NewLine(
        replace(
            line,
            jdks=jdks,
            jvm_options=options,
            examples={_EXAMPLE: example} if example else {},
            nearest={
                part: nearest
                for part, project in _MAY_BE_MISSING.items()
                if measured and (nearest := _nearest(project, version, around))
            },
        ),
        model.version,
        f"The nearest release that has example jobs there is {example.version}."
        if example and example.version != version
        else "",
        _unpublished(version, model.version, around) if measured else (),
    )


def _in_order(classes: Mapping[str, str], model: Line) -> list[str]:
    """As in the model, what that has under another name last."""
    return sorted(classes, key=lambda name: (*list(model.classes), *classes).index(name))


def _jdks_for(jar: Path, model: Line) -> tuple[int, ...]:
    """The model's JDKs that can read the release's class files."""
    with zipfile.ZipFile(jar) as archive:
        content = archive.read("org/apache/flink/types/StringValue.class")
    (level,) = struct.unpack_from(">H", content, 6)
    jdks = tuple(jdk for jdk in model.jdks if jdk + _CLASS_FILES_OF_JAVA_0 >= level)
    if not jdks:
        raise UsageProblem(
            f"{jar.name} is built for Java {level - _CLASS_FILES_OF_JAVA_0}, which no JDK of Flink"
            f" {model.version} runs.",
            "Add a newer JDK to lines.toml first.",
        )
    return jdks


def _packages(version: str, around: Surroundings) -> tuple[PinnedFile, ...]:
    projects = (PROJECT, LIBRARIES)
    pins = distribution_of(version, {name: around.published.files(name) for name in projects})
    if not pins:
        raise EnvironmentProblem(
            f"PyPI has no {PROJECT} {version}, or not all that its distribution is made of.",
            "Name another release, or add the line to lines.toml by hand.",
        )
    return pins


def open_release(line: Line, jdk: int, around: Surroundings) -> tuple[FlinkHome, Launch]:
    """The release's distribution, and how its scripts start it with one of our JDKs."""
    home = open_home(ensure_distribution(line, around.cache))
    # Nothing of the caller's own Flink settings.
    environment = {
        "PATH": around.environment.get("PATH", ""),
        "JAVA_HOME": str(around.jdk_home(jdk)),
    }
    return home, ask_scripts(home, environment)


def _options(line: Line, around: Surroundings) -> tuple[str, ...]:
    _, launch = open_release(line, line.jdks[0], around)
    options = launch.options["taskmanager"]
    return tuple(option for option in joined(options) if option.startswith("--add-"))


def _example(version: str, suffix: str, around: Surroundings) -> PinnedFile | None:
    """The example job of that release, else of the nearest one of its major number that has it.

    One of a newer minor number may call what the release does not have yet: only if all are newer.
    """
    project = f"flink-examples-streaming{suffix}"
    major = version_key(version)[0]
    known = [v for v in around.published.releases(project) if version_key(v)[0] == major]
    minor = version_key(version)[:2]
    order = sorted(known, key=lambda v: (version_key(v)[:2] > minor, distance(version, v)))
    for candidate in order:
        artifact = Artifact(project, candidate, _EXAMPLE)
        path = around.published.fetch([artifact]).get(artifact)
        if path is not None:
            return PinnedFile(project, candidate, path.name, sha256(path))
    return None


def _unpublished(version: str, model: str, around: Surroundings) -> tuple[str, ...]:
    """What the class path of Flink's own tests needs and the release did not publish."""
    projects = projects_of_tests(around.tree, model)
    wanted = [Artifact(project, version, type="pom") for project in projects]
    found = around.published.fetch(wanted)
    return tuple(each.project for each in wanted if each not in found)


def _nearest(project: str, version: str, around: Surroundings) -> str:
    """The version of that project to take, when it is not that of the release."""
    known = [v for v in around.published.releases(project) if _RELEASE.fullmatch(v)]
    if version in known or not known:
        return ""
    return min(known, key=lambda each: distance(version, each))
