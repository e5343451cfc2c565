"""Sending much at once: in as few requests as may be, with time in proportion to what is in it."""

from __future__ import annotations

import re
import time
from dataclasses import replace
from pathlib import Path

import pytest
from failing_codespeed import (
    TOKEN,
    FailingCodespeed,
    Request,
    accept,
    answer,
    failing_codespeed,
)
from synthetic import make_forks, make_run

from flink_boost.base.places import PROJECT_ROOT
from flink_boost.measure.summary import summarise
from flink_boost.publish.codespeed import SpoolEntry, entries_of
from flink_boost.publish.spool import Spool
from flink_boost.publish.target import Target
from flink_boost.publish.upload import RetryPolicy, make_client, send_unsent
from flink_boost.publish.upload_report import UploadReport

pytestmark = pytest.mark.quiet

ALL_AT_ONCE = RetryPolicy(attempts=3)
LARGE = 1_200  # results of an entry


@pytest.fixture
def entry() -> SpoolEntry:
    run = make_run(0)
    entry = entries_of(summarise(run, make_forks(run)), "box-1")[0]
    one = entry.results[0]
    results = [one.model_copy(update={"benchmark": f"large.{number}"}) for number in range(LARGE)]
    return entry.model_copy(update={"results": tuple(results)})


@pytest.fixture
def spool(tmp_path: Path, entry: SpoolEntry) -> Spool:
    spool = Spool(tmp_path / "spool")
    spool.add(entry)
    return spool


def send(spool: Spool, server: FailingCodespeed, **policy: float) -> UploadReport:
    policy_ = replace(ALL_AT_ONCE, **policy)  # type: ignore[arg-type]
    target = Target(server.url, TOKEN)
    with make_client(target, policy_) as client:
        return send_unsent(spool, target, client, policy_, sleep=lambda _: None)


def test_a_large_entry_goes_in_one_request(spool: Spool, entry: SpoolEntry) -> None:
    with failing_codespeed(answer(503), accept) as server:
        report = send(spool, server)
        assert server.requests == 2, "the whole of it again"
    assert report.sent == (entry.key,)
    assert [key[4] for key in server.stored] == [one.benchmark for one in entry.results]
    assert set(server.times_stored.values()) == {1}


def test_what_no_request_may_hold_goes_in_several_and_is_stored_once(
    spool: Spool, entry: SpoolEntry
) -> None:
    with failing_codespeed(accept, answer(400, "units: differ.")) as server:
        report = send(spool, server, most_results=500)
        assert server.requests == 2, "behind what is refused nothing is sent"
        assert report.unsent[0].reason.endswith("answered 400 (units: differ.)")
        assert spool.unsent_keys() == (entry.key,)
        assert send(spool, server, most_results=500).sent == (entry.key,)
        assert server.requests == 2 + 3
        assert len(server.stored) == LARGE
    assert set(server.times_stored.values()) <= {1, 2}, "the first part came again"


def test_a_request_holds_what_the_dashboard_takes_at_once() -> None:
    server = PROJECT_ROOT / "codespeed-config/boost_dashboard/incoming.py"
    (most,) = re.findall(r"^MOST_RESULTS = (\d+)", server.read_text(encoding="utf-8"), re.MULTILINE)
    assert RetryPolicy().most_results == int(most)


def slow(request: Request, body: bytes) -> None:
    """As on a busy machine: it takes more time than a small request may."""
    time.sleep(1.5)
    accept(request, body)


def test_a_large_request_has_time_in_proportion(spool: Spool) -> None:
    with failing_codespeed(default=slow) as server:
        assert len(send(spool, server, answer_timeout=0.3, seconds_per_result=10.0).sent) == 1
        assert server.requests == 1, "it was not given up before its answer"


def test_a_small_one_has_no_less_than_before() -> None:
    policy = RetryPolicy()
    assert policy.answer_seconds(1) == policy.answer_timeout == 30
    assert policy.answer_seconds(600) == 60
