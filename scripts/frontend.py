"""What the dashboard's pages and tests take from npm, pinned by ``package-lock.json``: plain files.

npm fetches the archives, since it alone knows which registry this machine uses. Nothing that they
hold is run; only the files that ``package.json`` names are unpacked, into ``.cache/frontend``.
"""

from __future__ import annotations

import base64
import hashlib
import json
import shutil
import tarfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from flink_boost.base.commands import run_captured
from flink_boost.base.errors import EnvironmentProblem
from flink_boost.flink.downloads import prepared_aside, publish_folder
from packages import DamagedPackage

GROUPS = ("dashboard", "dev")  # the groups of set_up.py that have pages to show
FOLDER = Path("codespeed-config", "frontend")
TESTS = Path("scripts", "tests", "npm")  # for the group dev only

_SECONDS = 300.0
_STAMP = "integrity"  # beside the files: which archive they are of

Tell = Callable[[str], None]


@dataclass(frozen=True)
class Archive:
    """A package of the lock file: its archive, and the files of it that are wanted."""

    name: str
    version: str
    integrity: str
    files: tuple[str, ...]

    @property
    def file(self) -> str:
        return f"{self.name.removeprefix('@').replace('/', '-')}-{self.version}.tgz"


def ensure_frontend(root: Path, group: str, tell: Tell) -> None:
    """Makes ``.cache/frontend/<name>/`` for each package of the lock file that the group needs.

    Does nothing when all are there. Who measures needs no plots, so that without npm the group
    ``dev`` is told, and goes on. Raises ``EnvironmentProblem`` where npm does not get a package, or
    is missing for a dashboard alone, and ``DamagedPackage`` for an archive with another SHA-512
    than the lock file says; it is deleted.
    """
    cache = root / ".cache"
    for archive in archives(root, group):
        if _is_unpacked(archive, cache):
            continue
        packed = cache / "downloads" / archive.file
        if not packed.is_file():
            if shutil.which("npm") is None:
                if group == "dev":
                    tell(f"The dashboard has no plots: npm is not installed. {_next(archive)}")
                    return
                raise EnvironmentProblem("npm is not installed.", _next(archive))
            tell(f"Downloading {archive.name} {archive.version}")
            _fetch(archive, packed)
        _verify(archive, packed)
        target = cache / "frontend" / archive.name
        with prepared_aside(target) as aside:
            _unpack(packed, archive, aside)
            shutil.rmtree(target, ignore_errors=True)
            publish_folder(aside, target)


def has_frontend(root: Path, group: str) -> bool:
    """Whether every package that the group needs is unpacked."""
    return all(_is_unpacked(archive, root / ".cache") for archive in archives(root, group))


def archives(root: Path, group: str) -> Iterator[Archive]:
    """The packages of the lock file; those for tests in the group ``dev`` only."""
    if group not in GROUPS:
        return
    for folder in (FOLDER, TESTS) if group == "dev" else (FOLDER,):
        wanted = json.loads((root / folder / "package.json").read_text(encoding="utf-8"))
        locked = json.loads((root / folder / "package-lock.json").read_text(encoding="utf-8"))
        for name, files in wanted["flinkBoostFiles"].items():
            entry = locked["packages"][f"node_modules/{name}"]
            if group == "dev" or not entry.get("dev", False):
                yield Archive(name, entry["version"], entry["integrity"], tuple(files))


def _is_unpacked(archive: Archive, cache: Path) -> bool:
    folder = cache / "frontend" / archive.name
    try:
        stamp = (folder / _STAMP).read_text(encoding="ascii")
    except OSError:
        return False
    return stamp == archive.integrity and all(
        (folder / Path(file).name).is_file() for file in archive.files
    )


def _next(archive: Archive) -> str:
    return (
        "Run as root: apt-get install --yes npm; or copy "
        f".cache/downloads/{archive.file} from a machine that has it."
    )


def _fetch(archive: Archive, target: Path) -> None:
    package = f"{archive.name}@{archive.version}"
    with prepared_aside(target) as aside:
        done = run_captured(
            ("npm", "pack", "--ignore-scripts", "--silent", "--pack-destination", ".", package),
            _SECONDS,
            folder=aside,
        )
        if done.returncode != 0 or not (aside / archive.file).is_file():
            raise EnvironmentProblem(
                f"npm did not get {archive.name} {archive.version}.",
                f"See what `npm pack {package}` says, check the network and npm's registry, then "
                "run the same command again.",
            )
        (aside / archive.file).replace(target)


def _verify(archive: Archive, packed: Path) -> None:
    method, _, expected = archive.integrity.partition("-")
    with packed.open("rb") as content:
        found = hashlib.file_digest(content, "sha512").digest()
    if method != "sha512" or base64.b64encode(found).decode() != expected:
        packed.unlink()
        raise DamagedPackage(
            f"{archive.file} has another SHA-512 than package-lock.json says; it was deleted.",
            "Run the command again; if that fails too, do not trust the registry.",
        )


def _unpack(packed: Path, archive: Archive, folder: Path) -> None:
    with tarfile.open(packed) as members:
        for name in archive.files:
            content = members.extractfile(f"package/{name}")
            if content is None:
                raise DamagedPackage(
                    f"{archive.file} has no file {name}.", "Correct frontend/package.json."
                )
            target = folder / Path(name).name
            target.write_bytes(content.read())
            target.chmod(0o644)
    (folder / _STAMP).write_text(archive.integrity, encoding="ascii")
