"""Taking results in: whole or not at all, safe to repeat, and a sentence for what is wrong."""

from __future__ import annotations

import json
import sqlite3
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from typing import Any

import pytest

from conftest import Dashboard, result


def only_series(dashboard: Dashboard, benchmark: str) -> list[list[Any]]:
    series = dashboard.timeline(benchmark, "1")
    assert len(series) == 1
    (points,) = series.values()
    return list(points)


def test_a_new_box_is_added_with_its_first_result(dashboard: Dashboard) -> None:
    assert dashboard.upload([result(benchmark="new-box", environment="box-1")]).status_code == 202

    assert "box-1" in dashboard.get("timeline/").text
    assert [point[1] for point in only_series(dashboard, "new-box")] == [8.0]


def test_sending_again_overwrites(dashboard: Dashboard) -> None:
    dashboard.upload([result(benchmark="again", result_value=8.0)])
    dashboard.upload([result(benchmark="again", result_value=8.5)])

    assert [point[1] for point in only_series(dashboard, "again")] == [8.5]


def test_a_description_may_be_added_and_changed(dashboard: Dashboard) -> None:
    dashboard.upload([result(benchmark="described")])
    for text in ("Time to write.", "Time to write one string."):
        assert (
            dashboard.upload([result(benchmark="described", description=text)]).status_code == 202
        )
    dashboard.upload([result(benchmark="described")])

    with closing(sqlite3.connect(dashboard.data / "db.sqlite3")) as database:
        query = "select description from codespeed_benchmark where name = 'described'"
        assert database.execute(query).fetchone() == ("Time to write one string.",)


def test_two_runs_of_one_commit_and_day_are_two_points(dashboard: Dashboard) -> None:
    for hour, name in (("01", "aaaaaa"), ("02", "bbbbbb")):
        dashboard.upload(
            [
                result(
                    benchmark="twice",
                    commitid=f"0a1b2c3d-20260302T{hour}0000-{name}",
                    revision_date=f"2026-03-02 {hour}:00:00",
                )
            ]
        )

    points = only_series(dashboard, "twice")
    assert [point[0].strip() for point in points] == ["2026/03/02 02:00:00", "2026/03/02 01:00:00"]
    # Shortened to Codespeed's ten characters, both would be the same and the link an error.
    for point in points:
        page = dashboard.get("changes/", rev=point[3], exe="2", env="1")
        assert page.status_code == 200
        assert f'<dt>Run</dt><dd><code class="commit">{point[3]}</code>' in page.text
        assert point[3].startswith("0a1b2c3d-20260302T0")


def test_a_time_with_an_offset_is_stored_as_utc(dashboard: Dashboard) -> None:
    answer = dashboard.upload(
        [
            result(
                benchmark="offset",
                commitid="offset",
                revision_date="2026-03-03T01:30:00+02:00",
            )
        ]
    )

    assert answer.status_code == 202
    (point,) = only_series(dashboard, "offset")
    assert point[0].strip() == "2026/03/02 23:30:00"


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        (result(result_value="fast"), "is no number"),
        (result(result_value=float("nan")), "is no finite number"),
        (result(max=float("inf")), "is no finite number"),
        (result(revision_date="yesterday", commitid="new"), "is no time"),
        (result(revision_date="2026-13-01 00:00:00", commitid="new"), "no time"),
        (result(units="n" * 50, benchmark="long-unit"), "units"),
        (result(environment="b" * 200), "more than the 100"),
        (result(environment=""), "environment"),
        ({"benchmark": "incomplete"}, "missing"),
    ],
)
def test_one_bad_result_refuses_the_whole_request(
    dashboard: Dashboard, bad: dict[str, Any], reason: str
) -> None:
    good = result(benchmark="half", environment="box-half")

    answer = dashboard.upload([good, bad])

    assert answer.status_code == 400
    assert reason in answer.text
    assert dashboard.get("timeline/json/", exe="2", env="1", ben="half").status_code == 404
    assert "box-half" not in dashboard.get("timeline/").text


@pytest.mark.parametrize(
    "text", ["", "[", "{}", "7", "[1]", '"results"', "[" * 100_000, "null", "[null]"]
)
def test_what_is_no_list_of_results_is_refused(dashboard: Dashboard, text: str) -> None:
    answer = dashboard.post("result/add/json/", {"json": text}, f"Bearer {dashboard.token}")

    assert answer.status_code == 400
    assert "'json'" in answer.text


def test_a_single_result_can_be_sent_as_a_form(dashboard: Dashboard) -> None:
    form = {key: str(value) for key, value in result(benchmark="form").items()}

    answer = dashboard.post("result/add/", form, f"Bearer {dashboard.token}")

    assert answer.status_code == 202
    assert [point[1] for point in only_series(dashboard, "form")] == [8.0]


def test_a_full_run_fits_into_one_request(dashboard: Dashboard) -> None:
    items = [result(benchmark=f"many.{number}", commitid="many") for number in range(600)]

    assert dashboard.upload(items).status_code == 202
    assert len(only_series(dashboard, "many.599")) == 1


def test_many_senders_at_once_double_nothing(dashboard: Dashboard) -> None:
    items = [result(benchmark=f"race.{number}", commitid="race") for number in range(5)]

    with ThreadPoolExecutor(8) as pool:
        codes = {answer.status_code for answer in pool.map(dashboard.upload, [items] * 16)}

    assert codes <= {202, 503}
    assert dashboard.upload(items).status_code == 202
    for number in range(5):
        assert len(only_series(dashboard, f"race.{number}")) == 1


def test_a_server_may_refuse_boxes_that_it_does_not_know(start: Any) -> None:
    strict = start(FLINK_BOOST_NEW_ENVIRONMENTS="no")

    answer = strict.upload([result(environment="stranger")])

    assert answer.status_code == 400
    assert "Environment stranger not found" in answer.text
    assert json.dumps("stranger") not in strict.get("timeline/").text
