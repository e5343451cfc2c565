"""Of all else: logs of nights, flame graphs of alarms, what was sent, and pages."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime
from functools import partial
from pathlib import Path

from pydantic import ValidationError

from flink_boost.base.files import write_durably
from flink_boost.judge.alarm_record import alarm_of
from flink_boost.publish.nightly import night_report as night_reports
from flink_boost.publish.notify.outbox import Outbox, Posted
from flink_boost.service.retention.kept_kinds import Old, deletion, is_before
from flink_boost.service.retention.references import References

_RUN = re.compile(r"\d{8}T\d{6}Z-")


def night_logs(build: Path, before: datetime, references: References) -> Iterator[Old]:
    """What the builds and checks of nights printed."""
    for path in sorted((build / "nights").glob("*/logs")):
        night = path.parent.name
        if night < night_of(before) and not references.name(night):
            yield deletion(f"logs of the night {night}", path)


def alarm_profiles(build: Path, before: datetime, references: References) -> Iterator[Old]:
    """Flame graphs of alarms that are closed, or not known any more."""
    for folder in (build / "alarms" / "profiles", build / "report" / "alarms"):
        for path in sorted(folder.glob("a*")):
            if path.name not in references.alarms and is_before(path, before):
                yield deletion(f"profiles of the alarm {path.name}", path)


def sent_results(spool: Path, before: datetime) -> Iterator[Old]:
    """What the dashboard has. Its name stays: what has one is not sent again.

    What was given up stays whole: somebody may move it back by hand.
    """
    for path in sorted((spool / "sent").glob("*.json")):
        if is_before(path, before) and path.stat().st_size:
            yield Old(f"content of sent {path.stem}", (path,), partial(_empty, path))


def _empty(path: Path) -> None:
    write_durably(path, b"")


def messages(outbox: Outbox, before: datetime, references: References) -> Iterator[Old]:
    """Those that arrived, are replaced, or were named as lost; not the newest of a channel."""
    newest: dict[str, Posted] = {}
    found: list[tuple[Path, Posted]] = []
    for place in ("sent", "uncertain", "replaced"):
        for path in sorted((outbox.folder / place).glob("*.json")):
            try:
                posted = Posted.model_validate_json(path.read_bytes())
            except (OSError, ValidationError):
                continue  # somebody has to look at it
            last = newest.setdefault(posted.channel, posted)
            if posted.message.made >= last.message.made:
                newest[posted.channel] = posted
            if (place == "sent" or posted.told_of) and posted.message.made < before:
                found.append((path, posted))
    for path, posted in found:
        told = {alarm_of(notice) for notice in posted.message.alarms}
        if posted != newest[posted.channel] and references.alarms.isdisjoint(told):
            yield deletion(f"message {path.stem}", path)


def run_reports(reports: Path, before: datetime, references: References) -> Iterator[Old]:
    """Pages of runs with their raw data; `flink-boost report` makes them again."""
    for path in sorted(reports.glob("*")):
        is_old = _RUN.match(path.name) and path.name < f"{before:%Y%m%dT%H%M%SZ}"
        if is_old and not references.name(path.name):
            yield deletion(f"report of {path.name}", path)


def reports_of_nights(reports: Path, before: datetime, references: References) -> Iterator[Old]:
    """Pages of nights, but for the newest, with which the next one is compared."""
    folder = reports / night_reports.FOLDER
    nights = sorted(path.name for path in folder.glob("*") if path.is_dir())
    old = tuple(
        night
        for night in nights[: -night_reports.LOOKED_AT]
        if night < night_of(before) and not references.name(night)
    )
    if old:
        paths = tuple(folder / night for night in old)
        forget = partial(night_reports.forget_nights, reports, old)
        yield Old(f"reports of {len(old)} nights, to {old[-1]}", paths, forget)


def night_of(moment: datetime) -> str:
    """How the names of nights from then on begin."""
    return f"{moment:%Y-%m-%dT%H%M}"
