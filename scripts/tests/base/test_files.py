"""Files appear whole or not at all, also on a full disk, and a lock keeps a second writer out."""

from __future__ import annotations

import errno
import hashlib
import os
import resource
import signal
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from flink_boost.base.errors import EnvironmentProblem
from flink_boost.base.files import exclusive_lock, make_folder, publish, sha256, write_durably

pytestmark = pytest.mark.quiet


def test_content_is_written_and_replaced(tmp_path: Path) -> None:
    path = tmp_path / "file.json"
    write_durably(path, "Grüße")
    assert path.read_bytes() == "Grüße".encode()
    write_durably(path, b"\x00\xff")
    assert path.read_bytes() == b"\x00\xff"
    assert [entry.name for entry in tmp_path.iterdir()] == ["file.json"]


def test_others_may_read_what_the_mask_allows(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        write_durably(tmp_path / "file", "x")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "file").stat().st_mode) == 0o640


def test_the_mask_is_not_changed_for_other_threads(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def never(mask: int) -> int:
        raise AssertionError(f"a thread that writes meanwhile would have the mask {mask:o}")

    before = os.umask(0o027)
    try:
        monkeypatch.setattr(os, "umask", never)
        write_durably(tmp_path / "file", "x")
    finally:
        monkeypatch.undo()
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "file").stat().st_mode) == 0o640


def test_a_file_can_be_as_readable_as_another_whatever_the_mask(tmp_path: Path) -> None:
    model = tmp_path / "model"
    model.touch()
    model.chmod(0o4754)
    before = os.umask(0o077)
    try:
        write_durably(tmp_path / "file", "x", like=model)
        write_durably(tmp_path / "other", "x")
    finally:
        os.umask(before)
    # Without the bits that would let it run as somebody.
    assert stat.S_IMODE((tmp_path / "file").stat().st_mode) == 0o754
    assert stat.S_IMODE((tmp_path / "other").stat().st_mode) == 0o600


@pytest.mark.parametrize("user", [0, 1000])
@pytest.mark.parametrize("allowed", [True, False])
def test_root_gives_it_the_owner_too(
    user: int, allowed: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = tmp_path / "model"
    model.touch()
    model.chmod(0o640)
    asked: list[tuple[int, int]] = []

    def change_owner(handle: int, owner: int, group: int) -> None:
        asked.append((owner, group))
        if not allowed:
            raise PermissionError(errno.EPERM, "not this root")

    monkeypatch.setattr(os, "geteuid", lambda: user)
    monkeypatch.setattr(os, "fchown", change_owner)
    write_durably(tmp_path / "file", "x", like=model)

    owner = model.stat().st_uid if user == 0 else -1
    assert asked == [(owner, model.stat().st_gid)]
    assert stat.S_IMODE((tmp_path / "file").stat().st_mode) == 0o640


def test_the_data_are_synced_before_the_rename_and_the_folder_after(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    happened: list[str] = []
    sync, replace = os.fsync, Path.replace

    def watched_sync(handle: int) -> None:
        kind = "folder" if stat.S_ISDIR(os.fstat(handle).st_mode) else "file"
        happened.append(f"fsync {kind}")
        sync(handle)

    def watched_replace(source: Path, target: Path) -> Path:
        happened.append("rename")
        return replace(source, target)

    monkeypatch.setattr(os, "fsync", watched_sync)
    monkeypatch.setattr(Path, "replace", watched_replace)
    write_durably(tmp_path / "file", "x")
    assert happened == ["fsync file", "rename", "fsync folder"]


def test_a_write_that_does_not_fit_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "file"
    write_durably(path, "old")
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    # The kernel then refuses the write half-way, as a full disk would.
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, limits[1]))
    try:
        with pytest.raises(OSError, match="File too large"):
            write_durably(path, "n" * 5000)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        signal.signal(signal.SIGXFSZ, handler)
    assert path.read_text() == "old"
    assert [entry.name for entry in tmp_path.iterdir()] == ["file"]


def test_publish_moves_a_finished_file(tmp_path: Path) -> None:
    (tmp_path / "partial").write_text("new")
    (tmp_path / "final").write_text("old")
    publish(tmp_path / "partial", tmp_path / "final")
    assert (tmp_path / "final").read_text() == "new"
    assert not (tmp_path / "partial").exists()


def test_folders_are_made_once(tmp_path: Path) -> None:
    make_folder(tmp_path / "a" / "b")
    make_folder(tmp_path / "a" / "b")
    assert (tmp_path / "a" / "b").is_dir()


def test_sha256_of_a_file_larger_than_a_block(tmp_path: Path) -> None:
    content = os.urandom(3_000_000)
    (tmp_path / "file").write_bytes(content)
    assert sha256(tmp_path / "file") == hashlib.sha256(content).hexdigest()


def test_a_second_process_is_refused_with_the_pid_of_the_first(tmp_path: Path) -> None:
    path = tmp_path / "store" / ".lock"
    script = f"""
import pathlib, time
from flink_boost.base.files import exclusive_lock
with exclusive_lock(pathlib.Path({str(path)!r}), "flink-boost bench"):
    print("held", flush=True)
    time.sleep(60)
"""
    holder = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True)
    try:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        with (
            pytest.raises(
                EnvironmentProblem, match=rf"Another flink-boost bench \(pid {holder.pid}\)"
            ),
            exclusive_lock(path, "flink-boost bench"),
        ):
            pytest.fail("two processes hold the lock")
    finally:
        holder.kill()
        holder.wait()
        if holder.stdout is not None:
            holder.stdout.close()
    # The kernel has freed the lock of the killed process, although the file still names it.
    with exclusive_lock(path, "flink-boost bench"):
        assert path.read_text() == f"{os.getpid()}\n"
    assert path.read_text() == ""
