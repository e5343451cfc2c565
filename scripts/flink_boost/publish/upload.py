"""Sends spooled entries to Codespeed: with a token, with patience, and safe to repeat.

What an answer means:

==========================  ======================================================================
202                         accepted; the entry is moved to ``sent``
408, 429, 5xx, no answer    tried again, each time after a longer and slightly random wait
401, 403                    the token is wrong: nothing else is tried
other 4xx                   this entry is refused: it stays unsent and is named, the others go on
3xx, other 2xx              the address is not Codespeed's: nothing else is tried
==========================  ======================================================================

An entry goes in one request: the server stores it as a whole or not at all, so that nobody sees a
part of a run. One of more results than ``RetryPolicy.most_results``, ten times those of a night,
goes in several; if one of them fails, the whole entry is sent again another time, and nothing is
counted twice. The time for the answer is in proportion.

No entry holds back those behind it. A failure is noted, and from the next call on the entry comes
after all with fewer failures, with a single attempt. Whether the others are still tried in this
call depends on what an entry that failed to the last attempt met: a server that does not answer
``/healthz`` either is left alone, and so is one that answers there but fails several entries in a
row. A server that cannot be reached from the start is no entry's fault.
"""

from __future__ import annotations

import html
import random
import re
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from urllib.parse import urljoin

import httpx

from flink_boost.base.errors import BrokenData
from flink_boost.base.text import one_line
from flink_boost.publish.codespeed import SpoolEntry, form_of
from flink_boost.publish.spool import Spool
from flink_boost.publish.target import SET_TOKEN, URL_VARIABLE, Target
from flink_boost.publish.upload_report import SEND_LATER, Unsent, UploadReport

DROP = "`flink-boost upload --drop KEY` gives one up."
MOST_IN_A_ROW = 5  # entries that may fail one after the other before the server is left alone
_ANSWER_BYTES = 4096
_QUOTED_CHARACTERS = 200


@dataclass(frozen=True)
class RetryPolicy:
    """How often and how patiently an entry is sent; times in seconds."""

    attempts: int = 5
    first_wait: float = 1.0
    longest_wait: float = 20.0
    connect_timeout: float = 5.0
    answer_timeout: float = 30.0
    seconds_per_result: float = 0.1  # of a large request; Codespeed's own view takes 0.02 and more
    most_results: int = 5000  # in one request: our dashboard refuses more
    health_timeout: float = 5.0

    def answer_seconds(self, results: int) -> float:
        """How long the answer to a request with so many results may take."""
        return max(self.answer_timeout, self.seconds_per_result * results)

    def wait_before(self, attempt: int, jitter: float) -> float:
        """Seconds before that attempt (2, 3, …); ``jitter`` in [0, 1) spreads senders apart."""
        full = min(self.longest_wait, self.first_wait * 2.0 ** (attempt - 2))
        return full * (0.5 + jitter / 2)


def make_client(target: Target, policy: RetryPolicy) -> httpx.Client:
    """A client that never follows a redirect, so the token reaches one host only."""
    timeout = httpx.Timeout(policy.answer_timeout, connect=policy.connect_timeout)
    # A proxy from the environment must not see what is meant for this machine.
    return httpx.Client(timeout=timeout, follow_redirects=False, trust_env=not target.is_loopback)


def send_unsent(
    spool: Spool,
    target: Target,
    client: httpx.Client,
    policy: RetryPolicy,
    *,
    sleep: Callable[[float], None] = time.sleep,
    jitter: Callable[[], float] = random.random,
    tell: Callable[[str], None] = lambda _: None,
) -> UploadReport:
    """Sends every unsent entry, oldest run first, those that failed before at the end.

    Holds the sender's lock meanwhile. Never raises for what a server does: the report says what
    stays unsent and why.
    """
    if target.warning:
        tell(target.warning)
    sender = _Sender(target, client, policy, sleep, jitter, tell)
    with spool.sender_lock(sleep=sleep):
        replaced = spool.drop_replaced()
        entries, unreadable = _load_in_order(spool)
        report = _send_all(spool, sender, entries)
    unsent = (*unreadable, *report.unsent)
    return replace(report, unsent=unsent, replaced=replaced)


def _send_all(spool: Spool, sender: _Sender, entries: Sequence[SpoolEntry]) -> UploadReport:
    sent: list[str] = []
    updated: list[str] = []
    unsent: list[Unsent] = []
    next_step = SEND_LATER
    in_a_row = 0
    for position, entry in enumerate(entries):
        # One that failed in an earlier call gets a single try: it may fail for good.
        failed_before = spool.trouble(entry.key).failures > 0
        outcome = sender.send(entry, attempts=1 if failed_before or in_a_row else None)
        if outcome.kind is _Kind.ACCEPTED:
            if spool.replaces_sent(entry.key):
                updated.append(entry.key)
            spool.mark_sent(entry.key)
            sent.append(entry.key)
            in_a_row = 0
            continue
        unsent.append(Unsent(entry.key, outcome.reason))
        if outcome.is_of_entry:
            spool.note_trouble(entry.key, outcome.reason)
        in_trouble = outcome.kind in (_Kind.TRY_AGAIN, _Kind.NO_ANSWER)
        stop = ""
        if outcome.kind is _Kind.STOP:
            stop = "not tried after that"
        elif in_trouble and not sender.is_healthy():
            stop = "not tried, as the server is in trouble"
        if stop:
            next_step = outcome.next_step
            unsent += [Unsent(later.key, stop) for later in entries[position + 1 :]]
            break
        next_step = f"{outcome.next_step} {DROP}"
        in_a_row = in_a_row + 1 if in_trouble else 0
        if in_a_row == MOST_IN_A_ROW:
            stop = f"not tried, as {MOST_IN_A_ROW} others in a row failed"
            unsent += [Unsent(later.key, stop) for later in entries[position + 1 :]]
            break
    return UploadReport(tuple(sent), tuple(unsent), next_step, tuple(updated))


class _Kind(Enum):
    ACCEPTED = "accepted"
    TRY_AGAIN = "try again"
    NO_ANSWER = "no answer"  # tried again, too
    UNREACHABLE = "unreachable"  # likewise
    REFUSED = "refused"  # this entry only
    STOP = "stop"  # any entry would end the same way


@dataclass(frozen=True)
class _Outcome:
    kind: _Kind
    reason: str = ""
    next_step: str = SEND_LATER
    wait: float | None = None
    is_of_entry: bool = True  # false when any entry would have met the same


@dataclass
class _Sender:
    """Sends single entries and asks how the server is."""

    target: Target
    client: httpx.Client
    policy: RetryPolicy
    sleep: Callable[[float], None]
    jitter: Callable[[], float]
    tell: Callable[[str], None]

    def send(self, entry: SpoolEntry, attempts: int | None = None) -> _Outcome:
        """As far as its first part that is not accepted."""
        outcome = _Outcome(_Kind.ACCEPTED)
        for part in _parts(entry, self.policy.most_results):
            outcome = self._send_part(part, attempts)
            if outcome.kind is not _Kind.ACCEPTED:
                break
        return outcome

    def _send_part(self, entry: SpoolEntry, attempts: int | None) -> _Outcome:
        outcome = self._request(entry)
        reached = outcome.kind is not _Kind.UNREACHABLE
        for attempt in range(2, (attempts or self.policy.attempts) + 1):
            if outcome.kind not in (_Kind.TRY_AGAIN, _Kind.NO_ANSWER, _Kind.UNREACHABLE):
                break
            wait = outcome.wait or self.policy.wait_before(attempt, self.jitter())
            self.tell(f"{outcome.reason}; next try in {wait:.0f} s")
            self.sleep(wait)
            outcome = self._request(entry)
        if outcome.kind is _Kind.UNREACHABLE:
            # A server that was there at first may have been ended by this very entry.
            return _Outcome(_Kind.STOP, outcome.reason, is_of_entry=reached)
        if outcome.kind is _Kind.STOP:
            return replace(outcome, is_of_entry=False)
        return outcome

    def is_healthy(self) -> bool:
        """A cheap question: whether the server answers at all, whatever it thinks of an entry.

        A Codespeed without ``/healthz`` answers 404, which will do.
        """
        try:
            answer = self.client.get(
                urljoin(self.target.url, "healthz"), timeout=self.policy.health_timeout
            )
        except httpx.HTTPError:
            return False
        return answer.status_code < 500

    def _request(self, entry: SpoolEntry) -> _Outcome:
        try:
            status, headers, answer = self._post(entry)
        except (httpx.UnsupportedProtocol, httpx.LocalProtocolError) as error:
            return _Outcome(_Kind.STOP, self._safe(f"{self.target.url}: {error}"))
        except httpx.TimeoutException:
            return _Outcome(_Kind.NO_ANSWER, f"{self.target.url} did not answer in time")
        except httpx.ConnectError as error:
            return _Outcome(
                _Kind.UNREACHABLE, self._safe(f"{self.target.url} cannot be reached: {error}")
            )
        except httpx.RequestError as error:
            name = type(error).__name__
            return _Outcome(
                _Kind.TRY_AGAIN, self._safe(f"{self.target.url} broke off ({name}: {error})")
            )
        return self._judge(status, headers, self._gist(answer))

    def _post(self, entry: SpoolEntry) -> tuple[int, httpx.Headers, str]:
        """Status, headers and the first bytes of the answer."""
        started = time.monotonic()
        seconds = self.policy.answer_seconds(len(entry.results))
        with self.client.stream(
            "POST",
            urljoin(self.target.url, "result/add/json/"),
            data=form_of(entry),
            headers={"Authorization": f"Bearer {self.target.token}"},
            timeout=httpx.Timeout(seconds, connect=self.policy.connect_timeout),
        ) as response:
            answer = b""
            for piece in response.iter_raw():
                answer += piece
                # A server that drips must not hold us: the read timeout is per piece only.
                if len(answer) >= _ANSWER_BYTES or time.monotonic() - started > seconds:
                    break
            return response.status_code, response.headers, answer.decode("utf-8", "replace")

    def _judge(self, status: int, headers: httpx.Headers, answer: str) -> _Outcome:
        said = f"{self.target.url} answered {status}" + (f" ({answer})" if answer else "")
        if status == 202:
            return _Outcome(_Kind.ACCEPTED)
        if status in (408, 429) or status >= 500:
            return _Outcome(_Kind.TRY_AGAIN, said, wait=self._asked_wait(headers))
        if status in (401, 403):
            return _Outcome(
                _Kind.STOP,
                f"{self.target.url} refused the token with {status}",
                f"{SET_TOKEN} {SEND_LATER}",
            )
        check_address = f"Check the address in {URL_VARIABLE}. {SEND_LATER}"
        if 300 <= status < 400:
            place = self._gist(headers.get("location", ""))
            return _Outcome(
                _Kind.STOP, f"{self.target.url} redirects to {place or 'nowhere'}", check_address
            )
        if status < 300 or status in (404, 405):
            return _Outcome(_Kind.STOP, f"{said}, which is not Codespeed's", check_address)
        return _Outcome(_Kind.REFUSED, said, f"Mend what it complains about. {SEND_LATER}")

    def _asked_wait(self, headers: httpx.Headers) -> float | None:
        asked = headers.get("retry-after", "")
        return min(float(asked), self.policy.longest_wait) if asked.isdecimal() else None

    def _gist(self, answer: str) -> str:
        return self._safe(_in_one_line(self._safe(answer)))

    def _safe(self, text: str) -> str:
        """A server may echo what it was sent: the token is cut out of all that is shown."""
        return text.replace(self.target.token, "***")


def _parts(entry: SpoolEntry, most: int) -> Iterator[SpoolEntry]:
    for start in range(0, len(entry.results), most):
        yield entry.model_copy(update={"results": entry.results[start : start + most]})


def _load_in_order(spool: Spool) -> tuple[list[SpoolEntry], list[Unsent]]:
    entries: list[SpoolEntry] = []
    unreadable: list[Unsent] = []
    for key in spool.unsent_keys():
        try:
            entries.append(spool.load_unsent(key))
        except BrokenData as error:
            unreadable.append(Unsent(key, str(error)))
    failures = {entry.key: spool.trouble(entry.key).failures for entry in entries}
    entries.sort(key=lambda entry: (failures[entry.key], entry.results[0].revision_date, entry.key))
    return entries, unreadable


def _in_one_line(answer: str) -> str:
    """The gist of an answer: an HTML page's title, otherwise its first words."""
    title = re.search(r"<title[^>]*>(.*?)</title>", answer, re.IGNORECASE | re.DOTALL)
    words = html.unescape(title.group(1)) if title else answer
    line = one_line(words)
    return line if len(line) <= _QUOTED_CHARACTERS else line[: _QUOTED_CHARACTERS - 1] + "…"
