"""Gets single files that ``lines.toml`` pins by SHA-256, and prepares folders made of them::

    <cache>/downloads/<file>       as published, checksum verified
    <cache>/pip-tools/             a virtual environment that can read old source packages

What is there is not fetched again. Runs on a bare Python 3.11: Make and Maven need a JDK before the
project's own environment exists.
"""

from __future__ import annotations

import errno
import hashlib
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from flink_boost.base.errors import BrokenData, EnvironmentProblem
from flink_boost.base.places import PROJECT_ROOT
from flink_boost.flink.lines import PinnedFile

CACHE = PROJECT_ROOT / ".cache"

_DOWNLOAD_SECONDS = 1800
_SET_UP_SECONDS = 300

# Flink's source packages do not build their metadata with newer releases of setuptools; pip is
# pinned because it resumes broken downloads from version 25.1 on.
_PIP_TOOLS = """\
pip==25.3 --hash=sha256:9655943313a94722b7774661c21049070f6bbb0a1516bf02f7c8d5d9201514cd
setuptools==65.7.0 --hash=sha256:8ab4f1dbf2b4a65f7eec5ad0c620e84c34111a68d3349833494b9088212214dd
wheel==0.45.1 --hash=sha256:708e7481cc80179af0e556bbf0cc00b8444c7321e2700b8d8580231d13017248
"""


def ensure_download(pin: PinnedFile, cache: Path = CACHE) -> Path:
    """The file of a project on PyPI, fetched with pip when it is not there.

    Raises ``BrokenData`` for another checksum than pinned (the file is deleted),
    ``EnvironmentProblem`` when the network or the disk does not let us.
    """
    file = cache / "downloads" / pin.file
    if not file.is_file():
        python = ensure_pip_tools(cache)
        with disk_problems(cache), prepared_aside(file) as aside:
            _pip_download(pin, python, aside)
            (aside / pin.file).replace(file)
    verify(file, pin)
    return file


def verify(file: Path, pin: PinnedFile) -> None:
    """Compares SHA-256; a file that differs is deleted and ``BrokenData`` raised."""
    with file.open("rb") as content:
        found = hashlib.file_digest(content, "sha256").hexdigest()
    if found != pin.sha256:
        file.unlink()
        raise _wrong_checksum(pin, found)


@contextmanager
def prepared_aside(target: Path) -> Iterator[Path]:
    """A folder next to ``target`` to prepare it in; whatever is left in it is deleted."""
    target.parent.mkdir(parents=True, exist_ok=True)
    folder = Path(tempfile.mkdtemp(prefix=f".{target.name[:40]}.", dir=target.parent))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def publish_folder(folder: Path, target: Path) -> None:
    """Gives a finished folder its final name, in one step, for everybody to read."""
    folder.chmod(0o755)
    try:
        folder.rename(target)
    except OSError as error:
        # Somebody else was faster; his copy is as good as ours.
        if error.errno not in (errno.ENOTEMPTY, errno.EEXIST):
            raise


@contextmanager
def disk_problems(cache: Path) -> Iterator[None]:
    """Turns ``OSError`` inside into ``EnvironmentProblem`` about that folder."""
    try:
        yield
    except OSError as error:
        raise EnvironmentProblem(
            f"{cache} cannot be filled ({error.strerror or error}).",
            "Make room or correct the permissions, then run the command again.",
        ) from error


def run_checked(command: Sequence[str], purpose: str, folder: Path | None = None) -> None:
    """Runs a command of at most five minutes in a folder; ``EnvironmentProblem`` when it fails.

    ``purpose`` completes the sentence "Could not ...".
    """
    result = _run(command, _SET_UP_SECONDS, folder)
    if result.returncode != 0:
        raise EnvironmentProblem(
            f"Could not {purpose} ({_last_error(result.stdout)}).",
            "Check the network, then run the command again.",
        )


def _pip_download(pin: PinnedFile, python: Path, folder: Path) -> None:
    # The checksum goes to pip as well: it runs the set-up script of a source package to learn its
    # name, and that must not happen before the package is known to be the right one.
    requirements = folder / "requirements.txt"
    requirements.write_text(f"{pin.project}=={pin.version} --hash=sha256:{pin.sha256}\n")
    kind = "--only-binary" if pin.file.endswith(".whl") else "--no-binary"
    result = _run(
        [
            *(str(python), "-m", "pip", "download", "--no-deps", "--no-build-isolation"),
            *("--no-cache-dir", "--progress-bar", "off", kind, ":all:"),
            *("--require-hashes", "-r", str(requirements), "--dest", str(folder)),
        ],
        _DOWNLOAD_SECONDS,
    )
    if result.returncode == 0 and (folder / pin.file).is_file():
        return
    got = re.search(r"Got\s+([0-9a-f]{64})", result.stdout)
    if got is not None:
        raise _wrong_checksum(pin, got.group(1))
    raise EnvironmentProblem(
        f"pip could not download {pin.file} ({_last_error(result.stdout)}).",
        "Check the network and pip's configuration, then run the command again.",
    )


def _wrong_checksum(pin: PinnedFile, found: str) -> BrokenData:
    return BrokenData(
        f"{pin.file} has SHA-256 {found} instead of the pinned {pin.sha256}; the file was deleted.",
        "Run the command again to fetch it anew; if that fails too, do not trust the source.",
    )


def ensure_pip_tools(cache: Path) -> Path:
    """The Python of a virtual environment that holds exactly ``_PIP_TOOLS``."""
    target = cache / "pip-tools"
    if not target.is_dir():
        with disk_problems(cache), prepared_aside(target) as aside:
            run_checked([sys.executable, "-m", "venv", str(aside)], "make a virtual environment")
            requirements = aside / "requirements.txt"
            requirements.write_text(_PIP_TOOLS)
            run_checked(
                [
                    *(str(aside / "bin" / "python"), "-m", "pip", "install", "--quiet"),
                    *("--require-hashes", "-r", str(requirements)),
                ],
                "install pip, setuptools and wheel into it",
            )
            publish_folder(aside, target)
    return target / "bin" / "python"


def _run(
    command: Sequence[str], seconds: int, folder: Path | None = None
) -> subprocess.CompletedProcess[str]:
    try:
        return subprocess.run(
            command,
            cwd=folder,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=seconds,
            check=False,
        )
    except FileNotFoundError as error:
        raise EnvironmentProblem(f"{command[0]} is not installed.", "Install it.") from error
    except subprocess.TimeoutExpired as error:
        raise EnvironmentProblem(
            f"{command[0]} did not finish within {seconds} s.",
            "Check the network, then run the command again.",
        ) from error


def _last_error(output: str) -> str:
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    errors = [line for line in lines if "error" in line.lower()]
    return (errors or lines[-1:] or ["no output"])[0][:300]
