"""One night's detection from beginning to end: tracks, reruns, the registry of alarms."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from datetime import UTC, datetime
from pathlib import Path

from flink_boost.judge.tracks import build_tracks, newest_runs
from flink_boost.measure.model import RunInfo
from flink_boost.measure.renamed_benchmarks import load_renamed
from flink_boost.measure.summary import RunSummary
from flink_boost.service.detect.alarm_registry import (
    AlarmRegistry,
    after_night,
    commits_in_use,
    load_registry,
    registry_lock,
    store_registry,
)
from flink_boost.service.detect.anchor_reruns import agreements, drifts, hold
from flink_boost.service.detect.confirming import (
    NIGHT_PAIRS,
    Findings,
    NightReruns,
    confirm,
)
from flink_boost.service.detect.reruns.rerun_setup import RerunMeans


def confirm_tonight(
    runs: Iterable[RunSummary],
    results: Path,
    build: Path,
    means: RerunMeans,
    *,
    pairs: int = NIGHT_PAIRS,
    tonight: Collection[str] | None = None,
    canary_moved: bool = False,
    night_of: Callable[[RunInfo], str] = lambda run: run.run_id,
    environment: str | None = None,
    builds_kept: Collection[str] = (),
) -> tuple[AlarmRegistry, Findings]:
    """Reruns what tonight is suspected of, and keeps what became of it in the registry.

    ``tonight`` are ids of the night's runs, by default the newest of each series of this box.
    Called again it goes on where it was. Builds that were not used lately are deleted, but for
    those of commits that alarms need, or ``builds_kept``. The caller holds the machine's lock.
    """
    tracks = build_tracks(runs, load_renamed())
    reruns = NightReruns(
        results,
        means.builder,
        means.builder.recipe.project,
        means.bench,
        pairs=pairs,
        now=_now,
    )
    wanted = newest_runs(tracks, means.box) if tonight is None else tonight
    found = confirm(tracks, results, reruns, wanted)
    alarms = load_registry(build).alarms
    findings = hold(found, results, reruns, wanted, agreements(alarms), drifts(alarms))
    # Not held while something is measured: a person may decide about an alarm meanwhile.
    with registry_lock(build):
        registry = after_night(
            load_registry(build),
            findings,
            _now(),
            canary_moved=canary_moved,
            night_of=night_of,
            environment=environment,
        )
        store_registry(build, registry)
    kept = commits_in_use(registry) | set(builds_kept)
    for line in {track.settings.line for track in tracks}:
        means.builder.prune(line, kept)
    return registry, findings


def _now() -> datetime:
    return datetime.now(UTC).replace(microsecond=0)
