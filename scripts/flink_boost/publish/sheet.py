"""Tables as values, and the three ways to show them: terminal or file, Markdown, HTML. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from jinja2 import Environment, PackageLoader, StrictUndefined
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

from flink_boost.judge.verdict import Verdict

_FILE_WIDTH = 400


class Tone(StrEnum):
    """What a cell says, for whoever can show colours; the text says it too."""

    PLAIN = "plain"
    GOOD = "good"
    BAD = "bad"
    OPEN = "open"


def tone_of(verdict: Verdict) -> Tone:
    """How to colour it."""
    if verdict is Verdict.UNDECIDED:
        return Tone.OPEN
    return Tone.BAD if verdict.is_slower else Tone.GOOD if verdict.is_faster else Tone.PLAIN


@dataclass(frozen=True)
class Entry:
    """One field of a table."""

    text: str
    tone: Tone = Tone.PLAIN


@dataclass(frozen=True)
class Column:
    """The head of a column; numbers stand on the right."""

    title: str
    numeric: bool = False


@dataclass(frozen=True)
class Sheet:
    """A table with its title and the sentences below it. Every row has an entry per column."""

    title: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Entry, ...], ...]
    notes: tuple[str, ...] = ()


_COLOURS = {Tone.PLAIN: "", Tone.GOOD: "green", Tone.BAD: "red", Tone.OPEN: "yellow"}


def print_sheets(sheets: Sequence[Sheet], form: str) -> None:
    """Prints to standard output; ``form`` is ``markdown``, ``html``, or else a table for people."""
    console = Console(highlight=False)
    if form == "html":
        console.out(html(sheets), end="")
        return
    if form == "markdown":
        console.out("\n".join(markdown(sheet) for sheet in sheets), end="")
        return
    if not console.is_terminal:
        # Rich would fold a table to 80 columns; a file can be as wide as the table is.
        console.width = _FILE_WIDTH
    for sheet in sheets:
        console.out(sheet.title, style="bold")
        if sheet.columns:
            console.print(rich_table(sheet))
        for note in sheet.notes:
            console.out(note)


def rich_table(sheet: Sheet) -> Table:
    """The rows, coloured where the console has colours."""
    table = Table(box=SIMPLE_HEAD)
    for column in sheet.columns:
        table.add_column(
            column.title, justify="right" if column.numeric else "left", no_wrap=column.numeric
        )
    for row in sheet.rows:
        table.add_row(*(Text(entry.text, style=_COLOURS[entry.tone]) for entry in row))
    return table


def markdown(sheet: Sheet) -> str:
    """A GitHub table with its title in front and its notes below, ending with a newline."""
    parts = [f"**{sheet.title}**"]
    if sheet.columns:
        parts.append(markdown_table(sheet))
    return "\n\n".join((*parts, *sheet.notes)) + "\n"


def markdown_table(sheet: Sheet) -> str:
    """The GitHub table alone."""
    heads = " | ".join(column.title for column in sheet.columns)
    rules = "|".join("---:" if column.numeric else ":---" for column in sheet.columns)
    rows = (" | ".join(entry.text.replace("|", r"\|") for entry in row) for row in sheet.rows)
    return "\n".join((f"| {heads} |", f"|{rules}|", *(f"| {row} |" for row in rows)))


def html(sheets: Sequence[Sheet]) -> str:
    """A page that is complete in itself; every value is escaped."""
    return templates().get_template("sheets.html.j2").render(sheets=sheets)


def templates(*, as_html: bool = True) -> Environment:
    """The templates of all pages: HTML escapes every value, and a missing one is an error."""
    environment = Environment(
        loader=PackageLoader("flink_boost.publish", "templates"),
        autoescape=as_html,  # noqa: S701 Markdown is escaped by its own filters
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["breaking_points"] = breaking_points
    return environment


def breaking_points(name: str) -> list[str]:
    """A long name in pieces, after any of which a line may break."""
    return re.findall(r"[^.,\[]*[.,\[]?", name)
