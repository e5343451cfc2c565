"""Where results are sent: the address and token of the environment, its proxy, and warnings."""

from __future__ import annotations

from pathlib import Path

import pytest
from failing_codespeed import TOKEN, failing_codespeed
from sending import Naps, send

from flink_boost.base.errors import UsageProblem
from flink_boost.publish.spool import Spool
from flink_boost.publish.target import Target, find_target
from flink_boost.publish.upload import RetryPolicy, make_client, send_unsent

pytestmark = pytest.mark.quiet


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


@pytest.mark.parametrize(
    ("url", "warned"),
    [
        ("http://speed.example.org/", True),
        ("http://192.0.2.7:8321/", True),
        ("http://[2001:db8::1]/", True),
        ("https://speed.example.org/", False),
        ("http://127.0.0.1:8321/", False),
        ("http://localhost:8321/", False),
        ("http://dashboard:8321/", False),  # of the same compose file
    ],
)
def test_a_token_that_would_travel_in_the_open_is_warned_of(
    url: str, warned: bool, tmp_path: Path
) -> None:
    told: list[str] = []
    target = Target(url, TOKEN)
    with make_client(target, RetryPolicy()) as client:
        send_unsent(Spool(tmp_path), target, client, RetryPolicy(), tell=told.append)
    assert bool(told) == warned
    assert all("unencrypted" in sentence and TOKEN not in sentence for sentence in told)
