"""Takes alarms in.

``POST alarms/add/`` takes one JSON document, which replaces what was known of the boxes that it
names. Version 2 is the register of the nightly; version 1 are suspicions of ``detect --send``, and
leaves alarms of version 2 alone. A box that is named in ``retired`` only keeps its alarms, closed.
Only the token of all may send either: alarms are about nights.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Literal

from codespeed.models import Environment
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST
from pydantic import BaseModel, ConfigDict

from boost_dashboard.incoming import RefusedParcelError
from boost_dashboard.models import AlarmRecord, AlarmRegister, AlarmSheet
from boost_dashboard.parcels import body_for_all, box_named, read_parcel
from flink_boost.judge.alarm_record import (
    CURRENT,
    AlarmDocument,
    AlarmEvent,
    AlarmState,
    PublishedAlarm,
    RetiredBox,
    SuspectedChange,
    SuspicionSheet,
)
from flink_boost.measure.field_checks import MOST_ROWS

LARGEST_BODY = 4 * 1024 * 1024


class _Version(BaseModel):
    model_config = ConfigDict(extra="ignore")

    schema_version: Literal[1, 2]


@csrf_exempt
@require_POST
def add(request: HttpRequest) -> HttpResponse:
    """Takes a sheet in; 202, or 400 with field and reason."""
    try:
        body = body_for_all(request, "alarms", LARGEST_BODY)
        if read_parcel(_Version, body).schema_version == 1:
            _keep_suspicions(read_parcel(SuspicionSheet, body))
        else:
            _keep_told(read_parcel(AlarmDocument, body))
    except RefusedParcelError as error:
        return error.answer()
    return HttpResponse("", status=202)


def _require_named(
    boxes: Iterable[str], alarms: Sequence[PublishedAlarm | SuspectedChange]
) -> None:
    strangers = {alarm.box for alarm in alarms} - set(boxes)
    if strangers:
        raise RefusedParcelError(f"boxes: {min(strangers)} has an alarm and is not named.")


def _keep_suspicions(sheet: SuspicionSheet) -> None:
    _require_named(sheet.boxes, sheet.alarms)
    with transaction.atomic():
        for box in sheet.boxes:
            alarms = [alarm.model_dump() for alarm in sheet.alarms if alarm.box == box]
            AlarmSheet.objects.update_or_create(
                environment=box_named(box),
                defaults={"made": sheet.made, "alarms": json.dumps(alarms)},
            )


def _keep_told(sheet: AlarmDocument) -> None:
    _require_named(sheet.boxes, sheet.alarms)
    keys = [(alarm.box, alarm.id) for alarm in sheet.alarms]
    if len(set(keys)) != len(keys):
        twice = next(key for box, key in keys if keys.count((box, key)) > 1)
        raise RefusedParcelError(f"alarms: {twice} is there twice.")
    figures = sheet.figures.model_dump_json() if sheet.figures else ""
    retired = {one.box: one.when for one in sheet.retired if one.back is None}
    with transaction.atomic():
        for name in sheet.boxes:
            box = box_named(name)
            # The nightly knows more than a suspicion.
            AlarmSheet.objects.filter(environment=box).delete()
            # Also a lock: of two sheets of one box, the second waits here.
            AlarmRegister.objects.update_or_create(
                environment=box,
                defaults={"made": sheet.made, "figures": figures, "retired": retired.get(name)},
            )
            AlarmRecord.objects.filter(environment=box).delete()
            AlarmRecord.objects.bulk_create(
                AlarmRecord(
                    environment=box,
                    key=alarm.id,
                    state=alarm.state,
                    benchmark=alarm.benchmark,
                    document=alarm.model_dump_json(),
                )
                for alarm in sheet.alarms
                if alarm.box == name
            )
        for one in sheet.retired:
            if one.box not in sheet.boxes:
                _retire_unknown(one)


def _retire_unknown(gone: RetiredBox) -> None:
    """Of a box of which the sender has no alarms; what the box itself told later counts more."""
    box = Environment.objects.filter(name=gone.box).first()
    if box is None:
        return
    register, _ = AlarmRegister.objects.select_for_update().get_or_create(
        environment=box, defaults={"made": gone.when}
    )
    if gone.back is not None:
        if register.retired is not None and register.retired < gone.back:
            register.retired = None
            register.save(update_fields=["retired"])
        return
    if register.made > gone.when:
        return
    register.retired = gone.when
    register.save(update_fields=["retired"])
    AlarmSheet.objects.filter(environment=box).delete()
    event = AlarmEvent(
        when=gone.when, state=AlarmState.RETIRED, note=f"the box was retired by {gone.by}"
    )
    for row in AlarmRecord.objects.filter(environment=box, state__in=CURRENT):
        told = PublishedAlarm.model_validate_json(row.document)
        history = (*told.history, event)[-MOST_ROWS:]
        closed = told.model_copy(update={"state": AlarmState.RETIRED, "history": history})
        row.state, row.document = closed.state, closed.model_dump_json()
        row.save(update_fields=["state", "document"])
