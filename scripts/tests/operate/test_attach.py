"""Attaching to real JVMs, and to what is none; flame graphs of a small program."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest
from spinning import Start, flame

from flink_boost.base.errors import EnvironmentProblem, NotProfiled
from flink_boost.cli.main import main
from flink_boost.flink.stacks import MARK
from flink_boost.operate import attach
from flink_boost.operate.attach import find_target, system_property
from flink_boost.operate.view import open_folder, opened_root

pytestmark = pytest.mark.quiet


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

    monkeypatch.setenv("TMPDIR", str(tmp_path))

    def planted(_: float) -> None:
        (folder,) = tmp_path.glob("flink-boost-flame-*")
        (folder / "recording.jfr").unlink()
        (folder / "recording.jfr").symlink_to("/etc/passwd")

    with start() as program, pytest.raises(NotProfiled, match="was replaced"):
        flame(program.pid, tmp_path / "page.html", wait=planted)


def test_an_interrupted_profile_is_ended_in_the_process(start: Start, tmp_path: Path) -> None:
    def interrupted(_: float) -> None:
        raise KeyboardInterrupt

    with start() as program:
        with pytest.raises(KeyboardInterrupt):
            flame(program.pid, tmp_path / "page.html", wait=interrupted)
        assert not list(Path("/tmp").glob(f"*-{program.pid}.so"))
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


@pytest.mark.skipif(
    os.geteuid() != 0 or shutil.which("setpriv") is None, reason="needs root and util-linux"
)
def test_root_of_a_container_who_may_see_less_than_the_user_acts_as_the_user(
    start: Start, open_folder: Path
) -> None:
    def called(*lost: str) -> subprocess.CompletedProcess[str]:
        lost = ("-sys_ptrace", "-perfmon", "-sys_admin", *lost)
        words = ["setpriv", "--bounding-set", ",".join(lost), "--inh-caps=-all"]
        words += [sys.executable, "-m", "flink_boost.cli", "flame", str(program.pid)]
        words += ["--seconds", "1", "--out", str(open_folder)]
        return subprocess.run(words, capture_output=True, text=True, timeout=100, check=False)

    with start(user="nobody") as program:
        done = called()
        assert done.returncode == 0, done.stderr
        assert "Spinning.sines" in done.stdout
        assert "may not act as the user" in called("-setuid").stderr


def test_another_users_process_is_left_alone_with_the_line_to_run(
    start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    with start(words=("sleep",)) as program:
        monkeypatch.setattr(attach.os, "geteuid", lambda: os.getuid() + 4321)
        with pytest.raises(NotProfiled, match="runs as another user") as raised:
            find_target(program.pid)
        assert f"flink-boost flame {program.pid}" in raised.value.next_step


def leave_socket(pid: int) -> None:
    """As a JVM that was killed leaves it to the next process of its number."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as left:
        left.bind(f"/tmp/.java_pid{pid}")


def test_the_socket_of_a_killed_jvm_is_none_of_the_next_one_of_its_number(
    start: Start, tmp_path: Path
) -> None:
    with start() as program:
        leave_socket(program.pid)
        assert flame(program.pid, tmp_path / "page.html") == f"Spinning.sines {MARK}"


@pytest.mark.parametrize("left", [False, True], ids=["", "with the socket of another one"])
@pytest.mark.parametrize(
    ("option", "words"),
    [("-XX:+DisableAttachMechanism", "does not let others attach"), ("-Xrs", "SIGQUIT would end")],
)
def test_a_jvm_that_nobody_may_attach_to_goes_on(
    start: Start,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    option: str,
    words: str,
    left: bool,
) -> None:
    monkeypatch.setattr(attach, "_SECONDS", 1.0)
    options = [option] if option != "-Xrs" else [option, "-XX:+DisableAttachMechanism"]
    with start(*options) as program:
        if left:
            leave_socket(program.pid)
        with pytest.raises(NotProfiled, match=words):
            flame(program.pid, tmp_path / "page.html")
        time.sleep(0.2)
        assert program.poll() is None
    assert not list(Path("/tmp").glob(f".attach_pid{program.pid}"))
    assert not (tmp_path / "page.html").exists()


def test_a_process_that_ends_while_it_is_asked_has_ended(
    start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    with start(words=("sleep",)) as program:
        target = find_target(program.pid)

        def ending(*_: object) -> None:
            program.kill()
            program.wait(60)

        monkeypatch.setattr(attach, "_listening", ending)
        with pytest.raises(NotProfiled, match=f"Process {program.pid} has ended"):
            system_property(target, "java.version")


def test_two_who_ask_at_once_are_both_answered(
    start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The other one takes its file away just before we look whose it is."""
    with start(words=("sleep",)) as program:
        file = Path(f"/tmp/.attach_pid{program.pid}")
        file.touch()
        real = os.stat

        def taken_away(path: object, **options: object) -> os.stat_result:
            if path == file.name:
                file.unlink()
            return real(path, **options)  # type: ignore[call-overload, no-any-return]

        monkeypatch.setattr(attach.os, "stat", taken_away)
        assert (system_property(find_target(program.pid), "java.version") or "").startswith("17.")
        assert system_property(find_target(program.pid), "no.such.property") is None


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


def test_no_link_leads_out_of_the_root_that_it_is_in(tmp_path: Path) -> None:
    root = tmp_path / "root"
    inside = root / "deep" / "place"
    inside.mkdir(parents=True)
    outside = tmp_path / "deep" / "place"
    outside.mkdir(parents=True)
    links = {
        "absolute": "/deep/place",
        "climbing": "../../../../../../deep/place",
        "chain": "deep/../climbing",
        "ours": str(outside),
        "loop": "loop",
        "file": "/written",
    }
    for name, target in links.items():
        (root / name).symlink_to(target)
    (root / "written").touch()
    with opened_root(root, os.geteuid(), os.getegid()) as handle:
        for path in ("/deep/place", "/absolute", "/climbing", "/chain", "/../../deep/place"):
            found = open_folder(handle, path)
            assert os.path.samestat(os.fstat(found), inside.stat())
            os.close(found)
        for path in ("/ours", "/loop", "/file", "/missing"):
            with pytest.raises(OSError, match=r"No such|Too many|Not a directory"):
                open_folder(handle, path)


def test_the_command_names_one_process_or_a_cluster(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["flame"]) == 2
    assert main(["flame", "1", "--cluster", str(tmp_path)]) == 2
    assert "Give PID or --cluster." in capsys.readouterr().err
    assert main(["flame", "4194999", "--json"]) == 23
    assert '"exit_code": 23' in capsys.readouterr().out
