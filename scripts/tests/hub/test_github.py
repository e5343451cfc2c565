"""The hub over real HTTP, against a GitHub of our own that does what the real one does."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from urllib.parse import quote

import pytest
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
)

from flink_boost.base.errors import (
    AccountRefused,
    HubAway,
    HubRefused,
    PullRequestRefused,
    UsageProblem,
)
from flink_boost.service.requests.hub.account import find_account
from flink_boost.service.requests.hub.client import BoundedTransport, GitHubClient
from flink_boost.service.requests.hub.github import GitHubRepository, open_repository
from flink_boost.service.requests.hub.hub_model import Hub
from flink_boost.service.requests.hub.rate_limit import RateLimit
from hub.double import GitHubDouble, github_double
from hub.faults import Fault, forbidden, page_of_html, primary_limit, secondary_limit
from hub.state import GitHubState, PullRequestState

MARK = "<!-- flink-boost request r0123456789 -->"


@dataclass
class Clock:
    """A clock that goes on only when somebody sleeps by it."""

    now: float = 1000.0

    def __call__(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds


@pytest.fixture
def server() -> Iterator[GitHubDouble]:
    state = GitHubState()
    state.pulls[7] = PullRequestState(7)
    state.issues.add(3)
    with github_double(state) as running:
        yield running


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def hub(server: GitHubDouble, clock: Clock) -> GitHubRepository:
    client = GitHubClient(find_account(server.environ()), RateLimit(clock, clock.sleep))
    return GitHubRepository("apache/flink-boost", client)


def bodies(hub: Hub, cursor: str) -> tuple[list[str], str]:
    comments, after = hub.new_comments(cursor)
    return [comment.body for comment in comments], after


# -- reading comments --------------------------------------------------------------------------


def test_what_is_written_from_now_on_counts(server: GitHubDouble, hub: Hub) -> None:
    old = server.state.write(7, "someone", "old", at=server.state.now() - timedelta(minutes=1))
    none, cursor = hub.new_comments(None)
    assert none == ()

    new = server.state.write(7, "someone", "new\r\nline", at=server.state.now())
    server.state.edit(old, "old, changed to a command")
    (comment,), cursor = hub.new_comments(cursor)

    assert (comment.id, comment.number, comment.author, comment.bot) == (
        new.id,
        7,
        "someone",
        False,
    )
    assert comment.body == "new\r\nline"
    assert comment.created == new.created
    assert comment.url.endswith(f"#issuecomment-{new.id}")
    assert comment.repository == "apache/flink-boost"


@pytest.mark.parametrize("hours", [-13, 13])
def test_githubs_clock_counts_and_never_ours(server: GitHubDouble, hub: Hub, hours: int) -> None:
    server.state.skew = timedelta(hours=hours)
    assert hub.time() is None
    _, cursor = hub.new_comments(None)
    server.state.write(7, "someone", "/benchmark-request")
    assert bodies(hub, cursor)[0] == ["/benchmark-request"]
    for _ in range(3):  # the last answers are "not modified"
        _, cursor = hub.new_comments(cursor)
        told = hub.time()
        assert told is not None
        assert abs(told - server.state.now()) < timedelta(minutes=1)


def test_nothing_new_costs_nothing(server: GitHubDouble, hub: Hub) -> None:
    _, cursor = hub.new_comments(None)
    server.state.write(7, "someone", "one")
    for _ in range(4):
        _, cursor = hub.new_comments(cursor)
    asked = server.asked("GET", "/issues/comments$")
    assert "if-none-match" not in asked[0].headers
    assert asked[-1].headers["if-none-match"] == asked[-2].headers["if-none-match"]

    server.state.write(7, "someone", "two")
    assert "two" in bodies(hub, cursor)[0]


def test_a_comment_that_shows_late_is_still_read(server: GitHubDouble, hub: Hub) -> None:
    _, cursor = hub.new_comments(None)
    now = server.state.now()
    server.state.write(7, "someone", "first", at=now + timedelta(seconds=90))
    _, cursor = hub.new_comments(cursor)
    server.state.write(7, "someone", "late", at=now + timedelta(seconds=5))
    assert "late" in bodies(hub, cursor)[0]


@pytest.mark.parametrize("seconds_apart", [0, 1, 50])
def test_all_pages_are_read(server: GitHubDouble, hub: Hub, seconds_apart: int) -> None:
    server.state.page_limit = 10
    _, cursor = hub.new_comments(None)
    begun = server.state.now()
    for n in range(57):
        server.state.write(7, "someone", f"{n}", at=begun + timedelta(seconds=n * seconds_apart))
    found, cursor = bodies(hub, cursor)
    assert found == [str(n) for n in range(57)]


def test_an_edit_between_two_pages_loses_no_comment(
    server: GitHubDouble, hub: Hub, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.state.page_limit = 10
    _, cursor = hub.new_comments(None)
    begun = server.state.now()
    for n in range(40):
        server.state.write(7, "someone", f"{n}", at=begun + timedelta(seconds=n * 60))
    whole = GitHubState.comment_json
    shown = 0

    def shifting(self: GitHubState, comment: object) -> object:
        nonlocal shown
        shown += 1
        if shown == 10:  # the first page is being made
            self.edit(self.comments[1001], "0", at=begun + timedelta(hours=2))
        return whole(self, comment)  # type: ignore[arg-type]

    monkeypatch.setattr(GitHubState, "comment_json", shifting)
    found, _ = bodies(hub, cursor)
    assert sorted(found, key=int) == [str(n) for n in range(40)]


def test_github_away_in_the_middle_keeps_what_was_read(server: GitHubDouble, hub: Hub) -> None:
    server.state.page_limit = 10
    _, cursor = hub.new_comments(None)
    begun = server.state.now()
    for n in range(30):
        server.state.write(7, "someone", f"{n}", at=begun + timedelta(minutes=n))
    hub.login()
    server.faults.append(_Later(iter((False, True))))  # the first page passes
    first, after = bodies(hub, cursor)
    assert 0 < len(first) < 30
    rest, _ = bodies(hub, after)
    assert set(first) | set(rest) == {str(n) for n in range(30)}


class _Later(Fault):
    """Hits the calls that its answers say."""

    def __init__(self, answers: Iterator[bool]) -> None:
        super().__init__(status=503)
        self._answers = answers

    def hits(self, *_: str) -> bool:
        return next(self._answers, False)


def test_bots_and_accounts_that_are_gone(server: GitHubDouble, hub: Hub) -> None:
    _, cursor = hub.new_comments(None)
    server.state.write(7, "dependabot[bot]", "one", kind="Bot")
    server.state.write(7, "ghost", "two")
    found, _ = hub.new_comments(cursor)
    assert [(c.author, c.bot) for c in found] == [("dependabot[bot]", True), ("ghost", False)]


def test_characters_that_no_database_takes_stop_nobody(server: GitHubDouble, hub: Hub) -> None:
    _, cursor = hub.new_comments(None)
    server.state.write(7, "someone", "a\ud800b\x00c\U0001f600")
    server.state.pulls[7].head_ref = "x\udfffy"
    assert bodies(hub, cursor)[0] == ["a\ufffdb\ufffdc\U0001f600"]
    found = hub.pull_request(7)
    assert found is not None
    assert found.head_ref == "x\ufffdy"


def test_a_broken_cursor_is_no_fresh_start(hub: Hub) -> None:
    with pytest.raises(Exception, match="unreadable"):
        hub.new_comments("{}")


def test_edited_and_deleted_comments(server: GitHubDouble, hub: Hub) -> None:
    comment = server.state.write(7, "someone", "one")
    server.state.edit(comment, "two", at=comment.created + timedelta(seconds=9))
    found = hub.comment(comment.id)
    assert found is not None
    assert (found.body, found.updated - found.created) == ("two", timedelta(seconds=9))
    del server.state.comments[comment.id]
    assert hub.comment(comment.id) is None


# -- pull requests -----------------------------------------------------------------------------


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


# -- answering ---------------------------------------------------------------------------------


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


# -- GitHub in trouble -------------------------------------------------------------------------


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


# -- names and hosts ---------------------------------------------------------------------------


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


# -- accounts ----------------------------------------------------------------------------------


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
