"""The pages with 300 benchmarks and more runs than are shown: usable, and looked at."""

from __future__ import annotations

import itertools

import pytest
from playwright.sync_api import Browser

from conftest import Dashboard
from sample_nights import commit_of, nights
from stored_rows import store
from visits import visiting

pytestmark = pytest.mark.test_all

BENCHMARKS = 300
NIGHTS = 24
PAGES = {
    "timeline": "timeline/",
    "timeline-one": "timeline/?ben=write.ascii.128.mixed.serializer",
    "changes": f"changes/?rev={commit_of(NIGHTS * 2 // 3)}",
    "comparison": "comparison/",
    "reports": "reports/",
}


@pytest.fixture(scope="module")
def filled(dashboard: Dashboard) -> Dashboard:
    store(dashboard.data, nights(BENCHMARKS, NIGHTS))
    return dashboard


@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("name", PAGES)
def test_a_full_page_fits_its_window(
    browser: Browser, filled: Dashboard, name: str, width: int
) -> None:
    with visiting(browser, filled.url, width=width) as visit:
        page = visit.open(PAGES[name])
        if name.startswith("timeline"):
            page.locator(".panel canvas").first.wait_for()
        visit.keep_picture(f"{name}-300-{width}-light")

        assert visit.overflow() <= 0
        hidden = page.evaluate(
            """() => [...document.querySelectorAll('h2, legend, label, summary')].filter((each) =>
                each.checkVisibility() && each.scrollWidth > each.clientWidth + 1
                && getComputedStyle(each).overflowX !== 'visible')
                .map((each) => each.textContent)"""
        )
        assert hidden == []
    assert visit.problems == []


def test_titles_of_the_grid_do_not_overlap(browser: Browser, filled: Dashboard) -> None:
    with visiting(browser, filled.url) as visit:
        page = visit.open("timeline/")

        boxes = page.evaluate(
            """() => [...document.querySelectorAll('.panel h2')].map((each) => {
                const range = document.createRange();
                range.selectNodeContents(each);
                const { left, right, top, bottom } = range.getBoundingClientRect();
                return { left, right, top, bottom };
            })"""
        )
    assert len(boxes) == BENCHMARKS
    rows: dict[float, list[dict[str, float]]] = {}
    for box in boxes:
        rows.setdefault(round(box["top"]), []).append(box)
    for row in rows.values():
        row.sort(key=lambda box: box["left"])
        assert all(one["right"] < next_["left"] for one, next_ in itertools.pairwise(row))


def test_plots_are_loaded_as_they_come_into_sight(browser: Browser, filled: Dashboard) -> None:
    with visiting(browser, filled.url) as visit:
        page = visit.open("timeline/")
        page.locator(".panel canvas").first.wait_for()
        loaded = page.locator(".panel canvas").count()
        assert 6 <= loaded < BENCHMARKS / 4

        last = page.locator(".panel").last
        last.scroll_into_view_if_needed()
        last.locator("canvas").wait_for()

        page.get_by_label("Benchmarks that contain").fill("copy cjk 65536 network")
        shown = page.locator(".panel:visible")
        assert shown.count() == 2
        shown.first.locator("canvas").wait_for()
    assert visit.problems == []


def test_changes_come_first_when_they_are_sorted_by_size(
    browser: Browser, filled: Dashboard
) -> None:
    with visiting(browser, filled.url) as visit:
        page = visit.open(PAGES["changes"])
        assert "300 benchmarks, 60 changed by 2" in page.locator(".lead").inner_text()

        page.get_by_label("only those that changed").check()
        rows = page.locator("#changes tbody tr:visible")
        assert rows.count() == BENCHMARKS / 5
        assert set(page.locator("#changes tbody tr:visible .mark").all_inner_texts()) == {"slower"}
    assert visit.problems == []
