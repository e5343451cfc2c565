"""The check of nights where it is made: on the box itself, or by what a dashboard knows."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, time, timedelta

import httpx

from flink_boost.base.errors import BrokenData, NightRunning, UsageProblem
from flink_boost.measure.night_record import NightRecord, NightState, Order
from flink_boost.publish.target import checked_url
from flink_boost.service.nightly.checking import (
    Checked,
    NightFinding,
    check_all,
    check_box,
    fetch_nights,
    parts_of,
)
from flink_boost.service.nightly.night_journal import NightJournal
from flink_boost.service.nightly.service import NightService
from flink_boost.service.nightly.slots import shard_of

_CONNECT_SECONDS = 10.0
_LOOKED_AT = 12  # nights, and parts of nights


def check_here(service: NightService, now: datetime, at: time, grace: timedelta) -> Checked:
    """The verdict on this box; people are told of an alarm, the dashboard of a missing night."""
    journal = service.journal
    if not journal.folder.is_dir():
        raise UsageProblem(
            f"{journal.folder} holds no nights.", "Run `flink-boost nightly` first, or give --url."
        )
    try:
        with journal.held():
            nights = _nights(journal)
            found = _check(service, nights, now, at, grace, at_work=False)
            recorded = [_recorded(journal, one, nights) for one in found]
    except NightRunning:
        return _worst(_check(service, _nights(journal), now, at, grace, at_work=True))
    told = [
        night
        for one, night in zip(found, recorded, strict=True)
        if night is not None and one.finding.is_alarm
    ]
    for night in told:
        service.notify(night)
    if told:
        service.send_records()
    return _worst(found)


def _check(
    service: NightService,
    nights: Sequence[NightRecord],
    now: datetime,
    at: time,
    grace: timedelta,
    *,
    at_work: bool,
) -> tuple[Checked, ...]:
    label = service.box()
    return tuple(
        check_box(label, part, now, at, grace=grace, at_work=at_work, shard=shard)
        for shard, part in parts_of(nights)
    )


def _worst(found: Sequence[Checked]) -> Checked:
    return next((one for one in found if one.finding.is_alarm), found[-1])


def check_there(
    url: str, boxes: Sequence[str], now: datetime, at: time, grace: timedelta
) -> tuple[Checked, ...]:
    """The verdicts on the boxes that a dashboard knows, or on those that are named."""
    with httpx.Client(timeout=_CONNECT_SECONDS) as client:
        nights, retired = fetch_nights(checked_url(url), client)
    checked = check_all(nights, boxes, now, at, grace, retired)
    if not checked:
        raise UsageProblem("The dashboard knows no night of any box.", "Name one with --box.")
    return checked


def _nights(journal: NightJournal) -> list[NightRecord]:
    found = []
    for name in journal.nights()[-_LOOKED_AT:]:
        try:
            found.append(journal.load(name))
        except BrokenData:
            continue  # the next night tells of it, and this one counts as missing
    return found


def _recorded(
    journal: NightJournal, checked: Checked, nights: Sequence[NightRecord]
) -> NightRecord | None:
    """The record that an alarm is about; that of a missing night is written first."""
    for night in nights:
        if night.night == checked.night:
            stopped = {"reason": checked.sentence}
            return (
                night
                if checked.finding is not NightFinding.STOPPED
                else night.model_copy(update=stopped)
            )
    if checked.finding is not NightFinding.MISSING:
        return None
    missing = NightRecord(
        box=checked.box,
        night=checked.night,
        slot=checked.slot,
        state=NightState.MISSING,
        expected=checked.expected,
        reason="it has not begun",
    )
    like = _like(checked, nights)
    if like is not None:  # else there is nothing that says what it was to be about
        missing = missing.model_copy(update={"box": like.box or checked.box})
        order: Order = journal.order(like.night)
        journal.begin(missing, order)
    return missing


def _like(missing: Checked, nights: Sequence[NightRecord]) -> NightRecord | None:
    """The newest night of that part, at that time of day if there is one."""
    shard, time = shard_of(missing.night), missing.slot.time()
    part = [one for one in nights if shard_of(one.night) == shard] or nights[-1:]
    same = [one for one in part if one.slot.time() == time]
    return next(reversed(same or part), None)
