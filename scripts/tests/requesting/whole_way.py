"""The whole way with everything real but GitHub: commits fetched, built and run in the sandbox."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from hub.double import GitHubDouble, github_double
from hub.state import GitHubState, PullRequestState

from flink_boost.base.places import PROJECT_ROOT
from flink_boost.measure.fork_files import PlannedFork
from flink_boost.measure.model import RunInfo
from flink_boost.measure.runner import EndedFork
from flink_boost.service.requests.database import open_database
from flink_boost.service.requests.service_settings import ServedRepository, ServeSettings
from flink_boost.service.requests.service_setup import serving_of
from flink_boost.service.requests.serving import Serving

REPOSITORY = "apache/flink-boost"
COMMAND = "/benchmark-request *write[length=16,kind=ascii,profile=mixed,view=serializer] pairs=3"
_SOURCE = "flink-core-patch/src/main/java/org/apache/flink/boost/guard/BoostMode.java"
_PLACE = "\n    private static final"


class Quietly:
    """Shows nothing."""

    def started(self, info: RunInfo, number: int, planned: PlannedFork) -> None:
        pass

    def ended(self, info: RunInfo, step: EndedFork) -> None:
        pass


@dataclass
class WholeWay:
    """A box that serves, and the GitHub that it serves."""

    server: GitHubDouble
    serving: Serving
    base: str
    head: str
    said: list[str]

    def verdicts(self) -> list[str]:
        with self.server.lock:
            ours = [c.body for c in self.server.state.comments.values()]
        return [body for body in ours if re.search(r"request \S+ verdict -->", body)]


def a_comment(folder: Path) -> tuple[str, str]:
    """A clone of this tree with a commit that adds a comment to a class; base and head."""
    _git(None, "clone", "--quiet", "--shared", str(PROJECT_ROOT), str(folder))
    base = _git(folder, "rev-parse", "HEAD").strip()
    source = folder / _SOURCE
    text = source.read_text(encoding="utf-8")
    assert _PLACE in text
    comment = "\n    // Lines that move others and change no code.\n    //"
    source.write_text(text.replace(_PLACE, comment + _PLACE, 1), encoding="utf-8")
    who = ("-c", "user.name=somebody", "-c", "user.email=somebody@example.org")
    _git(folder, *who, "commit", "--quiet", "--all", "--message", "Add a comment")
    return base, _git(folder, "rev-parse", "HEAD").strip()


@contextmanager
def whole_way(
    folder: Path, build: Path, pulls: int = 1, first_id: int = 1001
) -> Iterator[WholeWay]:
    """Serves that clone's commits as pull requests 1 to ``pulls``. Opens the database.

    Where ``build`` was used before, comments need ids that are new to it: ``first_id`` on.
    """
    base, head = a_comment(folder / "fork")
    address = (folder / "fork").as_uri()
    state = GitHubState(base_url=address, first_id=first_id)
    state.permissions["alice"] = "write"
    for number in range(1, pulls + 1):
        state.pulls[number] = PullRequestState(
            number, head_sha=head, base_sha=base, fork_url=address
        )
    state.merge_bases[state.pulls[1].base_ref, head] = base
    lock = {"FLINK_BOOST_MACHINE_LOCK": str(folder / "lock")}
    said: list[str] = []
    with github_double(state) as server:
        environ = {**os.environ, **server.environ(), **lock}
        open_database(build / "codespeed", environ)
        settings = ServeSettings(repositories=(ServedRepository(name=REPOSITORY),))
        serving = serving_of(
            settings,
            folder,
            build / "results",
            build,
            build / "spool",
            environ,
            said.append,
            Quietly(),
        )
        state.write(1, "somebody", "the first page must not be empty")
        serving.desks[0].read()
        yield WholeWay(server, serving, base, head, said)


def _git(where: Path | None, *arguments: str) -> str:
    place = () if where is None else ("-C", str(where))
    done = subprocess.run(
        ["git", *place, *arguments], check=True, capture_output=True, text=True, timeout=120
    )
    return done.stdout
