"""Shows how a benchmark run goes on: a bar on a terminal, plain lines elsewhere."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

from flink_boost.base.text import describe_left, short_number
from flink_boost.measure import runner
from flink_boost.measure.fork_files import PlannedFork, planned_forks
from flink_boost.measure.model import RunInfo


@contextmanager
def shown_progress(console: Console) -> Iterator[runner.Progress]:
    """What fits the console, which should be that of standard error."""
    if not console.is_terminal:
        yield PlainProgress(console)
        return
    columns = (
        TextColumn("{task.description}"),
        BarColumn(bar_width=20),
        MofNCompleteColumn(),
        TextColumn("{task.fields[left]}"),
    )
    # Once a second is enough, and leaves the cores to what is being measured.
    with Progress(*columns, console=console, refresh_per_second=1, transient=True) as bar:
        yield BarProgress(bar)


class PlainProgress:
    """One line per fork: ``[12/96] pair 2/3 Class.write[…] stock 19.3 ns/op, about 4 min left``."""

    def __init__(self, console: Console) -> None:
        self._console = console

    def started(self, info: RunInfo, number: int, planned: PlannedFork) -> None:
        """Says nothing: the line comes with the result."""

    def ended(self, info: RunInfo, step: runner.EndedFork) -> None:
        """Prints the line of a fork."""
        self._console.out(describe_step(info, step), highlight=False)


class BarProgress:
    """A bar that names the running fork; failures stay above it."""

    def __init__(self, bar: Progress) -> None:
        self._bar = bar
        self._task = bar.add_task("", total=None, left="")

    def started(self, info: RunInfo, number: int, planned: PlannedFork) -> None:
        """Names the fork that runs."""
        total = len(planned_forks(info))
        pair = f"pair {planned.pair}/{info.pairs_of(planned.cell)}"
        self._bar.update(
            self._task,
            description=f"{pair} {planned.cell.name} {info.title_of(planned.side)}",
            completed=number - 1,
            total=total,
        )

    def ended(self, info: RunInfo, step: runner.EndedFork) -> None:
        """Moves the bar; prints a failure."""
        self._bar.update(self._task, completed=step.number, left=describe_left(step.seconds_left))
        if isinstance(step.outcome, runner.Failure):
            self._bar.console.out(describe_step(info, step), highlight=False)


def describe_step(info: RunInfo, step: runner.EndedFork) -> str:
    """A fork and its result in one line; a failure with the end of its log below."""
    planned, outcome = step.planned, step.outcome
    start = (
        f"[{step.number}/{step.total}] pair {planned.pair}/{info.pairs_of(planned.cell)}"
        f" {planned.cell.name} {info.title_of(planned.side)}"
    )
    if isinstance(outcome, runner.Failure):
        tail = outcome.tail.replace("\n", "\n    ")
        return f"{start} FAILED: it {outcome.reason}; log: {outcome.log}\n    {tail}"
    left = describe_left(step.seconds_left)
    return f"{start} {short_number(outcome.score)} {outcome.unit}" + (f", {left}" if left else "")
