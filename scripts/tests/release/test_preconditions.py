"""What is refused before a release is built, and the next step that is told."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from flink_boost import __version__
from flink_boost.base.errors import EnvironmentProblem, UsageProblem
from flink_boost.base.places import PROJECT_ROOT
from release.preconditions import clean_commit, notes, require_unpublished, require_untagged

CHANGES = """\
# Changelog

## [1.1.0]

### Added

- A switch.

## [1.0.0] - 2026-01-01

First.

## [0.9.0]

### Fixed
"""


def git(folder: Path, *words: str) -> None:
    names = ("-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false")
    subprocess.run(["git", *names, *words], cwd=folder, check=True, timeout=60, capture_output=True)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A checkout with one commit."""
    folder = tmp_path / "root"
    folder.mkdir()
    git(folder, "init", "--quiet")
    (folder / "a.txt").write_text("a\n", encoding="ascii")
    git(folder, "add", ".")
    git(folder, "commit", "--quiet", "--message", "First")
    return folder


def test_a_clean_checkout_has_a_commit(root: Path) -> None:
    assert len(clean_commit(root)) == 40


@pytest.mark.parametrize(
    ("changed", "named"),
    [("a.txt", "a.txt"), ("b.txt", "b.txt"), ("folder/c.txt", "folder/")],
)
def test_a_checkout_that_is_not_clean_is_refused(root: Path, changed: str, named: str) -> None:
    file = root / changed
    file.parent.mkdir(exist_ok=True)
    file.write_text("other\n", encoding="ascii")
    with pytest.raises(UsageProblem, match=r"not clean") as refused:
        clean_commit(root)
    assert named in refused.value.message
    assert "git stash" in refused.value.next_step


def test_many_changed_files_are_counted(root: Path) -> None:
    for number in range(5):
        (root / f"new-{number}").touch()
    with pytest.raises(UsageProblem, match=r"new-0, new-1, new-2 and 2 more\."):
        clean_commit(root)


def test_what_is_no_checkout_is_told(tmp_path: Path) -> None:
    with pytest.raises(EnvironmentProblem, match=r"git status failed"):
        clean_commit(tmp_path)


def test_a_version_that_another_commit_has_is_refused(root: Path) -> None:
    first = clean_commit(root)
    require_untagged(root, "1.0.0", first)
    git(root, "tag", "--annotate", "--message", "1.0.0", "v1.0.0")
    # The same again, to compare the bytes.
    require_untagged(root, "1.0.0", first)
    git(root, "commit", "--quiet", "--allow-empty", "--message", "Second")
    second = clean_commit(root)
    require_untagged(root, "1.0.1", second)
    with pytest.raises(
        UsageProblem, match=rf"1\.0\.0 is out: v1\.0\.0 is commit {first[:12]}"
    ) as no:
        require_untagged(root, "1.0.0", second)
    assert "git checkout v1.0.0" in no.value.next_step


@pytest.mark.parametrize("words", [("--annotate", "--message", "1.0.0"), ()])
def test_a_version_that_is_out_elsewhere_is_refused_in_a_clone_without_tags(
    root: Path, tmp_path: Path, words: tuple[str, ...]
) -> None:
    first = clean_commit(root)
    git(root, "tag", *words, "v1.0.0")
    git(root, "commit", "--quiet", "--allow-empty", "--message", "Second")
    clone = tmp_path / "clone"
    git(tmp_path, "clone", "--quiet", "--no-tags", str(root), str(clone))
    second = clean_commit(clone)
    require_untagged(clone, "1.0.0", second)
    with pytest.raises(UsageProblem, match=rf"v1\.0\.0 of origin is commit {first[:12]}"):
        require_unpublished(clone, "1.0.0", second)
    require_unpublished(clone, "1.0.1", second)
    require_unpublished(clone, "1.0.0", first)
    # Where that cannot be asked nobody signs.
    git(clone, "remote", "set-url", "origin", str(tmp_path / "gone"))
    with pytest.raises(EnvironmentProblem, match=r"git ls-remote failed"):
        require_unpublished(clone, "1.0.0", second)


def test_the_notes_are_what_the_changelog_says_of_the_version() -> None:
    assert notes(CHANGES, "1.1.0") == "# flink-boost 1.1.0\n\n### Added\n\n- A switch.\n"
    assert notes(CHANGES, "1.0.0") == "# flink-boost 1.0.0\n\nFirst.\n"


@pytest.mark.parametrize("version", ["1.1", "0.9.0", "2.0.0", "1.1.00", "1x1.0"])
def test_a_version_of_which_the_changelog_says_nothing_is_refused(version: str) -> None:
    with pytest.raises(UsageProblem, match=r"CHANGELOG\.md says nothing of") as refused:
        notes(CHANGES, version)
    assert f"## [{version}]" in refused.value.next_step


def test_the_changelog_tells_of_the_version_of_this_tree() -> None:
    changes = (PROJECT_ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert notes(changes, __version__).count("\n") > 3
