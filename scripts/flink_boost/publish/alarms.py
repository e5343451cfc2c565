"""Tells the dashboard which series have changed lately, as ``detect`` found it.

A document takes the place of what was told of the same boxes before, so sending it again, or later,
does no harm. Nothing is spooled: the next call of ``detect`` finds the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Literal
from urllib.parse import urljoin

import httpx
from pydantic import FiniteFloat, JsonValue

from flink_boost.base.errors import UploadFailed
from flink_boost.flink.side import Side
from flink_boost.judge.alarms import OURS_ALONE, AlarmFigures, AlarmRecord, figures
from flink_boost.judge.trend import Change, TrendKind, TrendVerdict
from flink_boost.measure.model import Frozen, RunInfo
from flink_boost.publish.codespeed import benchmark_name, commit_id, executable
from flink_boost.publish.run_note import bench_command
from flink_boost.publish.target import SET_TOKEN, Target

PATH = "alarms/add/"
_AGAIN = "Call `flink-boost detect --send` again."
_QUOTED_CHARACTERS = 200


class Alarm(Frozen):
    """A series whose ratio has changed; names are those of the dashboard.

    ``before`` and ``since`` are the dashboard's ids of the last run on the old level and the first
    on the new one; ``effect`` is new level over old, with its interval where there is one.
    ``report`` and ``profile`` are addresses that a reader can open, where there are such pages.
    """

    box: str
    executable: str
    benchmark: str
    kind: Literal["regression", "improvement"]
    effect: FiniteFloat
    low: FiniteFloat | None
    high: FiniteFloat | None
    before: str
    since: str
    commits: tuple[str, str]
    nights: int
    command: str
    report: str | None = None
    profile: str | None = None


class AlarmSheet(Frozen):
    """All alarms of some boxes; a box without one is named all the same."""

    schema_version: Literal[1] = 1
    made: datetime
    boxes: tuple[str, ...]
    alarms: tuple[Alarm, ...]


class AlarmDocument(Frozen):
    """All alarms that there ever were on some boxes, with their history: what is sent since reruns
    confirm them. Takes the place of what was told of these boxes before.
    """

    schema_version: Literal[2] = 2
    made: datetime
    boxes: tuple[str, ...]
    alarms: tuple[dict[str, JsonValue], ...]
    figures: AlarmFigures


def alarm_document(
    records: Sequence[AlarmRecord], boxes: Iterable[str], rerun_pairs: int, made: datetime
) -> AlarmDocument:
    """The document; ``boxes`` are named though they may have no alarm."""
    return AlarmDocument(
        made=made,
        boxes=tuple(sorted({*boxes, *(one.box for one in records)})),
        alarms=tuple(one.model_dump(mode="json", exclude=set(OURS_ALONE)) for one in records),
        figures=figures(records, rerun_pairs),
    )


def alarm_sheet(
    verdicts: Iterable[TrendVerdict],
    runs: Mapping[str, RunInfo],
    made: datetime,
    environment: str | None = None,
) -> AlarmSheet:
    """What there is to tell of these verdicts; ``runs`` are those that they are about, by id.

    ``environment`` is what the box was called when its runs were uploaded, if not by its name.
    """
    told = [one for one in verdicts if not one.settings.quick_look]
    return AlarmSheet(
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
) -> Alarm:
    before, since = runs[change.before_run], runs[change.after_run]
    worse = verdict.kind is TrendKind.CANDIDATE_REGRESSION
    return Alarm(
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


def send_alarms(sheet: AlarmSheet | AlarmDocument, target: Target, client: httpx.Client) -> None:
    """Raises ``UploadFailed`` with the server's words when the dashboard does not take it."""
    try:
        answer = client.post(
            urljoin(target.url, PATH),
            content=sheet.model_dump_json(),
            headers={
                "Authorization": f"Bearer {target.token}",
                "Content-Type": "application/json",
            },
        )
    except httpx.HTTPError as error:
        raise UploadFailed(
            f"The alarms could not be sent to {target.url} ({type(error).__name__}).", _AGAIN
        ) from error
    if answer.status_code in (401, 403):
        raise UploadFailed(f"{target.url} does not take the token.", SET_TOKEN)
    if answer.status_code != httpx.codes.ACCEPTED:
        words = answer.text[:_QUOTED_CHARACTERS].replace(target.token, "***")
        shown = " ".join("".join(c if c.isprintable() else " " for c in words).split())
        raise UploadFailed(
            f"{target.url} did not take the alarms ({answer.status_code}: {shown}).", _AGAIN
        )
