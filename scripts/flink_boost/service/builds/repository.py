"""A Git repository on this machine: its commits in order, and checkouts of them.

Nothing in it is changed: no branch, no work tree, no hook is run.
"""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Sequence
from pathlib import Path

from flink_boost.base.commands import run_captured
from flink_boost.base.errors import BuildFailed, EnvironmentProblem, UsageProblem
from flink_boost.base.processes import bare_environment, foreign_environment

GIT_MEMORY = 1 << 30  # bytes, of each Git that reads what strangers made
MOST_FILES = 400_000  # Flink has 30,000
_LONGEST_PATH = 1000  # bytes; what a build puts in front still fits into what the kernel takes
_MOST_DEPTH = 128
_BLOCK = 1 << 16
_GIT_SECONDS = 600.0
_GIT = ("git", "-c", "core.hooksPath=/dev/null")
_SHA = re.compile(r"[0-9a-f]{40}([0-9a-f]{24})?")
_STATUS = re.compile(r"^[ MTADRCU?]{2} .", re.MULTILINE)


def held(*limits: str) -> tuple[str, ...]:
    """What stands before a Git that reads what strangers made, with further limits of prlimit.

    It has memory of its own, and is the first that the kernel ends. Whoever has a sandbox has both
    programs.
    """
    return ("choom", "-n", "1000", "--", "prlimit", f"--data={GIT_MEMORY}", *limits, "--")


def resolve(repository: Path, revision: str) -> str:
    """The full id of a commit. Raises ``UsageProblem`` when the repository does not have it."""
    if revision.startswith("-"):
        raise UsageProblem(f"{revision!r} is no commit.", "Name a commit, a branch or a tag.")
    code, output = _git(
        repository, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}"
    )
    found = output.strip()
    # Of a commit that is missing it says nothing; this is of another account's clone, or of none.
    fatal = [line for line in found.splitlines() if line.startswith("fatal: ")]
    if fatal:
        raise UsageProblem(
            f"git does not read {repository} ({fatal[0][:300]}).",
            "It has to be a clone that belongs to the account that calls.",
        )
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


def check_out(repository: Path, commit: str, folder: Path, *, most: int | None = None) -> None:
    """A clone of its own at that commit; it takes no space for what the repository has.

    Nothing is fetched for it: a commit may name a server for its large files. One of strangers has
    ``most`` bytes, and is looked at before: Git makes a list of all files in memory, and a commit
    of some kilobytes can have more of them, and larger ones, than any machine holds. Raises
    ``BuildFailed`` for such a one, and for one that takes Git too long.
    """
    if most is not None:
        _require_ordinary(repository, commit, most)
    shared = ("clone", "--quiet", "--shared", "--no-checkout", str(repository), str(folder))
    _checked(None, *shared)
    leave = ("checkout", "--quiet", "--detach", commit)
    if most is None:
        _checked(folder, *leave)
        return
    try:
        code, output = _git(folder, *leave, before=held())
    except EnvironmentProblem as error:
        if isinstance(error.__cause__, subprocess.TimeoutExpired):
            # As by a million patterns of attributes: the machine is not to try it again for days.
            raise BuildFailed(
                f"the commit took more than {_GIT_SECONDS:.0f} s to check out."
            ) from error
        raise
    if code != 0:
        raise BuildFailed(f"the commit could not be checked out ({_last_line(output)}).")


def _require_ordinary(repository: Path, commit: str, most: int) -> None:
    """Counts the files and folders of a commit, and their bytes, and stops where they are too many.

    Raises ``BuildFailed``, also for a path that is longer or deeper than any.
    """
    listing = ("ls-tree", "-r", "-t", "-l", "-z", commit)
    count, size, rest = 0, 0, b""
    with subprocess.Popen(
        (*held(), *_GIT, "-C", str(repository), *listing),
        env=foreign_environment(_environment()),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    ) as git:
        try:
            while git.stdout is not None and (block := git.stdout.read(_BLOCK)):
                *entries, rest = (rest + block).split(b"\0")
                count += len(entries)
                if count > MOST_FILES:
                    raise BuildFailed(f"the commit has more than {MOST_FILES} files and folders.")
                # Of a folder, and of the commit of another repository, there is "-".
                sizes = (entry.partition(b"\t")[0].split()[-1] for entry in entries)
                size += sum(int(one) for one in sizes if one.isdigit())
                if size > most:
                    raise BuildFailed(f"the commit has files of more than {most >> 20} MiB.")
                for entry in (*entries, rest):
                    path = entry.partition(b"\t")[2]
                    if len(path) > _LONGEST_PATH or path.count(b"/") > _MOST_DEPTH:
                        raise BuildFailed(
                            f"the commit has a path of more than {_LONGEST_PATH} letters or"
                            f" {_MOST_DEPTH} folders."
                        )
        finally:
            git.kill()


def _lines(repository: Path, *arguments: str) -> list[str]:
    return _checked(repository, *arguments).split()


def _checked(repository: Path | None, *arguments: str) -> str:
    code, output = _git(repository, *arguments)
    if code != 0:
        raise EnvironmentProblem(
            f"git {arguments[0]} failed ({_last_line(output)}).", "Look at the repository."
        )
    return output


def _git(repository: Path | None, *arguments: str, before: Sequence[str] = ()) -> tuple[int, str]:
    if repository is not None and not repository.is_dir():
        raise UsageProblem(
            f"{repository} is no folder.", f"Clone the repository there: git clone URL {repository}"
        )
    where: Sequence[str] = () if repository is None else ("-C", str(repository))
    done = run_captured(
        (*before, *_GIT, *where, *arguments),
        _GIT_SECONDS,
        environment=_environment(),
        again="Look whether another git holds a lock in the repository.",
    )
    return done.returncode, done.stdout


def _environment() -> dict[str, str]:
    return {
        **bare_environment(os.environ),
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_LFS_SKIP_SMUDGE": "1",
    }


def _last_line(output: str) -> str:
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    return (lines or ["no output"])[-1][:300]
