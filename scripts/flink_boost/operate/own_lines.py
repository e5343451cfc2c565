"""Whether a jar fits an installation, and its line by a jar that was woven for its own classes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from flink_boost.base.errors import UnsupportedFlink, VendorFlink
from flink_boost.flink.dropin import DropIn
from flink_boost.flink.home import FlinkHome, choose_line, opened, whole
from flink_boost.flink.lines import Line
from flink_boost.flink.releases import class_checksums


def line_of(home: FlinkHome, lines: Mapping[str, Line], dropins: Iterable[DropIn]) -> Line:
    """The line of an installation: an official one, or its own, by a jar woven for its classes.

    Raises the errors of ``choose_line`` when it has neither.
    """
    try:
        return choose_line(home, lines)
    except (VendorFlink, UnsupportedFlink):
        for dropin in dropins:
            line = own_line(dropin, lines)
            if line is not None and fits_own(home, dropin):
                return line
        raise


def own_line(dropin: DropIn, lines: Mapping[str, Line]) -> Line | None:
    """The line of a jar that was made for somebody's own build; None for any other jar."""
    like = lines.get(dropin.own_line)
    if like is None:
        return None
    return replace(
        like,
        version=dropin.flink_version,
        classes=dict(dropin.classes),
        family_of=dict(dropin.family_of),
    )


def fits(home: FlinkHome, dropin: DropIn) -> bool:
    """Whether the jar stands for the class files of strings that ``flink-dist`` has.

    One of an older flink-boost may, under the name of a line that is part of another since.
    """
    with whole(home.dist):
        found = class_checksums(opened(home.dist), dropin.strings)
    return all(dropin.accepts(name, found.get(name, "")) for name in dropin.strings)


def fits_own(home: FlinkHome, dropin: DropIn) -> bool:
    """Whether ``flink-dist`` has the very class files of strings that a jar was woven from."""
    with whole(home.dist):
        return class_checksums(opened(home.dist), dropin.strings) == dict(dropin.strings)
