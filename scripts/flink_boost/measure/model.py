"""What is measured and what is stored: the joint between benchmarks, results and dashboard.

A *run* is one call of ``flink-boost bench``. It lives in one folder::

    <results>/<run id>/run.json                      RunInfo: plan and circumstances, written first
    <results>/<run id>/forks/p<NN>.<side>.<slug>.json  raw JMH JSON of one fork, as JMH wrote it
    <results>/<run id>/forks/p<NN>.<side>.<slug>.log   what the fork printed
    <results>/<run id>/attempts/                       files of forks that are running
    <results>/<run id>/damaged/                        fork files that were set aside
    <results>/<run id>/summary.json                  RunSummary: what all its forks gave
    <results>/<run id>/<state>                       empty; see below

A run that has come to its end has an empty file named after its state (``store.RunState``):
``complete`` when every planned fork is there, ``complete-with-failures`` when every one was tried,
``abandoned`` when somebody gave it up; without one it is unfinished. A fork that failed or whose
file is damaged is a gap. ``bench --resume`` measures it again.

Files appear by fsync and atomic rename only, so a run that was killed is resumed from the forks
that exist. The summary is written before the state, and anew only when a repair changes it; it is
what detection and the upload read. Runs older than summaries get theirs when they are first read.
"""

from __future__ import annotations

import hashlib
import re
from datetime import datetime
from enum import StrEnum
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, model_validator

from flink_boost.flink.side import SIDE_TITLES, Side

# Grows when a field is added: an older flink-boost would not know what to make of it.
RUN_SCHEMA = 2
OURS = "flink-boost"  # as the project that a run is about


class Frozen(BaseModel):
    """Immutable value; unknown fields are errors."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Mode(StrEnum):
    """JMH's modes that we use."""

    THROUGHPUT = "thrpt"
    AVERAGE_TIME = "avgt"

    @property
    def less_is_better(self) -> bool:
        """True for time per operation, false for operations per time."""
        return self is Mode.AVERAGE_TIME


class Cell(Frozen):
    """One benchmark method with one value for each of its parameters.

    ``benchmark`` is the full name as JMH prints it: ``package.Class.method``.
    """

    benchmark: str = Field(description="package.Class.method")
    params: tuple[tuple[str, str], ...] = Field(default=(), description="names with values")

    @property
    def name(self) -> str:
        """``Class.method`` with parameters, for people: ``Class.write[kind=ascii,length=4]``."""
        short = ".".join(self.benchmark.split(".")[-2:])
        if not self.params:
            return short
        return short + "[" + ",".join(f"{k}={v}" for k, v in self.params) + "]"

    @property
    def method(self) -> str:
        """The method's name alone."""
        return self.benchmark.rsplit(".", 1)[-1]

    @property
    def is_comparator(self) -> bool:
        """True for a class ``…ComparatorBenchmark``: other people's code, which no side changes."""
        return self.benchmark.split(".")[-2:][0].endswith("ComparatorBenchmark")

    @property
    def slug(self) -> str:
        """A file name that is unique for this cell."""
        readable = re.sub(r"[^A-Za-z0-9.=_-]+", "_", self.name).strip("_")[:120]
        return f"{readable}-{hashlib.sha256(self.name.encode()).hexdigest()[:8]}"


class Timing(Frozen):
    """How long JMH warms up and measures in one fork."""

    warmup_iterations: int = Field(description="count")
    warmup_time_ms: int = Field(description="of one, in milliseconds")
    iterations: int = Field(description="count of those that are measured")
    iteration_time_ms: int = Field(description="of one, in milliseconds")

    @property
    def seconds(self) -> float:
        """Time that a fork spends in iterations, in seconds."""
        warmup = self.warmup_iterations * self.warmup_time_ms
        return (warmup + self.iterations * self.iteration_time_ms) / 1000


class BoxFacts(Frozen):
    """What a score depends on. Empty or 0 where a record does not tell, or Linux does not."""

    cpu: str = ""
    cores: int = 0
    memory_mb: int = 0
    governor: str = ""
    turbo: str = Field(default="", description="'on' or 'off'")
    smt: str = Field(default="", description="'on' or 'off'")
    aslr: str = Field(default="", description="'full', 'conservative' or 'off'")
    kernel: str = ""
    jdk: str = ""
    microcode: str = ""


class Box(Frozen):
    """The machine and JVM that a run was made on; every result carries it."""

    name: str = Field(default="", description="of box.toml; empty where a box has none")
    fingerprint: str = Field(default="", description="of processor, cores and memory")
    hostname: str = Field(description="of the machine or container")
    cpu: str = Field(description="model of the processor")
    cores: int = Field(description="those that affinity and cgroup grant")
    memory_mb: int = Field(description="in units of 1024 x 1024 bytes")
    kernel: str = Field(description="release of the kernel")
    jdk: str = Field(description="full version of the JDK")
    load: float = Field(description="mean of the minute before the run, over all cores")
    governor: str = Field(default="", description="of the clock frequency; empty: not known")
    turbo: str = Field(default="", description="'on' or 'off'; empty: not known")
    smt: str = Field(default="", description="simultaneous multithreading; empty: not known")
    aslr: str = Field(default="", description="random addresses; empty: not known")
    microcode: str = Field(default="", description="revision; empty: not known")

    @property
    def facts(self) -> BoxFacts:
        """What a score depends on, to be held against another night's or against ``box.toml``."""
        names = BoxFacts.model_fields
        return BoxFacts.model_validate({name: getattr(self, name) for name in names})

    @property
    def label(self) -> str:
        """What series and dashboards call it: its name, or its host name where it has none."""
        return self.name or self.hostname

    @property
    def jdk_feature(self) -> int:
        """The JDK's feature number, such as 17; 0 when the record does not tell."""
        return jdk_feature(self.jdk)


def jdk_feature(version: str) -> int:
    """The feature number of a JDK's version: 17 of ``17.0.15+6``, 8 of ``1.8.0_402``; else 0."""
    found = re.match(r"(?:1\.)?(\d+)", version)
    return int(found[1]) if found else 0


class Purpose(StrEnum):
    """What a run is for. Only nights, and quick looks by themselves, are points of a trend."""

    NIGHTLY = "nightly"
    REQUEST = "request"
    CONFIRMATION = "confirmation"
    BISECT = "bisect"
    CANARY = "canary"
    QUICK_LOOK = "quick-look"
    BY_HAND = "by-hand"

    @property
    def makes_a_point(self) -> bool:
        """Whether such a run is a point of a series."""
        return self in (Purpose.NIGHTLY, Purpose.QUICK_LOOK)


class Built(Frozen):
    """What one side of a run was built from."""

    project: str = Field(description="'flink-boost' or 'flink', or a fork's owner/name")
    version: str = Field(description="its release")
    commit: str = Field(default="", description="'<sha>-dirty' when files differ; empty: official")

    @property
    def dirty(self) -> bool:
        """Whether files differed from the commit."""
        return self.commit.endswith("-dirty")


class RunInfo(Frozen):
    """Plan and circumstances of a run; written before its first fork."""

    schema_version: int = Field(
        default=RUN_SCHEMA, ge=1, le=RUN_SCHEMA, description="of run.json; see docs/results.md"
    )
    run_id: str = Field(description="name of the folder, which sorts by time")
    started: datetime = Field(description="when the run was planned, UTC")
    group: str = Field(description="name of the group in benchmarks/groups.toml, or 'custom'")
    quick_look: bool = Field(description="too short to publish")
    line: str = Field(description="line of Flink whose jar was measured, such as 2.3.0")
    sides: tuple[Side, ...] = Field(
        min_length=2, description="order within a pair: reference, candidate, perhaps a third side"
    )
    pairs: int = Field(ge=1, description="of a cell; the most that one has where they differ")
    cell_pairs: tuple[Annotated[int, Field(ge=1)], ...] = Field(
        default=(), description="of each cell, in their order; empty: every one has `pairs`"
    )
    opened: bool = Field(description="java.lang opened, as Flink's own configuration does")
    jvm_options: tuple[str, ...] = Field(description="of every measured JVM")
    purpose: Purpose = Field(
        default=Purpose.NIGHTLY,
        description="what it is for; only nightly and quick-look make points of a series",
    )
    subject: Built | None = Field(
        default=None, description="what the candidate was built from; null in old runs"
    )
    baseline: Built | None = Field(
        default=None,
        description="of the reference, with the release that was measured; null in old runs",
    )
    commit: str = Field(description="of flink-boost; '<sha>-dirty' when the tree had changes")
    boost_version: str = Field(description="of flink-boost")
    dropin_sha256: str = Field(
        description="of the drop-in jar; empty in an A/A run and where the candidate is a build"
    )
    stock_sha256: str = Field(default="", description="over all files of the stock class path")
    third: str = Field(
        default="",
        description="its name in overlay.toml, or path of another build; or empty",
    )
    third_title: str = Field(default="", description="the same for people: 'upstream 1.10.0'")
    third_sha256: str = Field(default="", description="of the third side's jar; empty without one")
    before_digest: str = Field(
        default="", description="checksum of the jars of the reference's build; empty: stock"
    )
    after_digest: str = Field(
        default="", description="of the candidate's build; empty: the drop-in jar"
    )
    alternating: bool = Field(
        default=False,
        description="even pairs run in the other order; in old runs stock was always first",
    )
    threads: int = Field(default=1, description="measuring threads in each fork")
    heap: str = Field(default="", description="heap of each fork; empty: as the benchmark fixes it")
    cells: tuple[Cell, ...] = Field(description="what is measured")
    timings: tuple[Timing, ...] = Field(default=(), description="one per cell, in the same order")
    box: Box = Field(description="machine and JDK")

    @model_validator(mode="before")
    @classmethod
    def _purpose_of_old_runs(cls, values: Any) -> Any:
        # Before purposes were recorded every run was a point of the trend, and stays one.
        if isinstance(values, dict) and "purpose" not in values:
            quick = values.get("quick_look") is True
            return {**values, "purpose": Purpose.QUICK_LOOK if quick else Purpose.NIGHTLY}
        return values

    @model_validator(mode="after")
    def _one_number_of_pairs_per_cell(self) -> RunInfo:
        if self.cell_pairs and (
            len(self.cell_pairs) != len(self.cells) or max(self.cell_pairs) != self.pairs
        ):
            raise ValueError("cell_pairs must have one number per cell, and pairs be the largest")
        return self

    @property
    def pairs_in_order(self) -> tuple[int, ...]:
        """How many pairs are planned for each cell."""
        return self.cell_pairs or (self.pairs,) * len(self.cells)

    def pairs_of(self, cell: Cell) -> int:
        """How many pairs are planned for a cell."""
        return self.cell_pairs[self.cells.index(cell)] if self.cell_pairs else self.pairs

    @property
    def pairs_text(self) -> str:
        """``5 pairs``, or ``3 to 20 pairs`` where the cells differ."""
        fewest = min(self.pairs_in_order, default=self.pairs)
        if fewest != self.pairs:
            return f"{fewest} to {self.pairs} pairs"
        return f"{self.pairs} pair{'s' if self.pairs > 1 else ''}"

    @property
    def forks_planned(self) -> int:
        """How many forks the whole run has."""
        planned = zip(self.cells, self.pairs_in_order, strict=True)
        return sum(pairs * len(self.sides_of(cell)) for cell, pairs in planned)

    @property
    def main_sides(self) -> tuple[Side, Side]:
        """Reference and candidate: the pair that series, dashboard and headline are about."""
        return self.sides[0], self.sides[1]

    @property
    def jdk_feature(self) -> int:
        """The feature number of the JDK that it ran on."""
        return self.box.jdk_feature

    @property
    def subject_commit(self) -> str:
        """The commit that it is about: the candidate's, or ours where that is not known."""
        own = "" if self.recipe_project else self.commit
        return (self.subject.commit if self.subject else "") or own

    @property
    def recipe_project(self) -> str:
        """Whose commits a night measured by a recipe; empty for ours."""
        return "" if self.subject is None or self.subject.project == OURS else self.subject.project

    @property
    def third_is_a_build(self) -> bool:
        """Whether the third side is another build of our jar, and not upstream's fix."""
        return self.third.endswith(".jar")

    def title_of(self, side: Side) -> str:
        """What to call a side of this run."""
        built = {Side.BEFORE: self.baseline, Side.AFTER: self.subject}.get(side)
        if built is not None:
            return f"{SIDE_TITLES[side]}, {built.commit[:8] or built.version}"
        built = {Side.STOCK: self.baseline, Side.PATCHED: self.subject}.get(side)
        if built is not None and self.recipe_project and Side.BEFORE not in self.sides:
            return f"{built.project}, {built.commit[:8] or built.version}"
        return self.third_title if side is Side.UPSTREAM and self.third_title else SIDE_TITLES[side]

    def sides_of(self, cell: Cell) -> tuple[Side, ...]:
        """The sides that a cell is measured on, in order: a comparator only beside the candidate.

        Its code is the same on every side; a run of stock against stock leaves it out.
        """
        if not cell.is_comparator:
            return self.sides
        return tuple(side for side in self.sides if side is Side.PATCHED)
