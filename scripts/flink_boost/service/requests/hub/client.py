"""GitHub's REST API as calls that answer or raise: the one module that knows githubkit.

githubkit signs the calls, as a token or as an installation of an App whose tokens last an hour.
Redirects, waiting and what a status means are decided here: a redirect may not carry the token to
another host or turn a POST into a GET, and a wait is counted by GitHub's clock. githubkit is loaded
with the first client: it takes half a second, and most commands that may call GitHub do not.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import urljoin, urlsplit

import httpx

from flink_boost.base.errors import (
    AccountRefused,
    HubAway,
    HubRefused,
    NotTakenNow,
    PullRequestRefused,
    UsageProblem,
)
from flink_boost.service.requests.hub.account import SET_ACCOUNT, HubAccount
from flink_boost.service.requests.hub.rate_limit import RateLimit
from flink_boost.service.requests.hub.waiting import UNSAID_SECONDS, seconds_to_wait

if TYPE_CHECKING:
    from githubkit import GitHub
    from githubkit.auth import BaseAuthStrategy
import time
from collections.abc import Iterator

_HEADERS = {"X-GitHub-Api-Version": "2022-11-28"}
_AGENT = "flink-boost"
_TRIED_AGAIN = "Nothing is lost; it is tried again."
_MOST_REDIRECTS = 5
_REDIRECTS = frozenset({301, 302, 307, 308})
_GONE = frozenset({404, 410})
_OF_THE_ACCOUNT = re.compile(
    r"resource not accessible|must have|protected by organization|allow list|forbids access"
    r"|suspended|saml",
    re.IGNORECASE,
)
_ACCOUNT_SUSPENDED = re.compile(r"account (?:was|is|has been) suspended", re.IGNORECASE)

Params = Mapping[str, str | int]
CONNECT_SECONDS = 10.0
READ_SECONDS = 20.0  # between two pieces of an answer
WHOLE_SECONDS = 60.0
LARGEST_ANSWER = 64 * 1024 * 1024  # bytes; 100 comments of 65,536 escaped characters are 40 MB


@dataclass(frozen=True)
class HubReply:
    """What GitHub answered: 200, 201, 304, or 404 and 410 for what is not there."""

    status: int
    headers: Mapping[str, str]
    data: Any

    @property
    def is_gone(self) -> bool:
        """Whether there is no such thing, or none that we may see."""
        return self.status in _GONE


class GitHubClient:
    """Calls with an account, as the App itself or within the installation of one repository.

    Raises ``HubAway`` and ``HubRefused``. ``pace`` is the account's: clients of one account share
    it.
    """

    def __init__(
        self,
        account: HubAccount,
        pace: RateLimit | None = None,
        transport: BoundedTransport | None = None,
        read_seconds: float = READ_SECONDS,
    ) -> None:
        self._account = account
        self._pace = pace or RateLimit()
        self._transport = transport or BoundedTransport()
        self._timeout = httpx.Timeout(read_seconds, connect=CONNECT_SECONDS)
        self._installation: int | None = None
        self._github = self._signed()

    @property
    def account(self) -> HubAccount:
        """As whom the calls are made."""
        return self._account

    def become_app(self) -> None:
        """From now on calls are those of the App itself."""
        self._installation = None
        self._github = self._signed()

    def become_installation(self, repository: str) -> None:
        """From now on calls are those of the App's installation in that repository."""
        told = self.get(f"/repos/{repository}/installation")
        if told.is_gone or not isinstance(told.data, dict) or "id" not in told.data:
            raise HubRefused(
                f"The GitHub App is not installed in {repository}.",
                "Install it there: docs/requests-setup.md.",
            )
        self._installation = int(told.data["id"])
        self._github = self._signed()

    def get(self, path: str, params: Params | None = None, etag: str | None = None) -> HubReply:
        """Reads; with the ``etag`` of an earlier answer it is 304 when that still holds.

        ``path`` may be an address that GitHub gave, for the next page.
        """
        headers = {"If-None-Match": etag} if etag else {}
        return self._call("GET", path, params, None, headers)

    def write(self, method: str, path: str, body: Mapping[str, Any]) -> HubReply:
        """Changes something, at most once in a second."""
        with self._pace.writing():
            return self._call(method, path, None, body, {})

    def _call(
        self,
        method: str,
        path: str,
        params: Params | None,
        body: Mapping[str, Any] | None,
        headers: Mapping[str, str],
    ) -> HubReply:
        self._pace.require_turn()
        response = self._once(method, path, params, body, headers)
        if response.status_code == 401 and self._renew():
            response = self._once(method, path, params, body, headers)
        for _ in range(_MOST_REDIRECTS):
            if response.status_code not in _REDIRECTS:
                return self._read(response)
            target = self._target(response)
            rest = None if urlsplit(target).query else params
            response = self._once(method, target, rest, body, headers)
        raise HubRefused("GitHub sends us in a circle.", "Look at the name of the repository.")

    def _once(
        self,
        method: str,
        path: str,
        params: Params | None,
        body: Mapping[str, Any] | None,
        headers: Mapping[str, str],
    ) -> httpx.Response:
        from githubkit.exception import GitHubException, RequestError, RequestFailed

        url = path if "://" in path else f"{self._account.api}{path}"
        self._require_api(url)
        try:
            return self._github.request(
                method, url, params=params, json=body, headers={**_HEADERS, **headers}
            ).raw_response
        except (GitHubException, ValueError, httpx.InvalidURL) as error:
            cause: object = error
            # What goes wrong while an App fetches its token comes wrapped once more.
            while isinstance(cause, RequestError) and not isinstance(cause, RequestFailed):
                cause = cause.exc
            if isinstance(cause, RequestFailed):
                return cause.response.raw_response
            if isinstance(cause, httpx.TransportError):
                raise HubAway(
                    f"GitHub did not answer ({type(cause).__name__}).", "Look at the network."
                ) from error
            if isinstance(cause, ValueError | httpx.InvalidURL):  # in a header of the answer
                raise self._away("GitHub refused in a form that is unknown.", UNSAID_SECONDS) from (
                    error
                )
            raise

    def _read(self, response: httpx.Response) -> HubReply:
        status = response.status_code
        if status == 304:
            return HubReply(status, response.headers, None)
        data = _json(response)
        if status in (200, 201, *_GONE):
            if data is None and status not in _GONE:
                raise HubAway("GitHub's answer is not JSON.", "Look at status.github.com.")
            return HubReply(status, response.headers, data)
        said = _said(data)
        if status in (403, 429) or status >= 500:
            seconds = seconds_to_wait(status, response.headers, said)
            if seconds is not None or status >= 500:
                raise self._away(f"GitHub answered {status}{_quoted(said)}.", seconds)
        if status == 403 and not said:
            raise self._away("Something before GitHub answered 403, without a reason.", None)
        if status == 401:
            raise AccountRefused(
                f"GitHub does not know our account{_quoted(said)}.",
                f"The token may have ended, or this machine's clock be wrong. {SET_ACCOUNT}",
            )
        if status == 403 and _ACCOUNT_SUSPENDED.search(said):
            raise AccountRefused(
                f"GitHub has suspended our account{_quoted(said)}.", "Ask its support why."
            )
        raise _refusal(response.request, status, data)

    def _away(self, message: str, seconds: float | None) -> HubAway:
        if seconds is not None:
            self._pace.wait(seconds)
        return HubAway(message, _TRIED_AGAIN, seconds)

    def _target(self, response: httpx.Response) -> str:
        target = urljoin(str(response.request.url), str(response.headers.get("location", "")))
        self._require_api(target)
        return target

    def _require_api(self, url: str) -> None:
        """The token goes nowhere but to the API that was configured."""
        wanted, found = urlsplit(self._account.api), urlsplit(url)
        if (found.scheme, found.netloc) != (wanted.scheme, wanted.netloc):
            raise HubRefused(
                f"GitHub sends us to another host, {found.hostname}.",
                "The token does not go there; look at the name of the repository.",
            )

    def _renew(self) -> bool:
        """Whether there is another token to try: a newer one in its file, or one for an App."""
        if self._account.app:
            self._github = self._signed()  # forgets the App's tokens, which may be withdrawn
            return True
        try:
            renewed = self._account.renewed()
        except UsageProblem as error:  # who renews it may be at it: no fault of any request
            raise HubAway(error.message, error.next_step) from error
        if renewed is None:
            return False
        self._account = renewed
        self._github = self._signed()
        return True

    def _signed(self) -> GitHub[BaseAuthStrategy]:
        from githubkit import GitHub
        from githubkit.cache import MemCacheStrategy

        account, auth = self._account, _strategy(self._account, self._installation)
        return GitHub(
            auth,
            base_url=account.api,
            user_agent=_AGENT,
            follow_redirects=False,
            timeout=self._timeout,
            transport=self._transport,
            cache_strategy=MemCacheStrategy(),
            http_cache=False,
            auto_retry=False,
        )


def _strategy(account: HubAccount, installation: int | None) -> BaseAuthStrategy:
    from githubkit.auth import AppAuthStrategy, AppInstallationAuthStrategy, TokenAuthStrategy

    if not account.app:
        return TokenAuthStrategy(account.token)
    if installation is None:
        return AppAuthStrategy(account.app, account.key)
    return AppInstallationAuthStrategy(account.app, account.key, installation)


def _refusal(request: httpx.Request, status: int, data: Any) -> HubRefused | HubAway:
    """Of this call, where our account is known and may go on."""
    said = _said(data)
    if status == 403 and not _is_of_one_conversation(request, said):
        return HubRefused(
            f"GitHub does not let our account do this{_quoted(said)}.",
            "Give it the permissions that docs/requests-setup.md lists.",
        )
    if _may_pass(request, status, data):
        return NotTakenNow(f"GitHub refused with {status}{_quoted(said)}.", _TRIED_AGAIN)
    return PullRequestRefused(
        f"GitHub refused with {status}{_quoted(said)}.",
        "Look at the pull request: it may be locked or full, or the text too long.",
    )


def _is_of_one_conversation(request: httpx.Request, said: str) -> bool:
    """Whether a 403 is of the pull request that was to be written to, not of our account.

    It may be locked, have as many comments as GitHub takes, or whatever GitHub thinks of next: who
    may not write at all is told so in a few ways only, and is refused when reading, too.
    """
    writes = request.method in ("POST", "PATCH") and "/issues/" in request.url.path
    return "locked" in said.lower() or (writes and not _OF_THE_ACCOUNT.search(said))


def _may_pass(request: httpx.Request, status: int, data: Any) -> bool:
    """Whether a text that was refused may be taken later: 422 also stands for a busy GitHub."""
    return (
        request.method in ("POST", "PATCH")
        and status not in (403, 413)
        and "too long" not in str(data).lower()
    )


def _json(response: httpx.Response) -> Any:
    try:
        return response.json()
    except ValueError:
        return None


def _said(data: Any) -> str:
    text = data.get("message") if isinstance(data, dict) else None
    printable = "".join(c for c in text if c.isprintable()) if isinstance(text, str) else ""
    return printable[:200].strip().rstrip(".")


def _quoted(said: str) -> str:
    return f": {said}" if said else ""


class EndlessAnswer(httpx.TransportError):
    """An answer took longer, or was longer, than any of GitHub's should be."""


class BoundedTransport(httpx.HTTPTransport):
    """httpx's transport with a time for the whole body and a largest size of it.

    Each call has a connection of its own: calls are seldom, and none then meets one that ended.
    """

    def __init__(self, whole_seconds: float = WHOLE_SECONDS, largest: int = LARGEST_ANSWER) -> None:
        super().__init__(limits=httpx.Limits(max_keepalive_connections=0))
        self._whole_seconds = whole_seconds
        self._largest = largest

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Sends it; the body is bounded while it is read."""
        ends = time.monotonic() + self._whole_seconds
        response = super().handle_request(request)
        inner = response.stream
        assert isinstance(inner, httpx.SyncByteStream)  # noqa: S101 - what httpx's own gives
        response.stream = _Bounded(inner, ends, self._largest)
        return response

    def close(self) -> None:
        """Nothing: it would end what other threads have under way, and nothing is kept open."""


class _Bounded(httpx.SyncByteStream):
    def __init__(self, inner: httpx.SyncByteStream, ends: float, largest: int) -> None:
        self._inner = inner
        self._ends = ends
        self._largest = largest

    def __iter__(self) -> Iterator[bytes]:
        taken = 0
        for piece in self._inner:
            taken += len(piece)
            if taken > self._largest:
                raise EndlessAnswer(f"more than {self._largest} bytes")
            if time.monotonic() > self._ends:
                raise EndlessAnswer("the answer came too slowly")
            yield piece

    def close(self) -> None:
        self._inner.close()
