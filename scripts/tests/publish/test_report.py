"""The report page: its words, that it is self-contained, and that no value becomes markup."""

from __future__ import annotations

import math
from dataclasses import replace
from html.parser import HTMLParser

import pytest
from synthetic import (
    COMPARATOR,
    FIRST_NIGHT,
    JOB,
    THREE,
    WRITE,
    make_forks,
    make_night,
    make_run,
    make_series,
)

from flink_boost.flink.side import Side
from flink_boost.judge.outcomes import Comparison, GcComparison
from flink_boost.judge.ratio import check_harness, compare
from flink_boost.judge.series import build_series
from flink_boost.judge.trend import detect
from flink_boost.judge.verdict import judge
from flink_boost.measure.model import Cell, Mode, RunInfo
from flink_boost.measure.summary import summarise
from flink_boost.publish.comparison import further_sheets
from flink_boost.publish.plot import chart_of, nice_ticks
from flink_boost.publish.report_page import (
    AaSummary,
    ReportInput,
    aa_sentence,
    headline,
    render,
    trend_headline,
)


def make_comparison(
    cell: Cell = JOB,
    *,
    ratio: float = 2.0,
    low: float = 1.9,
    high: float = 2.1,
    pairs_needed: int | None = None,
) -> Comparison:
    return Comparison(
        cell=cell,
        mode=Mode.THROUGHPUT,
        unit="ops/ms",
        pairs=3,
        reference=100.0,
        candidate=100.0 * ratio,
        ratio=ratio,
        low=low,
        high=high,
        confidence=0.95,
        verdict=judge(low, high),
        pairs_needed=pairs_needed,
        reference_alloc=1234.0,
        candidate_alloc=0.0004,
        cpu_ratio=1.5,
    )


def make_input(
    nights: int = 1,
    *,
    run: RunInfo | None = None,
    comparisons: tuple[Comparison, ...] | None = None,
    dashboard_url: str | None = "http://127.0.0.1:8321/",
) -> ReportInput:
    runs = [make_night(night, noise=0.01, seed=night) for night in range(nights)]
    if run is not None:
        runs.append(summarise(run, make_forks(run)))
    series = build_series(runs)
    return ReportInput(
        run=runs[-1].info,
        comparisons=(
            (make_comparison(WRITE), make_comparison(JOB)) if comparisons is None else comparisons
        ),
        series=series,
        trends=detect(series),
        aa=None,
        dashboard_url=dashboard_url,
        made=FIRST_NIGHT,
    )


class Page(HTMLParser):
    """Collects what a browser would act on."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str, str]] = []
        self.words: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [(tag, name, value or "") for name, value in attrs]

    def handle_data(self, data: str) -> None:
        self.words += data.split()

    @property
    def text(self) -> str:
        return " ".join(self.words)


def test_the_headline_says_what_was_found() -> None:
    rows = [
        make_comparison(ratio=1.5),
        make_comparison(ratio=14.2),
        make_comparison(ratio=1.0, low=0.97, high=1.03),
        make_comparison(ratio=1.0, low=0.8, high=1.2),
    ]
    run = make_run()
    assert headline(run, rows) == (
        "Flink 2.3.0 with flink-boost, 4 benchmarks: 2 clearly faster (1.50x to 14.20x), 1 the "
        "same within 5 %, 1 undecided, none shown to be slower."
    )
    worse = make_comparison(ratio=0.9, low=0.88, high=0.92)
    assert headline(run, [worse]) == "Flink 2.3.0 with flink-boost, 1 benchmark: 1 clearly slower."
    assert headline(run, []) == "Flink 2.3.0: this run compared no benchmark."


def test_a_stock_against_stock_run_is_never_called_faster() -> None:
    run = make_run(sides=(Side.STOCK, Side.CONTROL))
    rows = [make_comparison(), make_comparison(ratio=1.0, low=0.9, high=1.1)]
    assert "1 of 2 benchmarks shows a difference that cannot be there" in headline(run, rows)
    page = render(make_input(run=run, comparisons=tuple(rows)))
    assert "stock again" in Page(page).text


def test_the_aa_summary_is_that_of_the_terminal_and_names_its_run() -> None:
    run = make_run(sides=(Side.STOCK, Side.CONTROL))
    rows = [make_comparison(low=1.01, high=1.1)] + [make_comparison(low=0.9, high=1.1)] * 19
    sentence = aa_sentence(AaSummary(run, check_harness(rows)))
    assert "1 of 20 rows exclude 1.00; expected up to 3 at the 95% level." in sentence
    assert f"of the group spine: {run.run_id}, 2026-03-01 22:30 UTC." in sentence
    bad = [make_comparison(low=1.01, high=1.1)] * 20
    assert "not sound" in aa_sentence(AaSummary(run, check_harness(bad)))


def test_a_third_side_and_comparators_have_tables_of_their_own() -> None:
    run = make_run(cells=[WRITE, COMPARATOR], sides=THREE)
    forks = make_forks(run, ratio=3.0, third_ratio=1.5)
    (comparison,) = compare(run, forks)
    report = replace(
        make_input(0, run=run, comparisons=(comparison,)),
        further=further_sheets(run, forks, 0.95),
    )
    page = Page(render(report))
    assert page.tags.count("table") == 4
    for expected in (
        "upstream 1.10.0 against stock",
        "patched against upstream 1.10.0",
        "patched against comparators",
        "writeUtf",
        "1.50x",
        f"upstream 1.10.0 (SHA-256 {'ef' * 32})",
    ):
        assert expected in page.text, expected


def test_threads_and_heap_are_shown_and_a_heap_adds_the_time_in_collections() -> None:
    gc = GcComparison(
        reference=4.0, candidate=2.0, ratio=2.0, low=1.8, high=2.2, verdict=judge(1.8, 2.2)
    )
    row = make_comparison().model_copy(update={"gc": gc})
    crowded = make_run(threads=8, heap="64m")
    text = Page(render(make_input(0, run=crowded, comparisons=(row,)))).text
    assert "2.00x (1.80–2.20)" in text
    assert "Threads 8" in text
    assert "Heap 64m" in text
    usual = Page(render(make_input(comparisons=(row,)))).text
    assert "GC time" not in usual
    assert "Heap as each benchmark fixes it" in usual


def test_trends_in_words() -> None:
    learning = detect([make_series([0.5] * 4)])
    assert trend_headline(learning) == "Learning: 4 runs so far, too few to see a trend."
    dropped = detect([make_series([0.5] * 15 + [0.3] * 3), make_series([0.5] * 15)])
    assert trend_headline(dropped) == "Of 2 benchmarks: 1 may have become slower, 1 steady."
    assert "no series yet" in trend_headline([])


def test_the_page_holds_table_plots_and_circumstances() -> None:
    page = Page(render(make_input(nights=12)))
    for expected in (
        "StringSerializationBenchmark.",
        "2.00x",
        "1.90–2.10",
        "1234 → 0",
        "1.50x",
        "Example CPU, 4 cores",
        "6.1.0",
        "17.0.9+9",
        "Steady (12 points",
        "no stock-against-stock run of this group",
    ):
        assert expected in page.text, expected
    assert page.tags.count("svg") == 2
    assert ("a", "href", "http://127.0.0.1:8321/") in page.attributes
    assert "Quick look." not in page.text


def test_only_series_that_the_run_is_part_of_are_drawn() -> None:
    other = make_run(3, hostname="box-2")
    page = Page(render(make_input(nights=3, run=other)))
    assert page.tags.count("svg") == 2
    assert "Learning (1 point)." in page.text
    assert "3 points" not in page.text


def test_a_quick_look_says_so() -> None:
    assert "Quick look." in Page(render(make_input(run=make_run(1, quick_look=True)))).text


def test_an_interval_that_does_not_exist_is_not_shown_as_numbers() -> None:
    row = make_comparison(low=0.0, high=math.inf, pairs_needed=7)
    wide = Page(render(make_input(comparisons=(row,)))).text
    assert "0.00–>1000" in wide
    row = row.model_copy(update={"pairs": 1})
    text = Page(render(make_input(comparisons=(row,)))).text
    assert "needs about 7 pairs" in text
    assert "inf" not in text.split()


HOSTILE = """x"><script>document.title='pwned'</script><img src=x onerror="alert(1)">'{{7*7}}"""


def test_a_hostile_name_stays_text() -> None:
    cell = Cell(benchmark=f"a.B.{HOSTILE}", params=(("</title><script>", HOSTILE),))
    run = make_run(cells=(cell,), hostname=HOSTILE, commit=HOSTILE, jvm_options=(HOSTILE,))
    text = render(make_input(0, run=run, comparisons=(make_comparison(cell),)))
    page = Page(text)
    assert "script" not in page.tags
    assert "img" not in page.tags
    assert not [name for _, name, _ in page.attributes if name.startswith("on")]
    assert "&lt;script&gt;" in text
    assert "{{7*7}}" in page.text, "and is no template"


def test_only_web_addresses_become_links() -> None:
    for address in ("javascript:alert(1)", "data:text/html,x", None):
        assert "a" not in Page(render(make_input(dashboard_url=address))).tags


def test_the_page_loads_nothing() -> None:
    text = render(make_input(nights=3, dashboard_url=None))
    page = Page(text)
    assert not {"script", "link", "img", "iframe", "object", "base", "form"} & set(page.tags)
    assert not [item for item in page.attributes if item[1] in ("src", "href", "srcset", "style")]
    assert "url(" not in text
    assert "@import" not in text
    policy = next(value for _, name, value in page.attributes if value.startswith("default-src"))
    assert policy == "default-src 'none'; style-src 'unsafe-inline'"


def test_a_year_of_a_large_suite_stays_below_three_megabytes() -> None:
    cells = tuple(
        Cell(benchmark=f"org.apache.flink.benchmark.LongNamedBenchmark{number}.someMethod")
        for number in range(60)
    )
    run = make_run(299, cells=cells)
    nights = [make_series([0.5 + 0.001 * (night % 9) for night in range(300)])] * 60
    series = tuple(
        one.model_copy(update={"cell": cell}) for one, cell in zip(nights, cells, strict=True)
    )
    page = render(
        ReportInput(
            run=run,
            comparisons=tuple(make_comparison(cell) for cell in cells),
            series=series,
            trends=detect(series),
            aa=None,
            dashboard_url=None,
            made=FIRST_NIGHT,
        )
    )
    assert len(page.encode()) < 3_000_000
    assert page.count("<svg") == 60
    assert "Older runs, not drawn: 260." in page


def test_a_missing_night_breaks_the_line() -> None:
    chart = chart_of(make_series([0.5, 0.5, None, 0.5]))
    stock = chart.panels[0].curves[0]
    assert [len(line.split()) for line in stock.lines] == [2, 1]
    assert len(stock.dots) == 3
    assert stock.dots[2].x > stock.dots[1].x + 1.5 * (stock.dots[1].x - stock.dots[0].x)


@pytest.mark.parametrize("scores", [[0.5], [0.0, 0.0], [-3.0, 3.0], [6.0] * 30])
def test_everything_is_drawn_inside_the_plot(scores: list[float]) -> None:
    chart = chart_of(make_series(scores))
    for panel in chart.panels:
        assert panel.ticks
        for curve in panel.curves:
            assert len(curve.dots) == len(scores)
            assert all(panel.top <= dot.y <= panel.bottom for dot in curve.dots)
            assert all(0 < dot.x < 480 for dot in curve.dots)


def test_ticks_are_round_and_inside() -> None:
    assert nice_ticks(0.0, 108.0) == pytest.approx((0.0, 50.0, 100.0))
    assert nice_ticks(0.97, 1.05) == pytest.approx((0.98, 1.0, 1.02, 1.04))
