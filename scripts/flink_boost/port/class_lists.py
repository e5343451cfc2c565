"""Writes the lists of patched classes in NOTICE and docs/operating.md, from ``lines.toml``.

``make format`` runs it. What is said of a class beside its name, in the table's last column, is
kept; the row of a new one waits for its words.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from flink_boost.base.errors import BrokenData
from flink_boost.base.files import write_durably
from flink_boost.base.places import PROJECT_ROOT
from flink_boost.flink.classes import PatchedClass
from flink_boost.flink.lines import load_patched

NOTICE = Path("NOTICE")
PAGE = Path("docs/operating.md")

_HEAD = "| class | of | on | what changes |\n|---|---|---|---|\n"
_ROWS = re.compile(re.escape(_HEAD) + r"((?:\|[^\n]*\n)*)")
_LIST = re.compile(r"(?<=, changed as follows:\n\n)(?:  [^\n]*\n)*")


def main(root: Path = PROJECT_ROOT) -> None:
    """Writes both."""
    patched = tuple(load_patched(root / "lines.toml").values())
    for path, text in with_lists(root, patched).items():
        if text != (root / path).read_text(encoding="utf-8"):
            write_durably(root / path, text)


def with_lists(root: Path, patched: Iterable[PatchedClass]) -> Mapping[Path, str]:
    """Both files as they should be. Raises ``BrokenData`` where one has no place for its list."""
    classes = tuple(patched)
    page = (root / PAGE).read_text(encoding="utf-8")
    rows = "".join(_rows(classes, _words(page)))
    entries = "".join(f"  {each.name}{_bounds(each, ' (Flink ', ' only)')}\n" for each in classes)
    notice = (root / NOTICE).read_text(encoding="utf-8")
    return {
        NOTICE: _replaced(NOTICE, _LIST, notice, entries),
        PAGE: _replaced(PAGE, _ROWS, page, _HEAD + rows),
    }


def without_words(page: str) -> list[str]:
    """The classes of the table of which it says nothing."""
    return [name for name, words in _words(page).items() if not words]


def _replaced(path: Path, place: re.Pattern[str], text: str, content: str) -> str:
    result, count = place.subn(lambda _: content, text)
    if count != 1:
        raise BrokenData(f"{path} has no list of the patched classes.", "Put it back.")
    return result


def _rows(patched: Iterable[PatchedClass], words: Mapping[str, str]) -> Iterator[str]:
    for each in patched:
        name = _shown(each)
        releases = _bounds(each) or "every release"
        yield f"| `{name}` | {each.jar} | {releases} | {words.get(name, '')} |\n"


def _words(page: str) -> dict[str, str]:
    """What the table says of each class."""
    found = _ROWS.search(page)
    rows = found[1].splitlines() if found else []
    cells = ([cell.strip() for cell in row.strip("|").split("|")] for row in rows)
    return {name.strip("`"): words for name, _, _, words in cells}


def _shown(patched: PatchedClass) -> str:
    return patched.name.rpartition(".")[2].replace("$", ".")


def _bounds(patched: PatchedClass, before: str = "", behind: str = "") -> str:
    """The releases that have the class; empty for all."""
    if not patched.since and not patched.until:
        return ""
    if not patched.since:
        releases = f"to {patched.until}"
    elif not patched.until:
        releases = f"from {patched.since}"
    else:
        releases = f"{patched.since} to {patched.until}"
    return f"{before}{releases}{behind}"


if __name__ == "__main__":
    main()
