"""The sides of a run: which class path a process has."""

from __future__ import annotations

from enum import StrEnum


class Side(StrEnum):
    """Which class path a fork ran on.

    ``CONTROL`` is a second stock fork: the other half of a pair in an A/A run. ``UPSTREAM`` is
    stock with classes of a later Flink release in front: upstream's own fix, run as a third side.
    ``BEFORE`` and ``AFTER`` are two builds that a rerun compares with each other.
    """

    STOCK = "stock"
    PATCHED = "patched"
    CONTROL = "control"
    UPSTREAM = "upstream"
    BEFORE = "before"
    AFTER = "after"


SIDE_TITLES = {
    Side.STOCK: "stock",
    Side.PATCHED: "patched",
    Side.CONTROL: "stock again",
    Side.UPSTREAM: "upstream",
    Side.BEFORE: "before",
    Side.AFTER: "after",
}
