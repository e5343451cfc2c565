"""Renders a run as one HTML page that needs nothing else: no script, no font, no request.

Pure: everything that the page shows is passed in as :class:`ReportInput`. The wording is here, the
markup in ``templates/``. All values are escaped by Jinja, and a content security policy in the page
forbids scripts and requests, should a value ever get past that.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from urllib.parse import urlsplit

from flink_boost.flink.side import Side
from flink_boost.judge.outcomes import Comparison
from flink_boost.judge.ratio import HarnessCheck, check_harness
from flink_boost.judge.series import Series, settings_of
from flink_boost.judge.trend import Change, TrendKind, TrendVerdict
from flink_boost.judge.verdict import RULES, Verdict
from flink_boost.measure.model import RunInfo
from flink_boost.measure.release import flink_of
from flink_boost.publish.comparison import (
    chance_sentence,
    comparison_sheet,
    harness_sentence,
    order_sentence,
)
from flink_boost.publish.nightly.words import counted, utc
from flink_boost.publish.plot import HEIGHT, LEFT, RIGHT, WIDTH, Chart, chart_of
from flink_boost.publish.profile_links import ProfileLinks
from flink_boost.publish.raw_data import RawData
from flink_boost.publish.sheet import Sheet, templates


@dataclass(frozen=True)
class AaSummary:
    """The newest stock-against-stock run of the same group, made like this one."""

    run: RunInfo
    check: HarnessCheck


@dataclass(frozen=True)
class ReportInput:
    """All that the page shows. ``series`` may be more than this run's; ``trends`` are theirs.

    ``further`` are tables besides that of patched against stock: a third side, comparators.
    ``left_out`` are sentences about what the run lacks.
    """

    run: RunInfo
    comparisons: tuple[Comparison, ...]
    series: tuple[Series, ...]
    trends: tuple[TrendVerdict, ...]
    aa: AaSummary | None
    dashboard_url: str | None
    made: datetime
    further: tuple[Sheet, ...] = ()
    left_out: tuple[str, ...] = ()
    profiles: tuple[ProfileLinks, ...] = ()
    raw: RawData | None = None


@dataclass(frozen=True)
class Figure:
    """A plot, its values as text, and what detection says about it."""

    chart: Chart
    trend: str
    trend_class: str


def render(report: ReportInput, base: str = "") -> str:
    """The page as text; ``base`` leads from it to the folder of the run's report."""
    run = report.run
    return (
        templates()
        .get_template("report.html.j2")
        .render(
            run=run,
            started=utc(run.started),
            made=utc(report.made),
            headline=headline(run, report.comparisons),
            results=comparison_sheet(run, report.comparisons) if report.comparisons else None,
            confidence=report.comparisons[0].confidence if report.comparisons else 0.95,
            figures=_figures(report),
            trend_headline=trend_headline([trend for _, trend in _own_series(report)]),
            chance=chance_sentence(report.comparisons),
            rules=RULES,
            aa=None if report.aa is None else aa_sentence(report.aa),
            circumstances=_circumstances(run),
            further=report.further,
            left_out=report.left_out,
            profiles=report.profiles,
            raw=report.raw,
            base=base,
            dashboard_url=_web_address(report.dashboard_url),
            size={"width": WIDTH, "height": HEIGHT, "left": LEFT, "right": WIDTH - RIGHT},
        )
    )


def headline(run: RunInfo, comparisons: Sequence[Comparison]) -> str:
    """What was found, in one sentence of plain words."""
    if not comparisons:
        return f"Flink {flink_of(run)}: this run compared no benchmark."
    benchmarks = counted(len(comparisons), "benchmark")
    if Side.CONTROL in run.sides:
        off = check_harness(comparisons).excluding_one
        return (
            f"Flink {flink_of(run)}, stock against stock: {off} of {benchmarks} "
            f"{'shows' if off == 1 else 'show'} a difference that cannot be there."
        )
    by_verdict = {
        verdict: [item.ratio for item in comparisons if item.verdict is verdict]
        for verdict in reversed(Verdict)
    }
    parts = [
        f"{len(ratios)} {verdict}{_span(ratios) if verdict.is_faster else ''}"
        for verdict, ratios in by_verdict.items()
        if ratios
    ]
    slower = any(item.verdict.is_slower for item in comparisons)
    if by_verdict[Verdict.UNDECIDED] and not slower:
        parts.append("none shown to be slower")
    found = ", ".join(parts)
    return f"Flink {flink_of(run)} with flink-boost, {benchmarks}: {found}."


def _span(ratios: Sequence[float]) -> str:
    low, high = f"{min(ratios):.2f}x", f"{max(ratios):.2f}x"
    return f" ({low})" if low == high else f" ({low} to {high})"


def trend_headline(trends: Sequence[TrendVerdict]) -> str:
    """What detection says about the series of this run, in one sentence."""
    if not trends:
        return "There is no series yet for the settings of this run."
    counts = Counter(trend.kind for trend in trends)
    if counts[TrendKind.LEARNING] == len(trends):
        runs = max(trend.points for trend in trends)
        return f"Learning: {counted(runs, 'run')} so far, too few to see a trend."
    parts = [
        f"{counts[kind]} {words}"
        for kind, words in (
            (TrendKind.CANDIDATE_REGRESSION, "may have become slower"),
            (TrendKind.CANDIDATE_IMPROVEMENT, "may have become faster"),
            (TrendKind.STEADY, "steady"),
            (TrendKind.LEARNING, "still learning"),
        )
        if counts[kind]
    ]
    return f"Of {counted(len(trends), 'benchmark')}: " + ", ".join(parts) + "."


def aa_sentence(aa: AaSummary) -> str:
    """What the terminal says under a stock-against-stock run, and which run it was."""
    return (
        f"{harness_sentence(aa.check)} Newest stock-against-stock run of the group "
        f"{aa.run.group}: {aa.run.run_id}, {utc(aa.run.started)}."
    )


def _figures(report: ReportInput) -> list[Figure]:
    judged = _own_series(report)
    most_runs = _runs_per_plot(len(judged))
    return [
        _figure(series, trend, most_runs)
        for series, trend in judged
        if any(series.points[-most_runs:])
    ]


def _figure(series: Series, trend: TrendVerdict, most_runs: int) -> Figure:
    changes = [change for change in (*trend.earlier_changes, trend.change) if change is not None]
    chart = chart_of(series, [change.after_run for change in changes], most_runs)
    return Figure(chart, _trend_sentence(trend), trend.kind.value)


def _runs_per_plot(plots: int) -> int:
    """So many that the page stays below 3 MB: a run takes about 900 bytes in each plot."""
    return min(90, max(10, 2400 // max(plots, 1)))


def _own_series(report: ReportInput) -> list[tuple[Series, TrendVerdict]]:
    """The series that this run is part of; for an A/A run those that it is the control of."""
    run = report.run
    return [
        (series, trend)
        for series, trend in zip(report.series, report.trends, strict=True)
        if any(point.run_id == run.run_id for point in series.present)
        or (
            Side.CONTROL in run.sides
            and series.cell in run.cells
            and series.settings == settings_of(run)
        )
    ]


def _trend_sentence(trend: TrendVerdict) -> str:
    gaps = f", {trend.gaps} missing" if trend.gaps else ""
    points = counted(trend.points, "point") + gaps
    if trend.kind is TrendKind.LEARNING:
        return f"Learning ({points})."
    if trend.change is None:
        return f"Steady ({points}; a change would have to exceed {trend.threshold:.1%})."
    word = "slower" if trend.kind is TrendKind.CANDIDATE_REGRESSION else "faster"
    return f"May have become {word}: {_change_words(trend.change)} ({points}); not confirmed yet."


def _change_words(change: Change) -> str:
    return (
        f"{change.ratio - 1:+.1%} between commit {change.before_commit[:8]} and "
        f"{change.after_commit[:8]}, p = {change.p_value:.1g}"
    )


def _circumstances(run: RunInfo) -> list[tuple[str, str]]:
    box = run.box
    return [
        ("Run", run.run_id),
        ("Group", f"{run.group} ({run.pairs_text}{', quick look' if run.quick_look else ''})"),
        ("Flink", flink_of(run)),
        ("flink-boost", f"{run.boost_version}, commit {run.commit}"),
        ("Drop-in jar (SHA-256)", run.dropin_sha256 or "none: both sides are stock"),
        *([("Third side", f"{run.third_title} (SHA-256 {run.third_sha256})")] if run.third else []),
        ("Order of a pair", order_sentence(run) or "in turn: even pairs began with the other side"),
        ("Threads", str(run.threads)),
        ("Heap", run.heap or "as each benchmark fixes it"),
        ("Box", f"{box.label}: {box.cpu}, {box.cores} cores, {box.memory_mb:,} MB"),
        ("Kernel", box.kernel),
        ("JDK", box.jdk),
        ("Load before the run", f"{box.load:.2f}"),
        ("java.lang opened", "yes, as Flink's own configuration does" if run.opened else "no"),
        ("JVM options", " ".join(run.jvm_options) or "none"),
    ]


def _web_address(url: str | None) -> str | None:
    """Only a web address becomes a link; ``javascript:`` and the like do not."""
    return url if url is not None and urlsplit(url).scheme in ("http", "https") else None
