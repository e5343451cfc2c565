"""Hostile programs in the real sandbox that reach for secrets, others or the machine.

Beside each stands the same program outside, or with the protection off, where that is safe: it
shows that the program would do harm. Needs bubblewrap; run by root, programs run as another user.
"""

from __future__ import annotations

import fcntl
import os
import select
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from eventual import eventually
from sandbox_trial import LIMITS, MIB, Trial, outside

from flink_boost.service.builds.isolation.choosing import choose_sandbox
from flink_boost.service.builds.isolation.workplace import fresh_workplace

pytestmark = pytest.mark.quiet


TOKEN = "ghs_thisIsTheTokenOfTheService"


def test_no_token_is_in_reach(trial: Trial, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not in the environment, in files of the service, or in any process that can be seen."""
    monkeypatch.setenv("FLINK_BOOST_GITHUB_TOKEN", TOKEN)
    secret = trial.folder / "token"
    secret.write_text(TOKEN)
    holder = subprocess.Popen(
        ("sleep", "100"), env={"FLINK_BOOST_GITHUB_TOKEN": TOKEN}, stdout=subprocess.DEVNULL
    )
    hidden = str(Path.home() / ".*")
    search = f"""
import glob, os
found = [name for name, value in os.environ.items() if "thisIsTheToken" in value]
for path in [{str(secret)!r}, *glob.glob("/proc/[0-9]*/environ"), *glob.glob({hidden!r})]:
    try:
        found += [path] if b"thisIsTheToken" in open(path, "rb").read() else []
    except OSError:
        pass
print("found:", len(found), "processes:", len(glob.glob("/proc/[0-9]*")))
"""
    try:
        assert "found: 0 processes: 2" in (trial.run(search), trial.printed)[1]
        told = outside(search)
        # The file, ourselves, the holder.
        assert int(told.split()[1]) >= 3, told
    finally:
        holder.kill()
        holder.wait()
    with pytest.raises(ValueError, match="may write"):
        trial.sandbox.run(
            ("true",), work=trial.work, readable=(), environment={}, limits=LIMITS,
            log=trial.work / "log", mirrors=False,
        )  # fmt: skip


def test_neither_the_database_nor_another_request_can_be_read(trial: Trial) -> None:
    database = trial.folder / "requests.sqlite"
    database.write_text("rows")
    with fresh_workplace(trial.folder / "places", trial.sandbox.owners, disk=LIMITS.disk) as other:
        (other / "theirs").write_text("secret")
        reading = f"""
import os
for path in [{str(database)!r}, {str(other / "theirs")!r}]:
    try:
        print(open(path).read())
    except OSError as error:
        print(type(error).__name__)
print(os.listdir({str(other.parent)!r}))
"""
        assert trial.run(reading).well
        assert trial.printed.splitlines() == [
            "FileNotFoundError", "FileNotFoundError", str([trial.work.name]),
        ]  # fmt: skip
        assert outside(reading).startswith("rows\nsecret\n")
        if os.geteuid() == 0:
            # Were it to be seen, it would still be another user's.
            assert other.stat().st_uid != trial.work.stat().st_uid
            assert other.stat().st_mode & 0o077 == 0


def alive(mark: str) -> list[str]:
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                line = (entry / "cmdline").read_bytes()
            except OSError:
                continue
            if mark.encode() in line and str(os.getpid()) != entry.name:
                found.append(entry.name)
    return found


DAEMON = """
import os, subprocess, sys, time
for _ in range(2):
    if os.fork():
        os._exit(0)
    os.setsid()
os.execvp("sleep", ["sleep", "{mark}"])
"""


def test_no_daemon_is_left(trial: Trial) -> None:
    mark = f"7{os.getpid()}1.5"
    starting = f"""
import subprocess, sys, time
subprocess.run([sys.executable, "-I", "-c", {DAEMON.format(mark=mark)!r}],
               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
time.sleep(0.3)
"""
    assert trial.run(starting).well
    assert alive(mark) == []
    outside(starting)
    left = alive(mark)
    assert left, "outside it stays"
    for pid in left:
        os.kill(int(pid), signal.SIGKILL)


def test_it_cannot_kill_its_parents(trial: Trial) -> None:
    bystander = subprocess.Popen(("sleep", "100"))
    killing = """
import os, signal
for pid in [1, os.getppid(), -1, *range(2, 40000)]:
    if pid != os.getpid():
        try:
            os.kill(pid, signal.SIGKILL)
        except OSError:
            pass
print("still here")
"""
    try:
        ended = trial.run(killing)
        assert (ended.how, trial.printed) == ("exited", "still here\n")
        assert bystander.poll() is None
        ended = trial.run("import os, signal; os.kill(os.getpid(), signal.SIGKILL)")
        assert (ended.how, ended.code) == ("killed", None)
    finally:
        bystander.kill()
        bystander.wait()


def test_when_we_are_killed_nothing_goes_on_inside(open_folder: Path) -> None:
    mark = f"8{os.getpid()}1.5"
    ours = f"""
import sys
from pathlib import Path
from flink_boost.service.builds.isolation.choosing import choose_sandbox
from flink_boost.service.builds.isolation.sandbox import Limits
from flink_boost.service.builds.isolation.watching import TooManyFiles, size_below
from flink_boost.service.builds.isolation.workplace import fresh_workplace
sandbox, folder = choose_sandbox({{}}), Path({str(open_folder)!r})
with fresh_workplace(folder / "places", sandbox.owners, disk=1 << 20) as work:
    sandbox.run(("sleep", "{mark}"), work=work, readable=(), environment={{}},
                limits=Limits(seconds=200), log=folder / "log", mirrors=False)
"""
    process = subprocess.Popen((sys.executable, "-c", ours))
    try:
        assert eventually(lambda: len(alive(mark)) >= 3, 30), (
            "sandbox, its first process and the sleep"
        )
    finally:
        process.kill()
        process.wait()
    assert eventually(lambda: alive(mark) == [], 30)
    places = open_folder / "places"
    assert [one for one in places.iterdir() if one.name.startswith("work-")]
    sandbox = choose_sandbox({})
    with fresh_workplace(places, sandbox.owners, disk=MIB) as work:
        assert [one for one in places.iterdir() if one.name.startswith("work-")] == [work]


def test_there_is_no_network(trial: Trial) -> None:
    name = "\0flink-boost-test"
    with socket.create_server(("127.0.0.1", 0)) as server, socket.socket(socket.AF_UNIX) as local:
        local.bind(name)
        local.listen()
        port = server.getsockname()[1]
        calling = f"""
import socket
for family, where in ((socket.AF_INET, ("127.0.0.1", {port})), (socket.AF_INET, ("1.1.1.1", 80)),
                      (socket.AF_UNIX, {name!r})):
    with socket.socket(family) as caller:
        caller.settimeout(2)
        try:
            caller.connect(where)
            print("reached")
        except OSError as error:
            print(type(error).__name__)
try:
    print(socket.getaddrinfo("localhost.example.org", 80))
except OSError as error:
    print(type(error).__name__)
"""
        assert trial.run(calling).well
        assert "reached" not in trial.printed
        assert trial.printed.splitlines()[-1] == "gaierror"
        assert outside(calling).splitlines()[0] == "reached"
        assert outside(calling).splitlines()[2] == "reached"


def test_it_finds_its_own_address(trial: Trial) -> None:
    """Flink's mini cluster asks for that of its host, and waits 20 s before it gives up."""
    asking = "import socket; print(socket.gethostbyname(socket.gethostname()))"

    assert trial.run(asking).well
    assert trial.printed == "127.0.0.1\n"


def test_no_program_gains_anything(trial: Trial) -> None:
    """No capability, no setuid, no namespace of users; only ``work`` and ``/tmp`` are written."""
    gaining = """
import os, subprocess, sys
sys.stdout.reconfigure(line_buffering=True)
run = lambda *words: subprocess.run(words, check=True, stderr=subprocess.DEVNULL)
status = dict(line.split(":", 1) for line in open("/proc/self/status") if ":" in line)
print({name: int(status[name], 16) for name in ("CapPrm", "CapEff", "CapBnd", "CapAmb")})
print("new privileges:", status["NoNewPrivs"].strip(), "user:", os.getuid())
for call in (lambda: os.setuid(0), lambda: os.chown("x", 0, 0),
             lambda: run("unshare", "-U", "true"),
             lambda: run("mount", "-t", "tmpfs", "x", "/tmp"),
             lambda: os.mknod("sda", 0o60600, os.makedev(8, 0))):
    open("x", "w").close()
    try:
        call()
        print("gained")
    except (OSError, subprocess.CalledProcessError):
        print("refused")
subprocess.run(["cp", "/bin/sh", "shell"]); os.chmod("shell", 0o6755)
print(subprocess.run(["./shell", "-c", "id -u"], capture_output=True, text=True).stdout.strip())
for folder in ("/", "/usr", "/usr/bin", "/etc", "/dev", "/proc/sys/kernel", "/lib"):
    try:
        open(folder + "/.x", "w")
        print("wrote", folder)
    except OSError:
        pass
"""
    assert trial.run(gaining).well, trial.printed
    lines = trial.printed.splitlines()
    assert lines[0] == str(dict.fromkeys(("CapPrm", "CapEff", "CapBnd", "CapAmb"), 0))
    assert lines[1] == "new privileges: 1 user: 1000"
    assert lines[2:7] == ["refused"] * 5
    assert lines[7:] == ["1000"]


def test_the_lock_of_the_machine_is_out_of_reach(trial: Trial) -> None:
    lock = trial.folder / "measuring.lock"
    lock.touch(0o666)
    lock.chmod(0o666)
    locking = f"""
import fcntl
for path in ({str(lock)!r}, "/var/tmp/flink-boost/measuring.lock"):
    try:
        fcntl.flock(open(path), fcntl.LOCK_EX | fcntl.LOCK_NB)
        print("held")
    except OSError as error:
        print(type(error).__name__)
"""
    assert trial.run(locking).well
    assert trial.printed.split() == ["FileNotFoundError", "FileNotFoundError"]
    with lock.open() as file:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    assert outside(locking).split()[0] == "held"


def test_a_terminal_is_not_written_to(trial: Trial) -> None:
    ended = trial.run(r"print('\x1b[2J\x1b]0;title\x07\x9b31m done \u202e @all <b> `x`')")
    assert "\x1b" not in trial.printed
    assert "\x9b" not in trial.printed
    assert "\u202e" not in trial.printed
    assert all(sign not in ended.said for sign in "@<`\u202e")
    assert trial.printed == " done ? @all <b> `x`\n", "and nothing is left of it"
    master, slave = os.openpty()
    try:
        # TIOCSTI would type into the terminal that we were started from.
        assert trial.run("import os; os.open('/dev/tty', os.O_RDWR)").code == 1
        assert not select.select([master], [], [], 0)[0]
    finally:
        os.close(master)
        os.close(slave)
