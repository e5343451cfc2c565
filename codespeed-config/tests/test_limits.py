"""How often a client may ask, and who a client is."""

from __future__ import annotations

import ipaddress
from typing import Any

import httpx
import pytest
from django.core.exceptions import ImproperlyConfigured

from boost_dashboard.server.clients import account, find_client
from boost_dashboard.server.limits import Limits, read_limits
from boost_dashboard.server.rate import RateLimit
from conftest import Dashboard, result

pytestmark = pytest.mark.quiet

PROXIES = (ipaddress.ip_network("10.0.0.0/24"), ipaddress.ip_network("::1/128"))


def test_a_client_may_ask_a_burst_and_then_so_many_a_second() -> None:
    rate = RateLimit(per_second=2, burst=3)

    assert [rate.seconds_to_wait("a", 0.0) for _ in range(4)] == [0, 0, 0, 0.5]
    assert rate.seconds_to_wait("b", 0.0) == 0
    assert rate.seconds_to_wait("a", 0.5) == 0
    assert rate.seconds_to_wait("a", 0.5) > 0
    assert [rate.seconds_to_wait("a", 100.0) for _ in range(4)] == [0, 0, 0, 0.5]


def test_the_memory_of_clients_is_bounded() -> None:
    rate = RateLimit(per_second=1, burst=1)
    for number in range(10_000):
        assert rate.seconds_to_wait(str(number), 0.0) == 0

    assert rate.seconds_to_wait("9999", 0.0) > 0
    assert rate.seconds_to_wait("0", 0.0) == 0  # long forgotten


@pytest.mark.parametrize(
    ("peer", "forwarded", "client"),
    [
        ("192.0.2.1", "198.51.100.7", "192.0.2.1"),
        ("10.0.0.5", "198.51.100.7", "198.51.100.7"),
        ("10.0.0.5", "1.1.1.1, 198.51.100.7", "198.51.100.7"),
        ("10.0.0.5", "1.1.1.1, 198.51.100.7, 10.0.0.6", "198.51.100.7"),
        ("::1", "198.51.100.7:4711", "198.51.100.7"),
        ("::ffff:10.0.0.5", "[2001:db8::1]:80", "2001:db8::1"),
        ("10.0.0.5", "", "10.0.0.5"),
        ("10.0.0.5", "unknown", "10.0.0.5"),
        ("10.0.0.5", "198.51.100.7, <script>", "10.0.0.5"),
        ("10.0.0.5", "10.0.0.7", "10.0.0.7"),
    ],
)
def test_only_a_trusted_proxy_says_who_the_client_is(
    peer: str, forwarded: str, client: str
) -> None:
    assert find_client(peer, {"X_FORWARDED_FOR": forwarded}, PROXIES) == client


def test_a_client_of_ipv6_is_its_network() -> None:
    assert account("2001:db8::1") == account("2001:db8::ffff:1")
    assert account("2001:db8::1") != account("2001:db8:0:1::1")
    assert account("::ffff:192.0.2.1") != account("::ffff:192.0.2.2")


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("FLINK_BOOST_READ_SECONDS", "0"),
        ("FLINK_BOOST_READ_SECONDS", "soon"),
        ("FLINK_BOOST_REQUESTS_PER_SECOND", "nan"),
        ("FLINK_BOOST_CONNECTIONS", "-1"),
        ("FLINK_BOOST_TRUSTED_PROXIES", "proxy.example.org"),
        ("FLINK_BOOST_TRUSTED_PROXIES", "10.0.0.5, 0.0.0.0/0"),
    ],
)
def test_an_unusable_limit_is_named(variable: str, value: str) -> None:
    with pytest.raises(ImproperlyConfigured, match=variable):
        read_limits({variable: value})


def test_usual_limits_hold_without_any_variable() -> None:
    assert read_limits({}) == Limits()
    assert read_limits({"FLINK_BOOST_TRUSTED_PROXIES": "10.0.0.0/24, ::1"}) == Limits(
        trusted_proxies=PROXIES
    )


def statuses(dashboard: Dashboard, times: int, **headers: str) -> list[int]:
    with httpx.Client(timeout=20, headers=headers) as client:
        return [client.get(dashboard.url + "nowhere").status_code for _ in range(times)]


def test_a_client_that_asks_too_often_is_told_when_to_ask_again(start: Any) -> None:
    dashboard: Dashboard = start(FLINK_BOOST_REQUESTS_PER_SECOND="1")

    assert 429 in statuses(dashboard, 20)
    refused = dashboard.get("nowhere")
    assert (refused.status_code, refused.headers["Retry-After"]) == (429, "1")
    assert "wait a moment" in refused.text
    assert dashboard.get("healthz").status_code == 200
    # A header that anybody can send makes nobody another client.
    assert set(statuses(dashboard, 5, **{"X-Forwarded-For": "198.51.100.9"})) <= {404, 429}
    assert 429 in statuses(dashboard, 5, **{"X-Forwarded-For": "198.51.100.9"})


def test_clients_behind_a_trusted_proxy_are_told_apart(start: Any) -> None:
    dashboard: Dashboard = start(
        FLINK_BOOST_REQUESTS_PER_SECOND="1", FLINK_BOOST_TRUSTED_PROXIES="127.0.0.1"
    )

    assert 429 in statuses(dashboard, 20, **{"X-Forwarded-For": "198.51.100.7"})
    assert statuses(dashboard, 3, **{"X-Forwarded-For": "198.51.100.8"}) == [404] * 3
    # What a client writes in front of what the proxy adds does not count.
    assert 429 in statuses(dashboard, 3, **{"X-Forwarded-For": "203.0.113.1, 198.51.100.7"})
    assert " 198.51.100.8 GET /nowhere 404 " in dashboard.log


def test_usual_limits_are_met_by_nobody_who_works(dashboard: Dashboard) -> None:
    assert statuses(dashboard, 300) == [404] * 300
    assert {dashboard.upload([result()]).status_code for _ in range(20)} == {202}
