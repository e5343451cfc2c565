"""Sending, against real servers that fail in every way we know."""

from __future__ import annotations

import random
import time
from dataclasses import replace
from pathlib import Path

import pytest
from failing_codespeed import (
    TOKEN,
    FailingCodespeed,
    accept,
    answer,
    drip,
    failing_codespeed,
    garbage,
    key_of,
    stall,
    store_and_drop,
)
from synthetic import make_forks, make_run

from flink_boost.base.errors import UploadFailed, UsageProblem
from flink_boost.publish.codespeed import Entry, entries_of
from flink_boost.publish.spool import Spool
from flink_boost.publish.target import Target, find_target
from flink_boost.publish.upload import RetryPolicy, UploadReport, make_client, send_unsent

# Seconds enough for an answer that is on its way on a busy machine.
QUICK = RetryPolicy(attempts=4, connect_timeout=5.0, answer_timeout=5.0)
# Where no answer ever comes to its end.
QUICKER = replace(QUICK, answer_timeout=1.0)


class Naps(list[float]):
    """A ``sleep`` that only remembers."""

    def __call__(self, seconds: float) -> None:
        self.append(seconds)


@pytest.fixture
def naps() -> Naps:
    return Naps()


@pytest.fixture
def spool(tmp_path: Path) -> Spool:
    """Two runs, so four entries."""
    spool = Spool(tmp_path / "spool")
    for night in (1, 0):
        run = make_run(night)
        for entry in entries_of(run, make_forks(run, seed=night, noise=0.02), "box-1"):
            spool.add(entry)
    return spool


@pytest.fixture
def entries(spool: Spool) -> list[Entry]:
    return [spool.load_unsent(key) for key in spool.unsent_keys()]


def send(
    spool: Spool, url: str, naps: Naps, *, token: str = TOKEN, policy: RetryPolicy = QUICK
) -> UploadReport:
    target = Target(url, token)
    with make_client(target, policy) as client:
        return send_unsent(
            spool, target, client, policy, sleep=naps, jitter=random.Random(1).random
        )


def assert_everything_stored_once(
    server: FailingCodespeed, entries: list[Entry], spool: Spool
) -> None:
    expected = {
        key_of(result.model_dump()): result.model_dump()
        for entry in entries
        for result in entry.results
    }
    assert server.stored == expected
    assert spool.unsent_keys() == ()
    assert set(spool.sent_keys()) == {entry.key for entry in entries}


def test_everything_is_sent_oldest_run_first(
    spool: Spool, entries: list[Entry], naps: Naps
) -> None:
    with failing_codespeed() as server:
        report = send(spool, server.url, naps)
        assert server.requests == 4
        assert_everything_stored_once(server, entries, spool)
    dates = [
        next(e for e in entries if e.key == key).results[0].revision_date for key in report.sent
    ]
    assert dates == sorted(dates)
    assert naps == []
    report.require_all_sent()


def test_sending_again_sends_nothing(spool: Spool, naps: Naps) -> None:
    with failing_codespeed() as server:
        send(spool, server.url, naps)
        assert send(spool, server.url, naps) == UploadReport((), ())
        assert server.requests == 4


@pytest.mark.parametrize("status", [500, 502, 503, 408, 429])
def test_a_server_in_trouble_is_asked_again_with_growing_waits(
    spool: Spool, entries: list[Entry], naps: Naps, status: int
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
    spool: Spool, entries: list[Entry], naps: Naps, trouble: object
) -> None:
    with failing_codespeed(trouble, accept, trouble) as server:  # type: ignore[arg-type]
        send(spool, server.url, naps)
        assert_everything_stored_once(server, entries, spool)
        if trouble is store_and_drop:
            assert max(server.times_stored.values()) == 2, "it was really sent twice"
    assert len(naps) == 2


def test_a_server_that_drips_does_not_hold_us(
    spool: Spool, entries: list[Entry], naps: Naps
) -> None:
    started = time.monotonic()
    with failing_codespeed(default=drip) as server:
        send(spool, server.url, naps, policy=QUICKER)
        assert_everything_stored_once(server, entries, spool)
    assert time.monotonic() - started < 10


def test_a_server_that_always_hangs_is_given_up_once_for_all_entries(
    spool: Spool, naps: Naps
) -> None:
    with failing_codespeed(default=stall) as server:
        report = send(spool, server.url, naps, policy=QUICKER)
        assert server.requests == QUICK.attempts
    assert len(report.unsent) == 4
    assert "did not answer in time" in report.unsent[0].reason
    assert len(spool.unsent_keys()) == 4


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


def test_a_wrong_token_is_not_tried_again_and_never_shown(
    spool: Spool, naps: Naps, capfd: pytest.CaptureFixture[str]
) -> None:
    wrong = "wr0ng-but-still-secret"
    with failing_codespeed() as server:  # it echoes the header that it got
        report = send(spool, server.url, naps, token=wrong)
        assert server.requests == 1
        assert server.stored == {}
    assert naps == []
    assert len(spool.unsent_keys()) == 4
    with pytest.raises(UploadFailed, match=r"refused the token with 401.*FLINK_BOOST_TOKEN") as it:
        report.require_all_sent()
    shown = "".join(
        [str(it.value), repr(report), repr(Target("http://x/", wrong)), *capfd.readouterr()]
    )
    assert wrong not in shown


@pytest.mark.parametrize("shift", range(0, 40, 7))
def test_a_token_echoed_in_any_answer_is_cut_out(spool: Spool, naps: Naps, shift: int) -> None:
    echo = "x" * (170 + shift) + f" Bearer {TOKEN} <title>You sent {TOKEN}</title>"
    with failing_codespeed(
        answer(400, echo), answer(500, f"&#32;{TOKEN}"), default=answer(400)
    ) as s:
        report = send(spool, s.url, naps, policy=RetryPolicy(attempts=1))
    assert TOKEN[:8] not in repr(report)
    assert "You sent ***" in report.unsent[0].reason


def test_a_refused_entry_stays_is_named_and_the_others_go_on(spool: Spool, naps: Naps) -> None:
    with failing_codespeed(answer(400, 'Value for key "benchmark"\n empty')) as server:
        report = send(spool, server.url, naps)
        assert server.requests == 4
    assert len(report.sent) == 3
    assert spool.unsent_keys() == (report.unsent[0].key,)
    assert 'answered 400 (Value for key "benchmark" empty)' in report.unsent[0].reason


def test_a_redirect_is_not_followed(spool: Spool, naps: Naps) -> None:
    with (
        failing_codespeed() as other,
        failing_codespeed(default=answer(307, Location=other.url + "result/add/json/")) as server,
    ):
        report = send(spool, server.url, naps)
        assert (server.requests, other.requests) == (1, 0), "the token stays with its host"
    assert "redirects to" in report.unsent[0].reason


@pytest.mark.parametrize("status", [200, 204, 404, 405])
def test_an_answer_that_is_not_codespeeds_does_not_count_as_accepted(
    spool: Spool, naps: Naps, status: int
) -> None:
    text = "" if status == 204 else "<html><title>Welcome &amp; log in</title></html>"
    with failing_codespeed(default=answer(status, text)) as server:
        report = send(spool, server.url, naps)
        assert server.requests == 1
    assert len(spool.unsent_keys()) == 4
    assert f"answered {status}" in report.unsent[0].reason
    assert "FLINK_BOOST_CODESPEED_URL" in report.next_step


def test_a_broken_spool_file_does_not_keep_the_others(
    spool: Spool, tmp_path: Path, naps: Naps
) -> None:
    (tmp_path / "spool" / "unsent" / "cut-off.json").write_text('{"key": "cut')
    with failing_codespeed() as server:
        report = send(spool, server.url, naps)
    assert len(report.sent) == 4
    assert [unsent.key for unsent in report.unsent] == ["cut-off"]


def test_the_target_comes_from_the_environment(tmp_path: Path) -> None:
    file = tmp_path / "token"
    file.write_text("from-file\n")
    embedded = tmp_path / "embedded"
    embedded.write_text("from-server\n")
    url = "https://speed.example.org/flink"
    assert find_target({"FLINK_BOOST_TOKEN": "t", "FLINK_BOOST_CODESPEED_URL": url}, embedded) == (
        Target(url + "/", "t")
    )
    assert find_target({"FLINK_BOOST_TOKEN_FILE": str(file)}, embedded).token == "from-file"
    assert find_target({}, embedded) == Target("http://127.0.0.1:8321/", "from-server")


@pytest.mark.parametrize(
    ("environ", "problem"),
    [
        ({"FLINK_BOOST_CODESPEED_URL": "https://speed.example.org/"}, "no token"),
        ({"FLINK_BOOST_CODESPEED_URL": "file:///etc/passwd"}, r"no http\(s\) address"),
        ({"FLINK_BOOST_CODESPEED_URL": "http://"}, r"no http\(s\) address"),
        ({"FLINK_BOOST_CODESPEED_URL": "http://host:99999/"}, r"no http\(s\) address"),
        ({"FLINK_BOOST_CODESPEED_URL": "http://u:pa55@host/"}, "holds a user"),
        ({"FLINK_BOOST_TOKEN": "two\nlines"}, "no HTTP header can carry"),
        ({"FLINK_BOOST_TOKEN": "schlüssel"}, "no HTTP header can carry"),
        ({"FLINK_BOOST_TOKEN_FILE": "/nowhere/token"}, "cannot be read"),
    ],
)
def test_an_unusable_target_is_refused_without_showing_secrets(
    tmp_path: Path, environ: dict[str, str], problem: str
) -> None:
    embedded = tmp_path / "token"
    embedded.write_text("only-for-this-machine")
    with pytest.raises(UsageProblem, match=problem) as failure:
        find_target(environ, embedded)
    assert "pa55" not in str(failure.value)
    assert "lines" not in str(failure.value)


def test_a_proxy_of_the_environment_is_not_used_for_this_machine(
    spool: Spool, naps: Naps, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9/")
    monkeypatch.delenv("NO_PROXY", raising=False)
    with failing_codespeed() as server:
        assert len(send(spool, server.url, naps).sent) == 4


def test_waits_grow_to_a_limit_and_are_spread() -> None:
    policy = RetryPolicy(first_wait=1.0, longest_wait=20.0)
    full = [policy.wait_before(attempt, jitter=1.0) for attempt in range(2, 9)]
    assert full == [1, 2, 4, 8, 16, 20, 20]
    assert policy.wait_before(2, jitter=0.0) == 0.5
