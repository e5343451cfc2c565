"""Numbers of Flink releases: their order, and which line is nearest to one."""

from __future__ import annotations

import re

_PARTS = 3
_APACHE = re.compile(r"\d{1,4}(\.\d{1,4}){1,2}(-SNAPSHOT|-rc\d{1,4})?")


def version_key(version: str) -> tuple[int, ...]:
    """Numbers of a release, for sorting: ``1.20.5`` → (1, 20, 5), ``2.4-SNAPSHOT`` → (2, 4, 0)."""
    numbers = [int(number) for number in re.findall(r"\d+", version.partition("-")[0])]
    return tuple((numbers + [0] * _PARTS)[:_PARTS])


def is_apache(version: str) -> bool:
    """Whether a number is of the form that Apache gives its releases and their forerunners.

    Only then it says which Flink it is: whoever builds one may count as they like.
    """
    return _APACHE.fullmatch(version) is not None


def distance(version: str, other: str) -> tuple[int, ...]:
    """How far two releases are apart: major number first; of two at one distance the later wins."""
    theirs = version_key(other)
    apart = [abs(a - b) for a, b in zip(version_key(version), theirs, strict=True)]
    return (*apart, *(-number for number in theirs))
