"""``make test T=NAME``: one test by its name, in Java or Python, with what it needs built.

In Java a test class or ``Class.method``, on one line, JDK and mode; in Python a file, a function or
``file.py::function``. Says how it was started, shows what it prints, and keeps that in a log.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import click

from flink_boost.base.errors import UsageProblem
from flink_boost.flink.javatests import CODEC_MODULE, OTHER_MODULES, PATCHES
from flink_boost.flink.lines import Line, measured_lines
from suites.catalogue import DASHBOARD, REPORTS

# The folders of their tests.
_MODULES = {CODEC_MODULE: PATCHES, **{module: (module,) for module in OTHER_MODULES}}
_PYTHON = ("scripts", DASHBOARD)
_JAVA_NAME = re.compile(r"([A-Z]\w*)(?:[.#](\w+))?")
_FAILED = 1


@dataclass(frozen=True)
class OneTest:
    """A command in a folder below the root, and the lines whose builds it needs."""

    command: tuple[str, ...]
    folder: str
    builds: tuple[str, ...]


def find_test(
    name: str, root: Path, line: Line, jdk: int | None = None, mode: str | None = None
) -> OneTest:
    """The command for the test of that name. ``UsageProblem`` for none, or more than one."""
    java = _JAVA_NAME.fullmatch(name)
    return _in_java(java, root, line, jdk, mode) if java else _in_python(name, root, line)


def _in_java(
    name: re.Match[str], root: Path, line: Line, jdk: int | None, mode: str | None
) -> OneTest:
    found = [
        module
        for module, folders in _MODULES.items()
        if any(list((root / folder / "src").rglob(f"{name[1]}.java")) for folder in folders)
    ]
    module = _only(found, name[0], "a class of this name in a module's src/test")
    words = [sys.executable, "-m", "flink_boost.flink.javatests", line.version, module, name[1]]
    # The weaver is compiled for the JDK of the build.
    jdk = 17 if module == "weaver" else jdk
    words += ["--jdk", str(jdk)] if jdk else []
    words += ["--mode", mode] if mode else []
    words += ["--method", name[2]] if name[2] else []
    return OneTest(tuple(words), "scripts", (line.version,))


def _in_python(name: str, root: Path, line: Line) -> OneTest:
    place, _, rest = name.partition("::")
    if place.endswith(".py"):
        files = [
            (folder, path)
            for folder in _PYTHON
            for path in sorted((root / folder / "tests").rglob(Path(place).name))
            if str(path).endswith(f"/{place}")
        ]
    else:
        function = re.compile(rf"^def {re.escape(place.partition('[')[0])}\(", re.MULTILINE)
        files = [
            (folder, path)
            for folder in _PYTHON
            for path in sorted((root / folder / "tests").rglob("test_*.py"))
            if function.search(path.read_text(encoding="utf-8"))
        ]
        rest = place
    names = [str(path.relative_to(root)) for _, path in files]
    _only(names, name, "tests/room/test_file.py, or the name of a function in one")
    ((folder, path),) = files
    test = f"{path.relative_to(root / folder)}{f'::{rest}' if rest else ''}"
    text = path.read_text(encoding="utf-8")
    on_clusters = "cluster" in path.relative_to(root).parts
    named = re.findall(r'needs_jars\("([\d.]+)"\)', text)
    # The line that is asked for alone has its clusters, and what is not of a line runs as well.
    lines = {line.version, *(one.version for one in measured_lines()), *named}
    options = ["--test-all", f"--lines={','.join(sorted(lines))}"]
    if on_clusters:
        options = ["--all-platforms", f"--lines={line.version}"]
        lines = {line.version}
    command = (sys.executable, "-m", "pytest", "-v", "-s", *options, test)
    needs_jars = on_clusters or "needs_jars" in text
    return OneTest(command, folder, tuple(sorted(lines)) if needs_jars else ())


def _only(found: Sequence[str], name: str, what: str) -> str:
    if len(found) == 1:
        return found[0]
    if not found:
        raise UsageProblem(f"There is no test {name!r}.", f"Name {what}.")
    raise UsageProblem(f"{name!r} is in {', '.join(found)}.", "Name the file and the test.")


def run_test(test: OneTest, root: Path) -> int:
    """Builds, says how the test is started, runs it, and returns its exit code."""
    for version in test.builds:
        build = ["make", "--no-print-directory", "build", f"LINE={version}"]
        if subprocess.run(build, cwd=root, check=False).returncode:
            return _FAILED
    shown = shlex.join(["python" if word == sys.executable else word for word in test.command])
    click.echo(f"cd {test.folder} && {shown.replace('python', '../.venv/bin/python', 1)}")
    log = root / REPORTS / "one.log"
    log.parent.mkdir(parents=True, exist_ok=True)
    with log.open("w", encoding="utf-8") as kept:
        with subprocess.Popen(
            test.command,
            cwd=root / test.folder,
            env={**os.environ, "PYTHONUNBUFFERED": "1"},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
        ) as process:
            for text in process.stdout or ():
                click.echo(text, nl=False)
                kept.write(text)
        code = process.returncode
    click.echo(f"{'passed' if code == 0 else f'FAILED, code {code}'}; log: {log.relative_to(root)}")
    return code
