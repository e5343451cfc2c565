"""Runs Maven for a line, whose further jars it fetches; ``scripts/mvn`` is this module.

``scripts/mvn [--line LINE [--jdk N] [--mode MODE]] ARGUMENT...`` runs on a bare Python, and becomes
the pinned Maven. ``--line`` selects a Flink line, ``--jdk`` and ``--mode`` what tests run in.
"""

from __future__ import annotations

import io
import os
import sys
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NoReturn

from flink_boost.base.errors import FlinkBoostError, UsageProblem
from flink_boost.base.files import write_durably
from flink_boost.base.processes import foreign_environment
from flink_boost.flink.distribution import ensure_artifact, ensure_jar_of_distribution
from flink_boost.flink.downloads import CACHE
from flink_boost.flink.jdks import java_home
from flink_boost.flink.line_jars import class_path_jar, further_jars, jar_path, pin_of
from flink_boost.flink.lines import Line, default_line, find_line
from flink_boost.flink.maven import jdk_arguments, maven_arguments
from flink_boost.flink.modes import MODES
from flink_boost.flink.pinned_maven import maven_command

_SELECTING = ("--line", "--jdk", "--mode")
# A manifest has no longer lines; what is longer goes on behind a space.
_WIDTH = 72


def ensure_further_jars(line: Line, cache: Path = CACHE) -> list[Path]:
    """The line's further jars, and beside them the one that names them.

    Raises as ``ensure_artifact`` and ``ensure_jar_of_distribution``.
    """
    paths = []
    for file in further_jars(line):
        path = jar_path(line, file, cache)
        if file in line.from_distribution:
            ensure_jar_of_distribution(line, file, line.jars[file], cache)
        else:
            ensure_artifact(pin_of(line, file), cache)
        paths.append(path)
    if paths:
        _write_class_path(class_path_jar(line, cache), paths)
    return paths


def _write_class_path(jar: Path, paths: Sequence[Path]) -> None:
    """Names are relative: a compiler takes no addresses."""
    names = " ".join(Path(os.path.relpath(path, jar.parent)).as_posix() for path in paths)
    text = f"Class-Path: {names}"
    lines = [text[:_WIDTH]]
    lines += [" " + text[at : at + _WIDTH - 1] for at in range(_WIDTH, len(text), _WIDTH - 1)]
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        manifest = zipfile.ZipInfo("META-INF/MANIFEST.MF")
        archive.writestr(manifest, "\r\n".join(["Manifest-Version: 1.0", *lines, "", ""]))
    if not jar.is_file() or jar.read_bytes() != content.getvalue():
        jar.parent.mkdir(parents=True, exist_ok=True)
        write_durably(jar, content.getvalue())


def line_arguments(
    arguments: Sequence[str], find_home: Callable[[int], Path] = java_home
) -> list[str]:
    """Maven's arguments, with ``--line``, ``--jdk`` and ``--mode`` at their front resolved.

    Raises ``UsageProblem`` for what no line has, and as ``ensure_further_jars`` and ``java_home``.
    """
    chosen: dict[str, str] = {}
    rest = list(arguments)
    while rest and rest[0] in _SELECTING:
        option, *rest = rest
        if not rest:
            raise UsageProblem(f"{option} lacks its value.")
        chosen[option] = rest.pop(0)
    if not chosen:
        return rest
    line = find_line(chosen.get("--line") or default_line())
    ensure_further_jars(line)
    words = maven_arguments(line)
    if "--jdk" in chosen or "--mode" in chosen:
        jdk = chosen.get("--jdk", str(line.jdks[0]))
        if not jdk.isdecimal():
            raise UsageProblem(f"--jdk is {jdk!r}.", "Give a number, such as 17.")
        words += jdk_arguments(line, int(jdk), chosen.get("--mode", MODES[0]), find_home)
    return [*words, *rest]


def main(arguments: Sequence[str]) -> NoReturn:
    """Becomes Maven with these arguments, or exits saying why it cannot."""
    try:
        command = [*maven_command(), *line_arguments(arguments)]
    except FlinkBoostError as error:
        sys.stderr.write(f"{error}\n")
        sys.exit(error.exit_code)
    os.execvpe(command[0], command, foreign_environment(os.environ))  # noqa: S606 - that is its purpose


if __name__ == "__main__":
    main(sys.argv[1:])
