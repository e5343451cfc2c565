"""Which messages there are to send after a night, and what they say. Pure.

At most one message a night, and one for the new alarms of a commit; none when nothing happened,
unless nobody has heard anything for a week.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Literal

from flink_boost.publish.nightly.changes import (
    NightChange,
    NightNews,
    news_of,
    open_changes,
)
from flink_boost.publish.nightly.night_facts import NightReport, Told
from flink_boost.publish.nightly.night_page import web_address
from flink_boost.publish.nightly.words import counted, utc

DIGEST_AFTER = timedelta(days=7)
_MOST_LINES = 12  # of one kind in a message; the report has all


class Link(Told):
    """An address that a reader may open; http or https."""

    title: str
    url: str


class Message(Told):
    """What is sent, as plain text; each channel escapes it as it needs.

    ``key`` tells messages apart, ``alarms`` are the ids that it tells of, ``made`` is the slot of
    its night, so that a clock that was set back moves nothing.
    """

    key: str
    kind: Literal["alarms", "night", "digest", "test", "requests"]
    made: datetime
    night: str
    subject: str
    lines: tuple[str, ...]
    command: str = ""
    links: tuple[Link, ...] = ()
    alarms: tuple[str, ...] = ()


def due_messages(
    report: NightReport,
    earlier: Sequence[NightReport],
    told: frozenset[str],
    last_told: datetime | None,
) -> tuple[Message, ...]:
    """What there is to send of that night to a channel that was told of the alarms ``told``.

    ``earlier`` are reports of nights before, newest first, for the digest; ``last_told`` is the
    slot of the newest night that the channel has a message of, None for a channel without any.
    """
    news = news_of(report)
    # By what was told, not by what is new: an alarm of a night that could tell nobody is not lost.
    fresh = [one for one in open_changes(report) if one.alarm.notice not in told]
    groups: dict[tuple[str, str], list[NightChange]] = {}
    for change in fresh:
        groups.setdefault(change.alarm.commits, []).append(change)
    messages = [_of_alarms(report, group) for group in groups.values()]
    ended = [one for one in _ended(news) if one[0] not in told]
    if news.troubles or ended or news.moved:
        messages.append(_of_night(report, news, ended))
    slot = report.night.slot
    if not messages and (last_told is None or slot - last_told >= DIGEST_AFTER):
        messages.append(_digest(report, earlier))
    return tuple(messages)


def trial_message(now: datetime) -> Message:
    """What `flink-boost notify test` sends."""
    return Message(
        key=f"test-{now:%Y%m%dT%H%M%S}",
        kind="test",
        made=now,
        night="",
        subject="flink-boost: a test message",
        lines=(
            "`flink-boost notify test` sent this. Messages about nights will arrive like it:",
            "when a benchmark has become slower or faster, or a night went wrong; else weekly.",
        ),
    )


def stop_message(now: datetime, what: str, lines: tuple[str, ...]) -> Message:
    """Of a call that could not do what it was started for; one a day of each kind."""
    content = "\n".join((what, *lines))
    return Message(
        key=f"stop-{now:%Y%m%d}-{hashlib.sha256(content.encode()).hexdigest()[:16]}",
        kind="night",
        made=now,
        night="",
        subject=f"flink-boost: {what}",
        lines=lines,
    )


def _of_alarms(report: NightReport, group: Sequence[NightChange]) -> Message:
    ids = tuple(sorted(change.alarm.notice for change in group))
    first = group[0]
    what = first.title
    if len(group) > 1:
        worse = sum(change.bad for change in group)
        words = "slower" if worse == len(group) else "faster" if not worse else "slower or faster"
        what = f"{counted(len(group), 'benchmark')} have become {words}"
    lines = [f"{change.title}: {change.size}." for change in group[:_MOST_LINES]]
    lines += _rest(len(group))
    lines += [f"Since: {first.since}.", f"Whose: {first.whose}", f"What to do: {first.advice}"]
    return Message(
        key="alarms-" + hashlib.sha256("\n".join(ids).encode()).hexdigest()[:16],
        kind="alarms",
        made=report.night.slot,
        night=report.night.night,
        subject=f"flink-boost: {what}",
        lines=tuple(lines),
        command=first.command,
        links=_links(report, first),
        alarms=ids,
    )


def _ended(news: NightNews) -> list[tuple[str, NightChange]]:
    """What has become of alarms, with what a channel that was told of it is known by."""
    found = [(f"{change.alarm.id}+found", change) for change in news.found]
    others = (*news.closed, *news.returned)
    return found + [(f"{change.alarm.id}+{change.alarm.state}", change) for change in others]


def _of_night(
    report: NightReport, news: NightNews, ended: Sequence[tuple[str, NightChange]]
) -> Message:
    lines = [news.moved] if news.moved else []
    lines += list(news.troubles[:_MOST_LINES]) + _rest(len(news.troubles))
    for _, change in ended[:_MOST_LINES]:
        lines.append(f"{change.title}. {change.size}; {change.whose}")
    lines += _rest(len(ended))
    night, state = report.night.night, report.night.state
    # A night of which it was told that it is short, or missing, may be gone on with and end, or
    # say more of alarms and be short again.
    key = f"night-{night}" if state == "complete" else f"night-{night}-{state}"
    if parts := sorted(part for part, _ in _ended(news)):
        key += "-" + hashlib.sha256("\n".join(parts).encode()).hexdigest()[:16]
    return Message(
        key=key,
        kind="night",
        made=report.night.slot,
        night=report.night.night,
        subject=f"flink-boost, night {report.night.night} on {report.night.box}: {news.headline}",
        lines=tuple(lines),
        links=_links(report, None),
        alarms=tuple(part for part, _ in ended),
    )


def _digest(report: NightReport, earlier: Sequence[NightReport]) -> Message:
    since = report.night.slot - DIGEST_AFTER
    week = [report] + [
        one
        for one in earlier
        if since < one.night.slot < report.night.slot and one.night.box == report.night.box
    ]
    whole = sum(one.night.state == "complete" for one in week)
    news = news_of(report)
    measured = report.night.measured
    steady = not (news.still_open or news.unsettled) and whole == len(week)
    if report.night.learning is not None:
        subject = "still learning"
    else:
        subject = "all quiet this week" if steady else "no news this week"
    return Message(
        key=f"digest-{report.night.night}",
        kind="digest",
        made=report.night.slot,
        night=report.night.night,
        subject=f"flink-boost on {report.night.box}: {subject}",
        lines=(
            news.headline,
            "This message comes once a week, so that you can tell quiet from broken.",
            f"Nights in the last 7 days: {len(week)}, of which {whole} complete.",
            f"The newest is of {utc(report.night.slot)} with {counted(measured, 'benchmark')}.",
            f"Open from before: {counted(len(news.still_open), 'alarm')}.",
            f"Not decided yet: {counted(news.unsettled, 'suspicion')}.",
        ),
        links=_links(report, None),
    )


def _rest(count: int) -> list[str]:
    return [f"… and {count - _MOST_LINES} more, see the report."] if count > _MOST_LINES else []


def _links(report: NightReport, change: NightChange | None) -> tuple[Link, ...]:
    pages = [("Report of the night", report.report), ("Dashboard", report.dashboard)]
    if change is not None:
        pages = [("Alarm", change.alarm.report), ("Flame graphs", change.alarm.profile), *pages]
    return tuple(Link(title=title, url=url) for title, url in pages if url and web_address(url))
