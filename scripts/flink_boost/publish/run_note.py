"""What the dashboard is told of a run besides its results, and how to measure the same again."""

from __future__ import annotations

from pydantic import FiniteFloat

from flink_boost.measure.model import Cell, Frozen, RunInfo
from flink_boost.measure.release import is_on_its_line, release_of
from flink_boost.measure.summary import RunSummary


class RunNote(Frozen):
    """One run; ``load`` is the load average of the minute before it began, over all cores."""

    run_id: str
    group: str
    pairs: int
    planned: int
    measured: int
    load: FiniteFloat
    cores: int
    command: str


def note_of(summary: RunSummary) -> RunNote:
    """The note of a finished run; ``measured`` are benchmarks with at least one whole pair."""
    info = summary.info
    whole = (
        cell.cell.is_comparator or cell.paired_scores(info.main_sides) for cell in summary.cells
    )
    return RunNote(
        run_id=info.run_id,
        group=info.group,
        pairs=info.pairs,
        planned=len(info.cells),
        measured=sum(map(bool, whole)),
        load=max(0.0, info.box.load),
        cores=max(1, info.box.cores),
        command=bench_command(info),
    )


def bench_command(run: RunInfo, cell: Cell | None = None) -> str:
    """The command that measures a run, or one benchmark of it, again in the same circumstances.

    That of a recipe leaves it to people where the recipe is: FILE.
    """
    if run.recipe_project:
        before = run.baseline.commit[:12] if run.baseline else ""
        commits = f"{before}..{run.subject_commit[:12]}" if before else run.subject_commit[:12]
        only = f" --only '{cell.name}'" if cell else ""
        pairs = run.pairs_of(cell) if cell else run.pairs
        return (
            f"flink-boost nightly --recipe FILE --commits {commits} --line {run.line}"
            f" --group {run.group}{only} --pairs {pairs}"
        )
    flink = f"--line {run.line}" if is_on_its_line(run) else f"--release {release_of(run)}"
    words = ["flink-boost bench", f"--group {run.group}", flink]
    words += [f"--jdk {run.jdk_feature}"] if run.jdk_feature else []
    words += [] if run.opened else ["--not-opened"]
    words += [f"--threads {run.threads}"] if run.threads > 1 else []
    words += [f"--heap {run.heap}"] if run.heap else []
    if cell or not run.cell_pairs:
        words += [f"--pairs {run.pairs_of(cell) if cell else run.pairs}"]
    return " ".join([*words, *([f"'{cell.name}'"] if cell else [])])
