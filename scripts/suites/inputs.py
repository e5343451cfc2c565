"""What a suite depends on: files of the tree and the machine, as one checksum."""

from __future__ import annotations

import hashlib
import os
import platform
from collections.abc import Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

from flink_boost.base.commands import run_captured
from flink_boost.base.errors import EnvironmentProblem

_GIT_SECONDS = 60.0


@dataclass(frozen=True)
class Inputs:
    """Files by their paths below the root: all that begin with ``below``, but for ``without``.

    ``without``: shell patterns of whole paths, in which a * matches slashes too.
    """

    below: tuple[str, ...] = ("",)
    without: tuple[str, ...] = ()

    def takes(self, path: str) -> bool:
        """Whether the file belongs to the inputs."""
        return path.startswith(self.below) and not any(
            fnmatchcase(path, pattern) for pattern in self.without
        )


def tree(root: Path) -> dict[str, str]:
    """The SHA-256 of every file that git tracks or would track, by its path below the root.

    Raises ``EnvironmentProblem`` when the tree is not a checkout.
    """
    listed = run_captured(
        # A container's checkout may belong to another user; nothing of it is run by listing it.
        [
            *("git", "-c", f"safe.directory={root}", "-c", "core.quotepath=off"),
            *("ls-files", "--cached", "--others", "--exclude-standard", "-z"),
        ],
        _GIT_SECONDS,
        folder=root,
    )
    if listed.returncode:
        words = (listed.stdout.strip().splitlines() or ["no output"])[-1]
        raise EnvironmentProblem(
            f"git does not list the files of {root} ({words}).", "Run it in a checkout."
        )
    # Behind what git warns of, which is in the same output.
    names = sorted({name.rpartition("\n")[2] for name in listed.stdout.split("\0") if name})
    return {name: checksum for name in names if (checksum := _checksum(root / name))}


def _checksum(path: Path) -> str:
    """Of a file's content and whether it can be run, or of a link's target; "" when it is gone."""
    try:
        if path.is_symlink():
            return hashlib.sha256(os.fsencode(path.readlink())).hexdigest()
        runs = b"x" if os.access(path, os.X_OK) else b"-"
        return hashlib.sha256(runs + path.read_bytes()).hexdigest()
    except (FileNotFoundError, IsADirectoryError):
        return ""


def machine(java: Path, environment: Mapping[str, str]) -> str:
    """What tests depend on outside the tree: system, Python and ``java``, the JDK of the build.

    And our own variables, but for secrets, of which it is enough that they are there.
    """
    release = java.parents[1] / "release"
    version = release.read_text(encoding="utf-8") if release.is_file() else str(java)
    own = [
        name if "TOKEN" in name or "SECRET" in name else f"{name}={value}"
        for name, value in sorted(environment.items())
        if name.startswith("FLINK_BOOST_")
    ]
    return "\n".join((platform.platform(), platform.python_version(), version, *own))


def digest(inputs: Inputs, files: Mapping[str, str], *more: str) -> str:
    """One checksum of these inputs and of what else matters, such as the command."""
    taken = [f"{checksum} {path}" for path, checksum in sorted(files.items()) if inputs.takes(path)]
    return hashlib.sha256("\n".join((*more, *taken)).encode()).hexdigest()


def head(root: Path) -> str:
    """The commit that is checked out; "" where git does not say."""
    words = ["git", "-c", f"safe.directory={root}", "rev-parse", "HEAD"]
    asked = run_captured(words, _GIT_SECONDS, folder=root)
    return "" if asked.returncode else asked.stdout.strip().splitlines()[-1]
