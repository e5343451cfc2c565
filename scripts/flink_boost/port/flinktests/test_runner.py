"""Runs a plan of Flink's tests so that it can be killed at any time and goes on where it was.

State on disk, each file written whole or not at all::

    <folder>/plan.json                what runs, with checksums of all that it depends on
    <folder>/chunks/<chunk>.json      the outcome of a chunk
    <folder>/findings/<class>.json    rounds and findings of a class with failures
    <folder>/logs/                    what the JVMs printed; kept for failures and stopped JVMs
    <folder>/complete                 empty; all of it is done
"""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, TypeVar

from pydantic import BaseModel, ValidationError

from flink_boost.base.errors import BrokenData
from flink_boost.base.files import make_folder, write_durably
from flink_boost.flink.side import Side
from flink_boost.measure.model import Frozen
from flink_boost.port.flinktests.blame import BlamedCase, Round, decided, judge
from flink_boost.port.flinktests.outcome import Outcome, merge
from flink_boost.port.flinktests.test_plan import Chunk, RunLimits

_Model = TypeVar("_Model", bound=BaseModel)


class Plan(Frozen):
    """What runs, and everything that its results depend on."""

    line: str
    jdk: int
    jdk_version: str
    scope: str
    dropin_sha256: str
    class_paths: dict[str, str]
    options: dict[str, tuple[str, ...]]
    limits: RunLimits
    chunks: tuple[Chunk, ...]


class Investigation(Frozen):
    """A class with failures: how it ran in its chunk, alone on both sides, and what follows."""

    class_name: str
    first: Outcome
    rounds: tuple[Round, ...]
    findings: tuple[BlamedCase, ...]
    excluded: bool


class RunsTests(Protocol):
    """A JVM for one module's tests; ``jvm.FlinkTestJvm`` is the real one."""

    def run(
        self, side: Side, classes: Sequence[str], log: Path, timeout: float, silence: float
    ) -> Outcome:
        """Runs the classes of one module on one side."""


@dataclass(frozen=True)
class EndedChunk:
    """A chunk that has just ended, for the one who shows progress."""

    number: int
    total: int
    chunk: Chunk
    outcome: Outcome
    investigations: tuple[Investigation, ...]
    seconds_left: float


@dataclass(frozen=True)
class Results:
    """Everything that a complete run has found."""

    plan: Plan
    outcomes: tuple[Outcome, ...]
    investigations: tuple[Investigation, ...]
    classes_without_tests: tuple[str, ...]


def prepare(folder: Path, plan: Plan, *, keep_complete: bool) -> bool:
    """Makes the folder ready for the plan; says whether it goes on with an earlier run.

    Results of another plan are deleted, for they say nothing about this one. So are those of a
    complete run, unless ``keep_complete``.
    """
    if _read(folder / "plan.json", Plan) == plan and (keep_complete or not is_complete(folder)):
        return True
    shutil.rmtree(folder, ignore_errors=True)
    for name in ("chunks", "findings", "logs"):
        make_folder(folder / name)
    write_durably(folder / "plan.json", plan.model_dump_json(indent=1))
    return False


def is_complete(folder: Path) -> bool:
    """Whether a run in that folder has come to its end."""
    return (folder / "complete").is_file()


def run_missing_chunks(
    folder: Path,
    plan: Plan,
    jvms: Mapping[str, RunsTests],
    progress: Callable[[EndedChunk], None],
) -> Results:
    """Runs what has no result yet, investigates failures, and reads all results.

    ``jvms`` by module. ``progress`` is told of each chunk as it ends. Raises ``FlinkTestsInvalid``
    when a JVM did not load the classes of its side.
    """
    missing = [chunk for chunk in plan.chunks if not _is_done(folder, chunk)]
    sizes = [len(chunk.classes) for chunk in missing]
    done, spent = _progress_so_far(folder, plan)
    began = time.monotonic()
    for index, chunk in enumerate(missing):
        jvm = jvms[chunk.module]
        outcome = _outcome_of(folder, plan, chunk, jvm)
        investigations = _investigate_all(folder, plan, chunk, outcome, jvm)
        write_durably(folder / "chunks" / f"{chunk.id}.done", "")
        pace = (spent + time.monotonic() - began) / (done + sum(sizes[: index + 1]))
        progress(
            EndedChunk(
                number=len(plan.chunks) - len(missing) + index + 1,
                total=len(plan.chunks),
                chunk=chunk,
                outcome=outcome,
                investigations=investigations,
                seconds_left=pace * sum(sizes[index + 1 :]),
            )
        )
    results = load_results(folder, plan)
    write_durably(folder / "complete", "")
    return results


def load_results(folder: Path, plan: Plan) -> Results:
    """The results of a run whose chunks are all done; ``BrokenData`` for a missing one."""
    outcomes = []
    without_tests: list[str] = []
    for chunk in plan.chunks:
        outcome = _read(folder / "chunks" / f"{chunk.id}.json", Outcome)
        if outcome is None:
            raise BrokenData(f"{folder} lacks the result of {chunk.id}.", "Run the tests again.")
        outcomes.append(outcome)
        ran = {case.top_level_class for case in outcome.cases}
        without_tests += [name for name in chunk.classes if name not in ran]
    investigations = [
        found
        for path in sorted((folder / "findings").glob("*.json"))
        if (found := _read(path, Investigation)) is not None
    ]
    return Results(plan, tuple(outcomes), tuple(investigations), tuple(without_tests))


def _progress_so_far(folder: Path, plan: Plan) -> tuple[int, float]:
    """Classes that earlier calls have finished, and the seconds that their JVMs took."""
    classes, seconds = 0, 0.0
    for chunk in plan.chunks:
        outcome = _read(folder / "chunks" / f"{chunk.id}.json", Outcome)
        if outcome is not None and _is_done(folder, chunk):
            classes += len(chunk.classes)
            seconds += outcome.seconds
    return classes, seconds


def _is_done(folder: Path, chunk: Chunk) -> bool:
    return (folder / "chunks" / f"{chunk.id}.done").is_file()


def _outcome_of(folder: Path, plan: Plan, chunk: Chunk, jvm: RunsTests) -> Outcome:
    """The chunk's outcome with our jar, from disk or from a JVM."""
    place = folder / "chunks" / f"{chunk.id}.json"
    known = _read(place, Outcome)
    if known is not None:
        return known
    log = folder / "logs" / f"{chunk.id}.log"
    limit = plan.limits.chunk_seconds if len(chunk.classes) > 1 else plan.limits.class_seconds
    silence = plan.limits.silent_seconds
    outcome = jvm.run(Side.PATCHED, chunk.classes, log, limit, silence)
    if outcome.lost and len(chunk.classes) > 1:
        # One class took the others with it, by an exit or a hang: each gets a JVM of its own.
        why = next(iter(outcome.lost.values()))
        apart = merge(
            [
                jvm.run(
                    Side.PATCHED,
                    [name],
                    folder / "logs" / f"{chunk.id}.{number}.log",
                    plan.limits.class_seconds,
                    silence,
                )
                for number, name in enumerate(chunk.classes, start=1)
            ]
        )
        if not apart.lost:
            stock_log = folder / "logs" / f"{chunk.id}.stock.log"
            stock = jvm.run(Side.STOCK, chunk.classes, stock_log, limit, silence)
            why += " (stock's did not either)" if stock.lost else " (stock's did)"
        outcome = apart.model_copy(update={"run_apart": why})
    if not outcome.failures and not outcome.run_apart:
        for path in (folder / "logs").glob(f"{chunk.id}.*log"):
            path.unlink()
    write_durably(place, outcome.model_dump_json())
    return outcome


def _investigate_all(
    folder: Path, plan: Plan, chunk: Chunk, outcome: Outcome, jvm: RunsTests
) -> tuple[Investigation, ...]:
    failing = dict.fromkeys(case.top_level_class for case in outcome.failures)
    return tuple(_investigate(folder, plan, chunk, name, outcome, jvm) for name in failing)


def _investigate(
    folder: Path, plan: Plan, chunk: Chunk, name: str, outcome: Outcome, jvm: RunsTests
) -> Investigation:
    place = folder / "findings" / f"{name}.json"
    known = _read(place, Investigation)
    if known is not None:
        return known
    first = outcome.model_copy(
        update={
            "cases": tuple(case for case in outcome.cases if case.top_level_class == name),
            "lost": {lost: why for lost, why in outcome.lost.items() if lost == name},
        }
    )
    rounds: list[Round] = []
    findings = judge(first, rounds)
    while not decided(findings, len(rounds)):
        sides = {
            side: jvm.run(
                side,
                [name],
                folder / "logs" / f"{name}.{len(rounds) + 1}.{side}.log",
                plan.limits.class_seconds,
                plan.limits.silent_seconds,
            )
            for side in (Side.PATCHED, Side.STOCK)
        }
        rounds.append(Round(patched=sides[Side.PATCHED], stock=sides[Side.STOCK]))
        findings = judge(first, rounds)
    found = Investigation(
        class_name=name,
        first=first,
        rounds=tuple(rounds),
        findings=findings,
        excluded=chunk.excluded,
    )
    write_durably(place, found.model_dump_json(indent=1))
    return found


def _read(path: Path, model: type[_Model]) -> _Model | None:
    """The file's content, or None when it is not there or from an older version of this program."""
    try:
        return model.model_validate_json(path.read_bytes())
    except (FileNotFoundError, ValidationError):
        return None
