"""An interval wholly below 1 is shown as slower by whoever shows a verdict.

Each test shows the row that is truly level beside it, so that the words are seen to differ.
"""

from __future__ import annotations

import re
from itertools import cycle

import pytest
from synthetic import COMPARATOR, FIRST_NIGHT, JOB, THREE, WRITE, make_forks, make_run

from flink_boost.flink.side import Side
from flink_boost.judge.outcomes import Comparison
from flink_boost.judge.ratio import compare
from flink_boost.judge.reference import load_reference, set_beside
from flink_boost.judge.verdict import Verdict
from flink_boost.measure.model import Cell
from flink_boost.publish.comparison import (
    comparison_document,
    comparison_sheet,
    comparison_sheets,
    further_sheets,
    verdict_text,
)
from flink_boost.publish.grid import grid_sheets
from flink_boost.publish.reference_sheet import reference_sheet
from flink_boost.publish.report_page import ReportInput, headline, render
from flink_boost.publish.sheet import Sheet, Tone, html, markdown, print_sheets

SLOWER = 0.985  # without noise the interval is this number alone: below 1, but not below 0.98
LEVEL = 1.0
SAME = "the same within 5 %"
RUN = make_run(cells=[JOB], pairs=3)


def judged(ratio: float) -> Comparison:
    (row,) = compare(RUN, make_forks(RUN, ratio=ratio))
    return row


def sheet_of(ratio: float) -> Sheet:
    return comparison_sheet(RUN, [judged(ratio)])


def test_in_words_and_colour() -> None:
    assert verdict_text(judged(SLOWER)) == "slightly slower"
    assert verdict_text(judged(LEVEL)) == SAME
    assert sheet_of(SLOWER).rows[0][-1].tone is Tone.BAD
    assert sheet_of(LEVEL).rows[0][-1].tone is Tone.PLAIN


@pytest.mark.parametrize("form", ["text", "markdown", "html"])
def test_as_text_markdown_and_html(form: str, capsys: pytest.CaptureFixture[str]) -> None:
    print_sheets([sheet_of(SLOWER)], form)
    shown = capsys.readouterr().out
    assert "slightly slower" in shown
    assert SAME not in shown
    print_sheets([sheet_of(LEVEL)], form)
    shown = capsys.readouterr().out
    assert "slightly slower" not in shown
    assert SAME in shown


def test_in_a_program_s_answer() -> None:
    rows = comparison_document(RUN, make_forks(RUN, ratio=SLOWER), 0.95)["comparisons"]
    assert isinstance(rows, list)
    assert (rows[0]["verdict"], rows[0]["slower"]) == ("slightly slower", True)
    rows = comparison_document(RUN, make_forks(RUN, ratio=LEVEL), 0.95)["comparisons"]
    assert isinstance(rows, list)
    assert (rows[0]["verdict"], rows[0]["slower"]) == (SAME, False)


def test_in_the_report() -> None:
    rows = (judged(SLOWER), judged(LEVEL))
    page = render(
        ReportInput(
            run=RUN,
            comparisons=rows,
            series=(),
            trends=(),
            aa=None,
            dashboard_url=None,
            made=FIRST_NIGHT,
        )
    )
    cells = re.findall(r'data-label="verdict">(.*?)</td>', page)
    assert cells == ['<span class="verdict bad">slightly slower</span>', SAME]
    assert headline(RUN, rows).endswith(f": 1 {SAME}, 1 slightly slower.")


def test_the_headline_does_not_say_that_none_is_slower() -> None:
    open_row = judged(LEVEL).model_copy(
        update={"low": 0.9, "high": 1.1, "verdict": Verdict.UNDECIDED}
    )
    assert "none shown to be slower" in headline(RUN, [open_row, judged(LEVEL)])
    assert "none shown to be slower" not in headline(RUN, [open_row, judged(SLOWER)])


def string_cell(length: str) -> Cell:
    return WRITE.model_copy(update={"params": (("length", length), ("kind", "ascii"))})


def test_in_the_grid_of_strings() -> None:
    info = make_run(cells=[string_cell("4"), string_cell("16")], pairs=2)
    slower, level = (compare(info, make_forks(info, ratio=r)) for r in (SLOWER, LEVEL))
    (sheet,) = grid_sheets([slower[0], level[1]], "T", with_gc=False)
    marks = [entry.text[-1] for entry in sheet.rows[0][1:]]
    assert marks == ["▽", "="]
    assert "▽ slightly slower" in markdown(sheet)
    assert "▽ slightly slower" in html([sheet])


def test_for_time_in_collections() -> None:
    info = make_run(cells=[string_cell("4"), string_cell("16")], pairs=2, heap="64m")
    times = cycle((98.5, 100.0))  # stock, patched: ours spends a little more
    forks = [
        fork.model_copy(update={"gc_time_per_op": next(times), "gc_time_step": 0.1})
        for fork in make_forks(info)
    ]
    rows = compare(info, forks)
    assert all(row.gc and row.gc.verdict is Verdict.SLIGHTLY_SLOWER for row in rows)
    assert "slightly slower" in markdown(comparison_sheet(info, rows))
    collections = grid_sheets(rows, "T", with_gc=True)[1]
    assert [entry.text[-1] for entry in collections.rows[0][1:]] == ["▽", "▽"]
    assert "Faster is what spends less time in collections." in markdown(collections)


def test_beside_a_comparator_and_a_third_side() -> None:
    info = make_run(cells=[WRITE, COMPARATOR], sides=THREE, pairs=2)
    ours = {fork.pair: fork.score for fork in make_forks(info) if fork.side is Side.PATCHED}
    forks = [
        fork.model_copy(update={"score": ours[fork.pair] * SLOWER})
        if fork.cell == COMPARATOR or fork.side is Side.UPSTREAM
        else fork
        for fork in make_forks(info)
    ]
    words = [sheet.rows[0][-1].text for sheet in further_sheets(info, forks, 0.95)]
    assert words == ["clearly faster", "slightly slower", "slightly slower"]
    shown = [sheet.rows[0][-1] for sheet in comparison_sheets(info, forks, 0.95, as_grid=True)]
    assert [entry.tone for entry in shown] == [Tone.GOOD, Tone.GOOD, Tone.BAD, Tone.BAD]


def test_beside_published_tables() -> None:
    reference = load_reference("flink-15171")
    info = make_run(line=reference.line, jdk="11.0.28+6", cells=[JOB], pairs=3)
    rows = set_beside(reference, [(info, make_forks(info, ratio=SLOWER))], 0.95)
    sheet = reference_sheet(reference, rows, 0.95)
    (line,) = (row for row in sheet.rows if row[5].text == JOB.name)
    assert (line[-2].text, line[-2].tone) == ("slightly slower", Tone.BAD)
