"""The webhook: GitHub's own examples, forged ones, replays, and clients that are slow or greedy."""

from __future__ import annotations

import copy
import hashlib
import hmac
import json
import socket
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx
import pytest

from flink_boost.base.errors import EnvironmentProblem, UsageProblem
from flink_boost.service.requests.hub.hub_model import Comment
from flink_boost.service.requests.hub.listening import listening
from flink_boost.service.requests.hub.webhook import LARGEST_BODY, Receiver, find_secrets, is_signed
from hub.description import webhooks

SECRET = b"0123456789abcdef0123456789abcdef"
REPOSITORY = "Codertocat/Hello-World"
NOW = datetime(2026, 11, 1, 12, 0, tzinfo=UTC)


@dataclass
class Box:
    """Where comments are stored; ``broken`` is a database that is away."""

    comments: list[Comment] = field(default_factory=list)
    told: list[str] = field(default_factory=list)
    broken: bool = False

    def store(self, comment: Comment) -> None:
        if self.broken:
            raise OSError("no database")
        self.comments.append(comment)


@dataclass
class Hook:
    """A receiver on a port, and GitHub's side of it."""

    port: int
    box: Box
    deliveries: int = 0

    def send(self, payload: Any, event: str = "issue_comment", **changes: Any) -> httpx.Response:
        body = changes.pop("body", json.dumps(payload).encode())
        signed = hmac.new(changes.pop("secret", SECRET), body, hashlib.sha256).hexdigest()
        self.deliveries += 1
        headers = {
            "Content-Type": "application/json",
            "X-GitHub-Event": event,
            "X-GitHub-Delivery": f"72d3162e-cc78-11e3-81ab-{self.deliveries:012}",
            "X-Hub-Signature-256": f"sha256={signed}",
        }
        for name, value in changes.items():
            headers.pop(name.replace("_", "-"), None)
            if value is not None:
                headers[name.replace("_", "-")] = value
        return httpx.post(
            f"http://127.0.0.1:{self.port}/webhook", content=body, headers=headers, timeout=20
        )


@pytest.fixture
def hook() -> Iterator[Hook]:
    box = Box()
    receiver = Receiver(
        ("apache/flink", REPOSITORY), (SECRET,), box.store, box.told.append, now=lambda: NOW
    )
    with listening(receiver, "127.0.0.1", 0, read_seconds=2.0) as port:
        yield Hook(port, box)


def payload(**comment: Any) -> dict[str, Any]:
    """GitHub's example of a comment, as one on a pull request that was written now."""
    shown = copy.deepcopy(webhooks()["issue_comment"][0])
    number = shown["issue"]["number"]
    url = f"https://api.github.com/repos/{REPOSITORY}/pulls/{number}"
    shown["issue"]["pull_request"] = {"url": url}
    shown["comment"] |= {"created_at": "2026-11-01T11:59:58Z", **comment}
    return shown


def test_a_comment_on_a_pull_request_is_stored(hook: Hook) -> None:
    answer = hook.send(payload(body="/benchmark-request"))
    assert (answer.status_code, answer.text) == (202, "taken\n")
    (comment,) = hook.box.comments
    shown = payload()
    assert comment.body == "/benchmark-request"
    assert comment.id == shown["comment"]["id"]
    assert (comment.repository, comment.number) == (REPOSITORY, shown["issue"]["number"])
    assert (comment.author, comment.bot) == ("Codertocat", False)


def test_all_of_githubs_examples_are_answered_and_none_is_a_request(hook: Hook) -> None:
    sent = 0
    for event, examples in webhooks().items():
        for example in examples:
            assert hook.send(example, event).status_code == 200, event
            sent += 1
    assert sent > 200
    assert hook.box.comments == []


def test_examples_of_comments_are_read_whatever_else_they_carry(hook: Hook) -> None:
    created = [e for e in webhooks()["issue_comment"] if e["action"] == "created"]
    for number, example in enumerate(created):
        shown = copy.deepcopy(example)
        shown["issue"]["pull_request"] = {"url": "https://example.org"}
        shown["repository"]["full_name"] = REPOSITORY.upper()
        shown["comment"] |= {"id": number, "created_at": "2026-11-01T12:00:00Z"}
        assert hook.send(shown).status_code == 202
    assert [comment.id for comment in hook.box.comments] == list(range(len(created)))


@pytest.mark.parametrize("action", ["edited", "deleted"])
def test_edited_and_deleted_comments_are_not_taken(hook: Hook, action: str) -> None:
    assert hook.send(payload() | {"action": action}).text == "ignored: another action\n"
    assert hook.box.comments == []


@pytest.mark.parametrize(
    ("changes", "status"),
    [
        ({"secret": b"another secret of some length"}, 401),
        ({"X_Hub_Signature_256": None}, 401),
        ({"X_Hub_Signature_256": ""}, 401),
        ({"X_Hub_Signature_256": "sha256="}, 401),
        ({"X_Hub_Signature_256": "sha1=" + "0" * 40}, 401),
        ({"X_Hub_Signature_256": "sha256=" + "0" * 64}, 401),
        ({"X_GitHub_Delivery": None}, 400),
        ({"X_GitHub_Delivery": "../../x"}, 400),
        ({"Content_Type": "application/x-www-form-urlencoded"}, 415),
    ],
)
def test_forged_and_broken_deliveries(hook: Hook, changes: dict[str, Any], status: int) -> None:
    assert hook.send(payload(), **changes).status_code == status
    assert hook.box.comments == []
    assert hook.send(payload()).status_code == 202  # the next good one is taken


def test_a_body_that_was_changed_on_the_way_is_refused(hook: Hook) -> None:
    body = json.dumps(payload(body="/benchmark-request help")).encode()
    signed = "sha256=" + hmac.new(SECRET, body, hashlib.sha256).hexdigest()
    changed = body.replace(b"help", b"pwnd")
    answer = hook.send(None, body=changed, X_Hub_Signature_256=signed)
    assert answer.status_code == 401
    assert hook.box.comments == []
    assert "signature" in hook.box.told[0]


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"null",
        b"[]",
        b"\xff\xfe",
        b'{"action":"created"}',
        b'{"action":"created","issue":{"pull_request":{}},"repository":7}',
        b"[" * 100_000,
        json.dumps({"action": "created", "issue": [], "repository": {}}).encode(),
    ],
)
def test_signed_nonsense_is_refused_and_nothing_falls(hook: Hook, body: bytes) -> None:
    assert hook.send(None, body=body).status_code == 400
    assert hook.box.comments == []


def test_a_comment_of_another_form_is_refused(hook: Hook) -> None:
    for changes in ({"id": "x"}, {"user": 3}, {"created_at": "now"}, {"issue_url": "/issues/x"}):
        assert hook.send(payload(**changes)).status_code == 400
    wrong = payload()
    wrong["issue"]["number"] += 1
    assert hook.send(wrong).status_code == 400
    other = payload()
    other["repository"]["full_name"] = "Codertocat/Another"
    assert hook.send(other).text == "ignored: another repository\n"
    assert hook.box.comments == []


# -- replays -----------------------------------------------------------------------------------


def test_a_delivery_counts_once(hook: Hook) -> None:
    same = "72d3162e-cc78-11e3-81ab-4c9367dc0958"
    assert hook.send(payload(), X_GitHub_Delivery=same).status_code == 202
    again = hook.send(payload(), X_GitHub_Delivery=same)
    assert (again.status_code, again.text) == (200, "ignored: this delivery was taken\n")
    assert len(hook.box.comments) == 1


def test_a_delivery_that_was_not_stored_is_taken_when_it_comes_again(hook: Hook) -> None:
    same = "72d3162e-cc78-11e3-81ab-4c9367dc0958"
    hook.box.broken = True
    assert hook.send(payload(), X_GitHub_Delivery=same).status_code == 500
    hook.box.broken = False
    assert hook.send(payload(), X_GitHub_Delivery=same).status_code == 202
    assert len(hook.box.comments) == 1


def test_a_replay_under_another_id_is_too_old(hook: Hook) -> None:
    for created in ("2026-11-01T10:59:00Z", "2026-11-01T13:01:00Z", "2019-05-15T15:20:21Z"):
        assert "not of this hour" in hook.send(payload(created_at=created)).text
    assert hook.box.comments == []
    assert hook.send(payload(created_at="2026-11-01T11:01:00Z")).status_code == 202


# -- clients -----------------------------------------------------------------------------------


def test_only_what_it_is_for_is_answered(hook: Hook) -> None:
    base = f"http://127.0.0.1:{hook.port}"
    assert httpx.get(f"{base}/healthz").text == "ok\n"
    assert httpx.get(f"{base}/webhook").status_code == 405
    assert httpx.post(f"{base}/", content=b"x").status_code == 404
    assert httpx.get(f"{base}/..%2f..%2fetc/passwd").status_code == 404
    assert "server" not in httpx.get(f"{base}/healthz").headers


def test_long_bodies_are_refused_unread(hook: Hook) -> None:
    with socket.create_connection(("127.0.0.1", hook.port), timeout=10) as client:
        head = f"POST /webhook HTTP/1.1\r\nHost: x\r\nContent-Length: {LARGEST_BODY * 50}\r\n\r\n"
        client.sendall(head.encode())
        assert b" 413 " in client.recv(4096)
    with socket.create_connection(("127.0.0.1", hook.port), timeout=10) as client:
        client.sendall(b"GET /healthz HTTP/1.1\r\nX: " + b"x" * 20_000)
        assert b" 431 " in client.recv(4096)


def test_slow_clients_are_sent_away_and_others_served(hook: Hook) -> None:
    slow = [socket.create_connection(("127.0.0.1", hook.port), timeout=20) for _ in range(60)]
    over = threading.Event()

    def trickle() -> None:
        while not over.wait(0.2):
            for client in slow:
                try:
                    client.send(b"x")
                except OSError:
                    continue

    writer = threading.Thread(target=trickle)
    for client in slow:
        client.sendall(b"POST /webhook HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\r\n")
    writer.start()
    try:
        assert hook.send(payload()).status_code == 202
        ended = 0
        for client in slow:
            try:
                ended += client.recv(1) == b""
            except ConnectionError:
                ended += 1
        assert ended == len(slow)
    finally:
        over.set()
        writer.join()
        for client in slow:
            client.close()


def test_a_full_house_lets_the_longest_waiting_go(hook: Hook) -> None:
    idle = [socket.create_connection(("127.0.0.1", hook.port), timeout=20) for _ in range(130)]
    try:
        assert hook.send(payload()).status_code == 202
    finally:
        for client in idle:
            client.close()


def test_a_port_that_is_taken_is_said(hook: Hook) -> None:
    with (
        pytest.raises(EnvironmentProblem, match="cannot listen"),
        listening(lambda *_: [], "127.0.0.1", hook.port),
    ):
        pass


def test_it_ends_at_once_with_a_client_in_the_middle() -> None:
    box = Box()
    receiver = Receiver(("apache/flink", REPOSITORY), (SECRET,), box.store, box.told.append)
    with listening(receiver, "127.0.0.1", 0) as port:
        client = socket.create_connection(("127.0.0.1", port), timeout=5)
        client.sendall(b"POST /webhook HTTP/1.1\r\n")
        time.sleep(0.1)
    with client:
        assert client.recv(1) == b""


# -- secrets -----------------------------------------------------------------------------------


def test_githubs_own_example_of_a_signature() -> None:
    # From GitHub's page on validating deliveries.
    right = "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17"
    secret = (b"It's a Secret to Everybody",)
    assert is_signed(b"Hello, World!", right, secret)
    assert not is_signed(b"Hello, World?", right, secret)
    assert not is_signed(b"Hello, World!", right.upper(), secret)
    assert not is_signed(b"Hello, World!", "sha256=\u00e9", secret)
    assert not is_signed(b"Hello, World!", right, ())


def test_secrets_come_from_a_file_or_the_environment(tmp_path: Path) -> None:
    file = tmp_path / "secret"
    file.write_text("a" * 32 + "\n" + "b" * 32 + "\n")
    file.chmod(0o600)
    environ = {"FLINK_BOOST_WEBHOOK_SECRET_FILE": str(file)}
    assert find_secrets(environ) == (b"a" * 32, b"b" * 32)
    assert find_secrets({"FLINK_BOOST_WEBHOOK_SECRET": "c" * 20}) == (b"c" * 20,)


@pytest.mark.parametrize("text", ["", "short"])
def test_no_or_short_secrets_are_refused(text: str) -> None:
    with pytest.raises(UsageProblem) as problem:
        find_secrets({"FLINK_BOOST_WEBHOOK_SECRET": text})
    assert "short" not in str(problem.value).replace("shorter", "")


def test_a_secret_that_everybody_may_read_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "secret"
    file.write_text("a" * 32)
    file.chmod(0o644)
    with pytest.raises(UsageProblem, match="open to every account"):
        find_secrets({"FLINK_BOOST_WEBHOOK_SECRET_FILE": str(file)})


def test_secrets_do_not_show() -> None:
    receiver = Receiver(("apache/flink", REPOSITORY), (SECRET,), lambda _: None, lambda _: None)
    assert SECRET.decode() not in repr(receiver)
