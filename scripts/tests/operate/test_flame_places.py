"""Flame graphs of JVMs that see other files than we do."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

import pytest
from spinning import Start, flame, spun, started

from flink_boost.base.errors import NotProfiled
from flink_boost.cli.commands import flame as flame_command
from flink_boost.flink.profiler import Profiler, ensure_profiler
from flink_boost.operate.attach import find_target

OWNER, OTHER = 4711, 4712
# That is profiled at all is asked here, not what takes most.
SHORT = 0.5


def may_mount() -> bool:
    """Whether the kernel lets us make namespaces, and mount in them."""
    words = ["unshare", "--mount", "--pid", "--fork", "mount", "-t", "tmpfs", "none", "/mnt"]
    return (
        os.geteuid() == 0
        and shutil.which("unshare") is not None
        and subprocess.run(words, capture_output=True, timeout=60, check=False).returncode == 0
    )


pytestmark = [
    pytest.mark.quiet,
    pytest.mark.skipif(not may_mount(), reason="needs root who may make namespaces"),
]


@contextmanager
def with_mounts(
    start: Start, *mounts: str, words: tuple[str, ...] = (), java: str | None = None
) -> Iterator[subprocess.Popen[str]]:
    """The program as ``OWNER`` on our root, with folders of its own, as a service of systemd's."""
    classes = start.args[0]  # type: ignore[attr-defined]
    script = "\n".join(["set -e", f"mount --bind {classes} /mnt", *mounts, 'exec "$@"'])
    user = ("setpriv", "--reuid", str(OWNER), "--regid", str(OWNER), "--clear-groups")
    prefix = ("unshare", "--mount", "sh", "-c", script, "sh", *user)
    with started(Path("/mnt"), prefix=prefix, words=words, java=java) as program:
        yield program


def owners_places() -> set[str]:
    """Those of the JVM's user in our /tmp, where tests beside this one may have others."""
    found = set()
    for path in Path("/tmp").glob("flink-boost-flame-*"):
        with suppress(FileNotFoundError):
            if path.lstat().st_uid == OWNER:
                found.add(path.name)
    return found


def own_folder(path: str, *options: str) -> str:
    return f"mount -t tmpfs -o {','.join(('mode=1777', *options))} none {path}"


@contextmanager
def acting_as(uid: int) -> Iterator[None]:
    os.setegid(uid)
    os.seteuid(uid)
    try:
        yield
    finally:
        os.seteuid(0)
        os.setegid(0)


@pytest.fixture
def lent_profiler(open_folder: Path) -> Profiler:
    """Where every user may read it."""
    ours = ensure_profiler()
    folder = open_folder / ours.library.parent.name
    folder.mkdir()
    return Profiler(
        shutil.copy(ours.library, folder / ours.library.name),
        shutil.copy(ours.converter, open_folder / ours.converter.name),
    )


@pytest.fixture
def stack() -> Iterator[ExitStack]:
    with ExitStack() as stack:
        yield stack


def seen_in(pid: int, folder: str) -> set[str]:
    """What is left in a folder as the process sees it, besides what a JVM has there by itself."""
    names = {path.name for path in Path(f"/proc/{pid}/root{folder}").iterdir()}
    return {name for name in names if not name.startswith((".java_pid", "hsperfdata_"))}


def test_a_jvm_with_a_tmp_of_its_own_on_the_same_root_is_profiled_by_root_and_by_its_user(
    start: Start, open_folder: Path, lent_profiler: Profiler
) -> None:
    def owned(_: float) -> None:
        """Everything there is the JVM's user's, and nobody else's to read or to change."""
        inside = Path("/proc", str(program.pid), "root", "tmp")
        made = [*inside.glob("flink-boost-flame-*"), *inside.glob("async-profiler-*")]
        assert len(made) == 2
        for path in made:
            assert (path.lstat().st_uid, path.lstat().st_gid) == (OWNER, OWNER)
            assert path.lstat().st_mode & 0o777 == 0o700
        pages.append(len(pages))
        spun(program.pid, SHORT)

    pages: list[int] = []
    os.chown(open_folder, OWNER, OWNER)
    with with_mounts(start, own_folder("/tmp")) as program:
        before = owners_places()
        flame(program.pid, open_folder / "root.html", wait=owned)
        assert seen_in(program.pid, "/tmp") == set()
        with acting_as(OWNER):
            page = open_folder / "user.html"
            flame(program.pid, page, profiler=lent_profiler, wait=owned)
        assert seen_in(program.pid, "/tmp") == set()
        assert owners_places() == before
        # One library, not one of each call.
        maps = Path(f"/proc/{program.pid}/maps").read_text().splitlines()
        assert len({line.split()[4] for line in maps if "async-profiler" in line}) == 1
    assert len(pages) == 2


def test_a_tmp_without_exec_is_passed_over_and_told_where_there_is_no_other(
    start: Start, open_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("TMPDIR", raising=False)
    mounts = (own_folder("/tmp", "noexec"), own_folder("/var/tmp"), own_folder("/srv"))
    with with_mounts(start, *mounts) as program:
        pid, page = program.pid, open_folder / "page.html"
        flame(pid, page, seconds=SHORT)
        inside = ["nsenter", "--mount", "--target", str(pid)]
        remount = ["mount", "-o", "remount,noexec", "/var/tmp"]
        subprocess.run([*inside, *remount], check=True, timeout=60)
        with pytest.raises(
            NotProfiled, match="/tmp: it is mounted noexec, /var/tmp: it is"
        ) as told:
            flame(pid, page)
        assert f"TMPDIR=/srv/tmp flink-boost flame {pid}" in told.value.next_step
        # The folder that is named is one of the process's, not ours.
        monkeypatch.setenv("TMPDIR", "/srv")
        flame(pid, page, seconds=SHORT)
        for folder in ("/tmp", "/var/tmp", "/srv"):
            assert seen_in(pid, folder) == set()


@contextmanager
def in_a_container(
    start: Start, root: Path, uid: int, *commands: str
) -> Iterator[tuple[int, Path]]:
    """The program with another root and other process numbers: its number for us."""
    classes = start.args[0]  # type: ignore[attr-defined]
    script = f"""
        set -e
        mkdir -p {root}/classes {root}/proc
        for folder in usr lib lib64 etc bin; do
            [ -e /$folder ] && mkdir -p {root}/$folder && mount --rbind /$folder {root}/$folder
        done
        mount --bind {classes} {root}/classes
        mount -t proc none {root}/proc
        cd {root}
        {"; ".join(commands)}
        exec chroot --userspec={uid}:{uid} {root} "$@"
    """
    prefix = ("unshare", "--mount", "--pid", "--fork", "--kill-child", "sh", "-c", script, "sh")
    with started(Path("/classes"), prefix=prefix) as program:
        children = Path(f"/proc/{program.pid}/task/{program.pid}/children").read_text()
        pid = int(children.split()[0])
        try:
            yield pid
        finally:
            # With another user than its parent's it does not end with it.
            os.kill(pid, signal.SIGKILL)


@pytest.mark.parametrize(
    ("link", "uid"), [(False, OWNER), (True, 0)], ids=["a folder, by its user", "a link, by root"]
)
def test_a_jvm_in_a_container_is_profiled_from_outside_and_within_its_own_root(
    start: Start,
    open_folder: Path,
    lent_profiler: Profiler,
    stack: ExitStack,
    link: bool,
    uid: int,
) -> None:
    """Its /tmp may be a link: to what it has at that path, never to what we have there."""
    # Not below /tmp, which is the link.
    victim = Path(stack.enter_context(tempfile.TemporaryDirectory(dir="/var/tmp")))
    victim.chmod(0o777)
    root = open_folder / "root"
    root.mkdir()
    os.chown(open_folder, uid, uid)
    place = str(victim) if link else "/tmp"
    commands = [f"mkdir -p .{place}", f"mount -t tmpfs none .{place}"]
    if link:
        commands.append(f"ln -s {victim} tmp")
    seen: list[list[Path]] = []

    def looked(_: float) -> None:
        seen.append([*victim.iterdir(), *Path(f"/proc/{pid}/root{place}").glob("flink-boost-*")])
        spun(pid, SHORT)

    with in_a_container(start, root, uid, *commands) as pid:
        with acting_as(uid):
            assert find_target(pid).inner_pid == 1
            page = open_folder / "page.html"
            flame(pid, page, profiler=lent_profiler, wait=looked)
        assert [path.parent for path in seen[0]] == [Path(f"/proc/{pid}/root{place}")]
        assert seen_in(pid, place) == set()
    assert list(victim.iterdir()) == []


def test_what_others_have_put_in_its_tmp_is_neither_written_to_nor_deleted(
    start: Start, open_folder: Path, stack: ExitStack
) -> None:
    victim = open_folder / "victim"
    victim.mkdir()
    kept = victim / "recording.jfr"
    kept.write_text("kept")

    def swapped(_: float) -> None:
        """The JVM's user puts a link in the place of the folder that it was given."""
        spun(pid, SHORT)
        with acting_as(OWNER):
            (folder,) = inside.glob("flink-boost-flame-*")
            folder.rename(inside / "moved")
            folder.symlink_to(victim)

    def planted(name: str) -> None:
        """Another user puts a link there."""
        with acting_as(OTHER):
            os.symlink(kept, name, dir_fd=handle)

    with with_mounts(start, own_folder("/tmp")) as program:
        pid, page = program.pid, open_folder / "page.html"
        inside = Path("/proc", str(pid), "root", "tmp")
        handle = os.open(inside, os.O_PATH)
        stack.callback(os.close, handle)
        planted(f".attach_pid{pid}")
        with pytest.raises(NotProfiled, match=rf"/tmp/\.attach_pid{pid} is not of process {pid}'s"):
            flame(pid, page)
        (inside / f".attach_pid{pid}").unlink()
        planted(f"async-profiler-4.5-{pid}.so")
        flame(pid, page, seconds=SHORT)
        assert seen_in(pid, "/tmp") == {f"async-profiler-4.5-{pid}.so"}
        flame(pid, page, wait=swapped)
        # The same for the socket that a JVM listens on.
        (inside / f".java_pid{pid}").unlink()
        planted(f".java_pid{pid}")
        with pytest.raises(NotProfiled, match=rf"/tmp/\.java_pid{pid} is not of process {pid}'s"):
            flame(pid, page)
    assert [path.name for path in victim.iterdir()] == [kept.name]
    assert kept.read_text() == "kept"


def test_its_java_draws_only_where_it_is_the_same_file_for_us(start: Start) -> None:
    """At the path that a JVM was started by, we may have another program, or none."""
    with with_mounts(start, words=("sleep",)) as program:
        java = Path(flame_command._java_of(program.pid))
        assert java.samefile(f"/proc/{program.pid}/exe")
    moved = f"mount --bind {java.parent.parent} /srv"
    with with_mounts(start, moved, words=("sleep",), java="/srv/bin/java") as program:
        assert Path(f"/proc/{program.pid}/exe").readlink() == Path("/srv/bin/java")
        assert shutil.which(flame_command._java_of(program.pid)) is not None
