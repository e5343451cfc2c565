"""Slack, by an incoming webhook. Nothing that a benchmark or a commit is called can format a
message, mention anybody or become a link."""

from __future__ import annotations

import json
import logging
import re
import urllib.error
from http.client import HTTPException
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from flink_boost.base.text import one_line
from flink_boost.publish.notify.channel import NotSent, Uncertain, within
from flink_boost.publish.notify.message import Message

if TYPE_CHECKING:
    from slack_sdk.webhook import WebhookResponse

SOCKET_SECONDS = 15
DEADLINE_SECONDS = 45.0
_MOST_CHARACTERS = 2900  # of a block's text; Slack takes 3000
_OF_THE_MESSAGE = frozenset({400, 413})  # its blocks or its size; a webhook in trouble has others
_REFUSALS = {
    403: "it does not take messages",
    404: "there is no such webhook (it may have been removed)",
    410: "the channel is archived",
}


class SlackNotifier:
    """Sends to one channel, by its webhook; ``place`` shows no more of it than the host."""

    name = "slack"

    def __init__(self, webhook: str, deadline: float = DEADLINE_SECONDS) -> None:
        # Slow to load, and most commands that could send do not.
        from slack_sdk.webhook import WebhookClient

        # At its default level the client hands the address to the log.
        logger = logging.Logger("flink_boost.slack", logging.CRITICAL + 1)
        self._client = WebhookClient(
            webhook, timeout=SOCKET_SECONDS, logger=logger, retry_handlers=[]
        )
        self._deadline = deadline
        self.place = f"Slack ({urlsplit(webhook).hostname})"

    def send(self, message: Message) -> str:
        """Raises as the protocol says. Nothing of the server's words is shown: they may echo."""
        body = payload(message)
        try:
            answer = within(self._deadline, lambda: self._client.send_dict(body))
        except urllib.error.URLError:
            # Raised while connecting and sending only; once the request is out, others are.
            raise NotSent(f"{self.place} cannot be reached") from None
        except (OSError, HTTPException, ValueError) as error:
            raise Uncertain(f"{self.place} broke off ({type(error).__name__})") from None
        _judge(self.place, answer)
        return ""


def payload(message: Message) -> dict[str, object]:
    """The body that Slack is sent: blocks, and a text for notifications."""
    lines = "\n".join(f"• {escaped(line)}" for line in message.lines)
    blocks: list[dict[str, object]] = [_section(f"*{_bold(message.subject)}*")]
    blocks += [_section(part) for part in _parts(lines)]
    if message.command:
        # As it is, to be copied; but no tick can end the code early.
        command = _entities(message.command).replace("`", "ˋ")[:_MOST_CHARACTERS]
        blocks.append(_section(f"```{command}```"))
    if message.links:
        links = " · ".join(f"<{_url(link.url)}|{escaped(link.title)}>" for link in message.links)
        blocks += [_section(part) for part in _parts(links)]
    return {"text": escaped(message.subject), "blocks": blocks, "unfurl_links": False}


def escaped(text: str) -> str:
    """Text that Slack shows as it is: three characters by entities, and none that formats.

    Marks of format work at the edge of words only; a space of no width takes the edge away. The
    same keeps an address or a channel's name from becoming a link.
    """
    line = _entities(text)
    for mark in "*_~`":
        line = line.replace(mark, f"\u200b{mark}\u200b")
    return re.sub(r"[@#:](?=\S)", lambda found: found[0] + "\u200b", line)


def _entities(text: str) -> str:
    """One line with the three characters that Slack wants as entities."""
    line = one_line(text)
    return line.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _bold(text: str) -> str:
    return escaped(text)[:_MOST_CHARACTERS]


def _url(url: str) -> str:
    return url.replace("&", "&amp;").replace("<", "%3C").replace(">", "%3E").replace("|", "%7C")


def _section(text: str) -> dict[str, object]:
    return {"type": "section", "text": {"type": "mrkdwn", "text": text, "verbatim": True}}


def _parts(text: str) -> list[str]:
    """Whole lines, as many as a block takes; a single longer one is cut."""
    parts: list[str] = []
    for line in text.splitlines():
        cut = line[:_MOST_CHARACTERS]
        if parts and len(parts[-1]) + len(cut) < _MOST_CHARACTERS:
            parts[-1] += f"\n{cut}"
        else:
            parts.append(cut)
    return parts


def _judge(place: str, answer: WebhookResponse) -> None:
    status = answer.status_code
    if status == 200 and _is_ok(answer.body):
        return
    if status == 200:
        # A page of a proxy, or of an address that a redirect led to.
        raise NotSent(f"{place} answered with something that is not Slack's")
    if status == 429:
        asked = str(answer.headers.get("Retry-After", ""))
        wait = float(asked) if asked.isdecimal() else 1.0
        raise NotSent(f"{place} asks to wait {wait:.0f} s", wait)
    if status >= 500:
        raise NotSent(f"{place} is in trouble ({status})", 1.0)
    reason = f"{place} refused it: {_REFUSALS.get(status, f'status {status}')}"
    raise NotSent(reason, of_message=status in _OF_THE_MESSAGE)


def _is_ok(body: str) -> bool:
    if body.strip() == "ok":
        return True
    try:
        said = json.loads(body)
    except ValueError:
        return False
    return isinstance(said, dict) and said.get("ok") is True
