"""Names in the order that people expect: ``write.ascii.16`` before ``write.ascii.128``."""

from __future__ import annotations

import re

NaturalKey = tuple[tuple[int, int, str], ...]

_PARTS = re.compile(r"[0-9]{1,18}|[^0-9]+")


def natural_key(name: str) -> NaturalKey:
    """A key to sort by: digits count as the number that they are, and come before letters."""
    return tuple(
        (0, int(part), part) if part[0] in "0123456789" else (1, 0, part)
        for part in _PARTS.findall(name)
    )


def group_of(name: str) -> str:
    """What comes before the first length or other number: ``write.ascii`` of ``write.ascii.16``.

    A name without a number is grouped by what comes before its last dot, or as ``other``.
    """
    parts = name.split(".")
    for position, part in enumerate(parts):
        if part[:1].isdigit():
            return ".".join(parts[:position]) or "other"
    return ".".join(parts[:-1]) or "other"
