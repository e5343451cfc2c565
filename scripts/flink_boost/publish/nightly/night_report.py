"""Keeps the report of each night, and the list of them.

``<reports>/nights/<night id>/`` has ``index.html``, ``report.md`` and ``report.json``, from which
the list ``<reports>/nights/index.html`` and the weekly digest are made.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from pydantic import ValidationError

from flink_boost.base.files import make_folder, write_durably
from flink_boost.publish.nightly.night_facts import NightReport
from flink_boost.publish.nightly.night_page import index_page, night_markdown, night_page

FOLDER = "nights"
_DOCUMENT = "report.json"
LOOKED_AT = 30  # reports
_DATED = len("2026-11-24T0100")  # what follows in a night's name is the part that it is


@dataclass(frozen=True)
class WrittenNight:
    """Where the report of a night is, and the list of all."""

    page: Path
    markdown: Path
    index: Path


@dataclass(frozen=True)
class KeptNights:
    """Reports on disk, newest first; ``unreadable`` are names of folders that hold none."""

    reports: tuple[NightReport, ...]
    unreadable: tuple[str, ...]


def write_night(reports: Path, report: NightReport) -> WrittenNight:
    """Writes the night's report, in place of what was there, and the list of nights.

    The document comes last but for the list: a night whose pages are not whole is not listed.
    """
    folder = reports / FOLDER / report.night.night
    make_folder(folder)
    written = WrittenNight(
        folder / "index.html", folder / "report.md", reports / FOLDER / "index.html"
    )
    write_durably(written.page, night_page(report))
    write_durably(written.markdown, night_markdown(report))
    write_durably(folder / _DOCUMENT, report.model_dump_json(indent=1) + "\n")
    kept = kept_nights(reports)
    write_durably(written.index, index_page(kept.reports, kept.unreadable))
    return written


def forget_nights(reports: Path, nights: Sequence[str]) -> None:
    """Deletes the reports of these nights, and takes them from the list."""
    for night in nights:
        with suppress(FileNotFoundError):
            shutil.rmtree(reports / FOLDER / night)
    kept = kept_nights(reports)
    write_durably(reports / FOLDER / "index.html", index_page(kept.reports, kept.unreadable))


def kept_nights(reports: Path) -> KeptNights:
    """All reports, newest slot first; a damaged one holds up no other."""
    folder = reports / FOLDER
    found: list[NightReport] = []
    unreadable: list[str] = []
    for night in sorted(folder.iterdir()) if folder.is_dir() else ():
        if not night.is_dir():
            continue
        try:
            found.append(NightReport.model_validate_json((night / _DOCUMENT).read_bytes()))
        except (OSError, ValidationError):
            unreadable.append(night.name)
    found.sort(key=lambda report: (report.night.slot, report.night.night), reverse=True)
    return KeptNights(tuple(found), tuple(unreadable))


def previous_of(kept: Sequence[NightReport], report: NightReport) -> NightReport | None:
    """The report of the same box, and of the same part of the night, that came before it."""
    return next(_before(kept, report), None)


def elsewhere_before(kept: Sequence[NightReport], report: NightReport) -> NightReport | None:
    """The newest report of another box before it, for the first night of a box; else None."""
    if previous_of(kept, report) is not None:
        return None
    return next(_before(kept, report, elsewhere=True), None)


def ratios_before(kept: Sequence[NightReport], report: NightReport) -> dict[tuple[str, str], float]:
    """What each benchmark's ratio was, by line and name, in the last night before that has one.

    A night that was refused, or of another recipe, is passed over; so is one with a gap there.
    """
    found: dict[tuple[str, str], float] = {}
    for one in islice(_before(kept, report), LOOKED_AT):
        for row in one.rows:
            found.setdefault((row.line, row.benchmark), row.ratio)
    return found


def _before(
    kept: Sequence[NightReport], report: NightReport, *, elsewhere: bool = False
) -> Iterator[NightReport]:
    return (
        one
        for one in kept
        if (one.night.box != report.night.box) is elsewhere
        and one.night.slot < report.night.slot
        and one.night.night[_DATED:] == report.night.night[_DATED:]
    )
