"""Gets single files that ``lines.toml`` pins by SHA-256, and prepares folders made of them::

    <cache>/downloads/<file>       as published, checksum verified

What is there is not fetched again, and nothing that a file holds is run. Runs on a bare Python,
because Make and Maven need a JDK before the project's own environment exists.
"""

from __future__ import annotations

import errno
import hashlib
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from flink_boost.base.commands import run_captured
from flink_boost.base.errors import BrokenData, EnvironmentProblem
from flink_boost.base.places import PROJECT_ROOT
from flink_boost.flink.lines import PinnedFile
from flink_boost.flink.package_index import fetch_file, list_files

CACHE = PROJECT_ROOT / ".cache"

_SET_UP_SECONDS = 300


def ensure_download(pin: PinnedFile, cache: Path = CACHE) -> Path:
    """The file of a project on PyPI, fetched from pip's index when it is not there.

    Raises ``BrokenData`` for another checksum than pinned (the file is deleted),
    ``EnvironmentProblem`` when the network or the disk does not let us.
    """
    file = cache / "downloads" / pin.file
    if not file.is_file():
        found = [each for each in list_files(pin.project) if each.name == pin.file]
        if not found:
            raise EnvironmentProblem(
                f"The package index does not have {pin.file}.",
                "Check pip's configuration, then run the command again.",
            )
        # Two places may have a file of that name: the index, and a folder of the machine's own.
        chosen = next((each for each in found if each.sha256 == pin.sha256), found[0])
        with disk_problems(cache), prepared_aside(file) as aside:
            fetch_file(chosen, aside / pin.file)
            verify(aside / pin.file, pin)
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
    result = run_captured(command, _SET_UP_SECONDS, folder=folder)
    if result.returncode != 0:
        raise EnvironmentProblem(
            f"Could not {purpose} ({_last_error(result.stdout)}).",
            "Check the network, then run the command again.",
        )


def _wrong_checksum(pin: PinnedFile, found: str) -> BrokenData:
    return BrokenData(
        f"{pin.file} has SHA-256 {found} instead of the pinned {pin.sha256}; the file was deleted.",
        "Run the command again to fetch it anew; if that fails too, do not trust the source.",
    )


def _last_error(output: str) -> str:
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    errors = [line for line in lines if "error" in line.lower()]
    return (errors or lines[-1:] or ["no output"])[0][:300]
