"""Profiles in the report, and flame graphs in a real browser."""

from __future__ import annotations

import shutil
import zipfile
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote

import pytest
from playwright.sync_api import Browser, sync_playwright
from stored_runs import store_complete_run
from synthetic import FIRST_NIGHT, WRITE, make_forks, make_run
from test_report_browser import ARGUMENTS, CHROMIUM, Opened

from flink_boost.flink.flamegraph import draw, draw_difference
from flink_boost.flink.profiler import ensure_profiler
from flink_boost.flink.stacks import MARK, Stack, ours_of
from flink_boost.measure.profiles.profile_record import (
    FILE,
    ProfiledSide,
    ProfilePair,
    TopFrame,
    folder_of,
)
from flink_boost.publish.raw_data import RAW_DATA
from flink_boost.publish.report import write_report

BEFORE: dict[Stack, float] = {("Main.run_[j]", "A.copy_[j]"): 600, ("Main.run_[j]",): 400}
AFTER: dict[Stack, float] = {("Main.run_[j]", "A.slow_[j]"): 500, ("Main.run_[j]",): 500}
OURS = ours_of({"A"})
# The colours of pixels of the picture, as far as they are strong enough to be told apart.
PIXELS = """() => {
    const canvas = document.getElementById('canvas');
    const data = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;
    const found = {red: 0, blue: 0, yellow: 0};
    for (let i = 0; i < data.length; i += 4) {
        const [r, g, b] = [data[i], data[i + 1], data[i + 2]];
        if (r === 255 && g === 221 && b === 51) found.yellow++;
        else if (r === 255 && g === b && g < 240) found.red++;
        else if (b === 255 && r === g && r < 240) found.blue++;
    }
    return found;
}"""


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield browser
        browser.close()


def differing(after: dict[Stack, float], page: Path) -> None:
    notes = ("Red: more <b>", "Blue: less", f"{MARK} marks ours")
    draw_difference(
        *(ensure_profiler(), "java", (BEFORE, after), page),
        title="after & <i> against before",
        notes=notes,
        ours=OURS,
    )


def test_the_difference_opens_alone_with_its_legend_and_colours(
    browser: Browser, tmp_path: Path
) -> None:
    file = tmp_path / "difference.html"
    differing({**AFTER, ("Main.run_[j]", "A.copy_[j]"): 100}, file)
    opened = Opened(browser.new_page(), file)
    # The icon of the tab is none of the page's.
    assert opened.complaints == []
    assert opened.requests == [file.as_uri()]
    assert opened.page.locator("h1").inner_text() == "after & <i> against before"
    words = opened.page.locator("body").inner_text()
    for line in ("Red: more <b>", "Blue: less", f"{MARK} marks ours"):
        assert line in words
    pixels = opened.page.evaluate(PIXELS)
    assert pixels["yellow"] > 1000  # A.slow, which only one side has
    assert pixels["blue"] > 1000  # A.copy, which lost
    opened.page.evaluate("search('A.slow')")
    assert opened.page.locator("#matchval").inner_text().startswith("45.45")


def test_nothing_leaves_the_page_even_if_a_script_gets_in(browser: Browser, tmp_path: Path) -> None:
    file = tmp_path / "one.html"
    draw(*(ensure_profiler(), "java", BEFORE, file), title="x", notes=("</pre><b>",), ours=OURS)
    opened = Opened(browser.new_page(), file)
    opened.page.evaluate("fetch('http://127.0.0.1:9/x').catch(() => 0)")
    assert any("Content Security Policy" in text for text in opened.complaints)
    assert opened.page.locator("body b").count() == 0


@pytest.fixture
def results(tmp_path: Path) -> Path:
    """A store with a run whose first cell has profiles."""
    results = tmp_path / "results"
    run = make_run(0)
    store_complete_run(results, run, make_forks(run))
    sides = [
        ProfiledSide(name=name, cpu=f"{word}-cpu.html", samples=900, time_per_operation=cost)
        for word, name, cost in (("before", "stock", 50.0), ("after", "patched", 5.0))
    ]
    pair = ProfilePair(
        cell=WRITE,
        event="itimer",
        profiler="4.5",
        before=sides[0],
        after=sides[1],
        difference="difference.html",
        top=(
            TopFrame(
                method="a.B.<init>", ours=True, before=0.5, after=0, cost_before=25, cost_after=0
            ),
        ),
    )
    folder = folder_of(results, run.run_id, WRITE)
    folder.mkdir(parents=True)
    for page in pair.pages.values():
        (folder / page).write_text(f"<html>{page}", encoding="utf-8")
    (folder / FILE).write_text(pair.model_dump_json(), encoding="utf-8")
    return results


def test_the_report_links_profiles_from_both_its_pages(
    browser: Browser, results: Path, tmp_path: Path
) -> None:
    reports = tmp_path / "moved"
    told: list[str] = []
    written = write_report(
        results, tmp_path / "reports", dashboard_url=None, made=FIRST_NIGHT, tell=told.append
    )
    assert told == []
    # It is complete in itself: neither the place of the report nor the store is needed.
    (tmp_path / "reports").rename(reports)
    shutil.rmtree(results)
    for file in (written.newest, written.page):
        opened = Opened(browser.new_page(), reports / file.relative_to(tmp_path / "reports"))
        assert opened.complaints == []
        section = opened.page.locator("section[aria-labelledby=profiles]")
        links = section.get_by_role("link")
        assert links.all_inner_texts() == ["patched against stock", "CPU, stock", "CPU, patched"]
        target = links.first.evaluate("link => link.href").removeprefix("file://")
        assert Path(unquote(target)).read_text(encoding="utf-8") == "<html>difference.html"
        assert f"a.B.<init> {MARK}" in section.inner_text()
        assert "50.0% → 0.0%  (25 → 0 ns/op)" in section.inner_text()


def test_the_raw_data_are_linked_from_both_pages_and_whole(
    browser: Browser, results: Path, tmp_path: Path
) -> None:
    run = make_run(0)
    forks = results / run.run_id / "forks"
    stored = {path.name: path.read_bytes() for path in forks.glob("*.*")}
    (forks / "p01.stock.log").write_text("long\n" * 300_000 + "the end", encoding="utf-8")
    reports = tmp_path / "reports"
    written = write_report(results, reports, dashboard_url=None, made=FIRST_NIGHT)
    first = (written.page.parent / RAW_DATA).read_bytes()
    write_report(results, reports, dashboard_url=None, made=FIRST_NIGHT)
    assert (written.page.parent / RAW_DATA).read_bytes() == first
    shutil.rmtree(results)

    for file in (written.newest, written.page):
        page = browser.new_page()
        page.goto(file.as_uri())
        with page.expect_download() as download:
            page.get_by_role("link", name="Raw data").click()
        with zipfile.ZipFile(download.value.path()) as archive:
            names = set(archive.namelist())
            packed = {n.rpartition("/")[2]: archive.read(n) for n in names if "/forks/" in n}
        assert f"{run.run_id}/run.json" in names
        log = packed.pop("p01.stock.log")
        assert log.endswith(b"the end")
        assert len(log) == 1 << 20
        assert packed == stored
        results_and_logs = f"{len(stored) // 2} JMH results and {len(stored) // 2 + 1} logs"
        assert results_and_logs in page.inner_text("body")


def test_a_damaged_profile_costs_its_links_and_not_the_report(
    results: Path, tmp_path: Path
) -> None:
    told: list[str] = []
    folder = folder_of(results, make_run(0).run_id, WRITE)
    (folder / "before-cpu.html").unlink()
    written = write_report(
        results, tmp_path / "r", dashboard_url=None, made=FIRST_NIGHT, tell=told.append
    )
    assert "before-cpu.html" in told[0]
    (folder / FILE).write_text("{", encoding="utf-8")
    write_report(results, tmp_path / "r", dashboard_url=None, made=FIRST_NIGHT, tell=told.append)
    assert "cannot be read" in told[1]
    assert "Where the time goes" not in written.page.read_text(encoding="utf-8")
