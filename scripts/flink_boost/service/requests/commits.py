"""Fetches the commits of a pull request into a repository of its own, beside the recipe's clone.

They are data until they are built: no hook, no filter and no work tree takes part. But Git unpacks
them to check them, and some kilobytes unpack to more than any machine has: so each Git has bounds.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterable
from pathlib import Path
from tempfile import NamedTemporaryFile

from flink_boost.base.errors import BuildFailed, EnvironmentProblem, UsageProblem
from flink_boost.base.files import exclusive_lock, make_folder
from flink_boost.base.processes import CommandTimeoutError, bare_environment, run_supervised
from flink_boost.service.builds import repository
from flink_boost.service.requests.request import RequestOrder

MOST_KEPT = 64  # commits of pull requests, until all but the newest request's are forgotten
_SECONDS = 600.0
_LARGEST_FILE = 2 << 30  # bytes: a pack of more is no pull request
_MOST_READ = 1 << 20  # bytes of what a Git says, the last ones
# What git says when asking again cannot help. All else is of this machine, the network or GitHub,
# whatever the last line is: a cut connection and a full disk end with "index-pack failed" alike.
_FOR_GOOD = re.compile(
    r"not our ref|unadvertised object|could not read Username|Authentication failed"
    r"|repository .*not found|does not appear to be a git repository"
    r"|returned error: 4(0[134]|10|51)|fsck error",
    re.IGNORECASE,
)
_OUT_OF_MEMORY = re.compile(r"out of memory|cannot allocate memory", re.IGNORECASE)
_LINES_SHOWN = 3
_PARTS = ("HEAD", "refs", "objects/info")  # of a repository that is whole
_OF_PACKS = ("objects/pack/tmp_*", "objects/pack/*.keep")
_SETTINGS = (
    *("-c", "core.hooksPath=/dev/null", "-c", "fetch.fsckObjects=true"),
    *("-c", "protocol.version=2", "-c", "gc.auto=0", "-c", "credential.helper="),
    # A pack stays a pack: unpacked, some kilobytes may be as many gigabytes.
    *("-c", "fetch.unpackLimit=1"),
    # What is larger is never in memory as a whole, unless it is told by its difference to others.
    *("-c", "core.bigFileThreshold=16m", "-c", "pack.windowMemory=64m", "-c", "pack.threads=1"),
    # Nothing at all for so long is a network that is away; whatever lasts longer is too much.
    *("-c", "http.lowSpeedLimit=1", "-c", "http.lowSpeedTime=120"),
)


class _GitFailed(EnvironmentProblem):
    def __init__(self, message: str, output: str, *, late: bool = False) -> None:
        super().__init__(message, "Look at the network and the disk.")
        self.output = output
        self.late = late

    @property
    def bound(self) -> str:
        """Which of our bounds ended it; empty when none did."""
        if self.late:
            return f"it took longer than {_SECONDS:.0f} s"
        if "File too large" in self.output:
            return f"what came with it has more than {_size(_LARGEST_FILE)}"
        if _OUT_OF_MEMORY.search(self.output):
            return f"Git needs more than {_size(repository.GIT_MEMORY)} of memory for it"
        return ""


def fetch_commits(order: RequestOrder, clone: Path, folder: Path) -> Path:
    """The repository in ``folder`` that has both commits; what the clone has is not fetched.

    Raises ``BuildFailed`` when one cannot be had, ``EnvironmentProblem`` when that may pass.
    """
    make_folder(folder.parent)
    with exclusive_lock(folder.with_suffix(".lock"), "fetching commits"):
        _sweep(folder)
        if not all((folder / part).exists() for part in _PARTS):
            _git(folder, "init", "--quiet", "--bare", str(folder), at=folder.parent)
        place = ("rev-parse", "--path-format=absolute", "--git-path", "objects")
        objects = _git(folder, *place, at=clone)
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
        _sweep(folder)
        refs = _git(folder, "for-each-ref", "--format=%(refname)", "refs/heads/").split()
        wanted = {f"refs/heads/request-{sha}" for sha in kept}
        old = [ref for ref in refs if ref not in wanted]
        if len(refs) <= most:
            return 0
        for ref in old:
            _git(folder, "update-ref", "-d", ref)
        try:
            _git(folder, "gc", "--quiet", "--prune=now")
        except _GitFailed:  # within these bounds; or the disk is full, and a new pack needs room
            # At once: half a repository would be none to fetch into.
            folder.rename(_forgotten(folder))
            _sweep(folder)
    return len(old)


def _forgotten(folder: Path) -> Path:
    return folder.with_suffix(".old")


def _sweep(folder: Path) -> None:
    """Removes what a Git, or one of us, that was ended left; whoever calls this has the lock.

    Locks would be held for ever, and so would whole packs; parts of packs are as large as these.
    """
    if _forgotten(folder).exists():
        shutil.rmtree(_forgotten(folder))
    for pattern in ("*.lock", "gc.pid", "refs/**/*.lock", *_OF_PACKS):
        for left in folder.glob(pattern):
            left.unlink(missing_ok=True)


def _has(folder: Path, sha: str) -> bool:
    try:
        return repository.resolve(folder, sha) == sha
    except UsageProblem:
        return False


def _fetch(folder: Path, sha: str, address: str) -> None:
    if not address.startswith(("https://", "file://")):
        raise BuildFailed(f"The commit {sha[:12]} is not here, and there is nowhere to fetch it.")
    try:
        _git(folder, "fetch", "--quiet", "--no-tags", "--no-write-fetch-head", "--", address, sha)
    except _GitFailed as error:
        if error.bound:
            raise BuildFailed(
                f"The commit {sha[:12]} could not be fetched: {error.bound}."
            ) from error
        reasons = [line for line in _lines(error.output) if _FOR_GOOD.search(line)]
        if not reasons:
            raise
        raise BuildFailed(
            f"The commit {sha[:12]} could not be fetched: its repository is gone or private, or no"
            f" longer has it ({reasons[0][:200]}).",
        ) from error
    finally:
        _sweep(folder)
    if not _has(folder, sha):
        raise BuildFailed(f"The commit {sha[:12]} could not be fetched.")


def _git(folder: Path, *arguments: str, at: Path | None = None) -> str:
    """What Git says in ``folder``, or elsewhere; what it has said so far is beside ``folder``."""
    # With the signal ignored a file that is too large is an error that Git tells.
    held = ("env", "--ignore-signal=XFSZ", *repository.held(f"--fsize={_LARGEST_FILE}"))
    environment = {
        **bare_environment(os.environ),
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_ALLOW_PROTOCOL": "https:file",
        "GIT_CONFIG_NOSYSTEM": "1",
        "LC_ALL": "C",  # what it says is read here
    }
    with NamedTemporaryFile(dir=folder.parent, suffix=".log") as log:
        try:
            code = run_supervised(
                (*held, "git", *_SETTINGS, "-C", str(at or folder), *arguments),
                Path(log.name),
                environment,
                _SECONDS,
            )
        except CommandTimeoutError as error:
            raise _GitFailed(
                f"git {arguments[0]} did not finish within {_SECONDS:.0f} s.", "", late=True
            ) from error
        output = _end_of(Path(log.name))
    if code != 0:
        shown = " / ".join(_lines(output)[-_LINES_SHOWN:])[:300]
        raise _GitFailed(f"git {arguments[0]} failed ({shown or 'no output'}).", output)
    return output


def _end_of(log: Path) -> str:
    with log.open("rb") as file:
        file.seek(max(0, log.stat().st_size - _MOST_READ))
        return file.read().decode("utf-8", errors="replace")


def _size(count: int) -> str:
    return f"{count / (1 << 30):g} GiB"


def _lines(output: str) -> list[str]:
    return [line.strip() for line in output.splitlines() if line.strip()]
