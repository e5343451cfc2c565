"""Hostile programs in the real sandbox: each is held, and `Ended` names what held it.

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
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import pytest
from eventual import eventually
from sandbox_trial import LIMITS, MIB, Trial, outside

from flink_boost.base.errors import NoIsolation
from flink_boost.service.builds.isolation.bubblewrap import Bubblewrap
from flink_boost.service.builds.isolation.choosing import choose_sandbox, prove
from flink_boost.service.builds.isolation.sandbox import Ended
from flink_boost.service.builds.isolation.watching import TooManyFiles, size_below
from flink_boost.service.builds.isolation.workplace import fresh_workplace

pytestmark = pytest.mark.quiet

_PYTHON = "/usr/bin/python3"
TOKEN = "ghs_thisIsTheTokenOfTheService"


@pytest.fixture
def trial(open_folder: Path) -> Iterator[Trial]:
    with ExitStack() as stack:
        yield Trial(open_folder, choose_sandbox({}), stack)


def test_work_may_lie_where_other_temporary_folders_are_hidden() -> None:
    """`build/` may be below /var/tmp, of which a program sees nothing else."""
    with tempfile.TemporaryDirectory(dir="/var/tmp") as name:
        folder = Path(name)
        folder.chmod(0o755)
        with ExitStack() as stack:
            trial = Trial(folder, choose_sandbox({}), stack)
            ended = trial.run("import os; print(os.listdir('/var/tmp'), os.getcwd())")
        assert (ended.how, ended.code) == ("exited", 0), ended
        assert trial.printed == f"{[folder.name]} {trial.work}\n"


def test_a_program_sees_work_and_ends_with_its_code(trial: Trial) -> None:
    (trial.folder / "given").write_text("given")
    ended = trial.run(
        f"""
import os, sys
print(open({str(trial.folder / "given")!r}).read(), os.environ["NAME"], os.getcwd())
open("left", "w").write("left")
sys.exit(3)
""",
        readable=[trial.folder / "given"],
        environment={"NAME": "value"},
    )
    assert (ended.how, ended.code) == ("exited", 3)
    assert ended.sentence == "ended with code 3"
    assert trial.printed == f"given value {trial.work}\n"
    assert (trial.work / "left").read_text() == "left"
    if os.geteuid() == 0:
        assert (trial.work / "left").stat().st_uid == trial.work.stat().st_uid >= 2_000_000_000


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


def test_a_fork_bomb_is_held(trial: Trial) -> None:
    bomb = """
import os, time
while True:
    try:
        if os.fork() == 0:
            continue
    except OSError:
        time.sleep(0.01)
"""
    ended = trial.run(bomb)
    assert ended.how == "processes"
    assert "started more processes" in ended.sentence
    counted = """
import os, time
made = 0
try:
    while made < 300:
        if os.fork() == 0:
            time.sleep(2)
            os._exit(0)
        made += 1
except OSError:
    print("refused")
print(made, flush=True)
os._exit(0)
"""
    trial.run(counted)
    assert trial.printed.startswith("refused")
    assert int(trial.printed.split()[1]) < LIMITS.processes
    assert outside(counted) == "300\n"


def test_a_disk_is_not_filled(trial: Trial) -> None:
    filling = """
import os
block = b"x" * (1 << 20)
for number in range(200):
    try:
        with open(f"file-{number}", "wb") as file:
            file.write(block)
    except OSError as error:
        print(error.strerror)
        break
else:
    import time; time.sleep(5)
"""
    before = os.statvfs(trial.folder).f_bavail
    ended = trial.run(filling)
    assert ended.how == "disk"
    if trial.work.is_mount():
        assert "No space left on device" in ended.said
        taken = before - os.statvfs(trial.folder).f_bavail
        assert taken * os.statvfs(trial.folder).f_frsize < LIMITS.disk


def test_one_file_is_no_larger_than_the_disk_allowed(open_folder: Path) -> None:
    """Without a file system of its own for ``work``, the kernel holds one file, the watch all."""
    sandbox = choose_sandbox({})
    places = open_folder / "places"
    with fresh_workplace(places, sandbox.owners, disk=MIB, in_memory=False) as work:
        assert not work.is_mount()

        def run(program: str) -> Ended:
            return sandbox.run(
                ("python3", "-I", "-c", program), work=work, readable=(), environment={},
                limits=replace(LIMITS, disk=MIB), log=open_folder / "log", mirrors=False,
            )  # fmt: skip

        run("import os; os.posix_fallocate(os.open('big', os.O_CREAT | os.O_WRONLY), 0, 1 << 24)")
        assert (work / "big").stat().st_size <= MIB
        many = "import time\nfor n in range(9): open(f'f{n}', 'wb').write(b'x' * 400_000)\n"
        assert run(f"{many}time.sleep(9)").how == "disk"
        deep = "import os, time\nfor n in range(200): os.mkdir('d'); os.chdir('d')\ntime.sleep(9)"
        for left in work.iterdir():
            left.unlink()
        assert run(deep).how == "disk"
        assert run("open('small', 'w').write('x')").how == "disk"
    assert not work.exists()


def test_time_and_output_are_held(trial: Trial) -> None:
    began = time.monotonic()
    ended = trial.run("while True: pass", limits=replace(LIMITS, seconds=1))
    assert (ended.how, ended.code) == ("time", None)
    assert time.monotonic() - began < 30
    ended = trial.run("while True: print('x' * 1000)")
    assert ended.how == "output"
    assert trial.log.stat().st_size <= LIMITS.output
    assert len(ended.said) <= 1500
    # Bytes that are no text become three each.
    ended = trial.run("import os\nos.write(1, bytes([255]) * (600 * 1024))")
    assert ended.how == "output"
    assert LIMITS.output - 4 <= trial.log.stat().st_size <= LIMITS.output
    # Nothing is read, nothing is said, and nobody waits: output closed, and gone on for ever.
    quiet = "import os, time\nos.close(1); os.close(2)\ntime.sleep(99)"
    assert trial.run(quiet, limits=replace(LIMITS, seconds=1)).how == "time"


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


def test_what_cannot_be_shut_in_does_not_run(trial: Trial) -> None:
    fake = trial.folder / "bwrap"
    fake.write_text("#!/bin/sh\necho 'bwrap: No permissions to create new namespace' >&2; exit 1\n")
    fake.chmod(0o755)
    broken = Bubblewrap(str(fake))
    with pytest.raises(NoIsolation, match="No permissions to create new namespace") as told:
        prove(broken, trial.folder / "proving")
    assert told.value.exit_code == 35
    # One that runs the command without shutting it in does not say the word.
    fake.write_text("#!/bin/sh\nexit 0\n")
    with pytest.raises(NoIsolation, match="it said nothing"):
        prove(broken, trial.folder / "proving")
    prove(choose_sandbox({}), trial.folder / "proving")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root runs commands as another user")
def test_root_never_runs_it_as_itself(trial: Trial, open_folder: Path) -> None:
    mine = open_folder / "mine"
    mine.mkdir()

    def run(work: Path, readable: Sequence[Path] = ()) -> Ended:
        return trial.sandbox.run(
            ("true",), work=work, readable=readable, environment={}, limits=LIMITS,
            log=trial.log, mirrors=False,
        )  # fmt: skip

    with pytest.raises(NoIsolation, match="belongs to user 0"):
        run(mine)
    closed = open_folder / "closed"
    closed.mkdir(0o700)
    (closed / "file").touch()
    with pytest.raises(NoIsolation, match="closed to other users"):
        run(trial.work, [closed / "file"])
    with pytest.raises(NoIsolation, match="not there"):
        run(trial.work, [open_folder / "nothing"])


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")
@pytest.mark.skipif(not Path(_PYTHON).exists(), reason="needs a Python that every user may run")
def test_another_user_than_root_can_use_it(open_folder: Path) -> None:
    """The whole of it as a user without rights: no mount, no other user, a namespace instead."""
    places = open_folder / "theirs"
    places.mkdir()
    os.chown(places, 65534, 65534)
    program = f"""
import os, sys
sys.path.insert(0, {str(Path(__file__).resolve().parents[2])!r})
from pathlib import Path
from flink_boost.service.builds.isolation.choosing import choose_sandbox
from flink_boost.service.builds.isolation.sandbox import Limits
from flink_boost.service.builds.isolation.watching import TooManyFiles, size_below
from flink_boost.service.builds.isolation.workplace import fresh_workplace
sandbox, folder = choose_sandbox({{}}), Path({str(places)!r})
bomb = "import os, time\\nwhile True:\\n  try: os.fork()\\n  except OSError: time.sleep(.01)"
with fresh_workplace(folder / "places", sandbox.owners, disk=1 << 20) as work:
    for words in (("id", "-u"), ("python3", "-I", "-c", bomb)):
        ended = sandbox.run(words, work=work, readable=(), environment={{}}, log=folder / "log",
                            limits=Limits(seconds=30, processes=60), mirrors=False)
        print(ended.how, ended.code, ended.said[:20])
print(sorted(path.name for path in (folder / "places").iterdir()))
"""
    done = subprocess.run(
        (
            *("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"),
            *(_PYTHON, "-I", "-c", program),
        ),
        capture_output=True, text=True, timeout=120, check=False, cwd="/",
        env={"PATH": os.environ["PATH"]},
    )  # fmt: skip
    assert done.stdout.splitlines() == [
        "exited 0 1000", "processes None ", "['owners']",
    ], done.stderr  # fmt: skip


@pytest.mark.parametrize("closed", ["", "below"])
def test_a_folder_that_is_closed_to_us_counts_as_full(
    closed: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever has built in a folder could close it, and write on through an open file."""
    (tmp_path / "below").mkdir()
    (tmp_path / "below" / "file").write_bytes(b"1" * 5000)
    assert size_below(tmp_path) >= 5000
    really_open = os.open

    def refusing(path: str | Path, flags: int, *, dir_fd: int | None = None) -> int:
        if Path(path).name == (closed or tmp_path.name):
            raise PermissionError(13, "Permission denied", str(path))
        return really_open(path, flags, dir_fd=dir_fd)

    monkeypatch.setattr(os, "open", refusing)
    with pytest.raises(TooManyFiles):
        size_below(tmp_path)
