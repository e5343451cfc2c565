"""The page of what ran on every release: a row for neighbours on which the same passed."""

from __future__ import annotations

from datetime import date

from release_cells import KNOWN, LINES, ONE, THREE, TWO, result

from flink_boost.port.everyrelease.__main__ import DATA, PAGE
from flink_boost.port.everyrelease.cells import (
    CellResult,
    ReleaseCell,
    What,
    cells_of,
    read_results,
)
from flink_boost.port.everyrelease.release_page import page


def page_rows(results: dict[ReleaseCell, CellResult]) -> dict[str, list[str]]:
    """The cells behind the first of each row of the page, by the releases it names."""
    text = page(KNOWN, LINES, results, dict.fromkeys(LINES, "now"))
    lines = [line.strip("| ").split(" | ") for line in text.splitlines() if line.startswith("| ")]
    return {cells[0]: cells[1:] for cells in lines[1:]}


def test_the_page_says_what_passed_failed_is_old_or_open() -> None:
    results = {
        ONE: result(ONE),
        TWO: result(TWO, failed=1),
        THREE: result(THREE, classes="before"),
    }
    rows = page_rows(results)
    codec = "JDK 11: passed; JDK 17: **failed**; JDK 21: *open*"
    assert rows["1.20.2"][2:4] == [codec, "JDK 11: *open*; JDK 17: *open*; JDK 21: *open*"]
    assert rows["1.20.2"][-1] == "2026-11-25"
    assert rows["1.9.2"][1:3] == ["11", "640"]
    assert rows["1.9.2"][-1] == "2026-11-25, **outdated**"
    assert rows["2.0.0 to 2.0.2"][-1] == "–"
    text = page(KNOWN, LINES, results, dict.fromkeys(LINES, "now"))
    assert "2 cells were run with the code of today, 1 of them failed." in text
    assert rows["1.14.1"][3] == rows["1.9.0 to 1.9.1"][3] == "not on PyPI"


def test_releases_are_one_row_only_where_the_same_passed() -> None:
    """Counts and days may differ: the row has the least and the most."""
    every = {cell: result(cell) for cell in cells_of(KNOWN, LINES)}
    assert page_rows(every)["2.1.0 to 2.1.3"] == ["2.1.3", "11, 17, 21", *["640"] * 3, "2026-11-25"]
    cell = ReleaseCell("2.1.2", 17, What.FLINKS)
    more = every | {cell: CellResult(cell, 7, 0, "before", "2026-11-27")}
    assert page_rows(more)["2.1.0 to 2.1.3"][4:] == [
        "7 to 640",
        "2026-11-25 to 2026-11-27, **outdated**",
    ]
    rows = page_rows(every | {cell: result(cell, failed=1)})
    assert rows["2.1.2"][4] == "JDK 11: passed; JDK 17: **failed**; JDK 21: passed"
    assert {"2.1.0 to 2.1.1", "2.1.3"} <= set(rows)
    # Other JDKs, and another jar.
    assert {"1.16.2 to 1.16.3", "1.16.0 to 1.16.1", "1.18.0 to 1.18.1"} <= set(rows)


def test_every_release_is_in_one_row_of_the_page_with_its_jar() -> None:
    known = list(KNOWN.releases)
    named: list[str] = []
    for row, (jar, *_) in page_rows({}).items():
        first, _, last = row.partition(" to ")
        releases = known[known.index(first) : known.index(last or first) + 1]
        assert {KNOWN.releases[version].classes for version in releases} == {jar}
        named += releases
    assert sorted(named) == sorted(known)


def test_the_page_is_made_from_the_data() -> None:
    """Today's code is not known here, so that words on it are left out of the comparison."""
    results = read_results(DATA)
    assert results
    newest = {KNOWN.releases[one.cell.release].classes: one.classes for one in results.values()}
    made = page(KNOWN, LINES, results, newest)

    def table(text: str) -> list[str]:
        plain = text.replace(", **outdated**", "")
        return [line for line in plain.splitlines() if line.startswith("| ")]

    assert table(PAGE.read_text(encoding="utf-8")) == table(made)
    assert all(date.fromisoformat(one.day) for one in results.values())
    assert [one.cell.name for one in results.values() if not one.passed] == []
