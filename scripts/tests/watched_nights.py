"""Nights, builds and reruns made from levels that are known, for the tests of alarms."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

from synthetic import make_forks, make_run

from flink_boost.base.errors import BuildFailed
from flink_boost.flink.lines import Line
from flink_boost.judge.tracks import build_tracks, newest_runs
from flink_boost.measure.commit_jars import Build, build_of
from flink_boost.measure.fork import Fork
from flink_boost.measure.model import Built, Cell, RunInfo
from flink_boost.measure.summary import RunSummary, summarise
from flink_boost.service.detect.confirming import NIGHT_PAIRS, Findings, NightReruns, confirm
from flink_boost.service.detect.reruns.bench import BuildQuestion

NOW = datetime(2026, 4, 1, 6, tzinfo=UTC)
NOISE = 0.01


def commit_of(night: int) -> str:
    return f"{night + 1:040x}"


def make_nights(levels: Mapping[Cell, Sequence[float]], start: int = 0) -> list[RunSummary]:
    """A run per night; ``levels`` are log-ratios of patched to stock."""
    nights = range(start, len(next(iter(levels.values()))))
    return [summarise(*forks_of_night(levels, night)) for night in nights]


def forks_of_night(
    levels: Mapping[Cell, Sequence[float]], night: int
) -> tuple[RunInfo, list[Fork]]:
    """One of these runs with its forks."""
    source = random.Random(night)
    run = make_run(night, cells=tuple(levels), commit=commit_of(night))
    forks: list[Fork] = []
    for place, (cell, ratios) in enumerate(levels.items()):
        alone = make_run(night, cells=(cell,), commit=commit_of(night))
        ratio = 2.0 * 2.718281828459045 ** (ratios[night] + source.gauss(0, NOISE / 2))
        forks += make_forks(alone, ratio=ratio, noise=NOISE / 2, seed=1000 * night + place)
    return run, forks


class MadeBuilds:
    """A jar per commit, and none for some; nights of one level may be one build."""

    def __init__(self, folder: Path, failing: Sequence[str] = (), one_build: bool = False) -> None:
        self._folder = folder
        self._failing = failing
        self._one_build = one_build
        self.asked: list[str] = []
        folder.mkdir(exist_ok=True)

    def build(self, commit: str, line: Line) -> Build:
        assert line.version == "2.3.0"
        self.asked.append(commit)
        if commit in self._failing:
            raise BuildFailed(f"{commit[:12]} could not be built.", "Read its log.")
        jar = self._folder / f"{'one' if self._one_build else commit}.jar"
        jar.write_text(jar.stem, encoding="utf-8")
        built = Built(project="flink-boost", version="0", commit=commit)
        return build_of(built, line.version, (jar,))


class MadeReruns:
    """Answers from levels; the same pair of the same question always gives the same answer."""

    def __init__(
        self, levels: Mapping[Cell, Sequence[float]], interrupted_after: int | None = None
    ) -> None:
        self._levels = levels
        self._left = interrupted_after
        self.asked: list[tuple[str, int]] = []

    def rerun(self, question: BuildQuestion, known: int, pairs: int) -> tuple[float, ...]:
        if self._left == 0:
            raise KeyboardInterrupt
        self._left = None if self._left is None else self._left - 1
        self.asked.append((question.cell.name, pairs))
        levels = self._levels[question.cell]
        before, after = (
            levels[int(one.built.commit, 16) - 1] for one in (question.before, question.after)
        )
        found = []
        for number in range(known, known + pairs):
            source = random.Random(f"{question.cell.name} {question.asked} {number}")
            found.append(after - before + source.gauss(0, NOISE))
        return tuple(found)


def confirmed(
    results: Path,
    runs: Sequence[RunSummary],
    bench: MadeReruns,
    builds: MadeBuilds,
    pairs: int = NIGHT_PAIRS,
) -> Findings:
    """What one night's call finds."""
    reruns = NightReruns(results, builds, "flink-boost", bench, pairs=pairs, now=lambda: NOW)
    tracks = build_tracks(runs)
    return confirm(tracks, results, reruns, newest_runs(tracks, "box-1"))


def flat(nights: int, **steps: float) -> list[float]:
    """Zeros, and from each night ``nN`` on that much more."""
    levels = [0.0] * nights
    for name, size in steps.items():
        for night in range(int(name[1:]), nights):
            levels[night] += size
    return levels
