"""Pull requests at GitHub, and answers that are written to them over real HTTP."""

from __future__ import annotations

from urllib.parse import quote

import pytest

from flink_boost.base.errors import HubAway, HubRefused, PullRequestRefused, UsageProblem
from flink_boost.service.requests.hub.hub_model import Hub
from hub.double import GitHubDouble
from hub.faults import Fault, page_of_html
from hub.github_calls import MARK, Clock


def test_pull_requests(server: GitHubDouble, hub: Hub) -> None:
    pull = server.state.pulls[7]
    pull.head_ref = "--upload-pack=touch /tmp/x; 'a b'"
    found = hub.pull_request(7)
    assert found is not None
    assert (found.open, found.head_sha, found.base_sha) == (True, "a" * 40, "b" * 40)
    assert (found.head_ref, found.base_ref) == (pull.head_ref, "master")
    assert (found.head_url, found.base_url) == (pull.fork_url, server.state.base_url)

    pull.head_sha = "d" * 40  # a force-push
    pull.open = False
    found = hub.pull_request(7)
    assert found is not None
    assert (found.open, found.head_sha) == (False, "d" * 40)

    for change in ({"hidden": True}, {"hidden": False, "fork": None}):
        for name, value in change.items():
            setattr(pull, name, value)
        found = hub.pull_request(7)
        assert found is not None
        assert found.head_url is None

    assert hub.pull_request(3) is None  # an issue
    assert hub.pull_request(99) is None


def test_merge_base(server: GitHubDouble, hub: Hub) -> None:
    server.state.merge_bases["b" * 40, "a" * 40] = "c" * 40
    assert hub.merge_base("b" * 40, "a" * 40) == "c" * 40
    with pytest.raises(PullRequestRefused, match="no commit in common"):
        hub.merge_base("b" * 40, "e" * 40)
    for name in ("release/2.3", "a&b=c#d%2e", "größer"):
        server.state.merge_bases[name, "a" * 40] = "d" * 40
        assert hub.merge_base(name, "a" * 40) == "d" * 40
        assert server.calls[-1].path.endswith(f"/compare/{quote(name, safe='')}...{'a' * 40}")
    with pytest.raises(UsageProblem):
        hub.merge_base("b" * 40, "master")


def test_who_may_ask(server: GitHubDouble, hub: Hub) -> None:
    server.state.permissions = {"owner": "admin", "w": "write", "m": "maintain", "t": "triage"}
    may = {who: hub.may_ask(who) for who in ("owner", "w", "m", "t", "stranger", "dep[bot]")}
    assert may == {
        "owner": True, "w": True, "m": True, "t": False, "stranger": False, "dep[bot]": False,
    }  # fmt: skip
    server.state.permissions["w"] = "read"  # asked now, never remembered
    assert not hub.may_ask("w")
    assert not hub.may_ask("../../../user")
    assert server.calls[-1].path.startswith("/repos/apache/flink-boost")


def test_an_answer_is_posted_once(server: GitHubDouble, hub: Hub) -> None:
    server.state.write(7, "stranger", f"I have planted your mark {MARK}")
    for _ in range(150):
        server.state.write(7, "someone", "talk")
    first = hub.post(7, "Queued.", MARK)
    assert hub.post(7, "Queued.", MARK) == first
    assert server.state.comments[first].body == f"Queued.\n\n{MARK}"
    assert len(server.asked("POST")) == 1
    assert hub.post(7, f"{MARK} inside", MARK.replace("r0", "r1")) != first


def test_a_post_whose_answer_was_cut_is_found_again(server: GitHubDouble, hub: Hub) -> None:
    server.faults.append(Fault(way="cut", method="POST"))
    with pytest.raises(HubAway):
        hub.post(7, "Queued.", MARK)
    posted = hub.post(7, "Queued.", MARK)
    assert [c.id for c in server.state.comments.values()] == [posted]


def test_editing(server: GitHubDouble, hub: Hub) -> None:
    ours = hub.post(7, "Queued.", MARK)
    assert hub.edit(ours, f"Building. {MARK}")
    assert server.state.comments[ours].body == f"Building. {MARK}"
    del server.state.comments[ours]
    assert not hub.edit(ours, "gone")


def test_what_cannot_be_answered_concerns_one_pull_request(server: GitHubDouble, hub: Hub) -> None:
    server.state.pulls[7].locked = True
    for number, body in ((7, "locked"), (99, "none"), (3, "x" * 70_000)):
        with pytest.raises(PullRequestRefused):
            hub.post(number, body, MARK)
    assert hub.post(3, "others go on", MARK)


FULL = "Commenting is disabled on issues with more than 2500 comments"


@pytest.mark.parametrize("method", ["POST", "PATCH"])
def test_a_refusal_of_one_conversation_concerns_that_pull_request_only(
    server: GitHubDouble, hub: Hub, method: str
) -> None:
    ours = hub.post(3, "Queued.", MARK)
    server.faults.append(Fault(status=403, body={"message": FULL}, method=method, path="/issues/"))
    with pytest.raises(PullRequestRefused, match="2500"):
        hub.post(7, "no more", MARK) if method == "POST" else hub.edit(ours, "no more")


@pytest.mark.parametrize("method", ["POST", "PATCH"])
@pytest.mark.parametrize("status", [400, 408, 409, 422])
def test_a_text_that_is_not_taken_now_is_tried_again(
    server: GitHubDouble, hub: Hub, method: str, status: int
) -> None:
    ours = hub.post(3, "Queued.", MARK)
    busy = {"message": "Validation Failed", "errors": [{"message": "was submitted too quickly"}]}
    server.faults.append(
        Fault(status=status, body=busy, method=method, path="/issues/", valid=False)
    )
    with pytest.raises(HubAway, match=f"refused with {status}: Validation Failed"):
        hub.post(7, "Hello", MARK) if method == "POST" else hub.edit(ours, "Hello")
    assert hub.post(7, "Hello", MARK)
    assert hub.edit(ours, "Hello")


@pytest.mark.parametrize("status", [413, 422])
def test_a_text_that_github_calls_too_long_is_given_up(
    server: GitHubDouble, hub: Hub, status: int
) -> None:
    errors = [{"message": "body is too long (maximum is 65536 characters)"}]
    told = {"message": "Validation Failed", "errors": errors}
    server.faults.append(Fault(status=status, body=told, method="POST", valid=False))
    with pytest.raises(PullRequestRefused, match="Validation"):
        hub.post(7, "Hello", MARK)


@pytest.mark.parametrize(
    "said",
    [
        "Resource not accessible by personal access token",
        "Must have admin rights to Repository.",
        "Resource protected by organization SAML enforcement.",
    ],
)
def test_a_permission_that_is_missing_for_writing_is_our_accounts(
    server: GitHubDouble, hub: Hub, said: str
) -> None:
    server.faults.append(Fault(status=403, body={"message": said}, method="POST"))
    with pytest.raises(HubRefused, match="requests-setup") as refused:
        hub.post(7, "Hello", MARK)
    assert not isinstance(refused.value, PullRequestRefused)


@pytest.mark.parametrize("fault", [page_of_html(403), Fault(status=403, body={"message": ""})])
def test_a_refusal_without_a_reason_is_tried_again(
    server: GitHubDouble, hub: Hub, fault: Fault
) -> None:
    server.faults.append(fault)
    with pytest.raises(HubAway, match="without a reason"):
        hub.post(7, "Hello", MARK)
    assert hub.post(7, "Hello", MARK)


def test_writing_keeps_the_pace_that_github_asks_for(hub: Hub, clock: Clock) -> None:
    begun = clock.now
    for n in range(5):
        hub.post(7, "Hello", f"<!-- flink-boost {n} -->")
    assert clock.now - begun >= 4
