"""Builds ``.venv`` from the lock files; called by ``scripts/bootstrap-venv``.

Runs on a bare Python 3.11: nothing is installed yet. Downloads go to ``.cache/pip-wheels``, every
file is checked against the hash in a lock file, and once all are there no later set-up needs the
network. A set-up that was killed goes on with what it has: finished downloads stay, and ``.venv``
counts only with the stamp that is written last.
"""

from __future__ import annotations

import argparse
import fcntl
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from flink_boost.base.errors import EnvironmentProblem, FlinkBoostError

ROOT = Path(__file__).resolve().parents[2]

_CHUNK = 8  # packages per call of pip: what is downloaded of a killed call is lost
_PIP_SECONDS = 1800.0
_APT_SECONDS = 1200.0
_INTERRUPTED = 130
_BROWSER_PACKAGES = ("chromium", "fonts-liberation")

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
        return self.root / ".cache" / "pip-wheels"

    @property
    def log(self) -> Path:
        return self.root / ".cache" / "bootstrap.log"

    @property
    def wheel_locks(self) -> tuple[Path, ...]:
        """Lock files of everything that is installed from published wheels."""
        return (
            self.root / "scripts" / "requirements.lock",
            self._dashboard("dashboard.lock"),
        )

    @property
    def pip_lock(self) -> Path:
        return self._dashboard("pip.lock")

    @property
    def codespeed_locks(self) -> tuple[Path, Path, Path]:
        """Tools, plug-ins and source of the one package that we build."""
        return (
            self._dashboard("build-tools.lock"),
            self._dashboard("build-plugins.lock"),
            self._dashboard("codespeed.lock"),
        )

    def _dashboard(self, name: str) -> Path:
        return self.root / "codespeed-config" / "requirements" / name

    def digest(self) -> str:
        """Changes when ``.venv`` has to be built anew."""
        inputs = (
            *self.wheel_locks,
            self.pip_lock,
            *self.codespeed_locks,
            self.root / "scripts" / "pyproject.toml",
            Path(__file__),
        )
        # An environment belongs to its folder and to the Python that it was made with.
        text = f"{self.venv} {sys.version} {sys.base_prefix}".encode()
        return hashlib.sha256(text + b"".join(map(_content, inputs))).hexdigest()


def set_up(layout: Layout, tell: Tell) -> bool:
    """Brings ``.venv`` up to date; false when it was so already.

    Raises ``EnvironmentProblem`` without a network, without disk space, for a file whose hash is
    not the expected one and for a Python without ``venv``.
    """
    if _is_current(layout):
        return False
    if sys.version_info[:2] != (3, 11):
        raise EnvironmentProblem("flink-boost needs Python 3.11.", "Run scripts/bootstrap-venv.")
    with _alone(layout, tell):
        if _is_current(layout):
            return False
        _Setup(layout, tell).run()
    return True


class _Setup:
    def __init__(self, layout: Layout, tell: Tell) -> None:
        self._layout = layout
        self._tell = tell
        self._pip = _Pip(layout.log)

    def run(self) -> None:
        cached = self._cache_is_complete()
        try:
            self._build(cached)
        except DamagedCache:
            if not cached:
                raise
            self._tell("A file in the cache is damaged: downloading everything again")
            shutil.rmtree(self._layout.cache)
            self._build(cached=False)

    def _build(self, cached: bool) -> None:
        layout = self._layout
        layout.cache.mkdir(parents=True, exist_ok=True)
        self._tell(f"Creating {layout.venv.name}")
        python = _create_venv(layout.venv, self._pip)
        if not cached:
            self._download_all(python)
        self._tell(f"Installing {sum(map(_count, layout.wheel_locks))} packages")
        self._install_pip(python)
        self._install_offline(python, *layout.wheel_locks)
        self._pip.run(python, "install", "--no-index", "--no-deps", str(self._codespeed_wheel()))
        self._tell("Installing flink-boost")
        self._pip.run(
            *(python, "install", "--no-index", "--no-deps", "--no-build-isolation"),
            *("--editable", str(layout.root / "scripts")),
        )
        _write(layout.venv / "flink-boost.stamp", layout.digest())

    def _download_all(self, python: Path) -> None:
        layout = self._layout
        self._download(python, layout.pip_lock)
        self._install_pip(python)
        entries = [entry for lock in layout.wheel_locks for entry in read_entries(lock)]
        for start in range(0, len(entries), _CHUNK):
            chunk = entries[start : start + _CHUNK]
            names = ", ".join(entry.split("==")[0] for entry in chunk)
            self._tell(f"Downloading {start + len(chunk)} of {len(entries)}: {names}")
            with tempfile.TemporaryDirectory() as folder:
                part = Path(folder) / "part.lock"
                part.write_text("\n".join(chunk) + "\n", encoding="utf-8")
                self._download(python, part)
        self._build_codespeed()
        _write(self._cache_stamp(), self._cache_digest())

    def _build_codespeed(self) -> None:
        """Builds the wheel in an environment with tools of its time."""
        self._tell("Building Codespeed")
        layout = self._layout
        tools, plugins, source = layout.codespeed_locks
        with tempfile.TemporaryDirectory(dir=layout.cache.parent, prefix="codespeed-") as folder:
            python = _create_venv(Path(folder) / "venv", self._pip)
            self._install_pip(python)
            self._download(python, tools)
            self._install_offline(python, tools)
            as_is = ("--no-deps", "--no-build-isolation", "--require-hashes")
            self._pip.run(python, "install", *as_is, "--requirement", str(plugins))
            wheels = Path(folder) / "wheels"
            self._pip.run(
                *(python, "wheel", *as_is, "--wheel-dir", str(wheels)),
                *("--requirement", str(source)),
            )
            (wheel,) = wheels.glob("*.whl")
            wheel.replace(layout.cache / wheel.name)

    def _download(self, python: Path, lock: Path) -> None:
        self._pip.run(
            *(python, "download", "--no-deps", "--only-binary", ":all:", "--require-hashes"),
            *("--dest", str(self._layout.cache), "--requirement", str(lock)),
        )

    def _install_pip(self, python: Path) -> None:
        self._install_offline(python, self._layout.pip_lock)

    def _install_offline(self, python: Path, *locks: Path) -> None:
        requirements = [part for lock in locks for part in ("--requirement", str(lock))]
        self._pip.run(
            *(python, "install", "--no-deps", "--require-hashes", "--no-index"),
            *("--find-links", str(self._layout.cache), *requirements),
        )

    def _codespeed_wheel(self) -> Path:
        (entry,) = read_entries(self._layout.codespeed_locks[-1])
        name, version = entry.split()[0].split("==")
        wheels = sorted(self._layout.cache.glob(f"{name}-{version}-*.whl"))
        if not wheels:
            raise DamagedCache(f"The wheel of {name} is not in {self._layout.cache}.")
        return wheels[0]

    def _cache_stamp(self) -> Path:
        return self._layout.cache / "complete"

    def _cache_digest(self) -> str:
        layout = self._layout
        locks = (*layout.wheel_locks, layout.pip_lock, *layout.codespeed_locks)
        text = f"{sys.version_info[:2]} {os.uname().machine}".encode()
        # We built Codespeed's wheel ourselves, so no lock file knows its hash.
        return hashlib.sha256(
            text + b"".join(map(_content, (*locks, self._codespeed_wheel())))
        ).hexdigest()

    def _cache_is_complete(self) -> bool:
        try:
            return self._cache_stamp().read_text(encoding="ascii") == self._cache_digest()
        except (OSError, DamagedCache):
            return False


class DamagedCache(EnvironmentProblem):
    """A file in the cache is missing or is not what its lock file says."""


class _Pip:
    """Calls pip, keeps what it prints in a log file, and explains its failures."""

    def __init__(self, log: Path) -> None:
        self._log = log

    def run(self, python: Path, *arguments: str) -> None:
        """``pip <arguments>`` in that environment."""
        options = ("--disable-pip-version-check", "--no-input", "--retries", "2", "--timeout", "60")
        self.call((str(python), "-m", "pip", *arguments, *options))

    def call(self, command: Sequence[str]) -> None:
        """Any command, treated the same way."""
        environ = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
        # Wheels that pip built and kept elsewhere would hide that a source no longer builds.
        environ["PIP_NO_CACHE_DIR"] = "1"
        try:
            done = subprocess.run(
                command,
                env=environ,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                errors="replace",
                timeout=_PIP_SECONDS,
                check=False,
            )
        except subprocess.TimeoutExpired as error:
            raise EnvironmentProblem(
                f"Setting up took longer than {_PIP_SECONDS:.0f} s and was stopped.",
                "Run the same command again: finished downloads are kept.",
            ) from error
        with self._log.open("a", encoding="utf-8") as log:
            log.write(f"$ {' '.join(command)}\n{done.stdout}\n")
        if done.returncode != 0:
            raise self._explain(done.stdout)

    def _explain(self, output: str) -> EnvironmentProblem:
        again = "Then run the same command again: finished downloads are kept."
        if "No space left on device" in output or "Disk quota exceeded" in output:
            return EnvironmentProblem("The disk is full.", f"Free 2 GB. {again}")
        if "DO NOT MATCH THE HASHES" in output:
            return DamagedCache(
                "A package has another checksum than its lock file says.",
                f"Do not use it; {self._log} names it and where it came from.",
            )
        if re.search(
            "NewConnectionError|ConnectionError|ConnectTimeout|ReadTimeout|Max retries|"
            "Temporary failure in name resolution|Network is unreachable|ProxyError|SSLError",
            output,
        ):
            return EnvironmentProblem(
                "The package index cannot be reached.",
                f"Check the network and pip's own settings (PIP_INDEX_URL, PIP_PROXY). {again}",
            )
        if "No matching distribution found" in output:
            return DamagedCache(
                f"A package is not to be had: {_last_error(output)}", f"Look at {self._log}."
            )
        return EnvironmentProblem(
            f"Setting up failed: {_last_error(output)}", f"Look at the end of {self._log}."
        )


def read_entries(lock: Path) -> list[str]:
    """The requirements of a lock file, each with its hashes, without comments and options."""
    text = re.sub(r"\\\n", " ", lock.read_text(encoding="utf-8"))
    lines = (re.sub(r"(^|\s)#.*", "", line).strip() for line in text.splitlines())
    return [" ".join(line.split()) for line in lines if line and not line.startswith("-")]


def ensure_browser(tell: Tell, which: Callable[[str], str | None] = shutil.which) -> bool:
    """Installs Chromium from Debian's packages for the browser tests; false when it is there.

    Raises ``EnvironmentProblem`` with the line to run when we are not root.
    """
    if which("chromium"):
        return False
    line = f"apt-get update && apt-get install --yes {' '.join(_BROWSER_PACKAGES)}"
    if os.geteuid() != 0 or not which("apt-get"):
        raise EnvironmentProblem(
            "The browser tests need Chromium, and only root can install it.", f"Run as root: {line}"
        )
    tell("Installing Chromium")
    for command in (
        ["apt-get", "update", "--quiet"],
        ["apt-get", "install", "--yes", "--quiet", *_BROWSER_PACKAGES],
    ):
        environ = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
        try:
            done = subprocess.run(
                command,
                env=environ,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                timeout=_APT_SECONDS,
                check=False,
            )
        except subprocess.TimeoutExpired as error:
            raise EnvironmentProblem(
                f"Chromium was not installed within {_APT_SECONDS:.0f} s.", f"Run as root: {line}"
            ) from error
        if done.returncode != 0:
            raise EnvironmentProblem(
                f"Chromium could not be installed: {_last_error(done.stderr)}",
                f"Run as root: {line}",
            )
    return True


def _create_venv(folder: Path, pip: _Pip) -> Path:
    if folder.exists():
        shutil.rmtree(folder)
    try:
        import ensurepip  # noqa: F401 - Debian ships it in a package of its own
    except ImportError as error:
        raise EnvironmentProblem(
            "This Python cannot create virtual environments.",
            "Run as root: apt-get install --yes python3.11-venv",
        ) from error
    pip.call((sys.executable, "-m", "venv", str(folder)))
    return folder / "bin" / "python"


@contextmanager
def _alone(layout: Layout, tell: Tell) -> Iterator[None]:
    """One set-up at a time; the kernel frees the lock when its holder dies."""
    layout.log.parent.mkdir(parents=True, exist_ok=True)
    with (layout.log.parent / "bootstrap.lock").open("a") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            tell("Waiting for another set-up to end")
            fcntl.flock(file, fcntl.LOCK_EX)
        layout.log.unlink(missing_ok=True)
        yield


def _is_current(layout: Layout) -> bool:
    try:
        stamp = (layout.venv / "flink-boost.stamp").read_text(encoding="ascii")
    except OSError:
        return False
    return stamp == layout.digest() and os.access(layout.venv / "bin" / "flink-boost", os.X_OK)


def _write(path: Path, text: str) -> None:
    draft = path.with_name(f".{path.name}.draft")
    draft.write_text(text, encoding="ascii")
    draft.replace(path)


def _content(path: Path) -> bytes:
    return hashlib.sha256(path.read_bytes()).digest()


def _count(lock: Path) -> int:
    return len(read_entries(lock))


def _last_error(output: str) -> str:
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    # Below "ERROR: Exception:" pip prints a traceback, whose last line says what it was.
    errors = [
        line
        for line in lines
        if line.startswith(("ERROR:", "E:")) and not line.endswith("Exception:")
    ]
    return (errors or lines or ["it printed nothing"])[-1]


def main(arguments: Sequence[str] | None = None) -> int:
    """Sets up and says what it does; the exit code is 0 or that of the error."""
    parser = argparse.ArgumentParser(prog="scripts/bootstrap-venv", description="Sets up .venv.")
    parser.add_argument(
        "--browser", action="store_true", help="also install Chromium, for the browser tests"
    )
    options = parser.parse_args(arguments)

    try:
        if set_up(Layout(ROOT), _tell):
            _tell("Done")
        if options.browser:
            ensure_browser(_tell)
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
