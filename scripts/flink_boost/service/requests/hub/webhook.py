"""GitHub's webhook: a signed delivery becomes a comment, and everything else becomes nothing.

The signature is over the bytes of the body alone: who once saw a delivery could send it again
under another id. So the time of the comment counts too, and the callback drops comments that it
knows. What comes too late here is read by polling.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import re
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from http import HTTPStatus
from pathlib import Path
from typing import Any

from flink_boost.base.errors import HubAway, UsageProblem
from flink_boost.service.requests.hub.account import read_secret
from flink_boost.service.requests.hub.hub_model import Comment
from flink_boost.service.requests.hub.wire import CommentWire, read

PATH = "/webhook"
HEALTH = "/healthz"
SECRET_VARIABLE = "FLINK_BOOST_WEBHOOK_SECRET"  # noqa: S105 - the name, not the secret
SECRET_FILE_VARIABLE = "FLINK_BOOST_WEBHOOK_SECRET_FILE"  # noqa: S105 - likewise
SHORTEST_SECRET = 20  # characters
LARGEST_BODY = 2 * 1024 * 1024  # bytes: two texts of 65,536 escaped characters, and the rest
WINDOW = timedelta(hours=1)  # between the comment and now, either way: clocks differ

_REMEMBERED = 10_000  # ids of deliveries
_DELIVERY = re.compile(r"[0-9A-Za-z-]{8,64}")
_SET_SECRET = f"Set {SECRET_FILE_VARIABLE} to a file that holds the webhook's secret."

StartResponse = Callable[[str, list[tuple[str, str]]], object]


@dataclass(frozen=True)
class DeliveryAnswer:
    """What is answered to a delivery; ``text`` is one line, and shows in GitHub's list of them."""

    status: HTTPStatus
    text: str


@dataclass
class Receiver:
    """The WSGI application; ``store`` is called for each new comment on a pull request.

    ``secrets`` are all accepted, so that one can be replaced. Where ``store`` raises, the answer
    is 500 and the same delivery is taken when it comes again. ``tell`` hears of refusals.
    """

    repositories: Sequence[str]
    secrets: Sequence[bytes] = field(repr=False)
    store: Callable[[Comment], object]
    tell: Callable[[str], None]
    now: Callable[[], datetime] = lambda: datetime.now(UTC)
    _seen: OrderedDict[str, None] = field(default_factory=OrderedDict, repr=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    def __call__(
        self, environ: Mapping[str, Any], start_response: StartResponse
    ) -> Iterable[bytes]:
        verdict = self.judge(environ)
        content = f"{verdict.text}\n".encode()
        headers = [
            ("Content-Type", "text/plain; charset=utf-8"),
            ("Content-Length", str(len(content))),
            ("X-Content-Type-Options", "nosniff"),
        ]
        start_response(f"{verdict.status.value} {verdict.status.phrase}", headers)
        return [content]

    def judge(self, environ: Mapping[str, Any]) -> DeliveryAnswer:
        """What becomes of a request; nothing of an unsigned one is looked at but its size."""
        method, path = environ["REQUEST_METHOD"], environ.get("PATH_INFO", "")
        if path == HEALTH and method in ("GET", "HEAD"):
            return DeliveryAnswer(HTTPStatus.OK, "ok")
        if path != PATH:
            return DeliveryAnswer(HTTPStatus.NOT_FOUND, "nothing here")
        if method != "POST":
            return DeliveryAnswer(HTTPStatus.METHOD_NOT_ALLOWED, "POST only")
        length = str(environ.get("CONTENT_LENGTH") or "")
        if not re.fullmatch(r"[0-9]{1,9}", length):
            return DeliveryAnswer(HTTPStatus.LENGTH_REQUIRED, "no length")
        if int(length) > LARGEST_BODY:
            return DeliveryAnswer(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "too long")
        body = environ["wsgi.input"].read(int(length))
        if not is_signed(body, str(environ.get("HTTP_X_HUB_SIGNATURE_256", "")), self.secrets):
            self.tell("A webhook came without the right signature; it was refused.")
            return DeliveryAnswer(HTTPStatus.UNAUTHORIZED, "not signed with our secret")
        delivery = str(environ.get("HTTP_X_GITHUB_DELIVERY", ""))
        if not _DELIVERY.fullmatch(delivery):
            return DeliveryAnswer(HTTPStatus.BAD_REQUEST, "no X-GitHub-Delivery")
        if str(environ.get("CONTENT_TYPE", "")).partition(";")[0].strip() != "application/json":
            return DeliveryAnswer(
                HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "choose application/json in the webhook"
            )
        return self._take(delivery, str(environ.get("HTTP_X_GITHUB_EVENT", "")), body)

    def _take(self, delivery: str, event: str, body: bytes) -> DeliveryAnswer:
        if event == "ping":
            return DeliveryAnswer(HTTPStatus.OK, "pong")
        if event != "issue_comment":
            return DeliveryAnswer(HTTPStatus.OK, "ignored: another event")
        with self._lock:  # one at a time: they are rare, and a twin sees what the first one did
            if delivery in self._seen:
                return DeliveryAnswer(HTTPStatus.OK, "ignored: this delivery was taken")
            try:
                found = new_comment(json.loads(body), self.repositories, self.now())
            except (ValueError, RecursionError, HubAway):
                return DeliveryAnswer(HTTPStatus.BAD_REQUEST, "not an issue_comment of GitHub's")
            if isinstance(found, str):
                return DeliveryAnswer(HTTPStatus.OK, f"ignored: {found}")
            try:
                self.store(found)
            except Exception as error:  # whatever it is, the comment is not stored
                self.tell(f"A comment could not be stored ({type(error).__name__}).")
                return DeliveryAnswer(HTTPStatus.INTERNAL_SERVER_ERROR, "not stored; send it again")
            self._seen[delivery] = None
            while len(self._seen) > _REMEMBERED:
                self._seen.popitem(last=False)
        return DeliveryAnswer(HTTPStatus.ACCEPTED, "taken")


def is_signed(body: bytes, header: str, secrets: Sequence[bytes]) -> bool:
    """Whether the header is HMAC-SHA256 of the bytes with one of the secrets; in constant time."""
    given = header.encode("ascii", "replace")
    good = False
    for secret in secrets:
        right = b"sha256=" + hmac.new(secret, body, hashlib.sha256).hexdigest().encode("ascii")
        good |= hmac.compare_digest(right, given)
    return good


def new_comment(payload: Any, repositories: Sequence[str], now: datetime) -> Comment | str:
    """The comment of a delivery, with our name of its repository, or why it is none of ours.

    Raises ``HubAway`` and ``ValueError`` when it has another form than GitHub's deliveries.
    """
    if not isinstance(payload, dict):
        raise ValueError("no object")
    if payload.get("action") != "created":
        return "another action"
    issue, place = payload.get("issue"), payload.get("repository")
    if not isinstance(issue, dict) or not isinstance(place, dict):
        raise ValueError("no issue or repository")
    if not issue.get("pull_request"):
        return "no pull request"
    full_name = str(place.get("full_name", "")).lower()
    ours = next((name for name in repositories if name.lower() == full_name), None)
    if ours is None:
        return "another repository"
    comment = read(CommentWire, payload.get("comment")).comment(ours)
    if issue.get("number") != comment.number:
        raise ValueError("two numbers")
    if abs(now - comment.created) > WINDOW:
        return "not of this hour; polling reads what was missed"
    return comment


def find_secrets(environ: Mapping[str, str]) -> tuple[bytes, ...]:
    """The webhook's secrets: one from the environment, or each line of a file.

    Raises ``UsageProblem`` when there is none, or one can be guessed.
    """
    text = environ.get(SECRET_VARIABLE, "").strip()
    file = environ.get(SECRET_FILE_VARIABLE, "").strip()
    if bool(text) == bool(file):
        which = "both a secret and a file of it" if text else "no secret"
        raise UsageProblem(f"The environment names {which} for the webhook.", _SET_SECRET)
    if file:
        text = read_secret(Path(file), "webhook's secret")
    secrets = tuple(line.strip().encode() for line in text.splitlines() if line.strip())
    if any(len(secret) < SHORTEST_SECRET for secret in secrets):
        raise UsageProblem(
            f"A webhook's secret is shorter than {SHORTEST_SECRET} characters.",
            "Make one with: openssl rand -hex 32",
        )
    return secrets
