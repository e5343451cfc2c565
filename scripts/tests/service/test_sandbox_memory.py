"""Memory is held wherever it is: in processes, in files, and in the kernel, which no process shows.

Each attack takes less than 1 GiB, also where nothing holds it.
"""

from __future__ import annotations

import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from eventual import eventually
from sandbox_trial import LIMITS, MIB, Trial

from flink_boost.service.builds.isolation.choosing import choose_sandbox
from flink_boost.service.builds.isolation.sandbox import Ended

pytestmark = pytest.mark.quiet

_LIMITS = replace(LIMITS, memory=128 * MIB)


@pytest.fixture
def trial(open_folder: Path) -> Iterator[Trial]:
    with ExitStack() as stack:
        yield Trial(open_folder, choose_sandbox({}), stack)


def test_memory_is_held_wherever_it_is(trial: Trial) -> None:
    limits = replace(LIMITS, memory=128 * MIB)
    grab = "print(len(bytearray(400 << 20)))"
    assert trial.run(grab, limits=limits).code == 1
    assert "MemoryError" in trial.printed
    assert trial.run(grab, limits=replace(LIMITS, memory=1024 * MIB)).well
    shared = """
import os, time
os.fork(); os.fork()
held = bytearray(b"x") * (60 << 20)
time.sleep(20)
"""
    assert trial.run(shared, limits=limits).how == "memory"
    nobodys = """
import os, time
files = [os.memfd_create(str(n)) for n in range(8)]
for file in files:
    os.write(file, b"x" * (30 << 20))
time.sleep(20)
"""
    assert trial.run(nobodys, limits=limits).how == "memory"
    assert trial.run("open('/dev/shm/x', 'wb').write(b'x' * (300 << 20))", limits=limits).code == 1


SOCKETS = """
import socket, time
kept, taken = [], 0
while taken < 800 << 20:
    pair = socket.socketpair()
    pair[0].setblocking(False)
    pair[0].setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 22)
    kept.append(pair)
    try:
        while True:
            taken += pair[0].send(bytes(1 << 16))
    except BlockingIOError:
        pass
"""
PIPES = """
import os, time
for child in range(50):
    if os.fork() == 0:
        for number in range(2000):
            end = os.pipe()[1]
            os.set_blocking(end, False)
            try:
                while True:
                    os.write(end, bytes(4096))
            except BlockingIOError:
                pass
        break
"""
EMPTY_FILES = """
import os, time
for number in range(700_000):
    folder = ("/tmp", "/var/tmp", "/dev/shm")[number % 3]
    os.close(os.open(f"{folder}/{number}", os.O_CREAT | os.O_WRONLY))
"""
TABLES_OF_PAGES = """
import mmap, time
space = mmap.mmap(-1, 1 << 40, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, prot=mmap.PROT_READ)
for place in range(0, 200_000 << 21, 1 << 21):
    space[place]
"""
FILES_ON_THEIR_WAY = """
import os, socket, time
ways = socket.socketpair()
for number in range(20):
    file = os.memfd_create(str(number))
    for _ in range(20):
        os.write(file, bytes(1 << 20))
    socket.send_fds(ways[0], [b"x"], [file])
    os.close(file)
"""


@pytest.mark.parametrize(
    "attack",
    [SOCKETS, PIPES, EMPTY_FILES, TABLES_OF_PAGES, FILES_ON_THEIR_WAY],
    ids=["sockets", "pipes", "empty-files", "tables-of-pages", "files-on-their-way"],
)
def test_memory_of_no_process_is_held(attack: str, trial: Trial) -> None:
    ended = trial.run(f"{attack}time.sleep(5)\nprint('took it')", limits=_LIMITS)
    assert ended.how == "memory", (ended, trial.printed)


def test_a_process_opens_few_files(trial: Trial) -> None:
    opening = """
import os, resource
resource.setrlimit(resource.RLIMIT_NOFILE, (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)
opened = 0
try:
    while opened < 10_000:
        os.open("/dev/null", os.O_RDONLY)
        opened += 1
except OSError as error:
    print(error.strerror)
"""
    assert trial.run(opening).well
    assert trial.printed == "Too many open files\n"


@contextmanager
def memory_of_others() -> Iterator[Path]:
    """A file in memory that is none of the sandbox's."""
    with tempfile.NamedTemporaryFile(dir="/dev/shm") as file:
        file.write(bytes(300 * MIB))
        file.flush()
        yield Path(file.name)


def run_while(trial: Trial, program: str, meanwhile: Callable[[], None]) -> Ended:
    """Runs a program, and something else once it has begun."""

    def wait() -> None:
        assert eventually((trial.work / "begun").exists, 30)
        meanwhile()

    other = threading.Thread(target=wait)
    other.start()
    ended = trial.run(f"import time\nopen('begun', 'w')\n{program}", limits=_LIMITS)
    other.join()
    return ended


def test_files_in_memory_of_others_are_not_counted(trial: Trial) -> None:
    with ExitStack() as stack:

        def take() -> None:
            stack.enter_context(memory_of_others())

        ended = run_while(trial, "time.sleep(3)", take)
    assert ended.well, ended


def test_others_who_free_memory_do_not_hide_what_is_taken(trial: Trial) -> None:
    taking = """
import os
files = [os.memfd_create(str(n)) for n in range(8)]
while os.path.exists('begun'):
    time.sleep(0.1)
for file in files:
    os.write(file, bytes(30 << 20))
time.sleep(5)
"""
    with ExitStack() as stack:
        stack.enter_context(memory_of_others())

        def free() -> None:
            stack.close()
            (trial.work / "begun").unlink()

        assert run_while(trial, taking, free).how == "memory"
