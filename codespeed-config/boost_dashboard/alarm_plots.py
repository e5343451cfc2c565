"""A small plot beside each alarm: the ratio of the latest runs, and where it changed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from codespeed.models import Branch, Environment, Executable, Revision

from boost_dashboard.alarms import Alarm, AlarmGroup
from boost_dashboard.landing import sparkline
from boost_dashboard.reading.latest import latest_revisions, ratios_by_run

PLOT_WIDTH, PLOT_HEIGHT = 240, 48
_RUNS = 60
_MARGIN = 2.0


@dataclass(frozen=True)
class Plot:
    """``points`` as SVG's polyline takes them; ``mark`` is where the new level begins, or None."""

    points: str
    mark: float | None
    runs: int


@dataclass(frozen=True)
class PlottedAlarm:
    """An alarm with its plot; None where the dashboard has fewer than two ratios of it.

    ``has_timeline``: its ratio is there, under that name, and was not pruned. ``branch`` has its
    runs; it is empty for the one whose runs are our nights.
    """

    alarm: Alarm
    plot: Plot | None
    has_timeline: bool
    branch: str


@dataclass(frozen=True)
class PlottedGroup:
    """A group of alarms, each with its plot; ``has_run``: its first run was not removed."""

    group: AlarmGroup
    has_run: bool
    alarms: tuple[PlottedAlarm, ...]


@dataclass(frozen=True)
class _Nights:
    """The latest nights of a box and executable, oldest first, and their ratios by benchmark."""

    branch: str
    runs: tuple[str, ...]
    ratios: Mapping[str, Sequence[tuple[int, float]]]


def plotted(groups: Iterable[AlarmGroup]) -> list[PlottedGroup]:
    """The same groups, each alarm with the plot of its ratio."""
    read = cache(_latest_nights)  # once for all alarms of a box and executable
    return [
        PlottedGroup(
            group,
            Revision.objects.filter(commitid=group.since).exists(),
            tuple(
                _plotted(alarm, read(group.box_id, alarm.said.executable)) for alarm in group.alarms
            ),
        )
        for group in groups
    ]


def _plotted(alarm: Alarm, nights: _Nights) -> PlottedAlarm:
    has_timeline = alarm.benchmark in nights.ratios
    return PlottedAlarm(alarm, _plot(nights, alarm), has_timeline, nights.branch)


def _latest_nights(box_id: int, executable: str) -> _Nights:
    box = Environment.objects.get(id=box_id)
    for candidate in Executable.objects.filter(name=executable).select_related("project"):
        usual = candidate.project.default_branch
        # A recipe's nights are on the branch of its project, which their executable's name holds.
        for name in dict.fromkeys((usual, *executable.split())):
            branch = Branch.objects.filter(project=candidate.project, name=name).first()
            runs = latest_revisions(box, candidate, branch, _RUNS) if branch else []
            if runs:
                return _Nights(
                    "" if name == usual else name,
                    tuple(run.commitid for run in reversed(runs)),
                    ratios_by_run(box, candidate, runs),
                )
    return _Nights("", (), {})


def _plot(nights: _Nights, alarm: Alarm) -> Plot | None:
    found = nights.ratios.get(alarm.benchmark, ())
    points = sparkline([value for _, value in found], PLOT_WIDTH, PLOT_HEIGHT)
    if not points:
        return None
    older = 0
    if alarm.said.since in nights.runs:
        first = nights.runs.index(alarm.said.since)
        older = sum(place < first for place, _ in found)
    step = (PLOT_WIDTH - 2 * _MARGIN) / (len(found) - 1)
    # Between the last run on the old level and the first on the new one.
    mark = round(_MARGIN + step * (older - 0.5), 1) if 0 < older < len(found) else None
    return Plot(points, mark, len(found))
