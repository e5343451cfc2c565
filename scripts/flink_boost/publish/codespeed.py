"""What Codespeed is told of a run: one entry per side, one result per benchmark."""

from __future__ import annotations

import hashlib
import json
import math
import re
import statistics
from collections import defaultdict
from collections.abc import Sequence
from datetime import UTC

from pydantic import Field, FiniteFloat

from flink_boost.base.errors import BrokenData, UsageProblem
from flink_boost.flink.side import Side
from flink_boost.measure.model import Cell, Fork, Frozen, Mode, RunInfo

PROJECT = "Flink"
_BRANCH_OF_THE_TREND = "master"

# Column widths of Codespeed 0.13; SQLite does not enforce them, PostgreSQL does.
BENCHMARK_NAME_LENGTH = 100
ENVIRONMENT_NAME_LENGTH = 100


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


def branch(run: RunInfo) -> str:
    """The branch in Codespeed: that of the trend, or one of the purpose's name.

    What is no point of the trend is then no point of its curve in the timeline either.
    """
    return _BRANCH_OF_THE_TREND if run.purpose.makes_a_point else run.purpose.value


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


def entries_of(run: RunInfo, forks: Sequence[Fork], environment: str | None) -> tuple[Entry, ...]:
    """The entries of a complete run; none for an A/A run, which says nothing about Flink.

    ``environment`` is what to call the box, if not by the name that it had when the run was made.

    Raises ``BrokenData`` for a score that is no positive number, for a side without forks and for
    two benchmarks that would share one name in Codespeed.
    """
    if Side.CONTROL in run.sides:
        return ()
    environment = (run.box.label if environment is None else environment).strip()
    if not 0 < len(environment) <= ENVIRONMENT_NAME_LENGTH:
        raise UsageProblem(
            f"The environment name {environment!r} is empty or longer than "
            f"{ENVIRONMENT_NAME_LENGTH} characters.",
            "Give a short one with --environment or FLINK_BOOST_ENVIRONMENT.",
        )
    _require_distinct_names(run)
    return tuple(_entry(run, side, forks, environment) for side in _sent_sides(run))


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
        branch=branch(run),
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


def payload(entry: Entry) -> str:
    """The value of the form field ``json`` that Codespeed reads."""
    return json.dumps([result.model_dump() for result in entry.results], allow_nan=False)
