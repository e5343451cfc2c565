"""What Codespeed is told of a run: one entry per side, one result per benchmark.

Beside the scores of a side stands its ratio to stock, with the interval, as a benchmark of its own:
``write.ascii.16.ratio``. What moves both sides at once is the box, and the ratio does not show it.
"""

from __future__ import annotations

import hashlib
import json
import re
import statistics
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC
from typing import Any

from pydantic import Field, FiniteFloat

from flink_boost.base.errors import BrokenData, UsageProblem
from flink_boost.flink.side import Side
from flink_boost.judge.ratio import DEFAULT_CONFIDENCE, interval
from flink_boost.judge.series import pair_log_ratios
from flink_boost.measure.descriptions import describe
from flink_boost.measure.model import Cell, Frozen, Mode, Purpose, RunInfo
from flink_boost.measure.names import RATIO, dashboard_name
from flink_boost.measure.summary import CellSummary, RunSummary
from flink_boost.publish.run_note import RunNote, note_of

PROJECT = "Flink"
_BRANCH_OF_THE_NIGHTS = "master"
_BRANCHES = {Purpose.NIGHTLY: _BRANCH_OF_THE_NIGHTS, Purpose.REQUEST: "benchmark-request"}

# Column widths of Codespeed 0.13; SQLite does not enforce them, PostgreSQL does.
ENVIRONMENT_NAME_LENGTH = 100
EXECUTABLE_NAME_LENGTH = 30
_DESCRIPTION_LENGTH = 300
_LARGEST = 1e300  # the dashboard takes no larger number

_NONE: Mapping[str, str] = {}


class CodespeedResult(Frozen):
    """One result as Codespeed's ``result/add/json/`` takes it; field names are Codespeed's.

    ``min`` and ``max`` of a ratio are the ends of its interval, None when a single pair has none.
    """

    commitid: str
    branch: str
    project: str
    executable: str
    benchmark: str
    environment: str
    result_value: FiniteFloat
    std_dev: FiniteFloat | None
    min: FiniteFloat | None
    max: FiniteFloat | None
    units: str
    units_title: str
    lessisbetter: bool
    revision_date: str
    description: str = ""


class SpoolEntry(Frozen):
    """The results of one executable of one run: what is sent in one request."""

    schema_version: int = 1
    key: str
    run_id: str
    commit: str
    results: tuple[CodespeedResult, ...] = Field(min_length=1)
    run: RunNote | None = Field(default=None, description="None in entries of older versions")


def commit_id(run: RunInfo) -> str:
    """Codespeed's name for a run: ``<short sha>[-dirty]-<UTC start>-<hash of the run id>``.

    Codespeed has one point per commit id, while one commit is measured every night; the time makes
    each run a point of its own and the prefix leads back to the commit. At most 37 of the 42
    characters that Codespeed has room for.
    """
    sha, dirty, _ = run.subject_commit.partition("-dirty")
    short = re.sub(r"[^0-9A-Za-z]", "", sha)[:8] or "unknown"
    stamp = run.started.astimezone(UTC).strftime("%Y%m%dT%H%M%S")
    distinct = hashlib.sha256(run.run_id.encode()).hexdigest()[:6]
    return f"{short}{dirty}-{stamp}-{distinct}"


def branch(run: RunInfo) -> str:
    """The branch in Codespeed: that of the nights, or one of the purpose's name.

    What is no night is then no point of their curve either, and a quick look after it, with eight
    benchmarks, does not take the place of its two hundred, nor one that was called a night. Nights
    of a recipe have the branch of
    its project.
    """
    if run.purpose is Purpose.NIGHTLY and run.quick_look:
        return Purpose.QUICK_LOOK.value
    if run.purpose is Purpose.NIGHTLY and run.recipe_project:
        return run.recipe_project
    return _BRANCHES.get(run.purpose, run.purpose.value)


def executable(run: RunInfo, side: Side) -> str:
    """``stock 2.3.0``; other JVM circumstances never share a curve: ``stock 2.3.0 not opened``.

    JDK 17 goes without saying, 11 is ``stock 1.9.3 j11``: Codespeed has room for 30 characters.
    A recipe's end with its project, so that they are never ours: ``patched 2.3.0 flink``; with
    ``prev`` behind it where another commit is the reference.
    """
    recipe = f" {run.recipe_project}" if run.recipe_project else ""
    if recipe and run.baseline is not None and run.baseline.commit:
        recipe += " prev"
    jdk = "" if run.jdk_feature in (0, 17) else f" j{run.jdk_feature}"
    return f"{side.value} {run.line}{jdk}{recipe}" + ("" if run.opened else " not opened")


def entry_keys(summary: RunSummary) -> tuple[str, ...]:
    """The keys of the entries of a run; none for an A/A run.

    A run whose scores were changed by a repair has other keys than before: ``….r2``, ``….r3``.
    """
    return tuple(
        _key(summary, side)
        for side in _sent_sides(summary.info)
        if any(_sent_scores(summary.info, cell, side) for cell in summary.cells)
    )


def split_key(key: str) -> tuple[str, int]:
    """What the keys of all revisions of one entry share, and the revision."""
    found = re.fullmatch(r"(.*)\.r(\d+)", key)
    return (found[1], int(found[2])) if found else (key, 1)


def _sent_sides(run: RunInfo) -> tuple[Side, ...]:
    if Side.CONTROL in run.sides:
        return ()
    # Another build of ours is there for one comparison; its curve would be called upstream's.
    return run.main_sides if run.third_is_a_build else run.sides


def _sent_scores(run: RunInfo, cell: CellSummary, side: Side) -> tuple[float, ...]:
    """The scores that a mean is taken of: those of whole pairs, so that both sides have as many.

    A comparator is measured on one side only, so all its forks are whole.
    """
    if cell.cell.is_comparator:
        alone = cell.of(side)
        return alone.scores if alone is not None else ()
    reference, candidate = run.main_sides
    if side is reference:
        return tuple(first for first, _ in cell.paired_scores((reference, candidate)))
    return tuple(second for _, second in cell.paired_scores((reference, side)))


def benchmark_name(cell: Cell, run: RunInfo) -> str:
    """Its name there; threads and heap of the run, where not the usual ones, are parameters too."""
    parts = [f"{run.threads}threads"] if run.threads != 1 else []
    parts += [f"heap{run.heap}"] if run.heap else []
    return dashboard_name(cell, *parts)


def entries_of(
    summary: RunSummary, environment: str | None, descriptions: Mapping[str, str] = _NONE
) -> tuple[SpoolEntry, ...]:
    """The entries of a run; none for an A/A run, which says nothing about Flink.

    ``environment`` is what to call the box, if not by the name that it had when the run was made;
    ``descriptions`` are those of ``measure.descriptions``. A benchmark without a whole pair is left
    out. Raises ``BrokenData`` for two benchmarks that would share one name in Codespeed,
    ``UsageProblem`` for an unusable name of the environment.
    """
    run = summary.info
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
    about = _About(run, environment, descriptions)
    note = note_of(summary)
    return tuple(
        SpoolEntry(
            key=_key(summary, side),
            run_id=run.run_id,
            commit=run.subject_commit,
            results=results,
            run=note,
        )
        for side in _sent_sides(run)
        if (results := (*_scores(summary, side, about), *_ratios(summary, side, about)))
    )


def _scores(summary: RunSummary, side: Side, about: _About) -> Iterator[CodespeedResult]:
    for cell in summary.cells:
        scores = _sent_scores(summary.info, cell, side)
        if scores:
            yield about.result(
                cell,
                side,
                result_value=statistics.geometric_mean(scores),
                std_dev=statistics.stdev(scores) if len(scores) > 1 else None,
                min=min(scores),
                max=max(scores),
                units=cell.unit,
                # Codespeed averages over all benchmarks of one title, so a title has one direction.
                units_title="Time" if cell.mode is Mode.AVERAGE_TIME else "Throughput",
                lessisbetter=cell.mode.less_is_better,
            )


def _ratios(summary: RunSummary, side: Side, about: _About) -> Iterator[CodespeedResult]:
    """How much faster a side is than the reference; nothing for the reference itself."""
    reference = summary.info.main_sides[0]
    for cell in () if side is reference else summary.cells:
        logs = () if cell.cell.is_comparator else pair_log_ratios(cell, (reference, side))
        if logs:
            found = interval(logs, DEFAULT_CONFIDENCE)
            known = len(logs) > 1 and found.high <= _LARGEST
            yield about.result(
                cell,
                side,
                suffix=RATIO,
                result_value=found.ratio,
                std_dev=None,
                min=found.low if known else None,
                max=found.high if known else None,
                units="x",
                units_title="Ratio",
                lessisbetter=False,
            )


@dataclass(frozen=True)
class _About:
    """What all results of a run have in common."""

    run: RunInfo
    environment: str
    descriptions: Mapping[str, str]

    def result(
        self, cell: CellSummary, side: Side, *, suffix: str = "", **measured: Any
    ) -> CodespeedResult:
        sentence = describe(cell.cell, self.descriptions)
        if suffix and sentence:
            sentence = f"Speed relative to stock. {sentence}"
        return CodespeedResult(
            commitid=commit_id(self.run),
            branch=branch(self.run),
            project=PROJECT,
            executable=executable(self.run, side),
            benchmark=benchmark_name(cell.cell, self.run) + suffix,
            environment=self.environment,
            revision_date=self.run.started.astimezone(UTC).strftime("%Y-%m-%d %H:%M:%S"),
            description=re.sub(r"[<>&\"'`\\]", "", sentence)[:_DESCRIPTION_LENGTH].strip(),
            **measured,
        )


def _key(summary: RunSummary, side: Side) -> str:
    run = summary.info
    key = f"{commit_id(run)}.{re.sub(r'[^A-Za-z0-9.]+', '-', executable(run, side))}"
    return key if summary.revision == 1 else f"{key}.r{summary.revision}"


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


def form_of(entry: SpoolEntry) -> dict[str, str]:
    """The form to be sent: Codespeed reads its field ``json``, our dashboard ``run`` as well."""
    form = {"json": json.dumps([result.model_dump() for result in entry.results], allow_nan=False)}
    return form if entry.run is None else {**form, "run": entry.run.model_dump_json()}
