"""Flink's own tests of a release that is no line of ours: its classes are those of a line."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from flink_boost.base.errors import UsageProblem
from flink_boost.flink.lines import Line
from flink_boost.flink.releases import KnownReleases, served
from flink_boost.flink.versions import distance
from flink_boost.port.flinktests import published
from flink_boost.port.flinktests.published import (
    Versions,
    parent_of,
    shaded_by,
    write_class_path_pom,
)
from flink_boost.port.flinktests.test_class_path import ModuleTests, ensure_tests, known_class_path
from flink_boost.port.newline.look import Source, artifacts
from flink_boost.port.newline.registries import Artifact

# What our patches are in; flink-streaming-java became part of flink-runtime in Flink 2.
MODULES = ("core", "runtime")
_RELEASE = re.compile(r"\d+\.\d+\.\d+")
# In the name of a flink-runtime that is for one version of Scala, and what that calls.
_SCALA = "_2.11"
_OF_SCALA = (
    "com/twitter/chill_2.11/0.7.6/chill_2.11-0.7.6.jar",
    "org/scala-lang/scala-library/2.11.12/scala-library-2.11.12.jar",
)


def as_line(version: str, known: KnownReleases, lines: Mapping[str, Line]) -> tuple[Line, Line]:
    """The line whose jar a release gets, and the same with the release's number and artefacts.

    Raises ``UsageProblem`` for a release without a jar.
    """
    line, own = served(version, known, lines)
    suffix = artifacts(version)[1].project.removeprefix("flink-runtime")
    return line, replace(own, artifact_suffix=suffix)


def tests_of_release(own: Line, source: Source, cache: Path) -> dict[str, ModuleTests]:
    """Its tests by module, fetched from Maven Central. Raises as ``ensure_tests``."""
    found = {}
    for module, artifact in zip(MODULES, artifacts(own.version), strict=True):
        folder = cache / "flink-tests" / f"poms-{module}-{_rules()}"
        # What is nearest takes a dozen calls of Maven.
        if not known_class_path(own, module, cache, folder):
            pom = replace(artifact, type="pom")
            file = source.fetch([pom]).get(pom)
            if file is None:
                raise UsageProblem(f"Maven Central has no {pom.file}.")
            write_class_path_pom(
                *(file, artifact.project, own.version, folder),
                lambda projects: _versions(own.version, projects, source),
            )
        found[module] = ensure_tests(own, module, cache, folder, recorded=False)
    return found


def _rules() -> str:
    """Digits of the code that says what a class path is: another code asks Maven anew."""
    text = Path(__file__).read_bytes() + Path(published.__file__).read_bytes()
    return hashlib.sha256(text).hexdigest()[:12]


def jars_beside(version: str, source: Source, cache: Path) -> list[Path]:
    """What a release's own jars need beside what is on the class path of its line's tests.

    That is Flink's shaded libraries, whose packages are numbered, and Scala's side of Kryo where
    flink-runtime has a class for it, as builds of older lines left it in the cache. Raises what the
    source raises.
    """
    pom = Artifact("flink-core", version, type="pom")
    named = shaded_by(source.fetch([pom])[pom].read_text(encoding="utf-8"))
    wanted = [Artifact(project, number) for project, number in named.items()]
    of_scala = _OF_SCALA if artifacts(version)[1].project.endswith(_SCALA) else ()
    return [*source.fetch(wanted).values(), *(cache / "m2" / jar for jar in of_scala)]


def _versions(version: str, projects: list[str], source: Source) -> Versions:
    # All at once, because each call starts Maven.
    source.fetch([Artifact(project, version, type="pom") for project in projects])

    def nearest(project: str) -> str:
        if _is_whole(Artifact(project, version, type="pom"), source):
            return version
        known = [each for each in source.releases(project) if _RELEASE.fullmatch(each)]
        near = sorted(known, key=lambda each: distance(version, each))
        whole = (each for each in near if _is_whole(Artifact(project, each, type="pom"), source))
        return next(whole, "")

    return nearest


def _is_whole(pom: Artifact, source: Source) -> bool:
    """Whether Maven can read it: of some projects a POM is published, and its parent is not."""
    file = source.fetch([pom]).get(pom)
    parent = parent_of(file.read_text(encoding="utf-8")) if file else None
    above = parent is None or _is_whole(Artifact(*parent, type="pom"), source)
    return file is not None and above
