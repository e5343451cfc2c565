"""The report of a night: what it says, that nothing in it acts, and how it looks."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from nights import BEFORE, HOSTILE, SINCE, alarm, night, report
from playwright.sync_api import Browser, sync_playwright
from pydantic import ValidationError
from test_report_browser import ARGUMENTS, CHROMIUM, Opened

from flink_boost.publish.nightly.changes import NightChange, news_of
from flink_boost.publish.nightly.night_facts import NightReport
from flink_boost.publish.nightly.night_page import night_markdown, night_page, web_address
from flink_boost.publish.nightly.night_report import (
    elsewhere_before,
    kept_nights,
    previous_of,
    ratios_before,
    write_night,
)
from flink_boost.publish.notify.message import due_messages


def test_a_quiet_night_says_so() -> None:
    news = news_of(report())
    assert news.quiet
    assert news.headline == "Nothing changed: 12 benchmarks measured, all steady."


def test_a_night_of_a_series_that_is_too_short_does_not_say_that_all_is_steady() -> None:
    young = report(night=night(learning={"count": 12, "nights": 7}))
    assert news_of(young).headline == (
        "Learning: 12 benchmarks measured; only large changes are seen for 7 more nights."
    )
    (message,) = due_messages(young, (), frozenset(), None)
    assert message.subject.endswith("still learning")
    some = report(night=night(learning={"count": 2, "nights": 1}))
    assert news_of(some).headline == (
        "Nothing changed in what can be judged: 12 benchmarks measured, of which 2 are learning for"
        " 1 more night."
    )


def test_a_table_of_many_rows_says_how_many_of_them_chance_alone_would_call_changed() -> None:
    known = report().rows[0]
    rows = [
        known.model_copy(update={"benchmark": f"b{place}", "low": None if place > 39 else 1.0})
        for place in range(60)
    ]
    sentence = "Of equal code chance alone calls about 2 of them faster or slower."  # 5 % of 40
    few = report()
    for page in (night_page, night_markdown):
        assert sentence in page(report(rows=rows))
        assert "chance alone" not in page(few)


def test_a_new_alarm_says_what_since_when_how_much_whose_and_what_to_do() -> None:
    news = news_of(report(alarms=[alarm()]))
    change = news.new_alarms[0]
    assert news.headline == "1 benchmark became slower."
    assert change.title == "serializerTuple on Flink 2.3.0 has become slower"
    assert change.size == "9.0 % slower (95 % interval −10.0 % to −8.0 %)"
    assert change.since.startswith("commit bbbbbbbbbb (aaaaaaaaaa was as before), 1 night")
    assert "Ada L.: Rewrite the loop" in change.whose
    assert "flink-boost alarm accept a0123456789 --reason" in change.advice
    assert change.command.startswith("flink-boost bench")


def test_a_night_with_changes_that_were_not_committed_blames_nobody() -> None:
    dirty = alarm(commits=[BEFORE, f"{SINCE}-dirty"])
    change = news_of(report(alarms=[dirty])).new_alarms[0]
    assert change.since.startswith("commit bbbbbbbbbb-dirty (aaaaaaaaaa was as before)")
    assert "Ada" not in change.whose
    assert change.whose.endswith("up to bbbbbbbbbb-dirty, or what was not committed then.")


def test_the_first_night_of_another_box_says_that_and_blames_no_commit_of_before() -> None:
    before = {"a0123456789": "open"}
    moved = report(alarms=[alarm()], alarms_before=before, moved_from="box-0")
    news = news_of(moved)
    assert news.headline == "The first night on the box box-1."
    assert news.new_alarms == ()
    assert not news.quiet
    assert "those before ran on box-0" in news.moved
    assert news.moved in night_markdown(moved)
    assert news.moved in night_page(moved)
    (message,) = due_messages(moved, (), frozenset(before), None)
    assert message.lines[0] == news.moved
    assert "The first night on the box box-1." in message.subject


def test_what_was_told_on_another_box_is_known_on_the_first_night_of_a_box() -> None:
    tonight = report(2)
    old = report(1, night=night(1, box="box-0"))
    assert elsewhere_before([old], tonight) == old
    own = report(0)
    assert elsewhere_before([old, own], tonight) is None, "it has had nights"
    assert elsewhere_before([], tonight) is None


def test_an_alarm_of_the_night_before_is_not_new() -> None:
    news = news_of(report(alarms=[alarm()], alarms_before={"a0123456789": "open"}))
    assert news.quiet
    assert [one.id for one in news.still_open] == ["a0123456789"]


def test_what_was_watched_before_is_new_once_it_is_confirmed() -> None:
    news = news_of(report(alarms=[alarm()], alarms_before={"a0123456789": "watching"}))
    assert len(news.new_alarms) == 1


@pytest.mark.parametrize("state", ["watching", "withheld", "rejected"])
def test_what_is_not_confirmed_is_nobodys_news(state: str) -> None:
    assert news_of(report(alarms=[alarm(state=state)])).quiet


def test_a_closed_alarm_and_a_found_commit_are_news_once() -> None:
    done = {"state": "done", "first_bad": SINCE, "left": 0, "steps": []}
    alarms = [alarm(id="a1", state="recovered"), alarm(id="a2", bisect=done)]
    news = news_of(report(alarms=alarms, alarms_before={"a1": "open", "a2": "open"}))
    assert [change.alarm.id for change in news.closed] == ["a1"]
    assert [change.alarm.id for change in news.found] == ["a2"]
    assert "commit bbbbbbbbbb by Ada L." in news.found[0].whose
    before = {"a1": "recovered", "a2": "open"}
    assert news_of(report(alarms=alarms, alarms_before=before, bisected_before=["a2"])).quiet


BACK = alarm(
    id="a3", kind="recovery", direction="improvement", state="recovered", effect=1.05, low=1.04,
    high=1.06,
)  # fmt: skip


@pytest.mark.parametrize("before", [{}, {"a3": "watching"}])
@pytest.mark.parametrize("state", ["accepted", "rejected", "environment"])
def test_a_way_back_of_what_people_had_decided_is_told_once(
    state: str, before: dict[str, str]
) -> None:
    alarms = [alarm(id="a1", state=state), BACK]
    tonight = report(alarms=alarms, alarms_before={"a1": state, **before})
    news = news_of(tonight)
    assert news.headline == "1 benchmark as fast as before again."
    (change,) = news.changes
    assert change.title == "serializerTuple on Flink 2.3.0 is as fast as before again"
    assert change.size.startswith("5.0 % faster")
    assert change.since.startswith("commit bbbbbbbbbb (aaaaaaaaaa was not yet)")
    (message,) = due_messages(tonight, (), frozenset(), None)
    assert message.lines[0].startswith(f"{change.title}. 5.0 % faster")
    assert news_of(report(alarms=alarms, alarms_before={"a1": state, "a3": "recovered"})).quiet


def test_a_way_back_that_closes_an_alarm_is_told_with_it_alone() -> None:
    alarms = [alarm(id="a1", state="recovered"), alarm(id="a2", state="accepted"), BACK]
    news = news_of(report(alarms=alarms, alarms_before={"a1": "open", "a2": "accepted"}))
    assert [change.alarm.id for change in news.changes] == ["a1"]


@pytest.mark.parametrize("before", ["withheld", "watching"])
def test_what_nobody_was_told_of_ends_without_a_word(before: str) -> None:
    alarms = [alarm(id="a1", state="recovered"), BACK]
    news = news_of(report(alarms=alarms, alarms_before={"a1": before}))
    assert news.closed == ()
    assert news.quiet


def test_a_first_report_tells_of_no_way_back_of_long_ago() -> None:
    old = {**BACK, "told": "2026-10-01T0100"}
    assert news_of(report(alarms=[alarm(id="a1", state="accepted"), old])).quiet
    assert not news_of(report(alarms=[alarm(id="a1", state="accepted"), BACK])).quiet


def test_commits_with_parts_of_a_change_are_named_with_their_share() -> None:
    parts = [{"commit": SINCE, "share": 0.35}, {"commit": "d" * 40, "share": 0.65}]
    done = {"state": "done", "first_bad": SINCE, "left": 1, "steps": [], "parts": parts}

    def told(bisect: Mapping[str, object]) -> NightChange:
        alarms = [alarm(id="a2", bisect=bisect)]
        (found,) = news_of(report(alarms=alarms, alarms_before={"a2": "open"})).found
        return found

    both = told(done)
    assert both.title.endswith("the commits behind it are found")
    assert "commit bbbbbbbbbb by Ada L." in both.whose
    assert both.whose.endswith(
        "(part of it, about 35 %) and commit dddddddddd (part of it, about 65 %)"
    )
    one = told({**done, "left": 6, "parts": parts[:1]})
    assert one.whose.endswith("about 35 %); the rest is of 6 commits after it")
    none = told({**done, "first_bad": None, "left": 0, "parts": []})
    assert none.title.endswith("the search found no commit")


def test_troubles_of_the_night_are_told() -> None:
    steps = [{"name": "upload", "state": "failed", "seconds": 3.0, "note": "no answer."}]
    changes = [{"what": "kernel", "before": "6.1", "after": "6.12"}]
    canary = {"moved": True, "ratio": 0.95, "low": 0.94, "high": 0.96}
    short = night(state="short", measured=9, steps=steps, box_changes=changes, canary=canary)
    news = news_of(report(night=short, alarms=[alarm(state="withheld")]))
    said = " ".join(news.troubles)
    for words in (
        "The night is short.",
        "9 of 12 benchmarks",
        "“upload” failed: no answer.",
        "kernel was 6.1 and is 6.12",
        "canary moved by −5.0 %",
        "1 suspicion held back",
    ):
        assert words in said
    assert news.headline == "5 things went wrong."


def test_the_order_of_alarms_changes_nothing() -> None:
    alarms = [
        alarm(id=f"a{n}", effect=effect, direction="improvement" if effect > 1 else "regression")
        for n, effect in enumerate((0.9, 0.7, 1.2, 0.7))
    ]
    pages = {
        night_page(report(alarms=list(order))) + night_markdown(report(alarms=list(order)))
        for order in itertools.permutations(alarms)
    }
    assert len(pages) == 1
    assert [one.alarm.id for one in news_of(report(alarms=alarms)).new_alarms] == [
        *("a1", "a3", "a0", "a2")
    ]


def test_markdown_of_hostile_names_stays_text() -> None:
    wild = report(
        alarms=[alarm(HOSTILE, command="a `b` ``c", report="https://x/?<b>(")],
        missing=[HOSTILE],
        commits=[{"commit": SINCE, "author": HOSTILE, "subject": "a\n# b"}],
    )
    text = night_markdown(wild)
    assert "<script>" not in text
    assert "[a](javascript" not in text
    assert "\n# b" not in text
    assert "``` a `b` ``c ```" in text
    assert "](<https://x/?%3Cb%3E(>)" in text
    assert "\n\n\n" not in text


@pytest.mark.parametrize("name", ["../x", "a/b", "", ".", "..", "x\n"])
def test_a_night_whose_name_is_a_path_is_refused(name: str) -> None:
    with pytest.raises(ValidationError):
        report(night=night(night=name))


@pytest.mark.parametrize(
    ("url", "kept"),
    [("https://x/", True), ("javascript:alert(1)", False), ("https://[", False), ("//x", False)],
)
def test_only_web_addresses_become_links(url: str, kept: bool) -> None:
    assert (web_address(url) is not None) == kept


def test_a_ratio_is_held_against_the_last_night_that_has_one() -> None:
    def row(benchmark: str, ratio: float, line: str = "2.3.0") -> dict[str, object]:
        values = {"low": None, "high": None, "pairs": 5, "verdict": "faster"}
        return {"line": line, "benchmark": benchmark, "ratio": ratio, **values}

    tonight = report(4, rows=[row("a", 1.4), row("b", 2.4)])
    kept = [
        report(3, rows=[row("a", 9.0, "2.3.0 flink")]),
        report(2, night=night(2, state="refused", measured=0), rows=[]),
        report(1, rows=[row("a", 1.1)]),
        report(0, rows=[row("a", 1.0), row("b", 2.0)]),
    ]
    assert ratios_before([tonight, *kept], tonight) == {
        ("2.3.0 flink", "a"): 9.0,
        ("2.3.0", "a"): 1.1,
        ("2.3.0", "b"): 2.0,
    }
    assert ratios_before(kept, kept[-1]) == {}


def test_reports_are_kept_listed_and_written_again(tmp_path: Path) -> None:
    for day in (0, 2, 1, 1):
        written = write_night(tmp_path, report(day))
    kept = kept_nights(tmp_path)
    names = ["2026-11-26T0100", "2026-11-25T0100", "2026-11-24T0100"]
    assert [one.night.night for one in kept.reports] == names
    assert previous_of(kept.reports, kept.reports[0]) == kept.reports[1]
    assert previous_of(kept.reports, kept.reports[-1]) is None
    index = written.index.read_text(encoding="utf-8")
    assert index.index(names[0]) < index.index(names[2])
    assert index.count("<li>") == 3
    assert NightReport.model_validate_json(
        (tmp_path / "nights" / names[0] / "report.json").read_bytes()
    )


def test_a_damaged_report_holds_up_no_other(tmp_path: Path) -> None:
    write_night(tmp_path, report(0))
    (tmp_path / "nights" / "2026-11-24T0100" / "report.json").write_text('{"made"', "utf-8")
    written = write_night(tmp_path, report(1))
    assert kept_nights(tmp_path).unreadable == ("2026-11-24T0100",)
    assert "Without a readable report: 2026-11-24T0100" in written.index.read_text("utf-8")


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield browser
        browser.close()


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (390, "dark")])
def test_the_page_fits_runs_nothing_and_loads_nothing(
    browser: Browser, tmp_path: Path, width: int, scheme: str
) -> None:
    long = "org.example.VeryLongBenchmarkName." * 6
    wild = report(
        alarms=[alarm(HOSTILE), alarm(long, id="a2", effect=1.2, direction="improvement")],
        night=night(box=HOSTILE, state="short", reason=HOSTILE),
        missing=[long],
    )
    written = write_night(tmp_path, wild)
    context = browser.new_context(
        viewport={"width": width, "height": 800},
        color_scheme=scheme,  # type: ignore[arg-type]
    )
    for file in (written.page, written.index):
        opened = Opened(context.new_page(), file)
        assert opened.page.evaluate("document.documentElement.scrollWidth") <= width
        assert opened.page.title() != "pwned"
        assert opened.page.locator("script").count() == 0
        assert opened.complaints == []
        assert opened.requests == [file.as_uri()]
    context.close()


def test_one_screen_says_what_changed_and_what_to_do(browser: Browser, tmp_path: Path) -> None:
    written = write_night(tmp_path, report(alarms=[alarm()]))
    page = browser.new_page(viewport={"width": 1280, "height": 800})
    Opened(page, written.page)
    box = page.locator("article.change pre").bounding_box()
    assert box is not None
    assert box["y"] + box["height"] < 800
    page.close()


def test_the_list_of_nights_leads_to_each(browser: Browser, tmp_path: Path) -> None:
    written = write_night(tmp_path, report(alarms=[alarm()]))
    page = browser.new_page()
    opened = Opened(page, written.index)
    page.locator("ul.nights a").first.click()
    assert page.locator("h1").inner_text() == "1 benchmark became slower."
    page.locator("footer a").click()
    assert page.locator("h1").inner_text() == "Nights, newest first"
    assert opened.complaints == []
    page.close()
