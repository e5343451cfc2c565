"""The dashboard as a reader sees it: in a real Chromium."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

from conftest import Dashboard, result

CHROMIUM = os.environ.get("FLINK_BOOST_CHROMIUM") or shutil.which("chromium") or "/usr/bin/chromium"
CHROMIUM_OPTIONS = [
    "--no-sandbox",  # CI runs as root
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
# Two runs on one day of one commit; patched gets better, stock does not.
RUNS = {
    "0a1b2c3d-20260301T010203-aaaaaa": ("2026-03-01 01:02:03", 19.0, 9.0),
    "0a1b2c3d-20260301T050607-bbbbbb": ("2026-03-01 05:06:07", 19.2, 8.1),
}
NEWEST = "0a1b2c3d-20260301T050607-bbbbbb"
# Makes jqPlot's plots reachable, by the id of their element; runs before the page's own scripts.
KEEP_PLOTS = """
    window.plots = {};
    document.addEventListener('DOMContentLoaded', () => {
        window.jQuery?.jqplot?.postDrawHooks.push(function () {
            window.plots[this.target.attr('id')] = this;
        });
    });
"""


@dataclass
class Visit:
    """A page, and everything that went wrong while it was open."""

    page: Page
    base: str
    problems: list[str] = field(default_factory=list)

    def open(self, path: str) -> Page:
        self.page.goto(self.base + path, wait_until="networkidle")
        return self.page

    def listen(self) -> None:
        self.page.add_init_script(KEEP_PLOTS)
        self.page.on("console", self._on_console)
        self.page.on("pageerror", lambda error: self.problems.append(f"error: {error}"))
        self.page.on("requestfailed", lambda request: self.problems.append(f"no: {request.url}"))
        self.page.on("request", self._on_request)
        self.page.on("response", self._on_response)

    def _on_console(self, message: Any) -> None:
        if message.type in ("error", "warning"):
            self.problems.append(f"console: {message.text}")

    def _on_request(self, request: Any) -> None:
        if not request.url.startswith((self.base, "data:")):
            self.problems.append(f"foreign: {request.url}")

    def _on_response(self, response: Any) -> None:
        if response.status >= 400:
            self.problems.append(f"{response.status}: {response.url}")


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=CHROMIUM_OPTIONS)
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def filled(dashboard: Dashboard) -> Dashboard:
    """Two benchmarks of two directions, two runs, both executables."""
    for commit, (time, stock, patched) in RUNS.items():
        run = {"commitid": commit, "revision_date": time}
        job = {
            "benchmark": "serializerHeavyString",
            "units": "ops/ms",
            "units_title": "Throughput",
            "lessisbetter": False,
        }
        for executable, value in (("stock 2.3.0", stock), ("patched 2.3.0", patched)):
            answer = dashboard.upload(
                [
                    result(executable=executable, result_value=value, **run),
                    result(
                        executable=executable, benchmark="write.cjk.1024", result_value=value, **run
                    ),
                    result(executable=executable, result_value=4000 / value, **job, **run),
                ]
            )
            assert answer.status_code == 202
    return dashboard


@pytest.fixture
def visit(browser: Browser, filled: Dashboard) -> Iterator[Visit]:
    """Fails the test when the console, a script or a request reports a problem."""
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    visit = Visit(context.new_page(), filled.url)
    visit.listen()
    yield visit
    context.close()
    assert visit.problems == []


def keep_picture(page: Page, name: str, request: pytest.FixtureRequest) -> None:
    """A screenshot for people, in build/screenshots; tests judge the page itself."""
    folder = Path(request.config.rootpath).parent / "build" / "screenshots"
    folder.mkdir(parents=True, exist_ok=True)
    page.screenshot(path=folder / f"dashboard-{name}.png", full_page=True)


def plotted_points(page: Page, plot: str) -> dict[str, list[list[float]]]:
    """Where the points of each line are on the page, by its label, in CSS pixels."""
    points: dict[str, list[list[float]]] = page.evaluate(
        """id => {
            const plot = window.plots[id];
            const canvas = plot.eventCanvas._elem[0].getBoundingClientRect();
            return Object.fromEntries(plot.series.map(series => [
                series.label,
                series.gridData.map(([x, y]) => [canvas.left + x, canvas.top + y]),
            ]));
        }""",
        plot,
    )
    return points


def test_the_timeline_opens_with_every_benchmark(
    visit: Visit, request: pytest.FixtureRequest
) -> None:
    page = visit.open("timeline/")
    page.locator(".miniplot canvas").first.wait_for()
    keep_picture(page, "timeline-grid", request)

    assert sorted(page.locator(".miniplot .jqplot-title").all_inner_texts()) == [
        "serializerHeavyString",
        "write.ascii.16",
        "write.cjk.1024",
    ]


def test_the_timeline_shows_both_lines_with_the_newest_point(
    visit: Visit, request: pytest.FixtureRequest
) -> None:
    page = visit.open("timeline/?ben=write.ascii.16&env=1")
    page.wait_for_selector("#plot canvas")

    lines = plotted_points(page, "plot")
    assert sorted(lines) == ["patched 2.3.0", "stock 2.3.0"]
    assert [len(points) for points in lines.values()] == [2, 2]
    assert page.locator("#baseline").input_value() == "none"
    ticks = page.locator(".jqplot-xaxis-tick").all_inner_texts()
    assert len(set(ticks)) == len(ticks) > 2
    patched = sorted(lines["patched 2.3.0"])
    assert patched[1][0] - patched[0][0] > 100  # two runs of one day are apart
    assert min(y for _, y in patched) > max(y for _, y in lines["stock 2.3.0"])  # less is lower

    page.mouse.move(*patched[1])
    tooltip = page.locator(".jqplot-highlighter-tooltip")
    tooltip.wait_for(state="visible")
    page.wait_for_timeout(400)  # it fades in
    keep_picture(page, "timeline", request)
    assert NEWEST in tooltip.inner_text()
    assert "8.1" in tooltip.inner_text()
    # Where the point is, its line's colour has been painted.
    assert page.evaluate(
        """([x, y]) => [...document.querySelectorAll('#plot canvas.jqplot-series-canvas')].some(
            canvas => {
                const box = canvas.getBoundingClientRect();
                const pixel = canvas.getContext('2d').getImageData(x - box.left, y - box.top, 1, 1);
                return pixel.data[3] > 0;
            }
        )""",
        patched[1],
    )


def test_a_point_leads_to_the_changes_of_its_run(
    visit: Visit, request: pytest.FixtureRequest
) -> None:
    page = visit.open("timeline/?ben=write.ascii.16&env=1")
    page.wait_for_selector("#plot canvas")
    newest = max(plotted_points(page, "plot")["patched 2.3.0"])

    page.mouse.move(*newest)
    page.mouse.click(*newest)

    page.wait_for_selector("table.tablesorter tbody tr")
    keep_picture(page, "changes", request)
    assert page.locator("#revision").input_value() == NEWEST
    assert page.locator("input[name=executable]:checked + label").inner_text() == "patched 2.3.0"
    row = page.locator("table.tablesorter tbody tr").filter(has_text="write.ascii.16")
    assert "-10.00" in row.inner_text()


def test_the_comparison_draws_bars_for_both(visit: Visit, request: pytest.FixtureRequest) -> None:
    page = visit.open("comparison/")
    page.wait_for_selector("#plotwrapper canvas")
    keep_picture(page, "comparison", request)

    legend = page.locator("#plot1 table.jqplot-table-legend").bounding_box()
    grid = page.evaluate("window.plots.plot1._gridPadding")
    plot = page.locator("#plot1").bounding_box()
    assert legend
    assert plot
    assert legend["y"] >= plot["y"] + plot["height"] - grid["bottom"]  # it hides no bar
    labels = page.locator("#plot1 .jqplot-table-legend-label").all_inner_texts()
    assert any(label.startswith("stock 2.3.0") for label in labels)
    assert any(label.startswith("patched 2.3.0") for label in labels)
    titles = sorted(page.locator("#plotwrapper .jqplot-title").all_inner_texts())
    assert [title.split(" latest")[0] for title in titles] == [
        "Throughput normalized to stock 2.3.0",
        "Time normalized to stock 2.3.0",
    ]
    # Stock is 1 by definition; patched is what the newest run says.
    bars = page.evaluate("window.plots.plot1.series.map(series => series.data.map(bar => bar[0]))")
    assert sorted(bars) == [[pytest.approx(8.1 / 19.2)] * 2, [1, 1]]


def test_an_empty_dashboard_is_no_error(
    browser: Browser, start: Any, request: pytest.FixtureRequest
) -> None:
    context = browser.new_context()
    visit = Visit(context.new_page(), start().url)
    visit.listen()

    for path in ("", "timeline/", "changes/", "comparison/", "about/"):
        visit.open(path)
    keep_picture(visit.page, "about", request)

    context.close()
    assert visit.problems == []


def test_the_problems_are_noticed(browser: Browser, filled: Dashboard) -> None:
    """The listener of this file bites: a foreign script, an error and a missing file."""
    context = browser.new_context()
    visit = Visit(context.new_page(), filled.url)
    visit.listen()
    visit.open("about/")

    visit.page.evaluate(
        """() => {
            const script = document.createElement('script');
            script.src = 'http://127.0.0.1:9/foreign.js';
            document.body.append(script);
            const image = document.createElement('img');
            image.src = '/missing.png';
            document.body.append(image);
            setTimeout(() => { throw new Error('broken script'); });
        }"""
    )
    visit.page.wait_for_timeout(500)

    context.close()
    report = "\n".join(visit.problems)
    assert "Content Security Policy" in report
    assert "404: " in report
    assert "broken script" in report
