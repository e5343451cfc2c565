"""TOML files that people write: what is wrong in one is said by its place."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from pydantic import TypeAdapter, ValidationError

from flink_boost.base.errors import BrokenData

_Content = TypeVar("_Content")


def read_toml(
    path: Path,
    kind: type[_Content] | TypeAdapter[_Content],
    next_step: str = "Correct that entry.",
    form: Callable[[dict[str, Any]], Any] = lambda values: values,
) -> _Content:
    """The content of a file. ``form`` gives what of it is checked, and may refuse it itself.

    Raises ``OSError`` where it cannot be read, and ``BrokenData`` with the first wrong place.
    """
    checked = kind if isinstance(kind, TypeAdapter) else TypeAdapter(kind)
    try:
        return checked.validate_python(form(tomllib.loads(path.read_text(encoding="utf-8"))))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise BrokenData(f"{path} is not TOML: {error}.", "Correct that line.") from error
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        place = ".".join(str(part) for part in first["loc"])
        raise BrokenData(f"{path}: {place}: {first['msg']}.", next_step) from error
