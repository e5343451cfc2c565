"""Temporary folders: gone at the end, gone after a kill, and nobody else's."""

from __future__ import annotations

import errno
import fcntl
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from flink_boost.base.errors import EnvironmentProblem, VerificationFailed
from flink_boost.base.scratch import MARKER, PREFIX, remove_left_over, scratch_folder

pytestmark = pytest.mark.quiet


@pytest.fixture
def parent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where temporary files go."""
    folder = tmp_path / "tmp"
    folder.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(folder))
    return folder


# Fills a folder, says so, and waits to be killed.
HOLDER = """
import sys, tempfile, time
from flink_boost.base.scratch import scratch_folder
tempfile.tempdir = sys.argv[1]
with scratch_folder() as folder:
    (folder / "inner").mkdir()
    (folder / "inner" / "file").write_text("content")
    print(folder, flush=True)
    time.sleep(200)
"""


def start_holder(parent: Path) -> tuple[subprocess.Popen[str], Path]:
    process = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(parent)], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    return process, Path(process.stdout.readline().strip())


def test_it_is_gone_at_the_end_however_that_comes(parent: Path) -> None:
    with scratch_folder() as folder:
        assert folder.parent == parent
        (folder / "file").write_text("content")
    with pytest.raises(VerificationFailed), scratch_folder():
        raise VerificationFailed("It differs.")
    assert list(parent.iterdir()) == []


def test_the_next_run_removes_what_a_killed_one_left_and_nothing_of_a_living_one(
    parent: Path,
) -> None:
    dead, left = start_holder(parent)
    living, kept = start_holder(parent)
    try:
        dead.send_signal(signal.SIGKILL)
        dead.communicate(timeout=20)
        assert (left / "inner" / "file").is_file()

        with scratch_folder() as mine:
            assert sorted(parent.iterdir()) == sorted([kept, mine])
            assert (kept / "inner" / "file").is_file()
    finally:
        living.kill()
        living.communicate(timeout=20)


BOOT_ID = Path("/proc/sys/kernel/random/boot_id")
THIS_MACHINE = f"{os.uname().nodename}\n{BOOT_ID.read_text()}"
DEAD = f"{PREFIX}a_b3c4d5"


def left_folder(parent: Path, name: str = DEAD, marker: str | None = THIS_MACHINE) -> Path:
    """What a run that was killed has left."""
    folder = parent / name
    folder.mkdir(mode=0o700)
    (folder / "inner").mkdir()
    (folder / "inner" / "file").write_text("content")
    if marker is not None:
        (folder / MARKER).write_text(marker)
    return folder


def test_a_dead_runs_folder_is_known_by_its_marker(parent: Path) -> None:
    with scratch_folder() as folder:
        assert (folder / MARKER).read_text() == THIS_MACHINE
    left_folder(parent)
    remove_left_over(parent)
    assert list(parent.iterdir()) == []


@pytest.mark.parametrize(
    "marker",
    [
        None,
        "",
        THIS_MACHINE.strip(),
        f"{THIS_MACHINE}more",
        f"other-host\n{BOOT_ID.read_text()}",
        f"{os.uname().nodename}\n00000000-0000-4000-8000-000000000000\n",
    ],
    ids=["none", "empty", "cut-off", "longer", "another host", "another boot"],
)
def test_a_folder_without_the_marker_of_this_machine_stays(
    marker: str | None, parent: Path
) -> None:
    folder = left_folder(parent, marker=marker)
    remove_left_over(parent)
    assert (folder / "inner" / "file").is_file()


@pytest.mark.parametrize(
    "name",
    [
        "flink-boost-else",
        f"{PREFIX}dead",
        f"{PREFIX}a_b3c4d56",
        f"{PREFIX}A_B3C4D5",
        f"{PREFIX}results1.d",
        f"my-{DEAD}",
        f"{DEAD}\n",
    ],
)
def test_a_folder_of_another_name_stays(name: str, parent: Path) -> None:
    folder = left_folder(parent, name)
    remove_left_over(parent)
    assert (folder / "inner" / "file").is_file()


@pytest.mark.parametrize("mode", [0o755, 0o770, 0o500])
def test_a_folder_that_we_would_not_make_like_this_stays(mode: int, parent: Path) -> None:
    folder = left_folder(parent)
    folder.chmod(mode)
    remove_left_over(parent)
    assert (folder / "inner" / "file").is_file()


def test_links_and_files_stay_and_what_a_link_points_to(parent: Path, tmp_path: Path) -> None:
    precious = left_folder(tmp_path, "precious")
    (parent / f"{PREFIX}linked_1").symlink_to(precious)
    (parent / f"{PREFIX}a_file_1").write_text("content")
    dead = left_folder(parent)
    (dead / "link").symlink_to(precious)
    linked_marker = left_folder(parent, f"{PREFIX}marker_1", marker=None)
    (linked_marker / MARKER).symlink_to(precious / MARKER)
    piped_marker = left_folder(parent, f"{PREFIX}marker_2", marker=None)
    os.mkfifo(piped_marker / MARKER)

    remove_left_over(parent)

    assert sorted(path.name for path in parent.iterdir()) == [
        f"{PREFIX}a_file_1",
        f"{PREFIX}linked_1",
        f"{PREFIX}marker_1",
        f"{PREFIX}marker_2",
    ]
    assert (precious / "inner" / "file").is_file()


def test_the_folder_of_another_user_stays(parent: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = left_folder(parent)
    owner = os.geteuid()
    monkeypatch.setattr("os.geteuid", lambda: owner + 1)
    remove_left_over(parent)
    assert folder.is_dir()
    monkeypatch.undo()
    remove_left_over(parent)
    assert not folder.exists()


def test_nothing_is_deleted_on_a_machine_without_a_name(
    parent: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = left_folder(parent)
    monkeypatch.setattr("flink_boost.base.scratch._BOOT_ID", parent / "none")
    with scratch_folder() as mine:
        assert not (mine / MARKER).exists()
        assert folder.is_dir()
    assert list(parent.iterdir()) == [folder]


def test_nothing_is_deleted_in_the_folder_that_is_taken_for_lack_of_another(
    parent: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = left_folder(parent)
    monkeypatch.chdir(parent)
    remove_left_over(parent)
    assert folder.is_dir()
    monkeypatch.setenv("TMPDIR", str(parent))
    remove_left_over(parent)
    assert not folder.exists()


def failing_lock(monkeypatch: pytest.MonkeyPatch, *numbers: int) -> None:
    """Locks fail with these errors, one after the other, and then work."""
    left = list(numbers)
    working = fcntl.flock

    def lock(handle: int, operation: int) -> None:
        if left:
            number = left.pop(0)
            raise OSError(number, os.strerror(number))
        working(handle, operation)

    monkeypatch.setattr("fcntl.flock", lock)


def test_a_folder_that_somebody_else_has_locked_is_not_used(
    parent: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    failing_lock(monkeypatch, errno.EWOULDBLOCK, errno.EWOULDBLOCK)
    with scratch_folder() as folder:
        assert list(parent.iterdir()) == [folder]
        handle = os.open(folder, os.O_RDONLY)
        with pytest.raises(BlockingIOError):
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        os.close(handle)
    assert list(parent.iterdir()) == []


def test_it_gives_up_when_each_new_folder_is_locked(
    parent: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    failing_lock(monkeypatch, *[errno.EWOULDBLOCK] * 1000)
    with pytest.raises(EnvironmentProblem, match="another program takes"), scratch_folder():
        pass
    assert list(parent.iterdir()) == []


@pytest.mark.parametrize("number", [errno.ENOLCK, errno.EOPNOTSUPP, errno.EBADF])
def test_where_there_are_no_locks_the_folder_has_no_marker(
    number: int, parent: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    failing_lock(monkeypatch, number)
    with scratch_folder() as folder:
        assert not (folder / MARKER).exists()
        remove_left_over(parent)
        assert folder.is_dir()
    assert list(parent.iterdir()) == []


def test_another_error_of_a_lock_is_an_error(parent: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    failing_lock(monkeypatch, errno.EIO)
    with pytest.raises(OSError, match="Input/output error"), scratch_folder():
        pass
    assert list(parent.iterdir()) == []


def test_where_nothing_takes_temporary_files_one_sentence_says_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Python tries to write into each folder there is; on a full disk it finds none."""
    monkeypatch.setattr("tempfile.tempdir", None)
    monkeypatch.setattr("tempfile._candidate_tempdir_list", lambda: [str(tmp_path / "none")])
    with pytest.raises(EnvironmentProblem, match="No folder takes temporary files") as problem:
        scratch_folder().__enter__()
    assert "TMPDIR" in problem.value.next_step


ON_SMALL_DISK = """
mount -t tmpfs -o size=$SIZE none "$0" && exec "$@"
"""

FILL = """
import shutil, sys, tempfile
from pathlib import Path
from flink_boost.base.errors import EnvironmentProblem, VerificationFailed
from flink_boost.base.scratch import scratch_folder
tempfile.tempdir = sys.argv[1]
try:
    with scratch_folder() as folder:
        if sys.argv[2] == "copy":
            shutil.copytree(sys.argv[3], folder / "copy")
        elif sys.argv[2] == "write":
            (folder / "file").write_bytes(bytes(4 << 20))
        else:
            with (folder / "file").open("wb", buffering=0) as file:
                while True:
                    try:
                        file.write(bytes(1 << 16))
                    except OSError:
                        break
            kind = EnvironmentProblem if sys.argv[2] == "process" else VerificationFailed
            raise kind("A process ended at start.", "Look at it.")
except (EnvironmentProblem, VerificationFailed) as error:
    print(f"{error.exit_code}: {error}")
"""


NO_SPACE = (
    "4: There is no space left in {}, where temporary files go."
    " Free some space there, or set TMPDIR to a folder on another disk.\n"
)
# A verdict stays one: the disk may have been full all the time.
FAILED_TOO = (
    "20: A process ended at start. There is no space left in {} either: free some, and check again."
    " Look at it.\n"
)


@pytest.mark.parametrize(
    ("how", "told"),
    [("copy", NO_SPACE), ("write", NO_SPACE), ("process", NO_SPACE), ("check", FAILED_TOO)],
)
def test_a_full_disk_is_one_sentence_whatever_failed_of_it(
    how: str, told: str, tmp_path: Path
) -> None:
    small, source = tmp_path / "small", tmp_path / "source"
    small.mkdir()
    source.mkdir()
    for name in ("a", "b"):
        (source / name).write_bytes(bytes(4 << 20))
    done = subprocess.run(
        [
            *("unshare", "--user", "--map-root-user", "--mount", "sh", "-c", ON_SMALL_DISK),
            *(str(small), sys.executable, "-c", FILL, str(small), how, str(source)),
        ],
        env={**os.environ, "SIZE": "2m"},
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert done.stdout == told.format(small)


@pytest.mark.parametrize(("uid", "full"), [(0, False), (1000, True)])
def test_what_is_kept_for_root_is_free_for_root(
    uid: int, full: bool, parent: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = SimpleNamespace(f_bavail=0, f_bfree=1 << 20, f_frsize=4096)
    monkeypatch.setattr("os.statvfs", lambda _: kept)
    monkeypatch.setattr("os.geteuid", lambda: uid)
    told = "There is no space left" if full else "no java"
    with pytest.raises(EnvironmentProblem, match=told), scratch_folder():
        raise EnvironmentProblem("There is no java.")


def test_a_file_that_cannot_be_copied_is_named(parent: Path, tmp_path: Path) -> None:
    source = tmp_path / "source"
    source.mkdir()
    (source / "dangling").symlink_to(tmp_path / "nowhere")
    told = pytest.raises(EnvironmentProblem, match="dangling cannot be copied to")
    with told, scratch_folder() as folder:
        shutil.copytree(source, folder / "copy")
    assert list(parent.iterdir()) == []


def test_other_errors_pass_unchanged(parent: Path) -> None:
    with pytest.raises(VerificationFailed, match="It differs"), scratch_folder():
        raise VerificationFailed("It differs.")
    with pytest.raises(FileNotFoundError), scratch_folder() as folder:
        (folder / "none").read_text()
