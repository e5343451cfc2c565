"""A clone of one commit, in which it is built: files that git does not know take no part."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

from flink_boost.base.commands import run_captured
from flink_boost.base.errors import EnvironmentProblem
from flink_boost.base.files import publish
from flink_boost.flink.lines import Line
from flink_boost.operate.carried import Carried
from release.pom import artifact, pom
from release.preconditions import git

_SECONDS = 1800.0


def clone(root: Path, commit: str, tree: Path) -> Path:
    """A clone of ``root`` at a commit, with its cache of downloads; an earlier one is taken up."""
    if (tree / ".cache").is_symlink():
        return tree
    shutil.rmtree(tree, ignore_errors=True)
    tree.parent.mkdir(parents=True, exist_ok=True)
    git(root, "clone", "--quiet", "--shared", "--no-checkout", str(root), str(tree))
    git(tree, "checkout", "--quiet", "--detach", commit)
    # Last: a clone without it is made anew.
    (tree / ".cache").symlink_to(root / ".cache")
    return tree


def build_line(tree: Path, line: Line, package: Carried, out: Path) -> None:
    """Builds the jars of a line in the clone and puts them into ``out``, with the POM.

    Raises ``EnvironmentProblem`` when Maven fails.
    """
    for target in tree.glob(f"*/target/{line.version}"):
        shutil.rmtree(target)
    log = tree.parent / f"{tree.name}-{line.version}.log"
    done = run_captured(
        [
            *(str(tree / "scripts" / "mvn"), "--line", line.version, "--quiet", "-Prelease"),
            *("-Dwithout.benchmarks", "-DskipTests", "package"),
        ],
        _SECONDS,
        folder=tree,
        environment={**os.environ, "PYTHON": sys.executable},
        again="Run the same command again: what is finished is kept.",
    )
    log.write_text(done.stdout, encoding="utf-8")
    if done.returncode != 0:
        raise EnvironmentProblem(
            f"Maven could not build the jars of Flink {line.version}.", f"Read {log}."
        )
    version = package.version
    made = {f"{artifact(line)}-{version}.jar": package.dropin(line).read_bytes()}
    for kind in ("sources", "javadoc"):
        jar = tree / "flink-patch" / "target" / line.version / f"flink-patch-{version}-{kind}.jar"
        made[f"{artifact(line)}-{version}-{kind}.jar"] = jar.read_bytes()
    made[f"{artifact(line)}-{version}.pom"] = pom(line, version).encode("ascii")
    for name, content in made.items():
        put(out / name, content)


def is_built(tree: Path, line: Line, package: Carried, out: Path) -> bool:
    """Whether ``build_line`` has ended, and the clone still has what the wheel needs."""
    try:
        package.dropin(line), package.verifier(line), package.weaver()
    except EnvironmentProblem:
        return False
    return all((out / name).is_file() for name in names_of(line, package.version)) and tree.is_dir()


def names_of(line: Line, version: str) -> list[str]:
    """The files of a line."""
    stem = f"{artifact(line)}-{version}"
    return [f"{stem}.jar", f"{stem}-sources.jar", f"{stem}-javadoc.jar", f"{stem}.pom"]


def put(path: Path, content: bytes) -> None:
    """Writes a file that is there as a whole or not at all."""
    partial = path.with_name(f".{path.name}.part")
    partial.write_bytes(content)
    publish(partial, path)
