"""Fetches the commits of a pull request into a repository of its own, beside the recipe's clone.

They are data until they are built: no hook, no filter and no work tree takes part.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable
from pathlib import Path

from flink_boost.base.commands import run_captured
from flink_boost.base.errors import BuildFailed, EnvironmentProblem, UsageProblem
from flink_boost.base.files import exclusive_lock, make_folder
from flink_boost.base.processes import bare_environment
from flink_boost.service.builds.repository import resolve
from flink_boost.service.requests.model import RequestOrder

MOST_KEPT = 64  # commits of pull requests, until all but the newest request's are forgotten
_SECONDS = 600.0
_LARGEST_FILE = 2 << 30  # bytes: a pack of more is no pull request
_OF_THE_NETWORK = (
    *("Could not resolve", "Failed to connect", "onnection refused", "timed out", "early EOF"),
    *("onnection reset", "unexpected disconnect", "returned error: 5", "did not end within"),
)
_SETTINGS = (
    *("-c", "core.hooksPath=/dev/null", "-c", "fetch.fsckObjects=true"),
    *("-c", "protocol.version=2", "-c", "gc.auto=0", "-c", "credential.helper="),
)


def fetch_commits(order: RequestOrder, clone: Path, folder: Path) -> Path:
    """The repository in ``folder`` that has both commits; what the clone has is not fetched.

    Raises ``BuildFailed`` when one cannot be had, ``EnvironmentProblem`` when that may pass.
    """
    make_folder(folder.parent)
    with exclusive_lock(folder.with_suffix(".lock"), "fetching commits"):
        if not (folder / "HEAD").exists():
            _git(None, "init", "--quiet", "--bare", str(folder))
        objects = _git(clone, "rev-parse", "--path-format=absolute", "--git-path", "objects")
        alternates = folder / "objects" / "info" / "alternates"
        alternates.write_text(objects.strip() + "\n", encoding="utf-8")
        for sha, address in ((order.base, order.base_from), (order.head, order.head_from)):
            if not _has(folder, sha):
                _fetch(folder, sha, address)
            _git(folder, "update-ref", f"refs/heads/request-{sha}", sha)
    return folder


def forget_commits(folder: Path, kept: Iterable[str], most: int = MOST_KEPT) -> int:
    """Deletes all commits but those, once there are more than ``most``; returns how many.

    Whoever asks for one of them again has it fetched again. Being killed in between does no harm.
    """
    with exclusive_lock(folder.with_suffix(".lock"), "fetching commits"):
        refs = _git(folder, "for-each-ref", "--format=%(refname)", "refs/heads/").split()
        wanted = {f"refs/heads/request-{sha}" for sha in kept}
        old = [ref for ref in refs if ref not in wanted]
        if len(refs) <= most:
            return 0
        for ref in old:
            _git(folder, "update-ref", "-d", ref)
        _git(folder, "gc", "--quiet", "--prune=now")
    return len(old)


def _has(folder: Path, sha: str) -> bool:
    try:
        return resolve(folder, sha) == sha
    except UsageProblem:
        return False


def _fetch(folder: Path, sha: str, address: str) -> None:
    if not address.startswith(("https://", "file://")):
        raise BuildFailed(f"The commit {sha[:12]} is not here, and there is nowhere to fetch it.")
    try:
        _git(folder, "fetch", "--quiet", "--no-tags", "--no-write-fetch-head", "--", address, sha)
    except BuildFailed as error:
        if any(words in error.message for words in _OF_THE_NETWORK):
            # Of this machine or of GitHub, so it is tried again.
            raise EnvironmentProblem(error.message, "Check the network.") from error
        raise BuildFailed(
            f"The commit {sha[:12]} could not be fetched: its repository is gone or private, or no"
            f" longer has it ({error.message})",
        ) from error
    if not _has(folder, sha):
        raise BuildFailed(f"The commit {sha[:12]} could not be fetched.")


def _git(where: Path | None, *arguments: str) -> str:
    limited = ("prlimit", f"--fsize={_LARGEST_FILE}") if shutil.which("prlimit") else ()
    place = () if where is None else ("-C", str(where))
    done = run_captured(
        (*limited, "git", *_SETTINGS, *place, *arguments),
        _SECONDS,
        environment={
            **bare_environment(os.environ),
            "GIT_TERMINAL_PROMPT": "0",
            "GIT_ALLOW_PROTOCOL": "https:file",
            "GIT_CONFIG_NOSYSTEM": "1",
        },
    )
    if done.returncode != 0:
        lines = [line.strip() for line in done.stdout.splitlines() if line.strip()]
        raise BuildFailed(
            f"git {arguments[0]} failed ({(lines or ['no output'])[-1][:200]}).",
            "See whether the fork of the pull request can be reached.",
        )
    return done.stdout
