"""What each benchmark measures, in a sentence for those who read its numbers."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from pydantic import TypeAdapter

from flink_boost.base.errors import BrokenData
from flink_boost.base.places import PROJECT_ROOT
from flink_boost.measure.model import Cell
from flink_boost.measure.toml_file import read_toml

DESCRIPTIONS_FILE = PROJECT_ROOT / "benchmarks" / "descriptions.toml"

# ``Class.method`` to a sentence in which ``{name}`` stands for the value of a parameter.
Descriptions = Mapping[str, str]

_PARAMETER = re.compile(r"\{(\w+)\}")
_FILE = TypeAdapter(dict[str, dict[str, str]])
_FORM = "It has a table per benchmark class with a sentence per method."


def load_descriptions(path: Path) -> Descriptions:
    """The sentences of ``benchmarks/descriptions.toml``. Raises ``BrokenData`` if it is damaged."""
    try:
        tables = read_toml(path, _FILE, _FORM)
    except OSError as error:
        raise BrokenData(f"{path} cannot be read ({error.strerror}).", _FORM) from error
    return {
        f"{name}.{method}": sentence
        for name, methods in tables.items()
        for method, sentence in methods.items()
    }


def describe(cell: Cell, descriptions: Descriptions) -> str:
    """The sentence for a benchmark with its parameters filled in; empty when there is none.

    A parameter that the benchmark lacks stays as it is written.
    """
    sentence = descriptions.get(".".join(cell.benchmark.split(".")[-2:]), "")
    values = dict(cell.params)
    return _PARAMETER.sub(lambda found: values.get(found[1], found[0]), sentence)
