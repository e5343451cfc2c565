"""Accounts, tokens and names of repositories at GitHub, and the hosts that get a token."""

from __future__ import annotations

from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
)

from flink_boost.base.errors import AccountRefused, HubAway, HubRefused, UsageProblem
from flink_boost.service.requests.hub.github import open_repository
from flink_boost.service.requests.hub.hub_model import Hub
from hub.double import GitHubDouble, github_double
from hub.faults import Fault, forbidden
from hub.github_calls import MARK


def test_a_renamed_repository_goes_on(server: GitHubDouble, hub: Hub) -> None:
    _, cursor = hub.new_comments(None)
    server.state.old_name, server.state.repository = "apache/flink-boost", "apache/flink-faster"
    server.state.write(7, "someone", "one")
    (comment,), _ = hub.new_comments(cursor)
    assert (comment.repository, comment.body) == ("apache/flink-boost", "one")
    posted = hub.post(7, "Queued.", MARK)  # a POST stays one
    assert hub.edit(posted, f"Building. {MARK}")
    assert server.state.comments[posted].body == f"Building. {MARK}"


@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_the_token_goes_to_no_other_host(hub: Hub, server: GitHubDouble, status: int) -> None:
    hub.login()
    with github_double() as other:
        moved = {"Location": f"{other.url}/repos/apache/flink-boost/pulls/7"}
        told = {"message": "Moved"}
        server.faults.append(Fault(status=status, body=told, headers=moved, valid=False))
        with pytest.raises(HubRefused, match="another host"):
            hub.pull_request(7)
        link = {"Link": f'<{other.url}/x>; rel="next"'}
        server.faults.append(Fault(status=200, body=[], headers=link))
        with pytest.raises(HubRefused, match="another host"):
            hub.post(7, "x", MARK)
        assert other.calls == []


def test_a_circle_of_redirects_ends(hub: Hub, server: GitHubDouble) -> None:
    hub.login()
    moved = {"Location": f"{server.url}/repos/apache/flink-boost/pulls/7"}
    server.faults.append(Fault(status=301, body={"message": "Moved"}, headers=moved, times=100))
    with pytest.raises(HubRefused, match="circle"):
        hub.pull_request(7)


@pytest.mark.parametrize(
    "name", ["", "flink", "a/b/c", "a/..", "a/.", "../b", "a/b?x=1", "a b/c", "-a/b", "a/b\n"]
)
def test_names_that_are_no_repository(name: str) -> None:
    with pytest.raises(UsageProblem):
        open_repository(name, {"FLINK_BOOST_GITHUB_TOKEN": "t"})


def test_a_bad_token_or_a_missing_permission_is_said(server: GitHubDouble, hub: Hub) -> None:
    assert hub.login() == "bench-account"
    server.faults.append(forbidden("/permission", "Must have push access"))
    with pytest.raises(HubRefused, match=r"Must have push access.*requests-setup"):
        hub.may_ask("someone")
    server.state.tokens.clear()
    with pytest.raises(HubRefused, match="Bad credentials") as refused:
        hub.pull_request(7)
    assert "t0ken" not in str(refused.value)
    assert refused.value.exit_code == 28


def test_a_repository_that_we_do_not_see_is_not_an_absent_comment(
    server: GitHubDouble, hub: Hub
) -> None:
    server.state.repository = "apache/other"
    for call in (lambda: hub.comment(1), lambda: hub.pull_request(7), lambda: hub.edit(1, "x")):
        with pytest.raises(HubRefused, match="does not see it"):
            call()


def test_a_token_that_was_renewed_in_its_file(server: GitHubDouble, tmp_path: Path) -> None:
    file = tmp_path / "token"
    file.write_text("first\n")
    file.chmod(0o600)
    server.state.tokens = {"first": "bench-account"}
    environ = {
        "FLINK_BOOST_GITHUB_API": server.url,
        "FLINK_BOOST_GITHUB_TOKEN_FILE": str(file),
    }
    hub = open_repository("apache/flink-boost", environ)
    assert hub.pull_request(7)
    server.state.tokens = {"second": "bench-account"}
    with pytest.raises(HubRefused):
        hub.pull_request(7)
    file.write_text("second\n")
    assert hub.pull_request(7)


def test_a_token_whose_file_is_away_is_waited_for_and_costs_no_request(
    server: GitHubDouble, tmp_path: Path
) -> None:
    file = tmp_path / "token"
    file.write_text("first\n")
    file.chmod(0o600)
    server.state.tokens = {"second": "bench-account"}
    environ = {
        "FLINK_BOOST_GITHUB_API": server.url,
        "FLINK_BOOST_GITHUB_TOKEN_FILE": str(file),
    }
    hub = open_repository("apache/flink-boost", environ)
    file.unlink()
    with pytest.raises(HubAway, match="cannot be read"):
        hub.pull_request(7)
    file.write_text("")
    file.chmod(0o600)
    with pytest.raises(HubAway, match="holds no"):
        hub.pull_request(7)
    file.write_text("second\n")
    assert hub.pull_request(7)


def test_a_github_app(server: GitHubDouble, tmp_path: Path) -> None:
    key = rsa.generate_private_key(65537, 2048)
    server.state.app_key = key.public_key().public_bytes(
        Encoding.PEM, PublicFormat.SubjectPublicKeyInfo
    )
    file = tmp_path / "key.pem"
    file.write_bytes(
        key.private_bytes(Encoding.PEM, PrivateFormat.TraditionalOpenSSL, NoEncryption())
    )
    file.chmod(0o600)
    environ = {
        "FLINK_BOOST_GITHUB_API": server.url,
        "FLINK_BOOST_GITHUB_APP_ID": "12345",
        "FLINK_BOOST_GITHUB_APP_KEY_FILE": str(file),
    }
    hub = open_repository("apache/flink-boost", environ)
    posted = hub.post(7, "Queued.", MARK)
    assert hub.login() == "bench-app[bot]"
    assert server.state.comments[posted].author == "bench-app[bot]"
    assert len(server.asked("POST", "access_tokens")) == 1

    server.state.tokens.clear()  # withdrawn: another one is fetched
    assert hub.post(7, "Queued.", MARK) == posted
    assert len(server.asked("POST", "access_tokens")) == 2

    server.state.installed = False
    with pytest.raises(HubRefused, match="not installed"):
        open_repository("apache/flink-boost", environ).pull_request(7)
    server.state.tokens.clear()
    server.faults.append(
        Fault(status=404, body={"message": "Not Found"}, path="access_tok", times=2)
    )
    with pytest.raises(HubRefused, match="There is no repository"):
        hub.pull_request(7)
    server.state.installed = True  # anew, as another installation
    before = len(server.asked("GET", "/installation$"))
    assert hub.pull_request(7)
    assert len(server.asked("GET", "/installation$")) == before + 1


@pytest.mark.parametrize(
    ("fault", "is_of_the_account"),
    [
        (Fault(status=401, body={"message": "Bad credentials"}, times=9), True),
        (forbidden(message="Sorry. Your account was suspended."), True),
        (forbidden(message="This installation has been suspended"), False),
        (forbidden(), False),
        (Fault(status=404, body={"message": "Not Found"}, times=9), False),
        (Fault(status=301, headers={"Location": "https://example.org/x"}, times=9), False),
    ],
    ids=["token", "suspended", "installation suspended", "no permission", "gone", "elsewhere"],
)
def test_only_a_refused_account_is_refused_everywhere(
    hub: Hub, server: GitHubDouble, fault: Fault, is_of_the_account: bool
) -> None:
    hub.login()
    server.faults.append(Fault(**vars(fault)))
    with pytest.raises(HubRefused) as refused:
        hub.new_comments(None)
    assert isinstance(refused.value, AccountRefused) is is_of_the_account


def test_a_token_that_may_not_ask_who_it_is(server: GitHubDouble) -> None:
    server.state.us = "github-actions[bot]"
    environ = server.environ("of-a-workflow")
    with pytest.raises(AccountRefused, match="FLINK_BOOST_GITHUB_LOGIN"):
        open_repository("apache/flink-boost", environ).login()
    environ["FLINK_BOOST_GITHUB_LOGIN"] = "github-actions[bot]"
    hub = open_repository("apache/flink-boost", environ)
    assert hub.post(7, "x", MARK) == hub.post(7, "x", MARK)
