"""Cells of releases, and what ran in them, for tests of the work on every release."""

from __future__ import annotations

from flink_boost.flink.lines import load_lines
from flink_boost.flink.releases import load_releases
from flink_boost.port.everyrelease.cells import CellResult, ReleaseCell, What

LINES = load_lines()
KNOWN = load_releases()
ONE = ReleaseCell("1.20.2", 11, What.CODEC)
TWO = ReleaseCell("1.20.2", 17, What.CODEC)
THREE = ReleaseCell("1.9.2", 11, What.CODEC)


def result(cell: ReleaseCell, failed: int = 0, classes: str = "now") -> CellResult:
    return CellResult(cell, 640, failed, classes, "2026-11-25")
