"""The forks of a run on disk: what is planned, what is there, and how a try becomes a fork.

A fork counts as finished when its JSON file has its final name, which it gets last and atomically;
so what a killed run has to do is what is planned minus what is there.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import count
from pathlib import Path

from flink_boost.base.errors import BrokenData, EnvironmentProblem
from flink_boost.base.files import make_folder, publish
from flink_boost.flink.side import Side
from flink_boost.measure import jmh, packing
from flink_boost.measure.fork import Fork
from flink_boost.measure.model import Cell, RunInfo
from flink_boost.measure.store import load_run
from flink_boost.measure.summary import MissingFork

HALVES = "halves"  # whole ones that were measured again together with a missing other half


@dataclass(frozen=True)
class PlannedFork:
    """One JVM that a run wants: which half of which pair of which cell."""

    pair: int
    side: Side
    cell: Cell

    @property
    def stem(self) -> str:
        """File name in ``forks/`` without its ending."""
        return f"p{self.pair:02d}.{self.side.value}.{self.cell.slug}"


@dataclass(frozen=True)
class Attempt:
    """Files that one try at a fork writes to, before it is known to be good."""

    json: Path
    log: Path


def planned_forks(info: RunInfo) -> tuple[PlannedFork, ...]:
    """All forks of a run in the order in which they run: the sides of one pair after the other.

    Even pairs begin with the other side, so that neither a box that slows down steadily nor what
    favours the second JVM of a pair favours a side. Old runs were planned without that.
    """
    return tuple(
        PlannedFork(pair, side, cell)
        for cell, pair in pairs_in_turn(info)
        for side in info.sides_of(cell)[:: -1 if info.alternating and pair % 2 == 0 else 1]
    )


def missing_forks(results: Path, info: RunInfo) -> tuple[PlannedFork, ...]:
    """The planned forks that are not finished, in order."""

    def absent(those: Iterable[PlannedFork]) -> tuple[PlannedFork, ...]:
        return tuple(one for one in those if not json_path(results, info.run_id, one).exists())

    left = absent(planned_forks(info))
    if not left:
        return ()
    # Files, archive, files: it is there before the first of them goes, and until all are back.
    packed = packing.names(results / info.run_id)
    return absent(one for one in left if f"{one.stem}.json" not in packed)


@dataclass(frozen=True)
class StoredForks:
    """The forks of a run that are whole, in the order of the plan, and those that are not."""

    forks: tuple[Fork, ...]
    missing: tuple[MissingFork, ...]


def read_forks(results: Path, info: RunInfo) -> StoredForks:
    """Reads every planned fork; a damaged file counts as missing and stays where it is."""
    forks: list[Fork] = []
    missing: list[MissingFork] = []
    found = _stored(results, info)
    for planned in planned_forks(info):
        content = found.get(planned)
        damage = ""
        if isinstance(content, bytes):
            try:
                forks.append(_parse(content, f"forks/{planned.stem}.json", info, planned))
                continue
            except BrokenData as error:
                damage = error.message.removesuffix(".")
        elif content is not None:
            damage = content
        missing.append(
            MissingFork(cell=planned.cell, side=planned.side, pair=planned.pair, damage=damage)
        )
    return StoredForks(tuple(forks), tuple(missing))


def _stored(results: Path, info: RunInfo) -> dict[PlannedFork, bytes | str]:
    """The content of each fork that is there, or what is wrong with it."""
    # In the same order as ``missing_forks`` looks.
    planned = planned_forks(info)
    found = _files(results, info, planned)
    left = [one for one in planned if one not in found]
    if not left:
        return found
    try:
        members = packing.members(results / info.run_id)
    except BrokenData as error:
        return found | dict.fromkeys(left, error.message.removesuffix("."))
    for one in left:
        name = f"{one.stem}.json"
        if name in members.damaged:
            found[one] = members.damaged[name].message.removesuffix(".")
        elif name in members.whole:
            found[one] = members.whole[name]
    return found | _files(results, info, (one for one in left if one not in found))


def _files(
    results: Path, info: RunInfo, those: Iterable[PlannedFork]
) -> dict[PlannedFork, bytes | str]:
    found: dict[PlannedFork, bytes | str] = {}
    for one in those:
        path = json_path(results, info.run_id, one)
        try:
            found[one] = path.read_bytes()
        except FileNotFoundError:
            continue
        except OSError as error:
            found[one] = f"forks/{path.name} cannot be read ({error.strerror})"
    return found


def load_forks(results: Path, run_id: str) -> tuple[Fork, ...]:
    """The finished forks of a run, in the order of the plan; what is damaged is left out."""
    return read_forks(results, load_run(results, run_id)).forks


def set_aside(
    results: Path, info: RunInfo, missing: MissingFork, folder_name: str = packing.DAMAGED
) -> Path:
    """Moves a fork file, or what is in its place, out of the way, and returns where to.

    Raises ``EnvironmentProblem`` when the store does not allow it.
    """
    planned = PlannedFork(missing.pair, missing.side, missing.cell)
    folder = results / info.run_id / folder_name
    try:
        make_folder(folder)
        names = (folder / f"{planned.stem}.{number}.json" for number in count(1))
        free = next(name for name in names if not os.path.lexists(name))
        json_path(results, info.run_id, planned).rename(free)
    except OSError as error:
        raise EnvironmentProblem(
            f"A damaged file of the run {info.run_id} cannot be set aside ({error.strerror}).",
            f"Make {results / info.run_id} writable.",
        ) from error
    return free


def json_path(results: Path, run_id: str, planned: PlannedFork) -> Path:
    """Where the raw JMH JSON of a finished fork is."""
    return results / run_id / "forks" / f"{planned.stem}.json"


def log_path(results: Path, run_id: str, planned: PlannedFork) -> Path:
    """Where the output of the latest try at a fork is."""
    return results / run_id / "forks" / f"{planned.stem}.log"


def new_attempt(results: Path, run_id: str, planned: PlannedFork) -> Attempt:
    """Names that no other try uses: a process that outlives its try cannot damage the next one."""
    folder = results / run_id / "attempts"
    make_folder(folder)
    unique = f"{planned.stem}.{os.urandom(6).hex()}"
    return Attempt(json=folder / f"{unique}.json", log=folder / f"{unique}.log")


def accept_attempt(results: Path, info: RunInfo, planned: PlannedFork, attempt: Attempt) -> Fork:
    """Makes an attempt a finished fork, if its result is whole.

    The log goes first, so a fork that counts has its log. Raises ``BrokenData`` and changes nothing
    when the result is not one of JMH's for this cell.
    """
    content = attempt.json.read_bytes() if attempt.json.exists() else b""
    fork = _parse(content, attempt.json.name, info, planned)
    publish(attempt.log, log_path(results, info.run_id, planned))
    publish(attempt.json, json_path(results, info.run_id, planned))
    return fork


def reject_attempt(results: Path, info: RunInfo, planned: PlannedFork, attempt: Attempt) -> Path:
    """Keeps the log of a failed try, drops what it measured, and returns the log's path."""
    attempt.json.unlink(missing_ok=True)
    path = log_path(results, info.run_id, planned)
    publish(attempt.log, path)
    return path


def discard_attempts(results: Path, run_id: str) -> None:
    """Removes what killed tries left behind."""
    shutil.rmtree(results / run_id / "attempts", ignore_errors=True)


def _parse(content: bytes, origin: str, info: RunInfo, planned: PlannedFork) -> Fork:
    return jmh.parse_fork(
        content, origin, planned.cell, planned.side, planned.pair, threads=info.threads
    )


def pairs_in_turn(info: RunInfo) -> tuple[tuple[Cell, int], ...]:
    """Every pair of every cell, as (cell, pair from 1): round by round, in a round cell by cell.

    A round has one pair of each cell at most. A cell with fewer pairs than others sits rounds out,
    evenly, so that the pairs of each are spread over the whole run.
    """
    places = sorted(
        ((2 * pair - 1) * info.pairs // (2 * pairs), number, pair)
        for number, pairs in enumerate(info.pairs_in_order)
        for pair in range(1, pairs + 1)
    )
    return tuple((info.cells[number], pair) for _, number, pair in places)
