"""What a commit needs before anything of it is published, and the notes of its version."""

from __future__ import annotations

import re
from pathlib import Path

from flink_boost.base.commands import run_captured
from flink_boost.base.errors import EnvironmentProblem, UsageProblem

_GIT_SECONDS = 120.0


def git(root: Path, *words: str) -> str:
    """The output of a git command in ``root``. Raises ``EnvironmentProblem`` when it fails."""
    done = run_captured(["git", "-c", f"safe.directory={root}", *words], _GIT_SECONDS, folder=root)
    if done.returncode != 0:
        lines = done.stdout.strip().splitlines() or ["no output"]
        raise EnvironmentProblem(f"git {words[0]} failed ({lines[-1]}).", "Run it in a checkout.")
    return done.stdout.strip()


def clean_commit(root: Path) -> str:
    """The commit that is checked out. Raises ``UsageProblem`` when files differ from it."""
    changed = git(root, "status", "--porcelain").splitlines()
    if changed:
        names = ", ".join(line[2:].strip() for line in changed[:3])
        more = f" and {len(changed) - 3} more" if len(changed) > 3 else ""
        raise UsageProblem(
            f"The checkout is not clean: {names}{more}.",
            "Commit these files or take them away (`git stash --include-untracked`).",
        )
    return git(root, "rev-parse", "HEAD")


def require_untagged(root: Path, version: str, commit: str) -> None:
    """Raises ``UsageProblem`` when another commit has the tag of the version.

    The tagged commit itself may be built again, to compare the bytes.
    """
    tag = f"v{version}"
    if not git(root, "tag", "--list", tag):
        return
    tagged = git(root, "rev-parse", f"{tag}^{{commit}}")
    if tagged != commit:
        raise UsageProblem(
            f"Version {version} is out: {tag} is commit {tagged[:12]}, and {commit[:12]} is"
            " checked out.",
            f"Raise the version (docs/releasing.md), or `git checkout {tag}` to build that one.",
        )


def require_unpublished(root: Path, version: str, commit: str) -> None:
    """The same of the tags of each remote, which a clone need not have.

    Raises ``EnvironmentProblem`` when a remote does not answer.
    """
    tag = f"refs/tags/v{version}"
    for remote in git(root, "remote").splitlines():
        told = git(root, "ls-remote", remote, tag, f"{tag}^{{}}").splitlines()
        # Of a tag with a message the second is the commit.
        if told and (tagged := told[-1].split()[0]) != commit:
            raise UsageProblem(
                f"Version {version} is out: v{version} of {remote} is commit {tagged[:12]}, and"
                f" {commit[:12]} is checked out.",
                "Raise the version (docs/releasing.md), or check that commit out.",
            )


def notes(changelog: str, version: str) -> str:
    """What the changelog says of a version. Raises ``UsageProblem`` when that is nothing."""
    pattern = rf"(?ms)^## \[{re.escape(version)}\][^\n]*\n(.*?)(?=^## \[|\Z)"
    found = re.search(pattern, changelog)
    text = found[1].strip() if found else ""
    if not re.sub(r"(?m)^#.*$", "", text).strip():
        raise UsageProblem(
            f"CHANGELOG.md says nothing of {version}.",
            f"Write below `## [{version}]` what changes for those who run flink-boost.",
        )
    return f"# flink-boost {version}\n\n{text}\n"
