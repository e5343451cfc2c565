"""What may be asked for: lines, benchmarks with their timing, and how much of it at once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from flink_boost.flink.lines import Line
from flink_boost.measure.groups import Group
from flink_boost.measure.model import Cell, Timing
from flink_boost.measure.names import named
from flink_boost.measure.runner import START_SECONDS

USUAL = "quick"  # the group that is measured where a request names no benchmark
_PREFERRED = (USUAL, "spine", "jobs", "codec")  # whose timing counts where groups differ


@dataclass(frozen=True)
class Bounds:
    """What one request may take; the worker checks it again. Minutes are of forks, one build aside.

    ``least_pairs`` is what an interval needs to say anything.
    """

    pairs: int = 10
    usual_pairs: int = 5
    least_pairs: int = 3
    benchmarks: int = 24
    minutes: float = 45.0
    globs: int = 12


@dataclass(frozen=True)
class Offered:
    """A benchmark that may be asked for."""

    cell: Cell
    timing: Timing

    @property
    def seconds(self) -> float:
        """What a pair takes, both forks and their start."""
        return 2 * (self.timing.seconds + START_SECONDS)


@dataclass(frozen=True)
class Offerings:
    """All that may be asked for. ``usual`` are names of those that are measured by themselves."""

    lines: tuple[str, ...]
    default_line: str
    offered: tuple[Offered, ...]
    usual: tuple[str, ...] = field(default=())

    @cached_property
    def by_name(self) -> Mapping[str, Offered]:
        """What is offered, by name as ``Class.write[kind=ascii]``."""
        return {one.cell.name: one for one in self.offered}

    @cached_property
    def cells(self) -> tuple[Cell, ...]:
        """Of all that is offered, in order."""
        return tuple(one.cell for one in self.offered)

    def matching(self, word: str) -> tuple[str, ...]:
        """Names of all that a word is a name of: ``measure.names`` says in which ways."""
        return tuple(cell.name for cell in named(word, self.cells))

    def seconds(self, names: tuple[str, ...], pairs: int) -> float:
        """What these benchmarks take with so many pairs each."""
        return pairs * sum(self.by_name[name].seconds for name in names)


def catalogue_of(groups: Mapping[str, Group], lines: Mapping[str, Line], default: str) -> Offerings:
    """Everything in the groups that code of a pull request can change: comparators are left out."""
    known: dict[str, Offered] = {}
    first = [name for name in _PREFERRED if name in groups]
    for name in (*first, *(name for name in groups if name not in first)):
        group = groups[name]
        for cell, timing in zip(group.cells, group.timings, strict=True):
            if not cell.is_comparator:
                known.setdefault(cell.name, Offered(cell, timing))
    usual = groups[USUAL].cells if USUAL in groups else ()
    return Offerings(
        lines=tuple(v for v, line in lines.items() if line.enabled and line.measured),
        default_line=default,
        offered=tuple(known.values()),
        usual=tuple(cell.name for cell in usual if not cell.is_comparator),
    )
