"""The first page of a running server, and the same as JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from conftest import Dashboard, Item, result

NIGHTS = (("night-1", "2026-03-01 01:00:00"), ("night-2", "2026-03-02 01:00:00"))
LENGTHS = (1024, 128, 16)


def both_sides(stock: float, patched: float, ratio: float | None, **changes: Any) -> Iterator[Item]:
    """The results of one benchmark as `flink-boost upload` sends them."""
    yield result(executable="stock 2.3.0", result_value=stock, min=stock, max=stock, **changes)
    yield result(result_value=patched, min=patched, max=patched, **changes)
    if ratio is not None:
        of_ratio = {"units": "x", "units_title": "Ratio", "lessisbetter": False, "std_dev": None}
        changes = {**changes, "benchmark": f"{changes['benchmark']}.ratio"}
        interval = {"min": ratio - 0.05, "max": ratio + 0.05}
        yield result(result_value=ratio, **{**changes, **of_ratio, **interval})


@pytest.fixture(scope="module", autouse=True)
def _results(dashboard: Dashboard) -> None:
    for number, (name, time) in enumerate(NIGHTS):
        run: dict[str, Any] = {"commitid": name, "revision_date": time}
        items = [
            item
            for length in LENGTHS
            for item in both_sides(
                *(20.0, 8.0, 2.5 + number if length == 16 else 1.01),
                benchmark=f"write.ascii.{length}.mixed",
                description="Time to write one string.",
                **run,
            )
        ]
        job = {"units": "ops/ms", "units_title": "Throughput", "lessisbetter": False}
        items += both_sides(100.0, 150.0, None, benchmark="serializerTuple", **job, **run)
        answer = dashboard.upload(items)
        assert answer.status_code == 202, answer.text
    quick = {"commitid": "by-hand-1", "branch": "by-hand", "revision_date": "2026-03-03 01:00:00"}
    assert dashboard.upload(list(both_sides(20, 8, 2.5, benchmark="quick.16", **quick))).is_success


def test_a_night_is_one_line_and_a_table_by_kind(dashboard: Dashboard) -> None:
    page = " ".join(dashboard.get("").text.split())

    night, quick = page.index("2026-03-02 01:00 UTC"), page.index("by-hand-1")
    assert night < page.index("<code>night-2</code>") < quick, "what was measured later is below"
    assert "3 undecided" in page
    assert "1 clearly faster" in page
    for text in ("20.0", "8.00", "ns/op", "3.50x", "3.45–3.55", "Time to write one string."):
        assert text in page, text
    order = [page.index(f">write.ascii.{length}.mixed<") for length in (16, 128, 1024)]
    assert order == sorted(order)
    assert page.count("<polyline") == 3, "where there were two nights"


def test_the_same_as_json(dashboard: Dashboard) -> None:
    document = dashboard.get("overview.json").json()

    night, quick = document["runs"]
    assert (night["branch"], quick["branch"]) == (None, "by-hand")
    assert (night["line"], night["environment"], night["commit"]) == ("2.3.0", "box-1", "night-2")
    assert night["counts"] == {"undecided": 3, "clearly faster": 1}
    rows = {row["benchmark"]: row for row in night["rows"]}
    assert rows["write.ascii.16.mixed"]["low"] == pytest.approx(3.45)
    assert rows["write.ascii.16.mixed"]["verdict"] == "clearly faster"
    assert rows["write.ascii.16.mixed"]["direction"] == "faster"
    assert document["schema_version"] == 2
    assert rows["serializerTuple"]["ratio"] == 1.5
    assert rows["serializerTuple"]["low"] is None


def test_a_benchmark_that_the_night_lacks_is_not_shown(dashboard: Dashboard) -> None:
    names = [row["benchmark"] for row in dashboard.get("overview.json").json()["runs"][0]["rows"]]
    assert "quick.16" not in names


def note(**changes: Any) -> dict[str, Any]:
    return {
        "run_id": "20260304T010000Z-2.3.0",
        "group": "nightly",
        "pairs": 5,
        "planned": 300,
        "measured": 298,
        "load": 0.1,
        "cores": 4,
        "command": "flink-boost bench --group nightly --line 2.3.0 --jdk 17",
        **changes,
    }


def send(dashboard: Dashboard, items: list[Item], text: str) -> httpx.Response:
    return dashboard.post(
        "result/add/json/",
        {"json": json.dumps(items), "run": text},
        f"Bearer {dashboard.token}",
    )


def test_a_run_says_how_quiet_the_box_was_and_what_is_missing(dashboard: Dashboard) -> None:
    run = {"commitid": "noted", "revision_date": "2026-03-04 01:00:00", "environment": "box-n"}
    items = list(both_sides(20.0, 8.0, 2.5, benchmark="write.16", **run))
    assert send(dashboard, items, json.dumps(note())).status_code == 202

    page = " ".join(dashboard.get("").text.split())
    assert "box quiet (load 0.10 on 4 cores at the start)" in page
    assert "2 of 300 benchmarks missing" in page
    assert "flink-boost bench --group nightly --line 2.3.0 --jdk 17" in page
    (night,) = [one for one in dashboard.get("overview.json").json()["runs"] if one["note"]]
    assert (night["environment"], night["quiet"]) == ("box-n", True)
    assert night["note"]["measured"] == 298

    changes = dashboard.get("changes/", rev="noted", env="box-n").text
    assert "<code>flink-boost report 20260304T010000Z-2.3.0</code>" in changes
    assert "5 pairs; box quiet" in changes

    assert send(dashboard, items, json.dumps(note(load=3.5))).status_code == 202
    assert "busy" in dashboard.get("").text


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("[]", "run: "),
        ("{", "run: "),
        (json.dumps(note(load=-1)), "run.load: "),
        (json.dumps(note(load=float("nan"))), "run.load: "),
        (json.dumps(note(command="a\nb")), "run.command: "),
        (json.dumps(note(group="<script>")), "run.group: "),
        (json.dumps(note(pairs=10**400)), "run"),
        (json.dumps(note(more=1)), "run.more: "),
    ],
    ids=lambda value: value[:30],
)
def test_a_note_that_is_wrong_refuses_the_whole_request(
    dashboard: Dashboard, text: str, reason: str
) -> None:
    answer = send(dashboard, [result(benchmark="not-stored", commitid="refused")], text)

    assert answer.status_code == 400
    assert answer.text.startswith(reason), answer.text
    assert "refused" not in dashboard.get("overview.json").text


def test_a_note_is_about_one_run(dashboard: Dashboard) -> None:
    items = [result(commitid="one"), result(commitid="two")]

    answer = send(dashboard, items, json.dumps(note()))

    assert answer.status_code == 400
    assert "several" in answer.text
