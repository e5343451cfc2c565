"""Attaching to real JVMs, and to what is none; flame graphs of a small program."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from pathlib import Path

import pytest

from flink_boost.base.errors import EnvironmentProblem, NotProfiled
from flink_boost.cli.main import main
from flink_boost.flink.jdks import java_home
from flink_boost.flink.profiler import ensure_profiler
from flink_boost.flink.stacks import MARK, ours_of
from flink_boost.operate import attach
from flink_boost.operate.attach import find_target
from flink_boost.operate.flame import take_flame

pytestmark = pytest.mark.quiet

SOURCE = """
public class Spinning {
    static volatile double result;
    static double sines(int n) {
        double sum = 0;
        for (int i = 0; i < n; i++) sum += Math.sin(i);
        return sum;
    }
    static double logarithms(int n) {
        double sum = 0;
        for (int i = 1; i < n; i++) sum += Math.log(i);
        return sum;
    }
    public static void main(String[] words) throws Exception {
        System.out.println("ready");
        while (words.length == 0) result = sines(3000) + logarithms(300) + new byte[999].length;
        Thread.sleep(600_000);
    }
}
"""
Start = Callable[..., AbstractContextManager[subprocess.Popen[str]]]


@pytest.fixture(scope="module")
def start() -> Iterator[Start]:
    """Starts the program with options of the JVM, and ends it."""
    # Other users may not look into pytest's own folders.
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        compile_program(folder)
        yield partial(started, folder)


def compile_program(folder: Path) -> None:
    (folder / "Spinning.java").write_text(SOURCE, encoding="utf-8")
    javac = java_home(17) / "bin" / "javac"
    command = [javac, "--release", "11", "-d", folder, folder / "Spinning.java"]
    subprocess.run(command, check=True, timeout=60)


@contextmanager
def started(
    folder: Path, *options: str, jdk: int = 17, words: tuple[str, ...] = (), user: str | None = None
) -> Iterator[subprocess.Popen[str]]:
    with subprocess.Popen(
        [
            str(java_home(jdk) / "bin" / "java"),
            *options,
            "-cp",
            str(folder),
            "Spinning",
            *words,
        ],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        user=user,
        cwd="/",
    ) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == "ready\n"
            yield process
        finally:
            process.kill()


def flame(pid: int, page: Path, event: str = "cpu", seconds: float = 1.5, **more: object) -> str:
    found = take_flame(
        pid,
        event=event,
        seconds=seconds,
        page=page,
        profiler=ensure_profiler(),
        java="java",
        ours=ours_of({"Spinning"}),
        **more,  # type: ignore[arg-type]
    )
    assert page.is_file()
    return found.top[0][0]


def test_the_method_that_takes_most_is_named_and_marked_twice_in_a_row(
    start: Start, tmp_path: Path
) -> None:
    with start() as program:
        for name in ("one", "two"):
            assert flame(program.pid, tmp_path / f"{name}.html") == f"Spinning.sines {MARK}"
        assert flame(program.pid, tmp_path / "alloc.html", "alloc").startswith("Spinning.main")
        # An idle lock is no reason to end the program, but one to say so.
        with pytest.raises(NotProfiled, match="gave no samples of waiting for locks"):
            flame(program.pid, tmp_path / "lock.html", "lock", 0.2)
        assert program.poll() is None
    page = (tmp_path / "two.html").read_text(encoding="utf-8")
    # Names are packed; a mark beyond the legend is one in the picture.
    assert page.count(MARK) > 1


def test_a_folder_that_cannot_be_written_to_is_told_before_anything_is_done(
    start: Start, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    refused = pytest.raises(EnvironmentProblem, match="cannot be written to")
    with start(words=("sleep",)) as program, refused:
        flame(program.pid, tmp_path / "file" / "page.html", seconds=1000)


def test_a_recording_that_became_a_link_is_not_read(
    start: Start, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As root it would be a way to have any file read."""

    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))

    def planted(_: float) -> None:
        (folder,) = Path(tempfile.gettempdir()).glob("flink-boost-flame-*")
        (folder / "recording.jfr").unlink()
        (folder / "recording.jfr").symlink_to("/etc/passwd")

    with start() as program, pytest.raises(NotProfiled, match="was replaced by a link"):
        flame(program.pid, tmp_path / "page.html", wait=planted)


def test_an_interrupted_profile_is_ended_in_the_process(start: Start, tmp_path: Path) -> None:
    def interrupted(_: float) -> None:
        raise KeyboardInterrupt

    with start() as program:
        with pytest.raises(KeyboardInterrupt):
            flame(program.pid, tmp_path / "page.html", wait=interrupted)
        # Another one would be refused if the first went on.
        assert flame(program.pid, tmp_path / "page.html") == f"Spinning.sines {MARK}"


def test_a_run_time_image_without_tools_of_a_jdk_will_do(start: Start, tmp_path: Path) -> None:
    with start(jdk=11) as program:
        assert flame(program.pid, tmp_path / "page.html") == f"Spinning.sines {MARK}"


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can start programs of other users")
def test_root_may_profile_the_jvm_of_another_user(start: Start, tmp_path: Path) -> None:
    with start(user="nobody") as program:
        assert flame(program.pid, tmp_path / "page.html") == f"Spinning.sines {MARK}"
        assert os.geteuid() == 0


def test_another_users_process_is_left_alone_with_the_line_to_run(
    start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    with start(words=("sleep",)) as program:
        monkeypatch.setattr(attach.os, "geteuid", lambda: os.getuid() + 4321)
        with pytest.raises(NotProfiled, match="runs as another user") as raised:
            find_target(program.pid)
        assert f"flink-boost flame {program.pid}" in raised.value.next_step


@pytest.mark.parametrize(
    ("option", "words"),
    [("-XX:+DisableAttachMechanism", "does not let others attach"), ("-Xrs", "SIGQUIT would end")],
)
def test_a_jvm_that_nobody_may_attach_to_goes_on(
    start: Start, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, option: str, words: str
) -> None:
    monkeypatch.setattr(attach, "_SECONDS", 1.0)
    options = [option] if option != "-Xrs" else [option, "-XX:+DisableAttachMechanism"]
    with start(*options) as program:
        with pytest.raises(NotProfiled, match=words):
            flame(program.pid, tmp_path / "page.html")
        time.sleep(0.2)
        assert program.poll() is None
    assert not list(Path("/tmp").glob(f".attach_pid{program.pid}"))
    assert not (tmp_path / "page.html").exists()


def test_what_is_no_jvm_gets_no_signal() -> None:
    code = "import time; print('ready', flush=True); time.sleep(60)"
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE) as program:
        try:
            assert program.stdout is not None
            assert program.stdout.readline() == b"ready\n"
            with pytest.raises(NotProfiled, match="no Java of HotSpot"):
                find_target(program.pid)
            assert program.poll() is None
        finally:
            program.kill()


def test_a_process_that_is_not_there_is_told_and_so_is_a_proc_that_hides_it(
    tmp_path: Path,
) -> None:
    with pytest.raises(NotProfiled, match=r"There is no process 4194999\. List"):
        find_target(4194999)
    with pytest.raises(NotProfiled, match="is not mounted"):
        find_target(1, proc=tmp_path)
    (tmp_path / "self").mkdir()
    with pytest.raises(NotProfiled, match="/proc hides those of others"):
        find_target(4711, proc=tmp_path)


def test_the_command_names_one_process_or_a_cluster(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["flame"]) == 2
    assert main(["flame", "1", "--cluster", str(tmp_path)]) == 2
    assert "Give PID or --cluster." in capsys.readouterr().err
    assert main(["flame", "4194999", "--json"]) == 23
    assert '"exit_code": 23' in capsys.readouterr().out


@pytest.mark.skipif(
    os.geteuid() != 0 or shutil.which("unshare") is None, reason="needs root and util-linux"
)
def test_a_jvm_in_a_container_is_profiled_from_outside(start: Start, tmp_path: Path) -> None:
    """Another root, another /tmp and other process numbers, as in a container."""
    root = tmp_path / "root"
    classes = tmp_path / "classes"
    classes.mkdir()
    compile_program(classes)
    home = java_home(17)
    script = f"""
        set -e
        mkdir -p {root}/tmp {root}/classes {root}/proc
        mount -t tmpfs none {root}/tmp
        for folder in usr lib lib64 etc bin; do
            [ -e /$folder ] && mkdir -p {root}/$folder && mount --rbind /$folder {root}/$folder
        done
        mount --bind {classes} {root}/classes
        mount -t proc none {root}/proc
        exec chroot {root} {home}/bin/java -cp /classes Spinning
    """
    with subprocess.Popen(
        ["unshare", "--mount", "--pid", "--fork", "--kill-child", "sh", "-c", script],
        stdout=subprocess.PIPE,
        text=True,
    ) as program:
        try:
            assert program.stdout is not None
            assert program.stdout.readline() == "ready\n"
            children = Path(f"/proc/{program.pid}/task/{program.pid}/children").read_text()
            pid = int(children.split()[0])
            assert find_target(pid).contained
            assert find_target(pid).inner_pid == 1
            assert flame(pid, tmp_path / "page.html") == f"Spinning.sines {MARK}"
        finally:
            program.kill()
