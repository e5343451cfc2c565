"""What ``set_up.py`` does beside calling uv: checks, sentences, the sources of Codespeed."""

from __future__ import annotations

import base64
import csv
import hashlib
import re
import shutil
import tarfile
import tomllib
from pathlib import Path, PurePosixPath

from flink_boost.base.errors import EnvironmentProblem
from flink_boost.flink.downloads import ensure_download
from flink_boost.flink.lines import PinnedFile


class DamagedPackage(EnvironmentProblem):
    """A file is not what its hash says."""


def explain(output: str, log: Path) -> EnvironmentProblem:
    """What uv or pip said, in a sentence."""
    again = "Then run the same command again: finished downloads are kept."
    if re.search(r"No space left on device|Disk quota exceeded", output):
        return EnvironmentProblem("The disk is full.", f"Free 2 GB. {again}")
    if re.search(r"Hash mismatch|DO NOT MATCH THE HASHES", output):
        return DamagedPackage(
            "A package has another checksum than its requirement file says.",
            f"Do not use it; {log} names it.",
        )
    if re.search(
        r"error sending request|Failed to fetch|client error|dns error|tcp connect error|"
        r"NewConnectionError|ConnectionError|ConnectTimeout|ReadTimeout|Max retries|ProxyError|"
        r"SSLError|Temporary failure in name resolution|Network is unreachable",
        output,
    ):
        return EnvironmentProblem(
            "The package index cannot be reached.",
            f"Check the network and pip's own settings (PIP_INDEX_URL, PIP_PROXY). {again}",
        )
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    errors = [line for line in lines if line.startswith(("error:", "ERROR:", "E:", "cause:"))]
    last = (errors or lines or ["it printed nothing"])[-1]
    return EnvironmentProblem(f"Setting up failed: {last}", f"Look at the end of {log}.")


def check_installed(venv: Path) -> None:
    """Compares all installed files with the hashes of their packages.

    uv checks what it downloads, but not what has become of it in the cache, whose files are linked
    into ``.venv``. Raises ``DamagedPackage``.
    """
    for record in sorted(venv.glob("lib/python*/site-packages/*.dist-info/RECORD")):
        with record.open(encoding="utf-8", newline="") as lines:
            for name, checksum, *_ in csv.reader(lines):
                if not checksum.startswith("sha256="):
                    continue
                file = record.parents[1] / name
                # An entry point is written by uv, for this environment.
                if file.parent == venv / "bin" or ".." in PurePosixPath(name).parts:
                    continue
                digest = hashlib.sha256(file.read_bytes()).digest() if file.is_file() else b""
                found = base64.urlsafe_b64encode(digest).rstrip(b"=").decode()
                if found != checksum.removeprefix("sha256="):
                    raise DamagedPackage(
                        f"{file} is not what {record.parent.name} says.", "Delete .cache/uv."
                    )


def unpack_codespeed(build: Path, cache: Path, target: Path) -> None:
    """Writes Codespeed's package, from its pinned archive, beside ``build``: our pyproject.toml."""
    with build.open("rb") as file:
        description = tomllib.load(file)
    name, version = description["project"]["name"], description["project"]["version"]
    archive = ensure_download(
        PinnedFile(name, version, **description["tool"]["flink-boost"]), cache
    )
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir()
    with tarfile.open(archive) as members:
        for member in members:
            path = PurePosixPath(*PurePosixPath(member.name).parts[1:])
            content = members.extractfile(member) if member.isfile() else None
            wanted = path.parts[:1] == (name,) or path.name == "LICENSE"
            if content is None or not wanted or ".." in path.parts:
                continue
            (target / path).parent.mkdir(parents=True, exist_ok=True)
            (target / path).write_bytes(content.read())
    shutil.copy(build, target)
