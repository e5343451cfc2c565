"""The page of benchmark requests, its JSON, and the figures on it."""

from __future__ import annotations

import random
from statistics import median
from typing import Any

import pytest

from conftest import Dashboard
from request_rows import HOSTILE, REPOSITORY, ask, asked
from told import page


def as_json(dashboard: Dashboard, **query: str) -> Any:
    answer = dashboard.get("requests/requests.json", **query)
    assert answer.status_code == 200
    return answer.json()


def test_an_empty_page_says_how_to_begin(dashboard: Dashboard) -> None:
    ask(dashboard.data, [])
    own = page(dashboard, "requests/")
    assert "flink-boost request serve" in own
    assert "docs/requests-setup." in own
    assert "<table" not in own
    assert as_json(dashboard) == {
        "schema_version": 1, "queue": [], "running": [], "ended": [], "hubs": [], "troubles": [],
        "figures": {
            "days": 90, "done": 0, "failed": 0, "median_seconds": None, "p95_seconds": None,
        },
    }  # fmt: skip
    assert 'href="/requests/" aria-current="page"' in own


def test_queue_running_and_ended_are_told_apart(dashboard: Dashboard) -> None:
    rows = [
        asked(11, "queued", 5),
        asked(12, "queued", 7),
        asked(13, "measuring", 9, started=8, beat=0, note="fork 3 of 10"),
        asked(14, "done", 60, took=12, verdict="No change beyond ±2 %.\nMore."),
        asked(15, "failed", 90, took=3, note="The build failed: no such symbol"),
        asked(16, "refused", 95, took=0),
        asked(17, "done", 100, took=10, stale=True, verdict="2 of 2 are faster."),
    ]
    ask(dashboard.data, rows, [{"repository": REPOSITORY, "ago": 0, "problem": ""}])
    found = as_json(dashboard)
    assert [(one["number"], one["place"]) for one in found["queue"]] == [(12, 1), (11, 2)]
    assert [one["number"] for one in found["running"]] == [13]
    assert [one["number"] for one in found["ended"]] == [14, 15, 17, 16]
    assert found["ended"][0]["seconds"] == 720
    assert found["ended"][0]["benchmarks"] == ["org.example.One.write", "org.example.One.read"]
    assert found["troubles"] == []
    own = page(dashboard, "requests/")
    for words in ("fork 3 of 10", "No change beyond ±2 %.", "no such symbol", "12 min", " stale"):
        assert words in own
    assert "2 benchmarks, 5 pairs, line 2.3.0" in own
    assert f'href="https://github.com/{REPOSITORY}/pull/14#issuecomment-14"' in own


@pytest.mark.parametrize(("runs", "turns"), [(True, [4, 1, 2, 3]), (False, [1, 4, 2, 3])])
def test_the_place_is_that_of_repositories_in_turn(
    dashboard: Dashboard, runs: bool, turns: list[int]
) -> None:
    rows = [asked(number, "queued", 300 - number) for number in (1, 2, 3)]
    rows.append(asked(4, "queued", 5, repository="apache/other"))
    rows += [asked(5, "measuring", 400, started=1, beat=0)] if runs else []
    ask(dashboard.data, rows)
    found = as_json(dashboard)
    assert [one["number"] for one in found["queue"]] == turns
    assert [one["place"] for one in found["queue"]] == [1, 2, 3, 4]
    assert len(found["troubles"]) == (0 if runs else 1), "the oldest waits for hours"


def test_what_runs_again_after_it_waited_runs_since_then(dashboard: Dashboard) -> None:
    days = 2 * 24 * 60
    rows = [asked(6, "building", days, started=days, resumed=1, beat=0)]
    ask(dashboard.data, [*rows, asked(7, "measuring", days, started=days, beat=0)])
    first, second = (one["started"][:16].replace("T", " ") for one in as_json(dashboard)["running"])
    assert first == second
    assert page(dashboard, "requests/").count(first) == 1


def test_the_figures_are_those_of_all_answered_requests(dashboard: Dashboard) -> None:
    times = [random.Random(7).choice((9, 11, 14, 16, 25)) + n / 60 for n in range(40)]
    rows = [asked(n, "done", 1000 + n, took=took) for n, took in enumerate(times)]
    old = [asked(99, "done", 100 * 24 * 60, took=500), asked(98, "failed", 50, took=1)]
    ask(dashboard.data, rows + old)
    figures = as_json(dashboard)["figures"]
    seconds = sorted(round(time * 60) for time in times)
    assert (figures["done"], figures["failed"]) == (40, 1)
    assert seconds[19] <= figures["median_seconds"] <= seconds[20]
    assert abs(figures["median_seconds"] - median(seconds)) <= seconds[20] - seconds[19]
    assert figures["p95_seconds"] == seconds[37]  # 38 of 40 are not above it


@pytest.mark.parametrize(
    ("rows", "hubs", "words"),
    [
        ([asked(1, "measuring", 60, started=50, beat=30)], [], "has said nothing since"),
        ([asked(1, "queued", 60 * 5)], [], "The queue stands still"),
        ([], [{"repository": "a/b", "ago": 30, "problem": ""}], "were last read at"),
        ([], [{"repository": "a/b", "ago": 0, "problem": "GitHub said 502."}], "GitHub said 502."),
    ],
    ids=["silent worker", "standing queue", "unread comments", "a hub in trouble"],
)
def test_what_stands_still_is_said(
    dashboard: Dashboard, rows: list[dict[str, Any]], hubs: list[dict[str, Any]], words: str
) -> None:
    ask(dashboard.data, rows, hubs)
    assert words in page(dashboard, "requests/")
    assert words in as_json(dashboard)["troubles"][0]


def test_words_of_strangers_stay_words(dashboard: Dashboard) -> None:
    ask(
        dashboard.data,
        [
            asked(1, "failed", 9, took=1, note=HOSTILE, url="javascript:alert(1)"),
            asked(2, "failed", 9, took=1, author=HOSTILE, order='{"names": 7, "pairs": "x"}'),
            asked(3, "failed", 9, took=1, order="not JSON", note="x" * 5000),
        ],
    )
    own = page(dashboard, "requests/")
    assert "<script>alert" not in own
    assert "javascript:" not in own
    assert "x" * 301 not in own
    assert len(as_json(dashboard)["ended"]) == 3


def test_the_query_is_checked(dashboard: Dashboard) -> None:
    ask(dashboard.data, [asked(n, "done", 9, took=1) for n in range(70)])
    assert len(as_json(dashboard)["ended"]) == 60
    assert len(as_json(dashboard, most="200")["ended"]) == 70
    for path in ("requests/", "requests/requests.json"):
        assert dashboard.get(path, most="61").status_code == 400
        assert dashboard.get(path, other="1").status_code == 400
        assert dashboard.post(path, {}, f"Bearer {dashboard.token}").status_code == 405
