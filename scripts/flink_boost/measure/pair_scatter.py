"""How much a pair of each benchmark scatters, and how long its forks take to start."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

from pydantic import Field, TypeAdapter, field_validator

from flink_boost.base.errors import BrokenData
from flink_boost.base.places import PROJECT_ROOT
from flink_boost.measure.model import Cell, Frozen
from flink_boost.measure.toml_file import read_toml

SCATTER_FILE = PROJECT_ROOT / "benchmarks" / "noise.toml"


class Scatter(Frozen):
    """Of one benchmark."""

    spread: Annotated[float, Field(gt=0, lt=10, description="of ln ratio of a pair, as a sd")]
    start: Annotated[float, Field(ge=0, description="seconds of a fork besides its iterations")]


class _Entry(Scatter):
    match: str

    @field_validator("match")
    @classmethod
    def _must_compile(cls, value: str) -> str:
        try:
            re.compile(value)
        except re.error as error:
            raise ValueError(f"{value!r} is no regular expression ({error})") from error
        return value


_FILE = TypeAdapter(dict[str, Annotated[tuple[_Entry, ...], Field(min_length=1)]])


@dataclass(frozen=True)
class ScatterTable:
    """Looks benchmarks up: those measured on the box first, then the table of a file."""

    entries: tuple[tuple[str, Scatter], ...]
    measured: Mapping[str, Scatter] = field(default_factory=dict)

    def of(self, cell: Cell) -> Scatter:
        """The figures for a cell. Raises ``BrokenData`` when there are none at all."""
        if cell.name in self.measured:
            return self.measured[cell.name]
        for pattern, scatter in self.entries:
            if re.search(pattern, cell.name):
                return scatter
        raise BrokenData(
            f"The table of scatter says nothing of {cell.name}.",
            "End it with an entry whose match is empty.",
        )

    def is_measured(self, cell: Cell) -> bool:
        """Whether the figures are of the box itself."""
        return cell.name in self.measured


def load_scatter(path: Path = SCATTER_FILE) -> ScatterTable:
    """The table of ``benchmarks/noise.toml``. Raises ``BrokenData`` if it is damaged."""
    try:
        entries = read_toml(path, _FILE)["noise"]
    except (OSError, KeyError) as error:
        raise BrokenData(
            f"{path} cannot be read ({type(error).__name__}).",
            "It has entries [[noise]] with match, spread and start.",
        ) from error
    return ScatterTable(tuple((one.match, one) for one in entries))
