"""GitHub in trouble, slow, away or at its limits: calls wait, and end."""

from __future__ import annotations

from datetime import timedelta

import pytest

from flink_boost.base.errors import HubAway
from flink_boost.service.requests.hub.account import find_account
from flink_boost.service.requests.hub.client import BoundedTransport, GitHubClient
from flink_boost.service.requests.hub.github import GitHubRepository, open_repository
from flink_boost.service.requests.hub.hub_model import Hub
from flink_boost.service.requests.hub.rate_limit import RateLimit
from hub.double import GitHubDouble
from hub.faults import Fault, page_of_html, primary_limit, secondary_limit
from hub.github_calls import MARK, Clock, bodies


@pytest.mark.parametrize(
    "fault",
    [
        Fault(status=500),
        page_of_html(502),
        Fault(status=503, body="", headers={"Retry-After": "7"}),
        Fault(way="drop"),
        Fault(way="cut"),
        Fault(status=200, body=[{"id": "not a number"}], valid=False),
    ],
    ids=["500", "html", "503", "dropped", "cut", "another form"],
)
def test_trouble_delays(hub: Hub, server: GitHubDouble, fault: Fault) -> None:
    _, cursor = hub.new_comments(None)
    server.state.write(7, "someone", "one")
    server.faults.append(Fault(**{**vars(fault), "path": "/issues/comments"}))
    with pytest.raises(HubAway):
        hub.new_comments(cursor)
    if fault.headers:
        hub._client._pace.sleep(8)  # type: ignore[attr-defined]
    assert bodies(hub, cursor)[0] == ["one"]


def test_slow_and_hanging_answers_end(server: GitHubDouble, clock: Clock) -> None:
    transport = BoundedTransport(whole_seconds=0.5)
    client = GitHubClient(find_account(server.environ()), transport=transport)
    hub = GitHubRepository("apache/flink-boost", client)
    hub.login()
    server.faults.append(Fault(way="trickle", method="GET"))
    with pytest.raises(HubAway, match="EndlessAnswer"):
        hub.pull_request(7)
    client = GitHubClient(find_account(server.environ()), read_seconds=0.3)
    hub = GitHubRepository("apache/flink-boost", client)
    server.faults.append(Fault(way="hang"))
    with pytest.raises(HubAway, match="ReadTimeout"):
        hub.pull_request(7)


def test_an_answer_without_end_is_not_read(server: GitHubDouble) -> None:
    transport = BoundedTransport(largest=10_000)
    client = GitHubClient(find_account(server.environ()), transport=transport)
    hub = GitHubRepository("apache/flink-boost", client)
    comment = server.state.write(7, "someone", "x" * 20_000)
    with pytest.raises(HubAway, match="EndlessAnswer"):
        hub.comment(comment.id)


@pytest.mark.parametrize(
    ("fault", "seconds"),
    [
        (secondary_limit(30), 30),
        (secondary_limit(30, status=429), 30),
        (secondary_limit(None), 60),
        (Fault(status=429, body={"message": "slow down"}), 60),
        (Fault(status=403, body={"message": "x"}, headers={"Retry-After": "soon"}), 60),
    ],
    ids=["secondary", "429", "secondary, unsaid", "429, unsaid", "unreadable"],
)
def test_who_is_asked_to_wait_waits(
    hub: Hub, server: GitHubDouble, clock: Clock, fault: Fault, seconds: int
) -> None:
    hub.login()
    before = len(server.calls)
    server.faults.append(Fault(**vars(fault)))
    with pytest.raises(HubAway) as away:
        hub.may_ask("someone")
    assert away.value.retry_after == seconds
    clock.sleep(seconds - 2)
    with pytest.raises(HubAway) as away:
        hub.may_ask("someone")
    assert away.value.retry_after == pytest.approx(2)
    assert len(server.calls) == before + 1  # nothing was sent meanwhile
    clock.sleep(2.1)
    assert not hub.may_ask("someone")


def test_clients_of_one_account_wait_and_write_as_one(server: GitHubDouble, clock: Clock) -> None:
    account, pace = find_account(server.environ()), RateLimit(clock, clock.sleep)
    one, other = (
        GitHubRepository("apache/flink-boost", GitHubClient(account, pace)) for _ in range(2)
    )
    ours = one.post(7, "x", MARK)
    began = clock.now
    for hub in (other, one, other):
        assert hub.edit(ours, f"by {id(hub)}")
    assert clock.now - began == pytest.approx(3)

    server.faults.append(secondary_limit(30))
    for hub in (one, other):
        with pytest.raises(HubAway) as away:
            hub.may_ask("someone")
        assert away.value.retry_after == pytest.approx(30)
    assert len(server.asked("GET", "/permission$")) == 1
    clock.sleep(31)
    assert not other.may_ask("someone")


@pytest.mark.parametrize("hours", [-5, 0, 5])
def test_the_end_of_a_limit_is_by_githubs_clock(hub: Hub, server: GitHubDouble, hours: int) -> None:
    server.state.skew = timedelta(hours=hours)
    hub.login()
    server.faults.append(primary_limit(int(server.state.now().timestamp()) + 600))
    with pytest.raises(HubAway) as away:
        hub.may_ask("someone")
    assert away.value.retry_after == pytest.approx(601, abs=2)


def test_a_github_that_is_not_there_is_away(clock: Clock) -> None:
    environ = {"FLINK_BOOST_GITHUB_API": "http://127.0.0.1:9", "FLINK_BOOST_GITHUB_TOKEN": "t"}
    hub = open_repository("apache/flink-boost", environ)
    with pytest.raises(HubAway, match="did not answer"):
        hub.new_comments(None)
