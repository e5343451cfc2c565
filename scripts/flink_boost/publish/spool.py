"""The spool: results wait here, on disk, until Codespeed has accepted them.

A finished run becomes one *entry* per executable (``stock 2.3.0``, ``patched 2.3.0``): the list of
results that Codespeed takes in one request. Entries live in two folders::

    <spool>/unsent/<key>.json    written by fsync and atomic rename before anything is sent
    <spool>/sent/<key>.json      the same file, moved here once Codespeed has accepted it

The key is computed from the run alone, so that spooling a run again does nothing. Sending an entry
again does nothing either: Codespeed overwrites by commit id, branch, executable, benchmark and
environment, and all of them are fixed in the entry.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
import statistics
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from datetime import UTC
from pathlib import Path

from pydantic import Field, FiniteFloat, ValidationError

from flink_boost.base.errors import BrokenData, EnvironmentProblem, UsageProblem
from flink_boost.base.files import exclusive_lock, make_folder, publish, write_durably
from flink_boost.measure.history import load_history
from flink_boost.measure.model import Cell, Fork, Frozen, Mode, RunInfo, Side

PROJECT = "Flink"
BRANCH = "master"

# Column widths of Codespeed 0.13; SQLite does not enforce them, PostgreSQL does.
BENCHMARK_NAME_LENGTH = 100
ENVIRONMENT_NAME_LENGTH = 100

_LOCK_POLL_SECONDS = 0.2


class CodespeedResult(Frozen):
    """One result as Codespeed's ``result/add/json/`` takes it; field names are Codespeed's."""

    commitid: str
    branch: str
    project: str
    executable: str
    benchmark: str
    environment: str
    result_value: FiniteFloat
    std_dev: FiniteFloat | None
    min: FiniteFloat
    max: FiniteFloat
    units: str
    units_title: str
    lessisbetter: bool
    revision_date: str


class Entry(Frozen):
    """The results of one executable of one run: what is sent in one request."""

    schema_version: int = 1
    key: str
    run_id: str
    commit: str
    results: tuple[CodespeedResult, ...] = Field(min_length=1)


def commit_id(run: RunInfo) -> str:
    """Codespeed's name for a run: ``<short sha>[-dirty]-<UTC start>-<hash of the run id>``.

    Codespeed has one point per commit id, while one commit is measured every night; the time makes
    each run a point of its own and the prefix leads back to the commit. At most 37 of the 42
    characters that Codespeed has room for.
    """
    sha, dirty, _ = run.commit.partition("-dirty")
    short = re.sub(r"[^0-9A-Za-z]", "", sha)[:8] or "unknown"
    stamp = run.started.astimezone(UTC).strftime("%Y%m%dT%H%M%S")
    distinct = hashlib.sha256(run.run_id.encode()).hexdigest()[:6]
    return f"{short}{dirty}-{stamp}-{distinct}"


def executable(run: RunInfo, side: Side) -> str:
    """``stock 2.3.0``; other JVM circumstances never share a curve: ``stock 2.3.0 not opened``.

    JDK 17 goes without saying, 11 is ``stock 1.9.3 j11``: Codespeed has room for 30 characters.
    """
    jdk = "" if run.jdk_feature in (0, 17) else f" j{run.jdk_feature}"
    return f"{side.value} {run.line}{jdk}" + ("" if run.opened else " not opened")


def entry_keys(run: RunInfo) -> tuple[str, ...]:
    """The keys of the entries of a run, known before its forks are read; none for an A/A run."""
    return tuple(_key(run, side) for side in _sent_sides(run))


def _sent_sides(run: RunInfo) -> tuple[Side, ...]:
    if Side.CONTROL in run.sides:
        return ()
    # Another build of ours is there for one comparison; its curve would be called upstream's.
    sides = run.main_sides if run.third_is_a_build else run.sides
    return tuple(side for side in sides if _cells_of(run, side))


def _cells_of(run: RunInfo, side: Side) -> tuple[Cell, ...]:
    return tuple(cell for cell in run.cells if side in run.sides_of(cell))


def benchmark_name(cell: Cell, run: RunInfo) -> str:
    """The method and the values of its parameters, in the order of the parameters' names.

    This is how the upstream suite names its results in Codespeed: ``write.ascii.16``. Threads and
    heap of the run, where they are not the usual ones, are parameters too.
    """
    parts = [cell.method, *(value for _, value in sorted(cell.params))]
    parts += [f"{run.threads}threads"] if run.threads != 1 else []
    parts += [f"heap{run.heap}"] if run.heap else []
    name = ".".join(parts)
    if len(name) <= BENCHMARK_NAME_LENGTH:
        return name
    digest = hashlib.sha256(name.encode()).hexdigest()[:8]
    return f"{name[: BENCHMARK_NAME_LENGTH - 9]}-{digest}"


def entries_of(run: RunInfo, forks: Sequence[Fork], environment: str) -> tuple[Entry, ...]:
    """The entries of a complete run; none for an A/A run, which says nothing about Flink.

    Raises ``BrokenData`` for a score that is no positive number, for a side without forks and for
    two benchmarks that would share one name in Codespeed.
    """
    if Side.CONTROL in run.sides:
        return ()
    if not 0 < len(environment.strip()) <= ENVIRONMENT_NAME_LENGTH:
        raise UsageProblem(
            f"The environment name {environment!r} is empty or longer than "
            f"{ENVIRONMENT_NAME_LENGTH} characters.",
            "Give a short one with --environment or FLINK_BOOST_ENVIRONMENT.",
        )
    _require_distinct_names(run)
    return tuple(_entry(run, side, forks, environment.strip()) for side in _sent_sides(run))


class Spool:
    """The two folders, and the lock that only one sender holds."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._unsent = folder / "unsent"
        self._sent = folder / "sent"

    def add(self, entry: Entry) -> bool:
        """Writes the entry; false when it is known already, sent or not."""
        if self.knows(entry.key):
            return False
        make_folder(self._unsent)
        write_durably(self._path(self._unsent, entry.key), entry.model_dump_json(indent=1) + "\n")
        return True

    def knows(self, key: str) -> bool:
        """True when an entry of that key was spooled before.

        Looks at ``unsent`` before ``sent``: entries only ever move that way, so one that is being
        moved at this moment is seen in one of the two.
        """
        return self._path(self._unsent, key).exists() or self._path(self._sent, key).exists()

    def unsent_keys(self) -> tuple[str, ...]:
        """Keys of the entries that Codespeed has not accepted yet, sorted."""
        return _keys(self._unsent)

    def sent_keys(self) -> tuple[str, ...]:
        """Keys of the entries that Codespeed has accepted, sorted."""
        return _keys(self._sent)

    def load_unsent(self, key: str) -> Entry:
        """Reads one entry.

        Raises ``BrokenData`` when the file is not what :meth:`add` wrote.
        """
        path = self._path(self._unsent, key)
        try:
            entry = Entry.model_validate_json(path.read_bytes())
        except (OSError, ValidationError) as error:
            raise BrokenData(
                f"The spooled result {path} cannot be read ({type(error).__name__}).",
                "Delete it and run `flink-boost upload` again: it is made anew from its run.",
            ) from error
        if entry.key != key:
            raise BrokenData(
                f"The spooled result {path} holds the entry {entry.key!r}.",
                "Give the file its own name back.",
            )
        return entry

    def mark_sent(self, key: str) -> None:
        """Moves an accepted entry; after a crash just before, it is merely sent once more."""
        make_folder(self._sent)
        publish(self._path(self._unsent, key), self._path(self._sent, key))

    @contextmanager
    def sender_lock(
        self, wait_seconds: float = 10.0, sleep: Callable[[float], None] = time.sleep
    ) -> Iterator[None]:
        """Held while entries are sent; the kernel frees it when the holder dies.

        Raises ``EnvironmentProblem`` when another process holds it for longer than the wait.
        """
        with ExitStack() as held:
            waited = 0.0
            while True:
                try:
                    held.enter_context(
                        exclusive_lock(self.folder / "sender.lock", "flink-boost upload")
                    )
                    break
                except EnvironmentProblem:
                    if waited >= wait_seconds:
                        raise
                sleep(_LOCK_POLL_SECONDS)
                waited += _LOCK_POLL_SECONDS
            yield

    @staticmethod
    def _path(folder: Path, key: str) -> Path:
        return folder / f"{key}.json"


def spool_new_runs(spool: Spool, results: Path, environment: str) -> tuple[str, ...]:
    """Spools every complete run of the results store that is not spooled yet.

    Gives a sentence for each run that cannot be spooled; it does not keep the others from it.
    """

    def is_new(run: RunInfo) -> bool:
        return not all(spool.knows(key) for key in entry_keys(run))

    history = load_history(results, wanted=is_new)
    problems = list(history.broken)
    for run in history.runs:
        try:
            for entry in entries_of(run.info, run.forks, environment):
                spool.add(entry)
        except BrokenData as error:
            problems.append(f"Run {run.info.run_id} is not sent: {error}")
    return tuple(problems)


def _entry(run: RunInfo, side: Side, forks: Sequence[Fork], environment: str) -> Entry:
    by_cell: defaultdict[Cell, list[Fork]] = defaultdict(list)
    for fork in forks:
        if fork.side is side:
            by_cell[fork.cell].append(fork)
    cells = _cells_of(run, side)
    missing = [cell.name for cell in cells if cell not in by_cell]
    if missing:
        raise BrokenData(
            f"Run {run.run_id} has no {side.value} result of {missing[0]}.",
            f"Run `flink-boost bench --resume {run.run_id}` to measure what is missing.",
        )
    name = executable(run, side)
    return Entry(
        key=_key(run, side),
        run_id=run.run_id,
        commit=run.commit,
        results=tuple(_result(run, name, environment, by_cell[cell]) for cell in cells),
    )


def _key(run: RunInfo, side: Side) -> str:
    return f"{commit_id(run)}.{re.sub(r'[^A-Za-z0-9.]+', '-', executable(run, side))}"


def _result(
    run: RunInfo, executable_name: str, environment: str, forks: Sequence[Fork]
) -> CodespeedResult:
    scores = [fork.score for fork in forks]
    for score in scores:
        if not (math.isfinite(score) and score > 0):
            raise BrokenData(
                f"Run {run.run_id} has the score {score} for {forks[0].cell.name}, "
                "which is no positive number.",
                "Look at the log of that fork beside its JSON file.",
            )
    less_is_better = forks[0].mode.less_is_better
    return CodespeedResult(
        commitid=commit_id(run),
        branch=BRANCH,
        project=PROJECT,
        executable=executable_name,
        benchmark=benchmark_name(forks[0].cell, run),
        environment=environment,
        result_value=statistics.geometric_mean(scores),
        std_dev=statistics.stdev(scores) if len(scores) > 1 else None,
        min=min(scores),
        max=max(scores),
        units=forks[0].unit,
        # Codespeed averages over all benchmarks of one title, so a title has one direction.
        units_title="Time" if forks[0].mode is Mode.AVERAGE_TIME else "Throughput",
        lessisbetter=less_is_better,
        revision_date=run.started.astimezone(UTC).strftime("%Y-%m-%d %H:%M:%S"),
    )


def _require_distinct_names(run: RunInfo) -> None:
    owner: dict[str, Cell] = {}
    for cell in run.cells:
        name = benchmark_name(cell, run)
        other = owner.setdefault(name, cell)
        if other != cell:
            raise BrokenData(
                f"{other.name} and {cell.name} would both be called {name!r}.",
                "Rename one of the two benchmark methods.",
            )


def _keys(folder: Path) -> tuple[str, ...]:
    return tuple(sorted(path.name.removesuffix(".json") for path in folder.glob("*.json")))


def payload(entry: Entry) -> str:
    """The value of the form field ``json`` that Codespeed reads."""
    return json.dumps([result.model_dump() for result in entry.results], allow_nan=False)
