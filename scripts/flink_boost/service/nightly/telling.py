"""Sends the records of nights to the dashboard; what it did not take is sent with the next night.

A record takes the place of an earlier one of the same box and night, so that sending it twice does
no harm. Which content was taken last is noted beside it.
"""

from __future__ import annotations

from hashlib import sha256
from urllib.parse import urljoin

import httpx

from flink_boost.base.errors import BrokenData, UploadFailed
from flink_boost.base.files import write_durably
from flink_boost.publish.target import SET_TOKEN, Target
from flink_boost.service.nightly.journal import NightJournal
from flink_boost.service.nightly.model import NightRecord

PATH = "nights/add/"
_MARK = "sent.sha256"
_NEWEST = 30
_LATER = "The next night sends it again."
_QUOTED_CHARACTERS = 200


def send_nights(journal: NightJournal, target: Target, client: httpx.Client) -> int:
    """Sends the newest nights as far as they have changed; how many there were.

    Raises ``UploadFailed`` when the dashboard does not take one; those before it are sent. One that
    has no page of nights gets none, and is asked again.
    """
    sent = 0
    for name in journal.nights()[-_NEWEST:]:
        try:
            night = journal.load(name)
        except BrokenData:
            continue  # whoever begins a night is told of it
        content = night.model_dump_json()
        digest = sha256(f"{target.url}\n{content}".encode()).hexdigest()
        mark = journal.folder / name / _MARK
        if night.box and not (mark.exists() and mark.read_text().strip() == digest):
            if not _post(night, content, target, client):
                break
            write_durably(mark, digest + "\n")
            sent += 1
    return sent


def _post(night: NightRecord, content: str, target: Target, client: httpx.Client) -> bool:
    """Whether it was taken; False when the dashboard has no such page."""
    headers = {"Authorization": f"Bearer {target.token}", "Content-Type": "application/json"}
    try:
        answer = client.post(urljoin(target.url, PATH), content=content, headers=headers)
    except httpx.HTTPError as error:
        raise UploadFailed(
            f"The record of {night.night} could not be sent to {target.url}"
            f" ({type(error).__name__}).",
            _LATER,
        ) from error
    if answer.status_code in (401, 403):
        raise UploadFailed(f"{target.url} does not take the token for records.", SET_TOKEN)
    if answer.status_code == httpx.codes.NOT_FOUND:
        return False
    if answer.status_code not in (httpx.codes.OK, httpx.codes.ACCEPTED):
        words = answer.text[:_QUOTED_CHARACTERS].replace(target.token, "***")
        shown = " ".join("".join(c if c.isprintable() else " " for c in words).split())
        raise UploadFailed(
            f"{target.url} did not take the record of {night.night}"
            f" ({answer.status_code}: {shown}).",
            _LATER,
        )
    return True
