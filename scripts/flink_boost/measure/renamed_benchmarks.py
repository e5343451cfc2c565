"""Benchmarks that have another name than before: ``benchmarks/renamed.toml``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from pydantic import Field, TypeAdapter

from flink_boost.base.errors import BrokenData
from flink_boost.base.places import PROJECT_ROOT
from flink_boost.measure.toml_file import read_toml

RENAMED_FILE = PROJECT_ROOT / "benchmarks" / "renamed.toml"

_Name = Annotated[str, Field(pattern=r"^[\w$.]+\.\w+$")]
_TABLE = TypeAdapter(dict[_Name, _Name])


def load_renamed(path: Path = RENAMED_FILE) -> dict[str, str]:
    """Old full names to new ones; empty without the file.

    Raises ``BrokenData`` when it is not TOML, a name is none, or names lead in a circle.
    """
    try:
        renamed = read_toml(path, _TABLE, form=lambda values: values.get("benchmarks", {}))
    except FileNotFoundError:
        return {}
    for old in renamed:
        name, steps = old, 0
        while name in renamed:
            name, steps = renamed[name], steps + 1
            if steps > len(renamed):
                raise BrokenData(f"{path}: {old} comes back to itself.", "Remove one of the names.")
    return renamed
