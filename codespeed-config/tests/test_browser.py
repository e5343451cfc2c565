"""The dashboard as a reader sees it: in a real Chromium, with eight benchmarks."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from conftest import Dashboard, result
from sample_nights import commit_of, nights
from stored_rows import store
from visits import LOOKS, Visit, visiting

NIGHTS = 30
NEWEST = commit_of(NIGHTS - 1)
BENCHMARK = "write.ascii.65536.mixed.serializer"  # the one with a step
ONE = f"timeline/?ben={BENCHMARK}"
PAGES = {
    "timeline": "timeline/",
    "timeline-one": ONE,
    "changes": "changes/",
    "comparison": "comparison/",
    "reports": "reports/",
    "about": "about/",
}
FROM_ELSEWHERE = {"overview": ""}  # whose page has tests of its own
MARK = "<img src=x onerror=document.title='PWN'>"
CLOSING = "</script><script>document.title=8</script>"


@pytest.fixture(scope="module")
def filled(dashboard: Dashboard) -> Dashboard:
    store(dashboard.data, nights(8, NIGHTS))
    return dashboard


@pytest.fixture
def visit(browser: Browser, filled: Dashboard) -> Iterator[Visit]:
    """Fails the test when the console, the policy, a script or a request reports a problem."""
    with visiting(browser, filled.url) as visit:
        yield visit
    assert visit.problems == []


def opened(visit: Visit, path: str) -> Page:
    page = visit.open(path)
    if path.startswith("timeline"):
        page.locator(".panel canvas").first.wait_for()
    return page


@pytest.mark.parametrize(("width", "scheme"), LOOKS)
@pytest.mark.parametrize("name", PAGES)
def test_a_page_is_readable_at_any_width_and_in_both_schemes(
    browser: Browser, filled: Dashboard, name: str, width: int, scheme: str
) -> None:
    with visiting(browser, filled.url, width=width, scheme=scheme) as visit:
        page = opened(visit, PAGES[name])
        for shown in visit.schemes():
            visit.keep_picture(f"{name}-8-{width}-{shown}")
        visit.unfold(3)

        for shown in visit.schemes():
            assert visit.axe() == [], shown
            assert visit.overflow() <= 0
        assert page.locator("h1").count() == 1
    assert visit.problems == []


def test_the_grid_has_every_benchmark_once_with_whole_title_axis_and_units(visit: Visit) -> None:
    page = opened(visit, "timeline/")

    titles = page.locator(".panel h2").all_inner_texts()
    assert titles == [
        "serializerHeavyString",
        "serializerTuple",
        "windowJoin.large",
        "write.ascii.16.mixed.serializer",
        "write.ascii.128.mixed.serializer",
        "write.ascii.1024.mixed.serializer",
        "write.ascii.65536.mixed.serializer",
        "write.ascii.1048576.mixed.serializer",
    ]
    axes = set(page.locator(".axis-title").all_inner_texts())
    assert axes == {"Ratio (patched to stock), more is better"}

    page.get_by_role("combobox", name="Show").select_option("values")
    page.get_by_role("button", name="Show").click()
    page.locator(".panel canvas").first.wait_for()
    assert set(page.locator(".axis-title").all_inner_texts()) == {
        "Throughput (ops/ms), more is better",
        "Time (ns/op), less is better",
    }


def test_only_executables_with_results_are_offered(visit: Visit) -> None:
    page = opened(visit, "timeline/")
    page.locator("summary", has_text="Executables").click()

    boxes = page.locator("#executables label")
    assert boxes.all_inner_texts() == ["patched 2.3.0", "stock 2.3.0"]
    assert all(box.is_checked() for box in page.locator("#executables input").all())

    boxes.filter(has_text="stock").click()
    page.get_by_role("button", name="Show").click()
    page.locator(".panel canvas").first.wait_for()
    assert page.locator("#legend li").all_inner_texts() == ["patched 2.3.0"]


def test_the_text_filter_leaves_what_fits(visit: Visit) -> None:
    page = opened(visit, "timeline/")

    page.get_by_label("Benchmarks that contain").fill("ascii 1024")

    assert page.locator(".panel:visible h2").all_inner_texts() == [
        "write.ascii.1024.mixed.serializer"
    ]
    assert page.locator("[data-count]").inner_text() == "1 of 8 shown"


def test_one_benchmark_has_its_ratio_and_its_values(visit: Visit) -> None:
    page = opened(visit, ONE)

    assert page.locator(".panel h2").all_inner_texts() == ["Ratio", "Time"]
    expect(page.locator(".panel canvas")).to_have_count(2)
    # The step of 12 % after two thirds of the nights, seen in the ratio alone.
    ratio, values = (page.locator(".panel").nth(number).locator(".steps") for number in (0, 1))
    assert ratio.inner_text().startswith("Step on 2026-01-25: −1")
    assert "patched 2.3.0" in ratio.inner_text()
    assert values.inner_text() == ""


def test_the_points_are_painted_where_they_are(visit: Visit) -> None:
    page = opened(visit, ONE)

    # Of the ratio's line, half of whose pixels are above the line at 1.
    painted = page.evaluate(
        """() => {
            const canvas = document.querySelector('.panel canvas');
            const { data, width, height } = canvas.getContext('2d')
                .getImageData(0, 0, canvas.width, canvas.height);
            const columns = new Set();
            for (let place = 0; place < width * height; place++) {
                const [red, green, blue] = data.slice(4 * place, 4 * place + 3);
                if (blue > 150 && red < 60 && green < 130) columns.add(place % width);
            }
            return columns.size / width;
        }"""
    )
    assert painted > 0.5


def test_a_click_on_a_point_leads_to_the_changes_of_its_run(visit: Visit) -> None:
    page = opened(visit, ONE)
    over = page.locator(".panel .u-over").first
    box = over.bounding_box()
    assert box

    page.mouse.click(box["x"] + box["width"] * 0.975, box["y"] + 20)

    picked = page.locator(".picked").first
    assert NEWEST in picked.inner_text()
    assert "2026-02-03 01:02 UTC" in picked.inner_text()
    assert "patched 2.3.0: " in picked.inner_text()
    picked.get_by_role("link").click()
    page.wait_for_url("**/changes/?*")
    assert page.locator(".facts code").inner_text() == NEWEST


def test_the_keyboard_reaches_points_and_their_run(visit: Visit) -> None:
    page = opened(visit, ONE)
    page.locator(".plot-frame").first.focus()

    page.keyboard.press("End")
    page.keyboard.press("ArrowLeft")
    assert commit_of(NIGHTS - 2) in page.locator(".picked").first.inner_text()
    page.keyboard.press("Enter")
    page.keyboard.press("Enter")

    page.wait_for_url("**/changes/?*")
    assert page.locator(".facts code").inner_text() == commit_of(NIGHTS - 2)


@pytest.mark.parametrize("path", PAGES.values())
def test_tab_reaches_every_control_and_shows_where_it_is(visit: Visit, path: str) -> None:
    page = opened(visit, path)
    wanted = page.evaluate(
        """() => {
            const all = [...document.querySelectorAll(
                'a[href], button, input:not([type=hidden]), select, summary, [tabindex="0"]')]
                .filter((each) => each.checkVisibility());
            all.forEach((each, number) => { each.dataset.stop = number; });
            return all.length;
        }"""
    )
    reached = set()
    for _ in range(wanted + 5):
        page.keyboard.press("Tab")
        stop, outlined = page.evaluate(
            """() => {
                const active = document.activeElement;
                return [active.dataset.stop, getComputedStyle(active).outlineStyle !== 'none'];
            }"""
        )
        if stop is not None:
            reached.add(int(stop))
            assert outlined, page.evaluate("document.activeElement.outerHTML")

    assert reached == set(range(wanted))


def test_the_skip_link_leads_to_the_content(visit: Visit) -> None:
    page = opened(visit, "about/")

    page.keyboard.press("Tab")
    page.keyboard.press("Enter")

    assert page.evaluate("document.activeElement.id") == "content"


def test_the_points_are_a_table_as_well(visit: Visit) -> None:
    page = opened(visit, ONE)
    page.locator(".points summary").first.click()

    rows = page.locator(".points table").first.locator("tbody tr")
    expect(rows).to_have_count(NIGHTS)
    assert NEWEST in rows.first.inner_text()
    assert " to " in rows.first.inner_text()
    assert " to " not in rows.last.inner_text()  # a single pair has no interval
    rows.first.get_by_role("link").click()
    page.wait_for_url("**/changes/?*")


def test_changes_can_be_sorted_and_filtered(visit: Visit) -> None:
    page = opened(visit, f"changes/?rev={commit_of(NIGHTS * 2 // 3)}")
    names = page.locator("#changes tbody tr:visible th")
    natural = names.all_inner_texts()
    assert natural[3:6] == [
        f"write.ascii.{length}.mixed.serializer" for length in ("16", "128", "1024")
    ]

    page.get_by_role("button", name="Change").click()
    changed = page.locator("#changes tbody tr").first
    assert changed.get_attribute("data-mark") == "slower"
    assert "slower" in changed.inner_text()
    page.get_by_role("button", name="Benchmark").click()
    assert names.all_inner_texts() == natural

    page.get_by_label("only those that changed").check()
    assert 1 <= names.count() < 8
    page.get_by_label("Benchmarks that contain").fill("nothing like that")
    assert names.count() == 0


def test_nothing_covers_a_column_of_the_changes(visit: Visit) -> None:
    page = opened(visit, "changes/")

    covered = page.evaluate(
        """() => {
            const cells = [...document.querySelectorAll('#changes tbody tr:first-child > *')];
            return cells.filter((cell) => {
                const box = cell.getBoundingClientRect();
                const [x, y] = [box.left + box.width / 2, box.top + box.height / 2];
                return !cell.contains(document.elementFromPoint(x, y));
            }).map((cell) => cell.cellIndex);
        }"""
    )
    assert covered == []
    assert page.locator(".facts code").inner_text() == NEWEST


def test_the_comparison_has_a_bar_for_each_side_in_proportion(visit: Visit) -> None:
    page = opened(visit, "comparison/")

    row = page.locator("tbody[data-name='write.ascii.128.mixed.serializer']")
    labels = [text.strip() for text in row.locator("tr:not(.title) th").all_inner_texts()]
    assert labels == ["patched 2.3.0", "stock 2.3.0"]
    widths = [
        float(bar.get_attribute("width") or 0) for bar in row.locator("rect:not(.interval)").all()
    ]
    shown = [float(text.split("×")[0]) for text in row.locator("td:nth-child(3)").all_inner_texts()]
    assert widths[0] / widths[1] == pytest.approx(shown[0] / shown[1], rel=0.01)
    assert shown[1] == 1.0
    line = row.locator("line.one").first
    assert float(line.get_attribute("x1") or 0) == pytest.approx(widths[1])

    page.get_by_label("Benchmarks that contain").fill("1048576")
    assert page.locator("details.group:visible").count() == 1


def test_what_was_stored_is_text_everywhere(browser: Browser, start: Any) -> None:
    dashboard = start()
    later = {"revision_date": "2026-03-02 01:00:00"}
    hostile = [
        result(commitid="first"),
        result(benchmark=MARK, description=MARK, units=MARK[:20], units_title=CLOSING[:30]),
        result(commitid=CLOSING, **later),
        result(commitid=CLOSING, benchmark=MARK, **later),
        result(commitid=CLOSING, executable="stock 2.3.0", **later),
        result(commitid=CLOSING, environment=MARK, executable=MARK[:30], **later),
        result(commitid="x", branch=CLOSING[:32], **later),
    ]
    store(dashboard.data, hostile)

    with visiting(browser, dashboard.url) as visit:
        paths = [*PAGES.values(), *FROM_ELSEWHERE.values()]
        paths += [f"timeline/?ben={MARK}", "changes/?env=2", "timeline/?env=2", "comparison/?env=2"]
        paths += [f"changes/?rev={CLOSING}", f"timeline/?bran={CLOSING[:32]}"]
        for path in (each for each in paths if each != ONE):
            page = visit.open(path)
            visit.unfold()
            for frame in page.locator(".plot-frame").all():
                frame.focus()
                page.keyboard.press("End")
            assert page.title() not in ("PWN", "8"), path
            assert page.locator("img[src=x]").count() == 0, path
    assert visit.problems == []


def test_an_empty_dashboard_is_no_error(browser: Browser, start: Any) -> None:
    with visiting(browser, start().url) as visit:
        for path in ("timeline/", "changes/", "comparison/", "reports/", "about/"):
            visit.open(path)
            assert visit.axe() == []
    assert visit.problems == []


def test_an_error_page_is_a_page(browser: Browser, filled: Dashboard) -> None:
    with visiting(browser, filled.url) as visit:
        for path, status in (("nothing/", 404), ("timeline/?revs=x", 400)):
            page = visit.open(path)
            assert page.get_by_role("navigation", name="Pages").is_visible()
            assert visit.axe() == []
            assert any(problem.startswith(f"{status}: ") for problem in visit.problems)


def test_the_problems_are_noticed(browser: Browser, filled: Dashboard) -> None:
    """The listener bites: foreign and inline scripts, styles, markup, an error, a missing file."""
    with visiting(browser, filled.url) as visit:
        visit.open("about/")
        visit.page.evaluate(
            """() => {
                const add = (name, properties) =>
                    document.body.append(Object.assign(document.createElement(name), properties));
                add('img', { src: '/missing.png' });
                add('p', {});
                document.body.lastElementChild.setAttribute('style', 'color: red');
                const attempts = [
                    () => { document.body.setAttribute('onclick', 'document.title = "PWN"'); },
                    () => { document.body.innerHTML += 'x'; },
                    () => add('script', { src: 'http://127.0.0.1:9/x.js' }),
                ];
                for (const attempt of attempts) {
                    try { attempt(); } catch (error) { console.error(error); }
                }
                setTimeout(() => { throw new Error('broken script'); });
            }"""
        )
        visit.page.wait_for_timeout(500)
        violations = visit.page.evaluate("window.violations.join()")

    report = "\n".join(visit.problems)
    assert "Content Security Policy" in report
    assert "TrustedHTML" in report
    assert "404: " in report
    assert "broken script" in report
    assert "style-src-attr" in violations
    assert "TrustedScript" in report or "script-src-attr" in violations


def test_axe_notices_what_is_wrong(browser: Browser, filled: Dashboard) -> None:
    with visiting(browser, filled.url) as visit:
        visit.open("about/")
        visit.page.evaluate(
            "document.querySelector('main').append(document.createElement('input'))"
        )

        assert any(problem.startswith("label: ") for problem in visit.axe())
