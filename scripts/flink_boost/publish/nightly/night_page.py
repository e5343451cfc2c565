"""A night as a page that needs nothing else, and as Markdown; and the list of nights. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from urllib.parse import urlsplit

from jinja2 import Environment

from flink_boost.base.text import NOTHING, known_interval, one_line
from flink_boost.judge.verdict import by_chance, judge
from flink_boost.measure.field_checks import per_cent
from flink_boost.measure.night_record import StepRecord
from flink_boost.publish.nightly.changes import NightChange, news_of
from flink_boost.publish.nightly.night_facts import NightReport, ReportedRow
from flink_boost.publish.nightly.words import size_of, utc
from flink_boost.publish.sheet import Column, Entry, Sheet, Tone, templates, tone_of

_LEVEL = 0.95  # of the intervals in a night's table
_FINDS = (
    "“Finds” is the smallest change that reruns find on this box, and how many of such are told"
    " within three nights, by the noise of the benchmark's own nights."
)


def night_page(report: NightReport) -> str:
    """The page; every value is escaped, and its policy forbids scripts and requests."""
    return _environment(html=True).get_template("night.html.j2").render(**_content(report))


def night_markdown(report: NightReport) -> str:
    """The same as Markdown."""
    text = _environment(html=False).get_template("night.md.j2").render(**_content(report))
    return re.sub(r"\n{3,}", "\n\n", text).strip() + "\n"


def index_page(reports: Sequence[NightReport], unreadable: Sequence[str]) -> str:
    """The list of nights, in the order given; ``unreadable`` are folders without a report."""
    nights = [
        {
            "id": report.night.night,
            "slot": utc(report.night.slot),
            "box": report.night.box,
            "headline": news.headline,
            "tone": tone_of_night(report),
        }
        for report in reports
        for news in (news_of(report),)
    ]
    template = _environment(html=True).get_template("nights.html.j2")
    return template.render(nights=nights, unreadable=unreadable)


def tone_of_night(report: NightReport) -> Tone:
    """Red when something is slower or went wrong, plain when all is as it was."""
    news = news_of(report)
    if any(change.bad for change in news.changes) or report.night.state in ("missing", "failed"):
        return Tone.BAD
    if news.troubles or news.moved:
        return Tone.OPEN
    return Tone.GOOD if news.changes else Tone.PLAIN


def web_address(url: str | None) -> str | None:
    """Only a web address becomes a link; ``javascript:`` and the like do not."""
    if url is None:
        return None
    try:
        parts = urlsplit(url)
    except ValueError:
        return None
    usable = parts.scheme in ("http", "https") and bool(parts.hostname)
    return url if usable and re.fullmatch(r"[\x21-\x7e]+", url) else None


def plain(text: object) -> str:
    """A value in one line of Markdown, without anything that would format, link or embed."""
    line = one_line(str(text))
    line = line.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return re.sub(r"([\\`*_{}\[\]#|!~@])", r"\\\1", line)


def code_span(text: object) -> str:
    """A command in one line of Markdown's code, whatever ticks it holds."""
    line = one_line(str(text))
    longest = max((len(ticks) for ticks in re.findall("`+", line)), default=0)
    fence = "`" * (longest + 1)
    return f"{fence} {line} {fence}" if longest else f"`{line}`"


def _environment(*, html: bool) -> Environment:
    environment = templates(as_html=html)
    environment.filters.update(web_address=web_address, plain=plain, code=code_span, size=size_of)
    return environment


def _content(report: NightReport) -> dict[str, object]:
    night = report.night
    news = news_of(report)
    return {
        "report": report,
        "night": night,
        "news": news,
        "slot": utc(night.slot),
        "made": utc(report.made),
        "changes": [_links(change, report) for change in news.changes],
        "rows": _sheet(report.rows),
        "steps": [(step, _lasted(step)) for step in night.steps],
        "watching": [one for one in report.alarms if one.state in ("watching", "withheld")],
        "canary": _canary(report),
    }


def _links(change: NightChange, report: NightReport) -> dict[str, object]:
    alarm = change.alarm
    profile = next((one for one in report.profiles if one.alarm == alarm.id), None)
    pages = [("report", alarm.report)]
    if profile is None:
        pages.append(("flame graphs", alarm.profile))
    links = [(name, web_address(url)) for name, url in pages if web_address(url)]
    # Of our own making, and two folders further up than the page.
    own = (
        [(f"flame graph: {title}", f"../../{page}") for title, page in profile.links]
        if profile
        else []
    )
    return {"change": change, "links": [*links, *own], "profile": profile.text if profile else ()}


def _canary(report: NightReport) -> str:
    canary = report.night.canary
    if canary is None:
        return "The canary was not measured."
    word = "moved" if canary.moved else "is steady"
    return (
        f"The canary {word}: {per_cent(canary.ratio)} "
        f"(95 % interval {per_cent(canary.low)} to {per_cent(canary.high)})."
    )


def _lasted(step: StepRecord) -> str:
    if step.seconds is None:
        return NOTHING
    minutes, seconds = divmod(round(step.seconds), 60)
    return f"{minutes} min {seconds:02} s" if minutes else f"{seconds} s"


def _sheet(rows: Sequence[ReportedRow]) -> Sheet:
    numeric = ("Ratio", "95 % interval", "Pairs", "Last before")
    titles = ("Benchmark", "Flink", *numeric, "Verdict", "Finds")
    return Sheet(
        "All benchmarks of the night",
        tuple(Column(title, numeric=title in numeric) for title in titles),
        tuple(
            (
                Entry(row.benchmark),
                Entry(row.line),
                Entry(f"{row.ratio:.3f}x"),
                Entry(known_interval(row.low, row.high)),
                Entry(str(row.pairs)),
                Entry(NOTHING if row.before is None else f"{row.before:.3f}x"),
                Entry(row.verdict, tone_of(judge(row.low, row.high))),
                Entry(row.finds or NOTHING),
            )
            for row in sorted(rows, key=lambda row: (row.line, row.benchmark))
        ),
        tuple(filter(None, [_chance(rows), _FINDS if any(row.finds for row in rows) else ""])),
    )


def _chance(rows: Sequence[ReportedRow]) -> str:
    count = round(by_chance(sum(row.low is not None for row in rows), _LEVEL))
    return (
        f"Of equal code chance alone calls about {count} of them faster or slower." if count else ""
    )
