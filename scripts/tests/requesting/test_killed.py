"""A server that is killed again and again answers every request once, over real HTTP."""

from __future__ import annotations

import os
import random
import re
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pytest
from hub.double import GitHubDouble, github_double
from hub.state import GitHubState, PullRequestState

from flink_boost.base.places import PROJECT_ROOT
from requesting.comments import NOT_FOR_US
from requesting.samples import BASE, HEAD

pytestmark = pytest.mark.quiet

TESTS = Path(__file__).resolve().parents[1]
# Pull requests, and kills: in `make test` and in `make test-all`.
SHORT, WHOLE = (12, 5), (50, 20)
MARKER = re.compile(r"<!-- flink-boost-request (\S+) (\S+) -->")


def github(valid: int) -> GitHubState:
    state = GitHubState()
    state.permissions["alice"] = "write"
    for number in range(1, valid + 1):
        state.pulls[number] = PullRequestState(number, head_sha=HEAD)
    pull = state.pulls[1]
    state.merge_bases[pull.base_ref, HEAD] = BASE
    return state


def comments(chance: random.Random, valid: int) -> list[tuple[int, str, str]]:
    """Pull request, author and text of each, in a seeded order: one in twenty is to be answered."""
    found = [(n, "alice", "/benchmark-request serializerTuple") for n in range(1, valid + 1)]
    found += [
        (chance.randint(1, valid), "alice", f"/benchmark-request nonsense{n}") for n in range(valid)
    ]
    while len(found) < 20 * valid:
        text = chance.choice(NOT_FOR_US)[:500] or "thank you"
        found.append((chance.randint(1, valid), chance.choice(("alice", "mallory")), text))
    chance.shuffle(found)
    return found


@dataclass
class Server:
    """One life after the other of a server; ``kill`` is SIGKILL."""

    program: subprocess.Popen[str]
    pid: int = 0

    def start(self, seed: int) -> None:
        self.pid = int(self._tell(f"{seed}\n"))

    def kill(self) -> None:
        os.kill(self.pid, signal.SIGKILL)
        assert self._tell("") == "-9", "it ended by itself"

    def _tell(self, line: str) -> str:
        assert self.program.stdin is not None
        assert self.program.stdout is not None
        self.program.stdin.write(line)
        self.program.stdin.flush()
        return self.program.stdout.readline().strip()


@contextmanager
def serving(server: GitHubDouble, data: Path, lock: Path) -> Iterator[Server]:
    environ = {
        name: value for name, value in os.environ.items() if not name.startswith("FLINK_BOOST_")
    }
    paths = f"{TESTS}{os.pathsep}{PROJECT_ROOT / 'scripts'}"
    with (
        (data / "errors").open("ab") as errors,
        subprocess.Popen(
            [sys.executable, "-m", "requesting.serve_program", str(data), str(lock)],
            env={**environ, **server.environ(), "PYTHONPATH": paths},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
        ) as program,
    ):
        yield Server(program)


def said(server: GitHubDouble) -> Counter[tuple[str, str]]:
    """How often each of our markers is there, as (request or "reply", kind or comment)."""
    with server.lock:
        ours = [one for one in server.state.comments.values() if one.author == server.state.us]
    found = Counter(match.groups() for one in ours for match in MARKER.finditer(one.body))
    assert sum(found.values()) == len(ours)
    return Counter({(str(first), str(second)): count for (first, second), count in found.items()})


@pytest.mark.timeout(1800)
@pytest.mark.parametrize(
    ("valid", "kills"), [SHORT, pytest.param(*WHOLE, marks=pytest.mark.test_all)]
)
def test_of_many_comments_each_valid_one_is_answered_once(
    tmp_path: Path, valid: int, kills: int
) -> None:
    chance = random.Random(2026)
    waiting = comments(chance, valid)
    data, lock = tmp_path / "data", tmp_path / "lock"
    data.mkdir()
    with github_double(github(valid)) as server, serving(server, data, lock) as life:
        server.state.write(1, "mallory", "the first page must not be empty")
        life.start(0)
        wait_for(lambda: bool(server.asked("GET", "comments")))
        share = len(waiting) // (kills + 1)
        for kill in range(1, kills + 1):
            with server.lock:
                for number, author, text in waiting[:share]:
                    server.state.write(number, author, text)
            del waiting[:share]
            wait_for(
                partial(asked_often, server, len(server.calls) + chance.randint(1, 4 * valid // 5))
            )
            time.sleep(chance.uniform(0, 0.1))
            life.kill()
            life.start(kill)
        with server.lock:
            for number, author, text in waiting:
                server.state.write(number, author, text)
        wait_for(lambda: whole(said(server), valid))
        life.kill()
        found = said(server)
    assert (data / "errors").read_text(encoding="utf-8") == ""
    assert set(found.values()) == {1}, [key for key, count in found.items() if count != 1]
    assert len(found) == 3 * valid


def asked_often(server: GitHubDouble, calls: int) -> bool:
    return len(server.calls) >= calls


def whole(found: Counter[tuple[str, str]], valid: int) -> bool:
    verdicts = sum(kind == "verdict" for _, kind in found)
    replies = sum(key == "reply" for key, _ in found)
    return verdicts >= valid and replies >= valid and len(found) >= 3 * valid


def wait_for(condition: Callable[[], bool], seconds: float = 1500) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.05)
