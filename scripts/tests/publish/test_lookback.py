"""A benchmark over time, on a terminal, as JSON and as a page."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest
from stored_runs import store_complete_run
from synthetic import JOB, WRITE, make_forks, make_night, make_run

from flink_boost.cli.main import main
from flink_boost.judge.ratio import Interval
from flink_boost.judge.series import build_series
from flink_boost.judge.trend import detect
from flink_boost.measure.model import Cell
from flink_boost.measure.summary import RunSummary, summarise
from flink_boost.publish.lookback import look_back, lookback_page, lookback_sheet, whisker


def nights(step_at: int = 12, count: int = 18) -> list[RunSummary]:
    return [
        make_night(n, ratio=2.0 if n < step_at else 1.6, noise=0.003, seed=n) for n in range(count)
    ]


def test_a_step_is_marked_where_it_began() -> None:
    runs = nights()
    series = build_series(runs)
    [found, _] = look_back(series, detect(series), runs)
    sheet = lookback_sheet(found, 30)
    assert len(sheet.rows) == 18
    marked = [row for row in sheet.rows if row[6].text]
    assert [row[0].text for row in marked] == [f"{runs[12].info.started:%Y-%m-%d %H:%M}"]
    assert marked[0][6].text in ("◄ -20.0%", "◄ -19.9%", "◄ -20.1%")
    places = [row[5].text.index("●") for row in sheet.rows]
    assert min(places[:12]) > max(places[12:])
    assert len(lookback_sheet(found, 5).rows) == 5


def test_a_missing_night_and_a_single_pair_are_told() -> None:
    lone = make_run(1, pairs=1)
    gap = make_run(2, cells=(JOB,))
    runs = [make_night(0), summarise(lone, make_forks(lone)), summarise(gap, make_forks(gap))]
    series = build_series(runs)
    [found, _] = look_back(series, detect(series), runs)
    assert found.series.cell == WRITE
    rows = lookback_sheet(found, 30).rows
    assert (rows[1][3].text, rows[2][0].text) == ("–", "missing")


@pytest.mark.parametrize(
    "change",
    [
        {"line": "1.20.5"},
        {"hostname": "box-2"},
        {"opened": False},
        {"quick_look": True},
        {"jvm_options": ("-XX:-CompactStrings",)},
        {"jdk": "21.0.8+9"},
        {"threads": 8},
        {"heap": "64m"},
    ],
    ids=lambda change: next(iter(change)),
)
def test_series_of_other_settings_have_other_titles(change: dict[str, object]) -> None:
    """Else a quick look or eight threads would read as the nights'."""
    other = make_run(1, **change)  # type: ignore[arg-type]
    runs = [make_night(0), summarise(other, make_forks(other))]
    series = [one for one in build_series(runs) if one.cell == JOB]
    found = look_back(series, detect(series), runs)
    assert len({lookback_sheet(one, 30).title for one in found}) == 2


def test_a_whisker_stays_on_its_scale() -> None:
    assert whisker(Interval(1.0, 0.5, 1.5), 0.0, 2.0, 9) == "  ├─●─┤"
    assert whisker(Interval(1.0, 0.5, 9.0), 0.0, 2.0, 9) == "  ├─●────"
    assert whisker(Interval(1.0, 0.0, math.inf), 0.0, 2.0, 9) == "    ●"
    assert whisker(Interval(5.0, 4.0, 6.0), 0.0, 2.0, 9)[-1] == "●"


def test_a_hostile_name_is_text_on_the_page() -> None:
    cell = Cell(benchmark="a.B.c", params=(("x", "<script>alert(1)</script>"),))
    run = make_run(cells=(cell,))
    runs = [summarise(run, make_forks(run))]
    series = build_series(runs)
    page = lookback_page(look_back(series, detect(series), runs), "<b>", 365)
    assert "<script" not in page
    assert "&lt;script&gt;" in page
    assert "<b>" not in page
    assert "default-src 'none'" in page
    assert "<svg" in page


@pytest.fixture
def results(tmp_path: Path) -> Path:
    for night in range(4):
        for line in ("2.3.0", "1.20.5"):
            run = make_run(night, line=line, hostname=f"box-{night % 2}")
            store_complete_run(tmp_path / "results", run, make_forks(run, ratio=1.5, noise=0.01))
    return tmp_path / "results"


def test_the_command_shows_answers_and_writes_a_page(
    results: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    call = ["--results", str(results), "history", "write"]
    assert main([*call, "--line", "2.3.0", "--box", "box-1"]) == 0
    shown = capsys.readouterr().out
    assert shown.count("●") == 2
    assert main([*call, "--json"]) == 0
    series = json.loads(capsys.readouterr().out)["series"]
    assert len(series) == 4
    for point in series[0]["points"]:
        assert point["low"] < point["ratio"] < point["high"]
    page = results.parent / "page.html"
    assert main([*call, "--html", str(page)]) == 0
    assert page.read_text(encoding="utf-8").count("<svg") == 4
    assert main([*call, "--html", str(results / "no" / "page.html")]) == 4


def test_no_benchmark_of_that_name_names_some(
    results: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["--results", str(results), "history", "nothing"]) == 2
    assert "StringSerializationBenchmark.write" in capsys.readouterr().err
    assert main(["--results", str(results / "empty"), "history", "x"]) == 2
    assert "none yet" in capsys.readouterr().err
