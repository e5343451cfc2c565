"""The Markdown pages of the project, their tables, headings and links."""

from __future__ import annotations

import re
from pathlib import Path

from flink_boost.base.places import PROJECT_ROOT

# Where pages are; what is built or downloaded lies elsewhere.
PLACES = ("*.md", "*/*.md")


def pages() -> dict[str, str]:
    """Every page by its path in the project, such as ``docs/glossary.md``."""
    found = {path for place in PLACES for path in PROJECT_ROOT.glob(place)}
    return {
        str(path.relative_to(PROJECT_ROOT)): path.read_text(encoding="utf-8")
        for path in sorted(found)
        if not {"build", "target"} & set(path.relative_to(PROJECT_ROOT).parts)
        and not path.relative_to(PROJECT_ROOT).parts[0].startswith(".")
    }


def section(text: str, heading: str) -> str:
    """What stands below a heading of the second level, up to the next; empty without it."""
    return f"\n{text}".partition(f"\n## {heading}\n")[2].partition("\n## ")[0]


def table(text: str) -> list[list[str]]:
    """Cells of the first table of a text, without its head."""
    rows: list[list[str]] = []
    for line in map(str.strip, text.splitlines()):
        if line.startswith("|"):
            rows.append([cell.strip() for cell in line.strip("|").split("|")])
        elif rows:
            break
    return rows[2:]


def without_code(text: str) -> str:
    """The text with its fenced blocks emptied and inline code left out."""
    text = re.sub(r"^( *)```.*?^\1```$", "", text, flags=re.DOTALL | re.MULTILINE)
    return re.sub(r"`[^`\n]*`", "`code`", text)


def anchors(text: str) -> set[str]:
    """The names of a page's headings, as GitHub makes them for links."""
    # Code in a heading stays part of its name.
    fenceless = re.sub(r"^```.*?^```$", "", text, flags=re.DOTALL | re.MULTILINE)
    headings = re.findall(r"^#{1,6} +(.+?) *$", fenceless, re.MULTILINE)
    names = [re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings]
    return set(names)


def broken_links(page: str, text: str, root: Path = PROJECT_ROOT) -> list[str]:
    """What a page links to inside the project and what is not there."""
    broken = []
    for target in re.findall(r"\]\(([^)\s]+)\)", without_code(text)):
        if re.match(r"[a-z]+:", target):
            continue
        name, _, anchor = target.partition("#")
        path = (root / page).parent / name if name else root / page
        if not path.exists() or (
            anchor and anchor not in anchors(path.read_text(encoding="utf-8"))
        ):
            broken.append(target)
    return broken
