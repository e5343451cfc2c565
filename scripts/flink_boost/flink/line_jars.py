"""Where the jars of Flink's that a line is built with lie in the cache.

Maven fetches ``flink-core`` and ``flink-runtime``, which all patches depend on. Whatever else
``lines.toml`` names under ``jars`` is *further*: what holds patched classes, and what these refer
to. ``line_build`` fetches those::

    <cache>/m2/                      Maven's own, with flink-core and flink-runtime
    <cache>/jars/<file>              from Maven Central
    <cache>/flink-<version>/lib/     of the distribution, where Maven Central has none
    <cache>/line-jars/<version>.jar  no class, but a manifest that names the further ones
"""

from __future__ import annotations

import os
import re
from pathlib import Path

from flink_boost.flink.lines import FOLDER_OF_JARS, Line, PinnedFile, artefacts_of

# The dependencies of flink-patch on all lines.
OF_MAVEN = ("flink-core", "flink-runtime")


def pin_of(line: Line, file: str) -> PinnedFile:
    """What is known of one of the line's jars."""
    return PinnedFile(
        file.removesuffix(f"-{line.version}.jar"), line.version, file, line.jars[file]
    )


def jar_path(line: Line, file: str, cache: Path) -> Path:
    """Where one of the line's jars is, once it was fetched."""
    if file in line.from_distribution:
        return cache / f"flink-{line.version}" / FOLDER_OF_JARS / file
    if file in further_jars(line):
        return cache / "jars" / file
    flink = cache / "m2" / "org" / "apache" / "flink"
    return flink / pin_of(line, file).project / line.version / file


def further_jars(line: Line) -> tuple[str, ...]:
    """The file names of those that are not on the class path of every line's build."""
    of_maven = {line.jar(artefact) for artefact in OF_MAVEN}
    return tuple(file for file in line.jars if file not in of_maven)


def patched_jars(line: Line) -> tuple[str, ...]:
    """The file names of those that hold patched classes. Raises as ``Line.jar``."""
    return tuple(line.jar(artefact) for artefact in artefacts_of(line.version))


def class_path_jar(line: Line, cache: Path) -> Path:
    """The jar that stands for the further ones on a class path."""
    return cache / "line-jars" / f"{line.version}.jar"


def jars_arguments(line: Line, root: Path) -> list[str]:
    """What Maven is told of the line's jars. Raises as ``Line.jar``.

    Patches of a further jar stand in a folder that has its name, ``flink-table-runtime-patch``.
    """
    cache = root / ".cache"
    stock = [str(jar_path(line, file, cache)) for file in patched_jars(line)]
    words = [f"-Dstock.jars={os.pathsep.join(stock)}"]
    if further := further_jars(line):
        paths = [str(jar_path(line, file, cache)) for file in further]
        words += [
            f"-Dfurther.jars={class_path_jar(line, cache)}",
            f"-Dfurther.class.path={os.pathsep.join(paths)}",
        ]
        artefacts = [re.sub(r"_[\d.]+$", "", pin_of(line, file).project) for file in further]
        for kind, name in (("main", "sources"), ("test", "tests")):
            folders = [str(root / f"{each}-patch" / "src" / kind / "java") for each in artefacts]
            words.append(f"-Dfurther.{name}={','.join(folders)}")
    return words
