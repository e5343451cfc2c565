"""A Git repository on this machine: its commits in order, and checkouts of them.

Nothing in it is changed: no branch, no work tree, no hook is run.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from pathlib import Path

from flink_boost.base.commands import run_captured
from flink_boost.base.errors import EnvironmentProblem, UsageProblem
from flink_boost.base.processes import bare_environment

_GIT_SECONDS = 600.0
_SHA = re.compile(r"[0-9a-f]{40}([0-9a-f]{24})?")
_STATUS = re.compile(r"^[ MTADRCU?]{2} .", re.MULTILINE)


def resolve(repository: Path, revision: str) -> str:
    """The full id of a commit. Raises ``UsageProblem`` when the repository does not have it."""
    if revision.startswith("-"):
        raise UsageProblem(f"{revision!r} is no commit.", "Name a commit, a branch or a tag.")
    code, output = _git(
        repository, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}"
    )
    found = output.strip()
    if code != 0 or not _SHA.fullmatch(found):
        raise UsageProblem(
            f"{repository} does not have the commit {revision!r}.",
            f"Fetch it with `git -C {repository} fetch`, or name another.",
        )
    return found


def commits_between(repository: Path, good: str, bad: str) -> tuple[str, ...]:
    """The commits after ``good`` up to ``bad``, oldest first, along first parents.

    So a merge is one commit: that of the branch that is measured. Raises ``UsageProblem`` when
    ``bad`` does not come after ``good`` on that line.
    """
    first, last = resolve(repository, good), resolve(repository, bad)
    path = _lines(repository, "rev-list", "--first-parent", "--reverse", f"{first}..{last}")
    parent = _lines(repository, "rev-parse", f"{path[0]}^1") if path else []
    if parent != [first]:
        raise UsageProblem(
            f"{last[:12]} does not come after {first[:12]} along first parents.",
            "Name two commits of one branch, the older one first.",
        )
    return tuple(path)


def merge_base(repository: Path, base: str, head: str) -> str:
    """The commit at which ``head`` left ``base``; ``UsageProblem`` where they share none."""
    code, output = _git(
        repository, "merge-base", resolve(repository, base), resolve(repository, head)
    )
    found = output.split()
    if code != 0 or not found:
        raise UsageProblem(
            f"{base} and {head} have no commit in common.", "Name two branches of one history."
        )
    return found[0]


def uncommitted(repository: Path) -> int:
    """How many files of its work tree no commit has as they are; 0 where there is no work tree.

    The repository is read only: not even Git's index is refreshed.
    """
    quiet = ("--no-optional-locks", "-c", "core.fsmonitor=false")
    code, output = _git(repository, *quiet, "status", "--porcelain")
    return len(_STATUS.findall(output)) if code == 0 else 0


def check_out(repository: Path, commit: str, folder: Path) -> None:
    """A clone of its own at that commit; it takes no space for what the repository has.

    Nothing is fetched for it: a commit may name a server for its large files.
    """
    shared = ("clone", "--quiet", "--shared", "--no-checkout", str(repository), str(folder))
    _checked(None, *shared)
    _checked(folder, "checkout", "--quiet", "--detach", commit)


def _lines(repository: Path, *arguments: str) -> list[str]:
    return _checked(repository, *arguments).split()


def _checked(repository: Path | None, *arguments: str) -> str:
    code, output = _git(repository, *arguments)
    if code != 0:
        raise EnvironmentProblem(
            f"git {arguments[0]} failed ({_last_line(output)}).", "Look at the repository."
        )
    return output


def _git(repository: Path | None, *arguments: str) -> tuple[int, str]:
    if repository is not None and not repository.is_dir():
        raise UsageProblem(
            f"{repository} is no folder.", f"Clone the repository there: git clone URL {repository}"
        )
    where: Sequence[str] = () if repository is None else ("-C", str(repository))
    done = run_captured(
        ("git", "-c", "core.hooksPath=/dev/null", *where, *arguments),
        _GIT_SECONDS,
        environment={
            **bare_environment(os.environ),
            "GIT_TERMINAL_PROMPT": "0",
            "GIT_LFS_SKIP_SMUDGE": "1",
        },
        again="Look whether another git holds a lock in the repository.",
    )
    return done.returncode, done.stdout


def _last_line(output: str) -> str:
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    return (lines or ["no output"])[-1][:300]
