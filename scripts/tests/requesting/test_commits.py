"""A stranger's commit takes neither all memory, nor the whole disk, nor all time to be fetched."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import pytest

from flink_boost.base.errors import BuildFailed
from flink_boost.service.builds import repository
from flink_boost.service.requests import commits
from flink_boost.service.requests.commits import fetch_commits, forget_commits
from requesting import samples
from requesting.hostile_repository import MIB, repository_with

LARGEST = 16 * MIB - 1  # that a difference copies in one go


@pytest.fixture
def fetch(tmp_path: Path) -> Callable[[str], Path]:
    clone = tmp_path / "clone"
    subprocess.run(["git", "init", "--quiet", str(clone)], check=True, timeout=60)

    def fetched(commit: str) -> Path:
        address = (tmp_path / "fork").as_uri()
        order = samples.order(samples.TUPLE).model_copy(
            update={"base": commit, "head": commit, "base_from": address, "head_from": address}
        )
        return fetch_commits(order, clone, tmp_path / "own" / "commits.git")

    return fetched


def size(folder: Path) -> int:
    return sum(one.stat().st_size for one in folder.rglob("*") if one.is_file())


def test_some_kilobytes_that_unpack_to_gigabytes_are_refused(
    tmp_path: Path, fetch: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(repository, "GIT_MEMORY", 128 * MIB)
    commit = repository_with(tmp_path / "fork", bytes(LARGEST), times=16)
    assert size(tmp_path / "fork") < MIB
    with pytest.raises(BuildFailed, match=r"Git needs more than 0\.125 GiB of memory for it"):
        fetch(commit)
    assert size(tmp_path / "own") < MIB


def test_a_large_file_takes_no_memory(
    tmp_path: Path, fetch: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    commit = repository_with(tmp_path / "fork", bytes(256 * MIB))
    monkeypatch.setattr(repository, "GIT_MEMORY", 128 * MIB)
    fetch(commit)


def test_what_is_told_by_its_difference_takes_no_more_of_the_disk(
    tmp_path: Path, fetch: Callable[[str], Path]
) -> None:
    commit = repository_with(tmp_path / "fork", os.urandom(4 * MIB), times=40)
    own = fetch(commit)
    assert size(own) < 6 * MIB
    forget_commits(own, (commit,), most=0)
    assert size(own) < 6 * MIB


def test_a_pack_that_is_too_large_is_refused_and_nothing_of_it_stays(
    tmp_path: Path, fetch: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(commits, "_LARGEST_FILE", 2 * MIB)
    commit = repository_with(tmp_path / "fork", os.urandom(4 * MIB))
    with pytest.raises(BuildFailed, match=r"what came with it has more than 0\.00195312 GiB"):
        fetch(commit)
    assert size(tmp_path / "own") < MIB


def test_what_takes_for_ever_is_refused_and_ends(
    tmp_path: Path, fetch: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    commit = repository_with(tmp_path / "fork", bytes(LARGEST), times=30)
    real = commits.run_supervised

    def hurried(command: Sequence[str], log: Path, environ: Mapping[str, str], most: float) -> int:
        return real(command, log, environ, 0.5 if "fetch" in command else most)

    monkeypatch.setattr(commits, "run_supervised", hurried)
    with pytest.raises(BuildFailed, match="it took longer than 600 s"):
        fetch(commit)
    running = subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True, check=True)
    assert str(tmp_path) not in running.stdout


def test_what_a_git_kept_that_was_ended_is_kept_no_longer(
    tmp_path: Path, fetch: Callable[[str], Path]
) -> None:
    commit = repository_with(tmp_path / "fork", os.urandom(4 * MIB))
    own = fetch(commit)
    (pack,) = (own / "objects" / "pack").glob("*.pack")
    # As a Git leaves it that is killed while it looks whether a whole pack has all that it needs.
    pack.with_suffix(".keep").touch()
    shutil.rmtree(tmp_path / "fork")
    other = repository_with(tmp_path / "fork", b"x")
    fetch(other)
    forget_commits(own, (other,), most=0)
    assert size(own) < MIB


def test_no_lock_of_a_git_that_was_ended_is_in_the_way(
    tmp_path: Path, fetch: Callable[[str], Path]
) -> None:
    commit = repository_with(tmp_path / "fork", b"x")
    own = fetch(commit)
    for name in (f"refs/heads/request-{commit}.lock", "packed-refs.lock", "config.lock"):
        (own / name).touch()
    fetch(commit)
    (own / "packed-refs.lock").touch()
    assert forget_commits(own, (), most=0) == 1


def test_a_call_that_is_ended_while_it_forgets_all_leaves_no_half_of_it(
    tmp_path: Path, fetch: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    commit = repository_with(tmp_path / "fork", b"x")
    own = fetch(commit)
    real = shutil.rmtree

    def ended(folder: Path) -> None:
        real(folder / "objects")
        raise KeyboardInterrupt

    monkeypatch.setattr(commits, "_LARGEST_FILE", 64)
    monkeypatch.setattr(shutil, "rmtree", ended)
    with pytest.raises(KeyboardInterrupt):
        forget_commits(own, (commit,), most=0)
    monkeypatch.undo()
    assert (fetch(commit) / "HEAD").exists()
    assert not own.with_suffix(".old").exists()


def test_a_refusal_is_known_in_whatever_language_the_box_speaks(
    tmp_path: Path, fetch: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    fork = str(tmp_path / "fork")
    commit = repository_with(tmp_path / "fork", b"x")
    tree = subprocess.check_output(["git", "-C", fork, "rev-parse", f"{commit}^{{tree}}"])
    nobody = b"tree " + tree + b"author nobody\ncommitter nobody\n\nx\n"
    write = ["git", "-C", fork, "hash-object", "-t", "commit", "-w", "--literally", "--stdin"]
    broken = subprocess.check_output(write, input=nobody).decode().strip()
    monkeypatch.setenv("LC_ALL", "C.UTF-8")
    monkeypatch.setenv("LANGUAGE", "de")  # of which Git brings its own texts
    with pytest.raises(BuildFailed, match="fsck error"):
        fetch(broken)


def test_commits_that_cannot_be_packed_again_within_bounds_are_forgotten_altogether(
    tmp_path: Path, fetch: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    commit = repository_with(tmp_path / "fork", b"x")
    own = fetch(commit)
    monkeypatch.setattr(commits, "_LARGEST_FILE", 64)
    forget_commits(own, (commit,), most=0)
    assert not own.exists()
    monkeypatch.undo()
    assert (fetch(commit) / "HEAD").exists()
