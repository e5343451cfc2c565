"""Sends one document to the dashboard: alarms, or the record of a night.

Whoever sends says what it is and what happens next. A document takes the place of an earlier one,
so that sending it twice does no harm; results, of which nothing may be lost, go by ``upload``.
"""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import urljoin

import httpx

from flink_boost.base.errors import UploadFailed
from flink_boost.base.text import one_line
from flink_boost.publish.target import SET_TOKEN, Target

_QUOTED_CHARACTERS = 200
_LATER = (429, 502, 503, 504)  # said of the server, and not of the document


@dataclass(frozen=True)
class Post:
    """A JSON document for an address of the dashboard.

    ``what`` is what a message calls it, as in "The alarms"; ``again`` is a sentence on how it is
    sent again.
    """

    path: str
    content: str
    what: str
    again: str


class DocumentRefused(UploadFailed):
    """The dashboard answered, and did not take this one; it may well take another."""


class NoSuchPage(DocumentRefused):
    """The dashboard is of a version that does not know this kind of document."""


def post(document: Post, target: Target, client: httpx.Client) -> None:
    """Raises ``UploadFailed`` with the server's words when the dashboard does not take it.

    That is ``DocumentRefused`` when another document may be taken, ``NoSuchPage`` when the
    dashboard has no such address. The token is in no message.
    """
    try:
        answer = client.post(
            urljoin(target.url, document.path),
            content=document.content,
            headers={"Authorization": f"Bearer {target.token}", "Content-Type": "application/json"},
        )
    except httpx.HTTPError as error:
        raise UploadFailed(
            f"{document.what} could not be sent to {target.url} ({type(error).__name__}).",
            document.again,
        ) from error
    if answer.status_code in (401, 403):
        raise UploadFailed(f"{target.url} does not take the token.", SET_TOKEN)
    if answer.status_code != httpx.codes.ACCEPTED:
        raise _kind(answer.status_code)(
            f"{target.url} did not take {document.what[0].lower()}{document.what[1:]}"
            f" ({answer.status_code}: {_quoted(answer.text, target.token)}).",
            document.again,
        )


def _kind(status: int) -> type[UploadFailed]:
    if status in _LATER:
        return UploadFailed
    return NoSuchPage if status == httpx.codes.NOT_FOUND else DocumentRefused


def _quoted(text: str, token: str) -> str:
    # First the token: cut off in its middle it would not be found.
    return one_line(text.replace(token, "***")[:_QUOTED_CHARACTERS])
