"""Publishing a run: every step that fails leaves the others, above all the report, intact."""

from __future__ import annotations

import os
import socket
from datetime import UTC, datetime
from pathlib import Path

import httpx
import pytest
from dashboard_process import dashboard
from failing_codespeed import TOKEN, answer, failing_codespeed, stall
from stored_runs import store_complete_run
from synthetic import make_forks, make_run

from flink_boost.base.errors import EnvironmentProblem, UploadFailed
from flink_boost.measure.model import RunInfo
from flink_boost.publish import liveness, serve
from flink_boost.publish.quick_look import Published, publish
from flink_boost.publish.run_places import Places
from flink_boost.publish.spool import Spool
from flink_boost.publish.upload import RetryPolicy

pytestmark = pytest.mark.quiet

# Seconds enough for an answer that is on its way on a busy machine.
NUMBERS = ",".join(map(str, range(1, 21)))
IMPATIENT = RetryPolicy(attempts=2, first_wait=0.01, connect_timeout=5.0, answer_timeout=5.0)


@pytest.fixture
def places(tmp_path: Path) -> Places:
    return Places(tmp_path / "results", tmp_path / "spool", tmp_path)


@pytest.fixture
def run(places: Places) -> RunInfo:
    run = make_run(quick_look=True, pairs=3)
    store_complete_run(places.results, run, make_forks(run, noise=0.01))
    return run


def publish_run(
    run: RunInfo, places: Places, told: list[str], environ: dict[str, str], port: int = 0
) -> Published:
    return publish(
        run.run_id,
        places,
        environment="box-1",
        address=serve.Address(port=port),
        environ=environ,
        policy=IMPATIENT,
        clock=lambda: datetime(2026, 3, 2, tzinfo=UTC),
        tell=told.append,
    )


def test_results_go_to_the_named_codespeed_and_the_report_links_to_it(
    run: RunInfo, places: Places
) -> None:
    told: list[str] = []
    with failing_codespeed() as server:
        environ = {"FLINK_BOOST_CODESPEED_URL": server.url, "FLINK_BOOST_TOKEN": TOKEN}
        published = publish_run(run, places, told, environ)
        assert len(server.stored) == 6
        assert published.problems == ()
        assert published.dashboard_url == server.url
        assert published.report is not None
        page = published.report.read_text(encoding="utf-8")
        assert f'href="{server.url}"' in page
    assert "Quick look." in page
    assert run.run_id in page
    assert (places.build / "verdicts.json").exists()
    assert not places.codespeed.exists(), "no dashboard of our own was started"
    assert len(published.trends) == 2


def test_the_embedded_dashboard_shows_every_run(run: RunInfo, places: Places) -> None:
    told: list[str] = []
    environ = {key: value for key, value in os.environ.items() if "FLINK_BOOST" not in key}
    with dashboard(places.build):
        running = liveness.find_running(places.codespeed)
        assert running is not None
        for night in (0, 1):
            again = make_run(night, quick_look=True, pairs=3)
            if night:
                store_complete_run(places.results, again, make_forks(again, noise=0.01, seed=1))
            published = publish_run(again, places, told, environ)
            assert published.problems == ()
            assert published.dashboard_url == running.url, "it was running already"
        overview = httpx.get(f"{running.url}overview.json", timeout=30).json()
        timeline = httpx.get(
            f"{running.url}timeline/points/",
            params={"env": 1, "bran": "quick-look", "ben": NUMBERS, "exe": NUMBERS, "revs": 10},
            timeout=30,
        )
    (shown,) = overview["runs"]
    assert (shown["branch"], shown["line"]) == ("quick-look", run.line)
    rows = {row["benchmark"]: row["verdict"] for row in shown["rows"]}
    assert rows["serializerTuple"] == "clearly faster"
    benchmarks = timeline.json()["benchmarks"].values()
    points = [len(series["points"]) for found in benchmarks for series in found]
    # Two cells with a value of each side and a ratio.
    assert points == [2] * 6
    token = (places.codespeed / "token").read_text().strip()
    assert token not in "".join(told)


@pytest.mark.parametrize("trouble", [answer(500), stall, answer(403)], ids=["500", "hang", "403"])
def test_a_codespeed_in_trouble_does_not_cost_the_report(
    run: RunInfo, places: Places, trouble: object
) -> None:
    told: list[str] = []
    with failing_codespeed(default=trouble) as server:  # type: ignore[arg-type]
        environ = {"FLINK_BOOST_CODESPEED_URL": server.url, "FLINK_BOOST_TOKEN": TOKEN}
        published = publish_run(run, places, told, environ)
    assert published.report is not None
    assert published.report.exists()
    assert [type(problem) for problem in published.problems] == [UploadFailed]
    assert any("flink-boost upload" in line for line in told)
    assert len(Spool(places.spool).unsent_keys()) == 2
    assert TOKEN not in "".join(told)


def test_a_busy_port_does_not_cost_the_report(run: RunInfo, places: Places) -> None:
    told: list[str] = []
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        published = publish_run(run, places, told, dict(os.environ), port)
    assert [type(problem) for problem in published.problems] == [EnvironmentProblem]
    assert f"Port {port}" in str(published.problems[0])
    assert published.dashboard_url is None
    assert published.report is not None
    assert run.run_id in published.report.read_text(encoding="utf-8")
    assert len(Spool(places.spool).unsent_keys()) == 2
    assert any("run `flink-boost upload` to send them later" in line for line in told)


def test_a_missing_token_does_not_cost_the_report(run: RunInfo, places: Places) -> None:
    told: list[str] = []
    environ = {"FLINK_BOOST_CODESPEED_URL": "https://speed.example.org/"}
    published = publish_run(run, places, told, environ)
    assert published.report is not None
    assert "no token" in str(published.problems[0])
    assert len(Spool(places.spool).unsent_keys()) == 2


def test_a_password_in_the_address_is_not_shown(run: RunInfo, places: Places) -> None:
    told: list[str] = []
    environ = {"FLINK_BOOST_CODESPEED_URL": "http://me:pa55@127.0.0.1/", "FLINK_BOOST_TOKEN": TOKEN}
    published = publish_run(run, places, told, environ)
    assert published.dashboard_url is None
    assert published.report is not None
    assert "pa55" not in published.report.read_text(encoding="utf-8") + "".join(told)
    assert "holds a user" in str(published.problems[0])


def test_an_unusable_environment_name_does_not_cost_the_report(
    run: RunInfo, places: Places
) -> None:
    with failing_codespeed() as server:
        published = publish(
            run.run_id,
            places,
            environment=" ",
            address=serve.Address(),
            environ={"FLINK_BOOST_CODESPEED_URL": server.url, "FLINK_BOOST_TOKEN": TOKEN},
            policy=IMPATIENT,
            clock=lambda: datetime(2026, 3, 2, tzinfo=UTC),
            tell=lambda _: None,
        )
    assert published.report is not None
    assert "environment name" in str(published.problems[0])
