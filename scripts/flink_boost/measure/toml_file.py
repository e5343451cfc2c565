"""TOML files that people write: what is wrong in one is said by its place."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pydantic import ValidationError

from flink_boost.base.errors import BrokenData


@contextmanager
def naming_what_is_wrong(path: Path) -> Iterator[None]:
    """Around reading and checking that file: raises ``BrokenData`` with the first wrong place."""
    try:
        yield
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise BrokenData(f"{path} is not TOML: {error}.", "Correct that line.") from error
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        place = ".".join(str(part) for part in first["loc"])
        raise BrokenData(f"{path}: {place}: {first['msg']}.", "Correct that entry.") from error
