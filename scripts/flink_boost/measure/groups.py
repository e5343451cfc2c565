"""Reads the benchmark groups of ``benchmarks/groups.toml`` and picks cells from them."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, model_validator

from flink_boost.base.errors import BrokenData, EnvironmentProblem, UsageProblem
from flink_boost.base.places import PROJECT_ROOT
from flink_boost.measure.model import Cell, Timing
from flink_boost.measure.names import matching, matching_any, named
from flink_boost.measure.toml_file import read_toml

GROUPS_FILE = PROJECT_ROOT / "benchmarks" / "groups.toml"


@dataclass(frozen=True)
class Group:
    """A named plan: what ``flink-boost bench --group`` runs.

    ``pairs`` is of every cell, or the most that one has; ``cell_pairs`` then has one for each.
    ``cores``, one per cell where any is given, is how many a box should have for it.
    """

    name: str
    title: str
    quick_look: bool
    pairs: int
    cells: tuple[Cell, ...]
    timings: tuple[Timing, ...]
    cell_pairs: tuple[int, ...] = ()
    cores: tuple[int, ...] = ()

    def with_pairs(self, cell_pairs: Sequence[int]) -> Group:
        """The same with these pairs, one number per cell, in their order."""
        most = max(cell_pairs)
        own = tuple(cell_pairs) if min(cell_pairs) != most else ()
        return replace(self, pairs=most, cell_pairs=own)

    def pairs_in_order(self) -> tuple[int, ...]:
        """The pairs of each cell."""
        return self.cell_pairs or (self.pairs,) * len(self.cells)

    def only(self, wanted: Collection[Cell]) -> Group:
        """The same with some of its cells; at least one has to be left."""
        kept = [place for place, cell in enumerate(self.cells) if cell in wanted]
        pairs = self.pairs_in_order()
        part = replace(
            self,
            cells=tuple(self.cells[place] for place in kept),
            timings=tuple(self.timings[place] for place in kept),
            cell_pairs=(),
            cores=tuple(self.cores[place] for place in kept) if self.cores else (),
        )
        return part.with_pairs([pairs[place] for place in kept])


class _Entry(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    benchmark: Annotated[str, Field(pattern=r"^[\w$.]+\.\w+$")]
    params: dict[str, Annotated[list[str], Field(min_length=1)]] = Field(default_factory=dict)
    pairs: Annotated[int, Field(ge=1)] | None = None
    cores: Annotated[int, Field(ge=1)] = 1
    warmup_iterations: Annotated[int, Field(alias="warmup-iterations", ge=0)]
    warmup_time_ms: Annotated[int, Field(alias="warmup-time-ms", ge=1)]
    iterations: Annotated[int, Field(ge=1)]
    iteration_time_ms: Annotated[int, Field(alias="iteration-time-ms", ge=1)]

    def cells(self) -> list[Cell]:
        names = tuple(self.params)
        return [
            Cell(benchmark=self.benchmark, params=tuple(zip(names, values, strict=True)))
            for values in itertools.product(*self.params.values())
        ]

    def timing(self) -> Timing:
        return Timing(
            warmup_iterations=self.warmup_iterations,
            warmup_time_ms=self.warmup_time_ms,
            iterations=self.iterations,
            iteration_time_ms=self.iteration_time_ms,
        )


_TIMING = ("warmup-iterations", "warmup-time-ms", "iterations", "iteration-time-ms")


class _Group(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    title: str
    quick_look: bool = Field(alias="quick-look", default=False)
    pairs: Annotated[int, Field(ge=1)]
    benchmarks: Annotated[list[_Entry], Field(min_length=1)]

    @model_validator(mode="before")
    @classmethod
    def _give_entries_the_timing_of_the_group(cls, group: dict[str, Any]) -> dict[str, Any]:
        """A key of an entry's timing may stand in its group; the entry's own one wins."""
        shared = {key: group[key] for key in _TIMING if key in group}
        rest = {key: value for key, value in group.items() if key not in shared}
        if shared and "benchmarks" in group:
            rest["benchmarks"] = [{**shared, **entry} for entry in group["benchmarks"]]
        return rest


_GROUPS = TypeAdapter(dict[str, _Group])


def load_groups(path: Path = GROUPS_FILE) -> dict[str, Group]:
    """All groups by name.

    Raises ``EnvironmentProblem`` when the file is missing, ``BrokenData`` when it is not TOML, has
    an unknown or missing key, or names a cell twice in a group.
    """
    try:
        groups = read_toml(path, _GROUPS)
    except FileNotFoundError:
        raise EnvironmentProblem(f"{path} is missing.", "Check out the project again.") from None
    return {name: _expand(name, group, path) for name, group in groups.items()}


def find_group(groups: dict[str, Group], name: str) -> Group:
    """The group of that name. Raises ``UsageProblem`` naming those that exist."""
    if name not in groups:
        raise UsageProblem(f"There is no group {name!r}.", f"Choose one of: {', '.join(groups)}.")
    return groups[name]


def choose_cells(
    group: Group, patterns: Sequence[str], groups: Mapping[str, Group] = MappingProxyType({})
) -> Group:
    """The group with only the cells that a pattern stands for; all of them without patterns.

    A pattern is what ``names.matching`` takes. Raises ``UsageProblem`` for one that stands for
    nothing, with those of the other ``groups`` that have it, else with the names that are near.
    """
    if not patterns:
        return group
    for pattern in patterns:
        having = [name for name, other in groups.items() if named(pattern, other.cells)]
        if having and not matching(pattern, group.cells):
            raise UsageProblem(
                f"The group {group.name!r} does not have {pattern!r}.",
                f"Say --group {having[0]}. It is in: {', '.join(having)}.",
            )
    return group.only(matching_any(patterns, group.cells, f"of the group {group.name!r}"))


def _expand(name: str, group: _Group, path: Path) -> Group:
    plan = [
        (cell, entry.timing(), entry.pairs or group.pairs, entry.cores)
        for entry in group.benchmarks
        for cell in entry.cells()
    ]
    cells = tuple(cell for cell, _, _, _ in plan)
    twice = {cell.name for cell, count in Counter(cells).items() if count > 1}
    if twice:
        raise BrokenData(
            f"{path}: the group {name!r} names {min(twice)} twice.", "Remove one of them."
        )
    return Group(
        name=name,
        title=group.title,
        quick_look=group.quick_look,
        pairs=group.pairs,
        cells=cells,
        timings=tuple(timing for _, timing, _, _ in plan),
        cores=tuple(cores for _, _, _, cores in plan),
    ).with_pairs([pairs for _, _, pairs, _ in plan])
