"""Builds ``.venv`` with uv from ``requirements/``; called by ``scripts/bootstrap-venv``.

Runs on a bare Python: uv itself comes from PyPI, checked against its hash, and takes packages from
the index that pip has here. What it fetched stays in ``.cache/uv``, so a later set-up needs no
network. A set-up that was killed goes on with what it has: ``.venv`` counts only with the stamp
that is written last.
"""

from __future__ import annotations

import argparse
import fcntl
import hashlib
import os
import re
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from debian import ensure_for_tests
from flink_boost.base.commands import run_captured
from flink_boost.base.errors import EnvironmentProblem, FlinkBoostError
from flink_boost.flink.pip_settings import read_pip_settings, without_passwords
from frontend import ensure_frontend
from packages import DamagedPackage, check_installed, explain, unpack_codespeed

ROOT = Path(__file__).resolve().parents[1]
_CODE = (Path(__file__), Path(__file__).with_name("packages.py"))
GROUPS = ("operate", "measure", "dashboard", "dev")

_COMMAND_SECONDS = 1800.0
_INTERRUPTED = 130

Tell = Callable[[str], None]


@dataclass(frozen=True)
class Layout:
    """Where everything is, below the project's root."""

    root: Path

    @property
    def venv(self) -> Path:
        return self.root / ".venv"

    @property
    def cache(self) -> Path:
        return self.root / ".cache"

    @property
    def log(self) -> Path:
        return self.cache / "set-up.log"

    @property
    def stamp(self) -> Path:
        return self.venv / "flink-boost.stamp"

    @property
    def codespeed(self) -> Path:
        return self.root / "codespeed-config" / "codespeed-package" / "pyproject.toml"

    @property
    def project(self) -> Path:
        return self.root / "scripts" / "pyproject.toml"

    @property
    def version(self) -> Path:
        return self.root / "scripts" / "flink_boost" / "__init__.py"

    def requirements(self, group: str) -> Path:
        return self.root / "scripts" / "requirements" / f"{group}.txt"

    def digest(self, group: str) -> str:
        """Changes when ``.venv`` has to be built anew."""
        names = (group, "build", "uv")
        sources = (self.project, self.version, self.codespeed, *_CODE)
        inputs = (*map(self.requirements, names), *sources)
        # An environment belongs to its folder and to the Python that it was made with.
        text = f"{self.venv} {sys.version} {sys.base_prefix} {group}".encode()
        contents = (hashlib.sha256(path.read_bytes()).digest() for path in inputs)
        return hashlib.sha256(text + b"".join(contents)).hexdigest()


def set_up(layout: Layout, group: str, tell: Tell) -> bool:
    """Brings ``.venv`` up to date with a group; false when it was so already.

    Raises ``EnvironmentProblem`` without a network, without disk space and for a Python without
    ``venv``, ``DamagedPackage`` for a file whose hash is not the expected one.
    """
    if _is_current(layout, group):
        return False
    with _alone(layout, tell):
        if _is_current(layout, group):
            return False
        _SetUp(layout, group, tell).run()
    return True


def compile_requirements(layout: Layout, upgrade: bool, tell: Tell) -> None:
    """Writes the requirement files of all groups. Raises as ``set_up``."""
    with _alone(layout, tell):
        _SetUp(layout, "dev", tell).compile(upgrade)


class _SetUp:
    def __init__(self, layout: Layout, group: str, tell: Tell) -> None:
        self._layout = layout
        self._group = group
        self._tell = tell
        self._settings = read_pip_settings()
        self._python = layout.venv / "bin" / "python"

    def run(self) -> None:
        layout = self._layout
        self._uv_program()
        self._install()
        try:
            check_installed(layout.venv)
        except DamagedPackage:
            self._tell("A file in the cache is damaged: downloading everything again")
            shutil.rmtree(layout.cache / "uv")
            self._install()
            check_installed(layout.venv)
        self._install_sources()
        draft = layout.stamp.with_name(f".{layout.stamp.name}.draft")
        draft.write_text(layout.digest(self._group), encoding="ascii")
        draft.replace(layout.stamp)

    def compile(self, upgrade: bool) -> None:
        """Resolves pyproject.toml into the requirement files; versions that fit are kept."""
        folder = self._layout.project.parent
        dev = self._layout.requirements("dev")
        for group in ("dev", "operate", "measure", "dashboard", "build", "uv"):
            self._tell(f"Resolving {group}")
            target = self._layout.requirements(group)
            self._uv(
                # The folder that pyproject.toml's own settings of uv hold for.
                *("pip", "compile", "--directory", str(folder)),
                *("--quiet", "--universal", "--python-version", "3.11"),
                *("--generate-hashes", "--strip-extras", "--no-annotate", "--no-header"),
                *("--no-emit-index-url", "--no-emit-find-links", "--output-file", str(target)),
                # One version of a package in all groups.
                *(() if group in ("dev", "uv") else ("--constraints", str(dev))),
                *(("--upgrade",) if upgrade else ()),
                *(() if group == "operate" else ("--group", group)),
                *(("pyproject.toml",) if group in GROUPS else ()),
            )

    def _install(self) -> None:
        """A new ``.venv`` with wheels only: nothing that is fetched runs."""
        venv = self._layout.venv
        self._tell(f"Creating {venv.name}")
        self._uv("venv", "--quiet", "--clear", "--python", sys.executable, str(venv))
        self._tell(f"Installing the packages of {self._group}")
        self._uv_cached(
            *("pip", "sync", "--python", str(self._python)),
            *("--require-hashes", "--only-binary", ":all:"),
            str(self._layout.requirements(self._group)),
        )

    def _install_sources(self) -> None:
        """Builds and installs Codespeed, and this package."""
        wanted = []
        if self._group in ("dashboard", "dev"):
            self._tell("Building Codespeed")
            source = self._layout.cache / "codespeed"
            unpack_codespeed(self._layout.codespeed, self._layout.cache, source)
            wanted += [str(source)]
        self._tell("Installing flink-boost")
        wanted += ["--editable", str(self._layout.project.parent)]
        self._uv_cached(
            *("pip", "install", "--python", str(self._python), "--no-deps", "--no-sources"),
            *("--require-build-hashes", "--preview-features", "build-dependency-hashes"),
            *("--build-constraints", str(self._layout.requirements("build")), *wanted),
        )

    def _uv_cached(self, *arguments: str) -> None:
        """Runs uv without a network, and only where that does not do with one."""
        try:
            self._uv(*arguments, "--offline")
        except EnvironmentProblem:
            self._uv(*arguments)

    def _uv(self, *arguments: str) -> None:
        environ = {key: value for key, value in os.environ.items() if not key.startswith("UV_")}
        environ |= self._settings.for_uv()
        environ |= {
            "UV_CACHE_DIR": str(self._layout.cache / "uv"),
            # No settings of uv on this machine; those for resolving are in pyproject.toml.
            "XDG_CONFIG_HOME": str(self._layout.cache / "no-settings"),
            "XDG_CONFIG_DIRS": str(self._layout.cache / "no-settings"),
            "UV_NO_PROGRESS": "1",
            "UV_PYTHON_DOWNLOADS": "never",
        }
        no_index = ("--no-index",) if self._settings.no_index and arguments[0] == "pip" else ()
        self._call((str(self._uv_program()), *arguments, *no_index), environ)

    def _uv_program(self) -> Path:
        """uv, fetched with pip when this version is not there."""
        pins = self._layout.requirements("uv")
        version = re.search(r"^uv==(\S+)", pins.read_text(encoding="utf-8"), re.MULTILINE)
        assert version is not None  # noqa: S101 - a file of the repository
        target = self._layout.cache / f"uv-{version[1]}"
        if target.is_file():
            return target
        self._tell(f"Downloading uv {version[1]}")
        try:
            import ensurepip  # noqa: F401 - Debian ships it in a package of its own
        except ImportError as error:
            raise EnvironmentProblem(
                "This Python cannot create virtual environments.",
                f"Run as root: apt-get install --yes python3.{sys.version_info[1]}-venv",
            ) from error
        with tempfile.TemporaryDirectory(dir=target.parent, prefix=".uv-") as folder:
            self._call((sys.executable, "-m", "venv", folder), os.environ)
            self._call(
                (
                    *(f"{folder}/bin/python", "-m", "pip", "install", "--require-hashes"),
                    *("--no-deps", "--only-binary", ":all:", "--no-cache-dir", "--no-input"),
                    *("--retries", "2", "--requirement", str(pins)),
                ),
                os.environ,
            )
            Path(folder, "bin", "uv").replace(target)
        return target

    def _call(self, command: Sequence[str], environ: os._Environ[str] | dict[str, str]) -> None:
        log = self._layout.log
        done = run_captured(
            command,
            _COMMAND_SECONDS,
            environment={key: value for key, value in environ.items() if key != "PYTHONPATH"},
            again="Run the same command again: finished downloads are kept.",
        )
        output = without_passwords(done.stdout)
        with log.open("a", encoding="utf-8") as file:
            file.write(f"$ {' '.join(command)}\n{output}\n")
        if done.returncode != 0:
            raise explain(output, log)


@contextmanager
def _alone(layout: Layout, tell: Tell) -> Iterator[None]:
    """One set-up at a time; the kernel frees the lock when its holder dies."""
    layout.cache.mkdir(parents=True, exist_ok=True)
    with (layout.cache / "set-up.lock").open("a") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            tell("Waiting for another set-up to end")
            fcntl.flock(file, fcntl.LOCK_EX)
        layout.log.unlink(missing_ok=True)
        yield


def _is_current(layout: Layout, group: str) -> bool:
    try:
        stamp = layout.stamp.read_text(encoding="ascii")
    except OSError:
        return False
    return stamp == layout.digest(group) and os.access(layout.venv / "bin" / "python", os.X_OK)


def main(arguments: Sequence[str] | None = None) -> int:
    """Sets up and says what it does; the exit code is 0 or that of the error."""
    parser = argparse.ArgumentParser(prog="scripts/bootstrap-venv", description="Sets up .venv.")
    parser.add_argument(
        "--group", choices=GROUPS, default="dev", help="what to install; default: dev, everything"
    )
    parser.add_argument(
        "--browser",
        action="store_true",
        help="also install Chromium and PostgreSQL, for the tests",
    )
    parser.add_argument(
        "--compile", action="store_true", help="resolve the requirement files anew, nothing else"
    )
    parser.add_argument("--upgrade", action="store_true", help="with --compile: newest versions")
    options = parser.parse_args(arguments)

    try:
        if options.compile:
            compile_requirements(Layout(ROOT), options.upgrade, _tell)
            return 0
        if set_up(Layout(ROOT), options.group, _tell):
            _tell("Done")
        ensure_frontend(ROOT, options.group, _tell)
        if options.browser:
            ensure_for_tests(_tell)
    except FlinkBoostError as error:
        return _fail(error.message, error.next_step, error.exit_code)
    except OSError as error:
        where = f": {error.filename}" if error.filename else ""
        return _fail(
            f"{error.strerror}{where}.",
            "Free some space or mend the permissions, then try again.",
            EnvironmentProblem.exit_code,
        )
    except KeyboardInterrupt:
        return _fail("Stopped.", "Run the same command again to go on.", _INTERRUPTED)
    return 0


def _tell(line: str) -> None:
    sys.stdout.write(f"[set-up] {line}\n")
    sys.stdout.flush()


def _fail(message: str, next_step: str, exit_code: int) -> int:
    sys.stderr.write(f"[set-up] {message}\n[set-up] {next_step}\n")
    return exit_code


if __name__ == "__main__":
    sys.exit(main())
