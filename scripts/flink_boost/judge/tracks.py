"""The nights of each benchmark as detection takes them: pairs, in order of time.

A track is a series with its pairs. Its order is that of the runs' beginnings, whatever the order of
files, uploads or commits' dates; another unit, direction, timing or JDK is another track.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from flink_boost.judge.detection.nights import Night, effects_of
from flink_boost.judge.series import SeriesSettings, settings_of
from flink_boost.measure.model import Cell, Mode, RunInfo, Timing
from flink_boost.measure.summary import CellSummary, RunSummary

_NONE: Mapping[str, str] = {}


@dataclass(frozen=True)
class Track:
    """One benchmark night by night. ``runs`` are those that planned it, by a night's number.

    ``cell`` has the name that it has now; ``names`` says what it was called in each run.
    """

    cell: Cell
    settings: SeriesSettings
    mode: Mode
    unit: str
    timing: Timing | None
    nights: tuple[Night, ...]
    runs: tuple[RunInfo, ...]
    names: tuple[Cell, ...]

    def nights_after(self, number: int) -> tuple[Night, ...]:
        """Those with a higher number."""
        return tuple(night for night in self.nights if night.number > number)

    @property
    def key(self) -> str:
        """What tells it from other tracks, the same for ever: 16 hex digits.

        A benchmark that is renamed keeps the key that it had: what reruns have answered, and its
        alarms, are found by it.
        """
        timing = self.timing.model_dump_json() if self.timing else ""
        first = self.names[self.nights[0].number]
        words = (
            first.model_dump_json(), self.settings.identity, self.mode.value, self.unit, timing,
        )  # fmt: skip
        return hashlib.sha256("\n".join(words).encode()).hexdigest()[:16]


def build_tracks(
    runs: Iterable[RunSummary], renamed: Mapping[str, str] = _NONE
) -> tuple[Track, ...]:
    """All tracks of these runs, ordered by name and settings.

    ``renamed`` maps old full names of benchmarks to new ones. Runs that make no point of a trend,
    quick looks and A/A runs are passed over.
    """
    ordered = sorted(runs, key=lambda run: (run.info.started, run.info.run_id))
    grouped: defaultdict[SeriesSettings, list[RunSummary]] = defaultdict(list)
    for run in ordered:
        if run.info.purpose.makes_a_point and not (run.is_aa or run.info.quick_look):
            grouped[settings_of(run.info)].append(run)
    tracks = [
        track
        for settings, group in grouped.items()
        for track in _tracks_of(settings, group, renamed)
    ]
    return tuple(sorted(tracks, key=lambda track: (track.cell.name, track.key)))


def newest_runs(tracks: Iterable[Track], box: str) -> frozenset[str]:
    """The newest run of each series of a box: what tonight is, as long as nobody says otherwise."""
    newest: dict[str, RunInfo] = {}
    for track in tracks:
        if track.settings.environment != box:
            continue
        place, run = track.settings.model_dump_json(), track.runs[-1]
        known = newest.get(place)
        if known is None or (run.started, run.run_id) > (known.started, known.run_id):
            newest[place] = run
    return frozenset(run.run_id for run in newest.values())


def current_name(cell: Cell, renamed: Mapping[str, str]) -> Cell:
    """The cell with the name that its benchmark has now; ``renamed`` leads there step by step."""
    name, seen = cell.benchmark, set()
    while name in renamed and name not in seen:
        seen.add(name)
        name = renamed[name]
    return cell if name == cell.benchmark else cell.model_copy(update={"benchmark": name})


def _tracks_of(
    settings: SeriesSettings, runs: Sequence[RunSummary], renamed: Mapping[str, str]
) -> Iterable[Track]:
    measured: dict[tuple[Cell, Mode, str, Timing | None], None] = {}
    rows: list[dict[tuple[Cell, Mode, str, Timing | None], CellSummary]] = []
    for run in runs:
        timings = dict(zip(run.info.cells, run.info.timings, strict=False))
        found = {
            (current_name(one.cell, renamed), one.mode, one.unit, timings.get(one.cell)): one
            for one in run.cells
        }
        rows.append(found)
        measured.update(dict.fromkeys(found))
    for measure in measured:
        cell, mode, unit, timing = measure
        if cell.is_comparator:
            continue
        # A run that planned the benchmark and has no pair of it is a gap: it counts as a night.
        planned = [
            (run, row.get(measure))
            for run, row in zip(runs, rows, strict=True)
            if measure in row or _is_gap(run, cell, row, renamed)
        ]
        nights = []
        for number, (run, one) in enumerate(planned):
            pairs = one.paired_scores(run.info.main_sides) if one else ()
            effects = effects_of(pairs, less_is_better=mode.less_is_better)
            if effects:
                nights.append(Night(number, effects))
        if nights:
            infos = tuple(run.info for run, _ in planned)
            names = tuple(one.cell if one else cell for _, one in planned)
            yield Track(cell, settings, mode, unit, timing, tuple(nights), infos, names)


def _is_gap(
    run: RunSummary,
    cell: Cell,
    row: Mapping[tuple[Cell, Mode, str, Timing | None], CellSummary],
    renamed: Mapping[str, str],
) -> bool:
    if any(measure[0] == cell for measure in row):
        return False  # measured in another unit or timing: of another track
    return any(current_name(one, renamed) == cell for one in run.info.cells)
