"""Who may write: those with the token, and nobody else."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import httpx
import pytest

from conftest import Dashboard, result
from flink_boost.flink.lines import load_lines

HEADINGS = r"<h2 [^>]*>([^<]*)</h2>"
REQUESTS_TOKEN = "requests-token-0123456789abcdef"

WRONG = [
    None,
    "",
    "Bearer",
    "Bearer wrong-token-wrong-token-wrong-token",
    "Basic {token}",
    "{token}",
    "Bearer {token}x",
    "Bearer {shortened}",
    "Bearer \u00e9\u00e8",  # bytes that are no ASCII must not end in an error
]


def number_of_points(dashboard: Dashboard, benchmark: str) -> int:
    """Points of all executables; a line has two, so there are more numbers here than needed."""
    executables = ",".join(str(number) for number in range(1, 2 * len(load_lines()) + 1))
    answer = dashboard.get("timeline/json/", exe=executables, env="1", ben=benchmark, revs="50")
    return 0 if answer.status_code == 404 else len(answer.json()["timelines"])


@pytest.mark.parametrize("path", ["result/add/json/", "result/add/", "no/such/page", "timeline/"])
@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE"])
def test_every_writing_method_needs_the_token(dashboard: Dashboard, method: str, path: str) -> None:
    answer = httpx.request(method, dashboard.url + path, timeout=20)

    assert answer.status_code == 401
    assert answer.headers["WWW-Authenticate"].startswith("Bearer")
    assert "FLINK_BOOST_TOKEN" in answer.text


@pytest.mark.parametrize("template", WRONG)
def test_a_wrong_token_writes_nothing(dashboard: Dashboard, template: str | None) -> None:
    token = dashboard.token
    authorization = template and template.format(token=token, shortened=token[:-1])
    headers = {} if authorization is None else {b"Authorization": authorization.encode("latin-1")}

    for path, form in (
        ("result/add/json/", {"json": json.dumps([result(benchmark="stolen")])}),
        ("result/add/", {key: str(value) for key, value in result(benchmark="stolen").items()}),
    ):
        answer = httpx.post(dashboard.url + path, data=form, headers=headers, timeout=20)
        assert answer.status_code == 401

    assert number_of_points(dashboard, "stolen") == 0
    assert "stolen" not in dashboard.get("").text


def test_the_right_token_writes(dashboard: Dashboard) -> None:
    answer = dashboard.upload([result(benchmark="allowed")])

    assert answer.status_code == 202
    assert number_of_points(dashboard, "allowed") == 1


def test_the_scheme_may_be_written_in_any_case(dashboard: Dashboard) -> None:
    form = {"json": json.dumps([result(benchmark="case")])}

    assert dashboard.post("result/add/json/", form, f"bearer {dashboard.token}").status_code == 202


def test_reading_needs_none(dashboard: Dashboard) -> None:
    for path in ("", "about/", "timeline/", "changes/", "comparison/", "healthz", "reports/"):
        assert dashboard.get(path).status_code == 200, path


def test_an_upload_by_get_is_refused(dashboard: Dashboard) -> None:
    answer = dashboard.get("result/add/json/", json=json.dumps([result(benchmark="by-get")]))

    assert answer.status_code == 405
    assert number_of_points(dashboard, "by-get") == 0


def test_no_token_is_in_the_log(dashboard: Dashboard) -> None:
    form = {"json": json.dumps([result()])}
    dashboard.post("result/add/json/", form, "Bearer a-wrong-token-to-look-for")
    dashboard.post("result/add/json/", form, f"Bearer {dashboard.token}")

    assert " POST /result/add/json/ 401 " in dashboard.log
    assert "a-wrong-token-to-look-for" not in dashboard.log
    assert dashboard.token not in dashboard.log


@pytest.fixture
def bound(start: Any, tmp_path: Path) -> Dashboard:
    """A dashboard with a writer whose token is bound to the branch "request"."""
    (tmp_path / "requests.token").write_text(f"{REQUESTS_TOKEN}\n")
    writers = tmp_path / "writers.toml"
    writers.write_text('[requests]\ntoken-file = "requests.token"\nbranches = ["request"]\n')
    dashboard: Dashboard = start(FLINK_BOOST_WRITERS=str(writers))
    return dashboard


def send(bound: Dashboard, path: str, **changes: object) -> int:
    """The answer to one result, or to a batch whose first one is allowed."""
    item = result(**changes)
    form = {key: str(value) for key, value in item.items()}
    if path.endswith("json/"):
        form = {"json": json.dumps([result(branch="request"), item])}
    answer = bound.post(path, form, f"Bearer {REQUESTS_TOKEN}")
    if answer.status_code == 422:
        assert "The token of requests does not allow the branch" in answer.text
        assert REQUESTS_TOKEN not in answer.text
    return answer.status_code


def test_a_writer_writes_into_its_own_branches_only(bound: Dashboard) -> None:
    # What a benchmark is, is said by the token of all: it would hold for the nights as well.
    assert send(bound, "result/add/json/", branch="request") == 400
    assert bound.upload([result(commitid="aaaa", branch="by-hand")]).status_code == 202
    for path in ("result/add/json/", "result/add/"):
        for branch in ("master", "", "Master", "request ", "bisect", ["request"]):
            assert send(bound, path, branch=branch, benchmark="stolen") == 422
    assert "stolen" not in bound.get("").text
    assert number_of_points(bound, "write.ascii.16") == 0, "a batch is stored whole or not at all"

    assert send(bound, "result/add/json/", branch="request") == 202
    page = bound.get("").text
    assert "There is no nightly run yet" in page
    assert re.findall(HEADINGS, page) == [
        "Flink 2.3.0 on box-1, by-hand",
        "Flink 2.3.0 on box-1, request",
    ]
    assert "bran=request" in page
    # The token of all still writes everywhere; the nights come first on the page.
    assert bound.upload([result(commitid="cccc")]).status_code == 202
    headings = re.findall(HEADINGS, bound.get("").text)
    assert headings[0] == "Flink 2.3.0 on box-1"
    assert "Flink 2.3.0 on box-1, request" in headings[1:]


def test_a_run_beside_the_trend_is_no_point_of_its_curve(bound: Dashboard) -> None:
    items = [result(), result(commitid="bbbb", branch="by-hand", result_value=1.0)]
    assert bound.upload(items).status_code == 202
    (curve,) = bound.timeline("write.ascii.16", "1").values()
    assert [point[1] for point in curve] == [8.0]


@pytest.mark.parametrize(
    "changes", [{"lessisbetter": False}, {"units": "ops/ms"}, {"lessisbetter": "False"}]
)
def test_nobody_changes_what_a_benchmark_means(
    bound: Dashboard, changes: dict[str, object]
) -> None:
    """Codespeed keeps what the first result said: another would turn every ratio around."""
    assert bound.upload([result()]).status_code == 202
    answer = bound.upload([result(commitid="bbbb", **changes)])
    assert answer.status_code == 400
    assert "is known" in answer.text
    assert send(bound, "result/add/json/", branch="request", **changes) == 400
    assert bound.upload([result(commitid="cccc")]).status_code == 202
