"""What is noted beside the forks of a run, a line of JSON each: it may outlive the call."""

from __future__ import annotations

from pathlib import Path
from typing import TypeVar

from pydantic import ValidationError

from flink_boost.base.files import write_durably
from flink_boost.measure.model import Frozen

_Kept = TypeVar("_Kept", bound=Frozen)


def keep_line(path: Path, kept: Frozen) -> None:
    """Adds one; the file is whole at any moment."""
    before = path.read_bytes() if path.exists() else b""
    write_durably(path, before + kept.model_dump_json().encode() + b"\n")


def kept_lines(path: Path, kind: type[_Kept]) -> tuple[_Kept, ...]:
    """Those of a file, oldest first; a line that is damaged is passed over."""
    try:
        lines = path.read_bytes().splitlines()
    except FileNotFoundError:
        return ()
    found = []
    for line in lines:
        try:
            found.append(kind.model_validate_json(line))
        except ValidationError:
            continue
    return tuple(found)
