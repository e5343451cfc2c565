"""Sending to real servers in trouble: what is waited for, tried again, and left for later."""

from __future__ import annotations

import json
import time
from dataclasses import replace
from pathlib import Path
from urllib.parse import parse_qs

import pytest
from failing_codespeed import (
    TOKEN,
    Request,
    Trouble,
    accept,
    answer,
    drip,
    failing_codespeed,
    garbage,
    stall,
    store_and_drop,
)
from sending import QUICK, Naps, assert_everything_stored_once, send
from synthetic import make_forks, make_run

from flink_boost.base.errors import UploadFailed
from flink_boost.measure.summary import summarise
from flink_boost.publish.codespeed import SpoolEntry, entries_of
from flink_boost.publish.spool import Spool
from flink_boost.publish.target import Target
from flink_boost.publish.upload import MOST_IN_A_ROW, RetryPolicy, make_client, send_unsent

pytestmark = pytest.mark.quiet


# Where no answer ever comes to its end.
QUICKER = replace(QUICK, answer_timeout=1.0)


@pytest.fixture
def many(tmp_path: Path) -> Spool:
    """Eight runs, so sixteen entries."""
    spool = Spool(tmp_path / "many")
    for night in range(8):
        run = make_run(night)
        for entry in entries_of(summarise(run, make_forks(run)), "box-1"):
            spool.add(entry)
    return spool


@pytest.mark.parametrize("status", [500, 502, 503, 408, 429])
def test_a_server_in_trouble_is_asked_again_with_growing_waits(
    spool: Spool, entries: list[SpoolEntry], naps: Naps, status: int
) -> None:
    with failing_codespeed(*[answer(status)] * 3) as server:
        report = send(spool, server.url, naps)
        assert_everything_stored_once(server, entries, spool)
    assert len(report.sent) == 4
    assert len(naps) == 3
    for number, nap in enumerate(naps):
        assert 0.5 * 2**number <= nap <= 2**number


def test_a_wait_the_server_asks_for_is_kept_up_to_a_limit(spool: Spool, naps: Naps) -> None:
    script = [answer(503, Retry_After="7"), answer(503, Retry_After="86400")]
    with failing_codespeed(*script) as server:
        send(spool, server.url, naps)
    assert naps == [7.0, QUICK.longest_wait]


@pytest.mark.parametrize("trouble", [stall, garbage, store_and_drop])
def test_no_usable_answer_is_tried_again_and_stores_nothing_twice(
    spool: Spool, entries: list[SpoolEntry], naps: Naps, trouble: object
) -> None:
    with failing_codespeed(trouble, accept, trouble) as server:  # type: ignore[arg-type]
        send(spool, server.url, naps)
        assert_everything_stored_once(server, entries, spool)
        if trouble is store_and_drop:
            assert max(server.times_stored.values()) == 2, "it was really sent twice"
    assert len(naps) == 2


def test_a_server_that_drips_does_not_hold_us(
    spool: Spool, entries: list[SpoolEntry], naps: Naps
) -> None:
    started = time.monotonic()
    with failing_codespeed(default=drip) as server:
        send(spool, server.url, naps, policy=QUICKER)
        assert_everything_stored_once(server, entries, spool)
    assert time.monotonic() - started < 10


@pytest.mark.parametrize("trouble", [stall, answer(500)], ids=["hangs", "500"])
def test_a_server_in_trouble_at_healthz_too_is_given_up_once_for_all_entries(
    spool: Spool, naps: Naps, trouble: Trouble
) -> None:
    with failing_codespeed(default=trouble) as server:
        server.health = trouble
        report = send(spool, server.url, naps, policy=QUICKER)
        assert server.requests == QUICK.attempts
        assert server.health_questions == 1
    assert len(report.unsent) == 4
    reason = "did not answer in time" if trouble is stall else "answered 500"
    assert reason in report.unsent[0].reason
    assert len(spool.unsent_keys()) == 4


def test_a_server_that_is_healthy_and_takes_nothing_is_left_alone_after_some_entries(
    many: Spool, naps: Naps
) -> None:
    with failing_codespeed(default=stall) as server:
        report = send(
            many,
            server.url,
            naps,
            policy=replace(QUICKER, answer_timeout=0.2, seconds_per_result=0.0),
        )
        assert server.requests == QUICK.attempts + MOST_IN_A_ROW - 1
        assert server.health_questions == MOST_IN_A_ROW
    assert len(report.unsent) == 16
    assert "5 others in a row failed" in report.unsent[-1].reason
    blamed = [key for key in many.unsent_keys() if many.trouble(key).failures]
    assert blamed == sorted(unsent.key for unsent in report.unsent[:MOST_IN_A_ROW])


def test_more_poisoned_entries_than_are_tried_in_a_row_hold_up_the_others_once_only(
    many: Spool, naps: Naps
) -> None:
    poison = [answer(500)] * (QUICK.attempts + MOST_IN_A_ROW - 1)
    with failing_codespeed(*poison) as server:
        assert send(many, server.url, naps).sent == ()
    with failing_codespeed() as server:
        report = send(many, server.url, naps)
        assert len(report.sent) == 16
    assert many.trouble(report.sent[-1]).failures == 0, "what is sent has no trouble any more"


def test_a_server_that_is_down_leaves_everything_and_says_how_to_send_later(
    spool: Spool, naps: Naps
) -> None:
    with failing_codespeed() as server:
        url = server.url
    report = send(spool, url, naps)
    assert len(naps) == QUICK.attempts - 1
    assert len(spool.unsent_keys()) == 4
    with pytest.raises(UploadFailed) as failure:
        report.require_all_sent()
    assert failure.value.exit_code == 5
    assert "cannot be reached" in str(failure.value)
    assert "flink-boost upload" in str(failure.value)
    with failing_codespeed() as server:
        assert len(send(spool, server.url, naps).sent) == 4


def only_for(poison: SpoolEntry, trouble: Trouble) -> Trouble:
    """That trouble for one entry, and acceptance for all others."""
    only = poison.results[0].commitid, poison.results[0].executable

    def meets(request: Request, body: bytes) -> None:
        first = json.loads(parse_qs(body.decode())["json"][0])[0]
        (trouble if (first["commitid"], first["executable"]) == only else accept)(request, body)

    return meets


@pytest.mark.parametrize(
    "trouble",
    [answer(500), answer(400, "no"), stall, garbage],
    ids=["500", "400", "hangs", "garbage"],
)
def test_a_poisoned_entry_at_the_head_holds_up_none_and_is_tried_last_and_once(
    spool: Spool, entries: list[SpoolEntry], naps: Naps, trouble: Trouble
) -> None:
    poison = min(entries, key=lambda entry: (entry.results[0].revision_date, entry.key))
    with failing_codespeed(default=only_for(poison, trouble)) as server:
        report = send(spool, server.url, naps, policy=QUICKER)
        assert len(report.sent) == 3
        assert [unsent.key for unsent in report.unsent] == [poison.key]
        assert "--drop KEY" in report.next_step
        later = make_run(5)
        for entry in entries_of(summarise(later, make_forks(later)), "box-1"):
            spool.add(entry)
        before = server.requests
        again = send(spool, server.url, naps, policy=QUICKER)
        assert len(again.sent) == 2
        assert server.requests == before + 3, "a single attempt, after the others"
        assert [unsent.key for unsent in again.unsent] == [poison.key]
        assert set(server.times_stored.values()) == {1}
    assert spool.trouble(poison.key).failures == 2
    with pytest.raises(UploadFailed) as failure:
        again.require_all_sent()
    assert failure.value.exit_code == 5
    assert poison.key in str(failure.value)


def test_an_entry_that_ends_the_server_goes_last_the_next_time(spool: Spool, naps: Naps) -> None:
    with failing_codespeed(store_and_drop) as server:
        url = server.url
        head = spool.unsent_keys()[0]

        def end(seconds: float) -> None:
            server.server_close()

        target = Target(url, TOKEN)
        with make_client(target, QUICK) as client:
            report = send_unsent(spool, target, client, QUICK, sleep=end)
    assert report.sent == ()
    assert [key for key in spool.unsent_keys() if spool.trouble(key).failures] == [head]
    with failing_codespeed() as server:
        assert send(spool, server.url, naps).sent[-1] == head


def test_an_earlier_revision_is_not_sent_after_a_later_one(spool: Spool, naps: Naps) -> None:
    stock, patched = (spool.load_unsent(key) for key in spool.unsent_keys() if "20260301" in key)
    later = stock.model_copy(update={"key": f"{stock.key}.r2"})
    spool.mark_sent(patched.key)
    update = patched.model_copy(update={"key": f"{patched.key}.r2"})
    spool.add(later)
    spool.add(update)
    with failing_codespeed() as server:
        report = send(spool, server.url, naps)
        assert set(server.times_stored.values()) == {1}
    assert stock.key not in report.sent
    assert {later.key, update.key} < set(report.sent)
    assert report.updated == (update.key,)
    assert report.replaced == spool.dropped_keys() == (stock.key,)


def test_one_entry_that_makes_the_server_fail_does_not_hold_up_the_others(
    spool: Spool, naps: Naps
) -> None:
    with failing_codespeed(*[answer(500, "Oops")] * QUICK.attempts) as server:
        report = send(spool, server.url, naps)
        assert server.requests == QUICK.attempts + 3
    assert len(report.sent) == 3
    assert "answered 500 (Oops)" in report.unsent[0].reason
    assert spool.unsent_keys() == (report.unsent[0].key,)


def test_a_server_that_always_fails_is_waited_for_once_only(spool: Spool, naps: Naps) -> None:
    with failing_codespeed(default=answer(500)) as server:
        report = send(spool, server.url, naps)
        assert server.requests == QUICK.attempts + 3
    assert len(report.unsent) == 4
    assert len(naps) == QUICK.attempts - 1


def test_waits_grow_to_a_limit_and_are_spread() -> None:
    policy = RetryPolicy(first_wait=1.0, longest_wait=20.0)
    full = [policy.wait_before(attempt, jitter=1.0) for attempt in range(2, 9)]
    assert full == [1, 2, 4, 8, 16, 20, 20]
    assert policy.wait_before(2, jitter=0.0) == 0.5
