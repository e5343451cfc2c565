"""Tells the dashboard which series have changed lately, as ``detect`` found it.

A document takes the place of what was told of the same boxes before, so sending it again, or later,
does no harm. Nothing is spooled: the next call of ``detect`` finds the same.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from urllib.parse import urljoin

import httpx

from flink_boost.base.errors import UsageProblem
from flink_boost.flink.side import Side
from flink_boost.judge.alarm_record import (
    CURRENT,
    OURS_ALONE,
    AlarmDocument,
    AlarmFigures,
    AlarmRecord,
    PublishedAlarm,
    RetiredBox,
    SuspectedChange,
    SuspicionSheet,
)
from flink_boost.judge.trend import Change, TrendKind, TrendVerdict
from flink_boost.measure.model import RunInfo
from flink_boost.publish.codespeed import benchmark_name, commit_id, executable
from flink_boost.publish.dashboard_post import Post, post
from flink_boost.publish.run_note import bench_command
from flink_boost.publish.target import Target, checked_url

PATH = "alarms/add/"
PAGES_VARIABLE = "FLINK_BOOST_REPORTS_URL"
MOST_SENT = 200  # alarms, and rows of each
LARGEST_BODY = 4 * 1024 * 1024
_ENVELOPE = 64 * 1024  # boxes, figures
_AGAIN = "Call `flink-boost detect --send` again."


def alarm_document(
    records: Sequence[AlarmRecord],
    boxes: Iterable[str],
    counted: AlarmFigures,
    made: datetime,
    pages: str | None = None,
    retired: Sequence[RetiredBox] = (),
) -> AlarmDocument:
    """The document; ``boxes`` are named though they may have no alarm.

    ``pages`` is the address below which readers find the reports; without it nothing is linked that
    is there.
    """
    return AlarmDocument(
        made=made,
        boxes=tuple(sorted({*boxes, *(one.box for one in records)})),
        alarms=tuple(
            PublishedAlarm.model_validate(
                {
                    **one.model_dump(exclude=OURS_ALONE),
                    "report": _address(one.report, pages),
                    "profile": _address(one.profile, pages),
                }
            )
            for one in records
        ),
        figures=counted,
        retired=tuple(retired),
    )


def pages_address(environ: Mapping[str, str]) -> str | None:
    """Where readers find the reports, if anywhere. Raises ``UsageProblem`` for no web address."""
    named = environ.get(PAGES_VARIABLE)
    if named and not re.fullmatch(r"[\x21-\x7e]+", named):
        raise UsageProblem(
            f"{PAGES_VARIABLE} holds a character that no address has.",
            "Write it as browsers show it.",
        )
    return checked_url(named) if named else None


def _address(page: str | None, pages: str | None) -> str | None:
    if page is None or page.startswith(("http://", "https://")):
        return page
    return urljoin(pages, page) if pages else None


def fitting(document: AlarmDocument) -> tuple[AlarmDocument, str]:
    """What the dashboard takes of a document, and a sentence about what it does not; or nothing.

    What is not closed comes first, then what was told last. Of an alarm's reruns and history the
    newest rows are sent.
    """
    ranked = sorted(
        document.alarms, key=lambda one: (one.state in CURRENT, one.told, one.id), reverse=True
    )
    kept: dict[tuple[str, str], PublishedAlarm] = {}
    size = _ENVELOPE
    for one in ranked[:MOST_SENT]:
        newest = {"reruns": one.reruns[-MOST_SENT:], "history": one.history[-MOST_SENT:]}
        shorter = one.model_copy(update=newest)
        size += len(shorter.model_dump_json().encode()) + 1
        if size > LARGEST_BODY:
            break
        kept[one.box, one.id] = shorter
    dropped = ranked[len(kept) :]
    left_out = ""
    if dropped:
        current = sum(one.state in CURRENT for one in dropped)
        left_out = (
            f"The dashboard was sent {len(kept)} of {len(document.alarms)} alarms, as it takes no"
            f" more; left out are {len(dropped) - current} closed ones"
            + (f" and {current} that are not" if current else "")
            + f", the newest told {dropped[0].told}. `flink-boost alarm list --all` has all."
        )
    alarms = tuple(kept[key] for one in document.alarms if (key := (one.box, one.id)) in kept)
    return document.model_copy(update={"alarms": alarms}), left_out


def alarm_sheet(
    verdicts: Iterable[TrendVerdict],
    runs: Mapping[str, RunInfo],
    made: datetime,
    environment: str | None = None,
) -> SuspicionSheet:
    """What there is to tell of these verdicts; ``runs`` are those that they are about, by id.

    ``environment`` is what the box was called when its runs were uploaded, if not by its name.
    """
    told = [one for one in verdicts if not one.settings.quick_look]
    return SuspicionSheet(
        made=made,
        boxes=tuple(sorted({environment or one.settings.environment for one in told})),
        alarms=tuple(
            _alarm(one, one.change, runs, environment)
            for one in told
            if one.change is not None
            and one.change.after_run in runs
            and one.change.before_run in runs
        ),
    )


def _alarm(
    verdict: TrendVerdict, change: Change, runs: Mapping[str, RunInfo], environment: str | None
) -> SuspectedChange:
    before, since = runs[change.before_run], runs[change.after_run]
    worse = verdict.kind is TrendKind.CANDIDATE_REGRESSION
    return SuspectedChange(
        box=environment or verdict.settings.environment,
        executable=executable(since, Side.PATCHED),
        benchmark=benchmark_name(verdict.cell, since),
        kind="regression" if worse else "improvement",
        effect=change.ratio,
        low=change.low,
        high=change.high,
        before=commit_id(before),
        since=commit_id(since),
        commits=(before.subject_commit, since.subject_commit),
        nights=change.points_since,
        command=bench_command(since, verdict.cell),
    )


def send_alarms(sheet: SuspicionSheet | AlarmDocument, target: Target, client: httpx.Client) -> str:
    """Sends as much as the dashboard takes; a sentence about what was left out, or nothing.

    Raises ``UploadFailed`` with the server's words when the dashboard does not take it.
    """
    left_out = ""
    if isinstance(sheet, AlarmDocument):
        sheet, left_out = fitting(sheet)
    post(Post(PATH, sheet.model_dump_json(), "The alarms", _AGAIN), target, client)
    return left_out
