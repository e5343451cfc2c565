"""Sends the records of nights to the dashboard; what it did not take is sent with the next night.

A record takes the place of an earlier one of the same box and night, so that sending it twice does
no harm. Which content was taken last is noted beside it.
"""

from __future__ import annotations

from hashlib import sha256

import httpx

from flink_boost.base.errors import BrokenData
from flink_boost.base.files import write_durably
from flink_boost.publish.dashboard_post import DocumentRefused, NoSuchPage, Post, post
from flink_boost.publish.target import Target
from flink_boost.service.nightly.night_journal import NightJournal

PATH = "nights/add/"
_MARK = "sent.sha256"
_NEWEST = 30
_LATER = "The next night sends it again."


def send_nights(journal: NightJournal, target: Target, client: httpx.Client) -> int:
    """Sends the newest nights as far as they have changed; how many there were.

    One that the dashboard refuses does not hold back the others; ``DocumentRefused`` is raised once
    these are sent. Raises ``UploadFailed`` at once when it cannot be reached. A dashboard that has
    no page of nights gets none, and is asked again.
    """
    sent = 0
    refused: DocumentRefused | None = None
    for name in journal.nights()[-_NEWEST:]:
        try:
            night = journal.load(name)
        except BrokenData:
            continue  # whoever begins a night is told of it
        content = night.model_dump_json()
        digest = sha256(f"{target.url}\n{content}".encode()).hexdigest()
        mark = journal.folder / name / _MARK
        if night.box and not (mark.exists() and mark.read_text().strip() == digest):
            what = f"The record of {night.night}"
            try:
                post(Post(PATH, content, what, _LATER), target, client)
            except NoSuchPage:
                break
            except DocumentRefused as problem:
                refused = refused or problem
                continue
            write_durably(mark, digest + "\n")
            sent += 1
    if refused is not None:
        raise refused
    return sent
