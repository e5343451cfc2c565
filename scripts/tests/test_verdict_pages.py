"""The pages explain verdicts as the code decides them, in one place, and mark numbers rightly."""

from __future__ import annotations

import re

import pytest
from pages import pages, section, table

from flink_boost.judge.verdict import RULES, Verdict, judge

GLOSSARY = "docs/glossary.md"
# A ratio with its interval, and what stands behind it up to the end of the table's cell.
NUMBER = re.compile(r"[\d.]+x \(([\d.]+)–([\d.]+)\)([^|\n]*)")

# What may stand behind a number: a mark, or its word.
SAID = r"[\s,]*(?:[=?▼▽]|undecided|slower|the same)"
# Logs of experiments say what they measured in their own way.
LOGS = ("flink-core-patch/EXPERIMENTS.md", "flink-runtime-patch/EXPERIMENTS.md")


def test_the_glossary_has_the_rule_of_the_code() -> None:
    rows = {row[0]: row[1:] for row in table(section(pages()[GLOSSARY], "Verdicts"))}
    assert rows == {verdict.value: [verdict.mark, rule] for verdict, rule in RULES.items()}
    order = list(rows)
    for least, most in (
        ("slightly faster", "clearly faster"),
        ("slightly slower", "clearly slower"),
    ):
        assert order.index(most) < order.index(least), "the upper one decides"


def definitions(text: str) -> list[str]:
    """Places that explain "undecided" or "clearly slower" by a number of their own."""
    return re.findall(r'(?:"\?"|clearly slower)[^.;|]*?(?:\d+ %|0\.9\d)', text)


def test_no_other_page_has_a_definition_of_its_own() -> None:
    found = {page: definitions(text) for page, text in pages().items() if page != GLOSSARY}
    assert {page: places for page, places in found.items() if places} == {}


def test_a_second_definition_is_seen() -> None:
    assert definitions('"▼▼" clearly slower\nthan stock by more than 2 %; "?": undecided')
    assert not definitions('"▼▼" clearly slower; "?": undecided. A 95 % interval')


_SAID = {"undecided": Verdict.UNDECIDED, **{verdict.mark: verdict for verdict in Verdict}}


def wrong_marks(text: str) -> list[str]:
    """Numbers with a mark or word behind them that their interval does not bear out.

    Ends of intervals are rounded in pages, so an end that is as written may be on either side.
    """
    wrong = []
    for found in NUMBER.finditer(text):
        low, high, behind = float(found[1]), float(found[2]), found[3]
        mark = behind.replace(",", " ").split()[:1]
        allowed = {
            judge(low + slack, high + other)
            for slack in (-0.005, 0, 0.005)
            for other in (-0.005, 0, 0.005)
        }
        said = _SAID.get(mark[0] if mark else "")
        if said and said not in allowed:
            wrong.append(found[0])
    return wrong


def test_every_marked_number_bears_its_mark() -> None:
    marked = {page: wrong_marks(text) for page, text in pages().items()}
    assert {page: numbers for page, numbers in marked.items() if numbers} == {}
    text = pages()["docs/measured.md"]
    assert sum(found[3].strip().startswith("?") for found in NUMBER.finditer(text)) > 3


def unmarked(text: str) -> list[str]:
    """Numbers in tables that have no mark and whose interval does not bear out "faster".

    Published numbers are other people's, and carry no verdict of ours.
    """
    wrong = []
    head: list[str] | None = None
    for line in text.splitlines():
        if not line.startswith("|"):
            head = None
            continue
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        head = head or cells
        for title, cell in zip(head, cells, strict=True):
            found = NUMBER.search(cell)
            if found is None or title.startswith("published") or re.match(SAID, found[3]):
                continue
            # An end that is shown as 1.00 may be just above.
            if not judge(float(found[1]) + 0.005, float(found[2]) + 0.005).is_faster:
                wrong.append(found[0])
    return wrong


def test_a_number_without_a_mark_is_faster() -> None:
    bare = {page: unmarked(text) for page, text in pages().items() if page not in LOGS}
    assert {page: numbers for page, numbers in bare.items() if numbers} == {}


def test_a_mark_that_is_left_out_is_seen() -> None:
    head = "| row | published | here |\n|---|---|---|\n"
    assert unmarked(f"{head}| a | 0.97x (0.94–0.99) | 1.04x (1.00–1.08) |") == []
    assert unmarked(f"{head}| a | 1.2x (1.1–1.3) | 1.01x (0.68–1.52) ?, 5 pairs |") == []
    assert unmarked(f"{head}| a | 1.2x (1.1–1.3) | 12 · 0.40x (0.35–0.46) |") == [
        "0.40x (0.35–0.46)"
    ]
    assert unmarked("| a |\n|---|\n| 1.01x (0.68–1.52), 5 pairs |") == [
        "1.01x (0.68–1.52), 5 pairs"
    ]


@pytest.mark.parametrize(
    ("cell", "right"),
    [
        ("1.01x (0.99–1.04) =", True),
        ("1.00x (0.94–1.14) =", False),
        ("0.97x (0.96–0.99) =", False),
        ("1.01x (0.99–1.14) =", False),
        ("0.90x (0.86–0.94) ▼▼", True),
        ("0.97x (0.96–0.99) ▼▼", False),
        ("1.09x (0.92–1.30) ?", True),
        ("1.09x (1.02–1.30) ?", False),
        ("1.02x (0.93–1.13), undecided", True),
        ("1.60x (1.55–1.65)", True),
    ],
)
def test_a_wrong_mark_is_seen(cell: str, right: bool) -> None:
    assert (wrong_marks(f"| row | {cell} | next |") == []) is right
