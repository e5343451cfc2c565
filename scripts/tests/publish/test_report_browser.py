"""The report in a real browser: opens without a complaint, and both curves can be seen."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, sync_playwright
from synthetic import JOB, WRITE, make_run
from test_report import HOSTILE, make_comparison, make_input

from flink_boost.measure.model import Cell
from flink_boost.publish.report_page import render

CHROMIUM = "/usr/bin/chromium"
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield browser
        browser.close()


class Opened:
    """A page and everything that it complained about or asked for."""

    def __init__(self, page: Page, file: Path) -> None:
        self.page = page
        self.complaints: list[str] = []
        self.requests: list[str] = []
        page.on("console", lambda message: self.complaints.append(message.text))
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("dialog", lambda dialog: self.complaints.append(dialog.message))
        page.on("requestfailed", lambda request: self.complaints.append(request.url))
        page.on("request", lambda request: self.requests.append(request.url))
        page.goto(file.as_uri())


@pytest.fixture
def report(tmp_path: Path) -> Path:
    file = tmp_path / "index.html"
    file.write_text(render(make_input(nights=14)), encoding="utf-8")
    return file


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (390, "dark")])
def test_the_page_opens_cleanly_and_every_plot_shows_both_sides(
    browser: Browser, report: Path, width: int, scheme: str
) -> None:
    context = browser.new_context(
        viewport={"width": width, "height": 800},
        color_scheme=scheme,  # type: ignore[arg-type]
    )
    opened = Opened(context.new_page(), report)
    page = opened.page
    plots = page.locator("figure svg.plot")
    assert plots.count() == 2
    for plot in plots.all():
        plot.scroll_into_view_if_needed()
        box = plot.bounding_box()
        assert box is not None
        assert box["width"] > 250
        assert box["height"] > 150
        for side in ("stock", "patched", "ratio"):
            marks = plot.locator(f".{side} .mark")
            assert marks.count() == 14
            assert marks.last.is_visible()
            line = plot.locator(f".{side} polyline").bounding_box()
            assert line is not None
            assert line["width"] > 150
            colour = plot.locator(f".{side} polyline").evaluate("e => getComputedStyle(e).stroke")
            assert colour not in (
                "none",
                "",
                page.evaluate("getComputedStyle(document.body).backgroundColor"),
            )
    stock, patched = (
        plots.first.locator(f".{side} polyline").evaluate("e => getComputedStyle(e).stroke")
        for side in ("stock", "patched")
    )
    assert stock != patched
    assert page.evaluate("document.documentElement.scrollWidth") <= width, "nothing sticks out"
    assert opened.complaints == []
    assert opened.requests == [report.as_uri()]
    context.close()


def test_dots_and_lists_tell_the_values(browser: Browser, report: Path) -> None:
    page = browser.new_page()
    opened = Opened(page, report)
    first = page.locator("figure").first
    hint = first.locator(".patched .dot title").last.text_content()
    assert hint is not None
    assert hint.startswith("patched ")
    assert "ns/op, 2026-03-14 22:30, commit" in hint
    values = first.locator("figcaption li")
    assert not values.first.is_visible()
    first.locator("summary").click()
    assert values.count() == 14
    assert values.first.is_visible()
    assert opened.complaints == []
    page.close()


def test_a_hostile_name_runs_nothing(browser: Browser, tmp_path: Path) -> None:
    cell = Cell(benchmark=f"a.B.{HOSTILE}")
    file = tmp_path / "hostile.html"
    run = make_run(cells=(cell,), hostname=HOSTILE)
    file.write_text(
        render(make_input(0, run=run, comparisons=(make_comparison(cell),))), encoding="utf-8"
    )
    page = browser.new_page()
    opened = Opened(page, file)
    assert "pwned" not in page.title()
    assert "<script>document.title='pwned'</script>" in page.locator("tbody th").inner_text()
    assert opened.complaints == []
    assert opened.requests == [file.as_uri()]
    page.close()


def test_the_policy_of_the_page_would_stop_a_script(browser: Browser, report: Path) -> None:
    """The net below the escaping: what would happen if a value became markup after all."""
    text = report.read_text(encoding="utf-8")
    report.write_text(
        text.replace("</main>", "<script>document.title='pwned'</script></main>"), encoding="utf-8"
    )
    page = browser.new_page()
    opened = Opened(page, report)
    assert page.title() != "pwned"
    assert any("Content Security Policy" in complaint for complaint in opened.complaints)
    page.close()


def test_the_printed_page_keeps_table_and_plots(browser: Browser, report: Path) -> None:
    page = browser.new_page()
    Opened(page, report)
    page.emulate_media(media="print")
    assert page.locator("table").is_visible()
    assert page.locator("figure svg.plot").first.is_visible()
    assert not page.locator(".hint").is_visible()
    assert len(page.pdf()) > 10_000
    page.close()


def test_an_empty_run_still_makes_a_page(browser: Browser, tmp_path: Path) -> None:
    file = tmp_path / "empty.html"
    run = make_run(cells=(WRITE, JOB), line="1.20.5")
    file.write_text(render(make_input(1, run=run, comparisons=())), encoding="utf-8")
    page = browser.new_page()
    opened = Opened(page, file)
    assert "compared no benchmark" in page.locator("h1").inner_text()
    assert opened.complaints == []
    page.close()
