"""Builds the wheel that operators install; ``make wheel`` runs this module.

It holds this package and, under ``data/``, what ``carried`` lists for all lines that are switched
on, so it works without the source tree; it needs nothing but click. Same input, same bytes.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from flink_boost import __version__
from flink_boost.base.commands import run_captured
from flink_boost.base.errors import EnvironmentProblem, FlinkBoostError
from flink_boost.base.files import sha256
from flink_boost.base.places import PROJECT_ROOT
from flink_boost.flink.lines import Line, load_lines
from flink_boost.flink.profiler import (
    CARRIED_FOLDER,
    CONVERTER,
    LIBRARY,
    ensure_profiler_jar,
)
from flink_boost.operate.carried import CHECKSUM_SUFFIX, EXAMPLE, Carried, of_tree

_SECONDS = 300.0
# 1 January 2026, as the build of the jars has it; zip files know nothing before 1980.
_EPOCH = "1767225600"
_PROFILERS_NOTICE = """\
These jars are async-profiler and its converter, Copyright The async-profiler authors, unchanged, as
published on Maven Central (https://github.com/async-profiler/async-profiler). Licensed under the
Apache License, Version 2.0, whose text is beside this package's own metadata.
"""
_WEAVERS_NOTICE = """\
byte-buddy is Byte Buddy, Copyright Rafael Winterhalter and its contributors, unchanged, as
published on Maven Central (https://bytebuddy.net). Licensed under the Apache License, Version 2.0,
whose text is beside this package's own metadata. The files of the folder "classes" are class files
of Apache Flink, unchanged, under the same licence; NOTICE beside that text names them.
"""


def build_wheel(root: Path, lines: Sequence[Line], package: Carried, target: Path) -> Path:
    """Writes the wheel of the package in ``root`` to the folder ``target`` and returns its path.

    Raises ``EnvironmentProblem`` when a part is missing or pip fails.
    """
    target.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=target, prefix=".wheel-") as folder:
        source = Path(folder) / "source"
        _stage(root, lines, package, source)
        _run_pip(source, Path(folder))
        (built,) = Path(folder).glob("*.whl")
        wheel = target / built.name
        built.replace(wheel)
    return wheel


def _stage(root: Path, lines: Sequence[Line], package: Carried, source: Path) -> None:
    """A project that is the package and the parts that it carries."""
    scripts = root / "scripts"
    shutil.copytree(
        scripts / "flink_boost",
        source / "flink_boost",
        ignore=shutil.ignore_patterns("__pycache__", "data"),
    )
    shutil.copy(scripts / "pyproject.toml", source)
    for name in ("LICENSE", "NOTICE"):
        shutil.copy(root / name, source)
    data = source / "flink_boost" / "data"
    for name in ("jars", "verifiers", "classes", "weaver", "examples", CARRIED_FOLDER):
        (data / name).mkdir(parents=True)
    for name in ("lines.toml", "classes.lock", "releases.toml"):
        shutil.copy(root / name, data)
    for pin in (LIBRARY, CONVERTER):
        shutil.copy(ensure_profiler_jar(pin, root / ".cache"), data / CARRIED_FOLDER)
    (data / CARRIED_FOLDER / "NOTICE").write_text(_PROFILERS_NOTICE, encoding="ascii")
    for jar in package.weaver():
        shutil.copy(jar, data / "weaver")
    (data / "weaver" / "NOTICE").write_text(_WEAVERS_NOTICE, encoding="ascii")
    for line in lines:
        dropin = Path(shutil.copy(package.dropin(line), data / "jars"))
        dropin.with_name(f"{dropin.name}{CHECKSUM_SUFFIX}").write_text(sha256(dropin), "ascii")
        shutil.copy(package.verifier(line), data / "verifiers" / f"{line.version}.jar")
        for name, checksum in line.classes.items():
            (data / "classes" / checksum).write_bytes(package.stock_class(line, name))
        (data / "examples" / line.version).mkdir()
        shutil.copy(package.example(line), data / "examples" / line.version / f"{EXAMPLE}.jar")
    for file in source.rglob("*"):
        file.chmod(0o755 if file.is_dir() else 0o644)


def _run_pip(source: Path, target: Path) -> None:
    done = run_captured(
        [
            *(sys.executable, "-m", "pip", "wheel", "--quiet", "--disable-pip-version-check"),
            *("--no-index", "--no-deps", "--no-build-isolation", "--no-cache-dir"),
            *("--wheel-dir", str(target), str(source)),
        ],
        _SECONDS,
        environment={**os.environ, "SOURCE_DATE_EPOCH": _EPOCH},
    )
    if done.returncode != 0:
        words = done.stdout.strip().splitlines() or ["no output"]
        raise EnvironmentProblem(f"pip could not build the wheel ({words[-1]}).", "Look above it.")


def main() -> int:
    """Builds the wheel of the source tree into ``build/wheel`` and prints its path."""
    lines = [line for line in load_lines().values() if line.enabled]
    try:
        wheel = build_wheel(
            PROJECT_ROOT, lines, of_tree(__version__), PROJECT_ROOT / "build" / "wheel"
        )
    except FlinkBoostError as error:
        sys.stderr.write(f"{error}\n")
        return error.exit_code
    sys.stdout.write(f"{wheel}  SHA-256 {sha256(wheel)}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
