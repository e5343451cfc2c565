"""The page of benchmark requests in a real Chromium: empty, usual, and full of long words."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Browser, expect

from conftest import Dashboard
from request_rows import HOSTILE, REPOSITORY, ask, asked
from visits import LOOKS, visiting

HUBS = [{"repository": REPOSITORY, "ago": 30, "problem": ""}]
USUAL = [
    *(asked(n, "queued", 5 + n) for n in range(4)),
    asked(20, "measuring", 20, started=18, beat=1, note="fork 3 of 10"),
    *(asked(30 + n, "done", 60 + n, took=12, verdict="No change.") for n in range(30)),
    asked(70, "failed", 300, took=4, note="The build failed: no such symbol"),
    asked(71, "cancelled", 300, took=4),
]
LONG = [asked(n, "failed", 60 + n, took=1, note=HOSTILE * 40, author="a" * 39) for n in range(200)]
STATES: dict[str, tuple[list[dict[str, Any]], list[dict[str, Any]]]] = {
    "empty": ([], []),
    "usual": (USUAL, HUBS),
    "long": (LONG, HUBS),
}


@pytest.mark.parametrize(("width", "scheme"), LOOKS)
@pytest.mark.parametrize("name", STATES)
def test_it_is_readable_at_any_width_and_in_both_schemes(
    browser: Browser, dashboard: Dashboard, name: str, width: int, scheme: str
) -> None:
    ask(dashboard.data, *STATES[name])
    with visiting(browser, dashboard.url, width=width, scheme=scheme) as visit:
        page = visit.open("requests/")
        for shown in visit.schemes():
            visit.keep_picture(f"requests-{name}-{width}-{shown}")
            assert visit.axe() == [], shown
            assert visit.overflow() <= 0
        assert page.locator("h1").count() == 1
    assert visit.problems == []


def test_the_filter_finds_a_failure(browser: Browser, dashboard: Dashboard) -> None:
    ask(dashboard.data, *STATES["usual"])
    with visiting(browser, dashboard.url) as visit:
        page = visit.open("")
        page.get_by_role("link", name="Requests", exact=True).click()
        page.get_by_label("Requests that contain").fill("symbol")
        # The filter starts after the page has come, and may find the word already there.
        expect(page.locator(".request-row:visible")).to_have_count(1)
        assert "#70" in page.locator(".request-row:visible").inner_text()
    assert visit.problems == []
