"""Fetches the commits of a pull request into a repository of its own, beside the recipe's clone.

They are data until they are built: no hook, no filter and no work tree takes part.
"""

from __future__ import annotations

import os
import re
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
# What git says when asking again cannot help. All else is of this machine, the network or GitHub,
# whatever the last line is: a cut connection and a full disk end with "index-pack failed" alike.
_FOR_GOOD = re.compile(
    r"not our ref|unadvertised object|could not read Username|Authentication failed"
    r"|repository .*not found|does not appear to be a git repository"
    r"|returned error: 4(0[134]|10|51)|fsck error|File too large|died of signal 25",
    re.IGNORECASE,
)
_LINES_SHOWN = 3
_SETTINGS = (
    *("-c", "core.hooksPath=/dev/null", "-c", "fetch.fsckObjects=true"),
    *("-c", "protocol.version=2", "-c", "gc.auto=0", "-c", "credential.helper="),
)


class _GitFailed(EnvironmentProblem):
    def __init__(self, message: str, next_step: str, output: str) -> None:
        super().__init__(message, next_step)
        self.output = output


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
    except _GitFailed as error:
        reasons = [line for line in _lines(error.output) if _FOR_GOOD.search(line)]
        if not reasons:
            raise
        raise BuildFailed(
            f"The commit {sha[:12]} could not be fetched: its repository is gone or private, or no"
            f" longer has it ({reasons[0][:200]}).",
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
        shown = " / ".join(_lines(done.stdout)[-_LINES_SHOWN:])[:300]
        raise _GitFailed(
            f"git {arguments[0]} failed ({shown or 'no output'}).",
            "Look at the network and the disk.",
            done.stdout,
        )
    return done.stdout


def _lines(output: str) -> list[str]:
    return [line.strip() for line in output.splitlines() if line.strip()]
