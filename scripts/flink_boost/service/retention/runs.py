"""Of runs: logs and profiles that are old, runs that were given up, forks that may be packed.

The results of a run that counts never go, nor anything of one that is not finished or that a newer
flink-boost wrote.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from functools import partial
from pathlib import Path

from flink_boost.base.errors import FlinkBoostError
from flink_boost.measure import packing, run_listing, store
from flink_boost.measure.model import RunInfo
from flink_boost.measure.schema import RUN_FILES, is_newer
from flink_boost.measure.store import RunState
from flink_boost.publish.raw_data import RAW_DATA, drop_logs
from flink_boost.publish.spool import Spool
from flink_boost.publish.spool_runs import take_back_abandoned
from flink_boost.service.retention.kept_kinds import Old, deletion, is_before
from flink_boost.service.retention.references import References

_NONE = References()


def old_logs(
    results: Path, before: datetime, references: References = _NONE, reports: Path | None = None
) -> Iterator[Old]:
    """Logs and profiles of runs that began before; below ``reports`` they go out of raw data."""
    for run_id in store.final_run_ids(results):
        run = results / run_id
        found = log_files(run)
        if (run / "profiles").is_dir() and not (run / "profiles").is_symlink():
            found = (*found, run / "profiles")
        if not found:
            continue
        try:
            info = store.load_run(results, run_id)
        except FlinkBoostError:
            continue
        if info.started >= before or references.name_run(info):
            continue
        logs = deletion(f"logs and profiles of {run_id}", *found)
        report = reports / run_id if reports is not None else None

        def delete(logs: Old = logs, info: RunInfo = info, report: Path | None = report) -> None:
            has_raw = report is not None and (report / RAW_DATA).exists()
            # Raw data first, so that who is killed in between finds the logs, and does both.
            try:
                if report is not None and has_raw:
                    drop_logs(results, info, report)
                logs.delete()
            # A full disk has room for it only without the logs; and what is damaged keeps none.
            except (FlinkBoostError, OSError):
                logs.delete()
                if report is not None and has_raw:
                    drop_logs(results, info, report)

        yield Old(logs.what, logs.paths, delete, run_id)


def log_files(run: Path) -> tuple[Path, ...]:
    """What the forks of a run have printed, packed or not."""
    packed = run / packing.LOGS
    return (*sorted((run / "forks").glob("*.log")), *([packed] if packed.exists() else []))


def packable(results: Path, before: datetime) -> Iterator[Old]:
    """Runs that ended, began before, and whose forks are a file each."""
    for run_id in store.final_run_ids(results):
        run = results / run_id
        paths = tuple((run / "forks").glob("*.json"))
        if not paths or run.is_symlink():
            continue
        try:
            started = store.load_run(results, run_id).started
        except FlinkBoostError:
            continue
        if started < before:
            what = f"{len(paths)} forks of {run_id}, packed into one file"

            def pack(run: Path = run) -> None:
                packing.pack(run)

            yield Old(what, paths, pack, run_id)


def abandoned(
    results: Path,
    spool: Spool,
    before: datetime | None = None,
    references: References = _NONE,
) -> Iterator[Old]:
    """Runs that were given up, before that time where one is given, and what waits of them."""
    if (results / run_listing.DELETED).is_dir():
        left = partial(run_listing.delete_leftovers, results)
        yield Old(
            "what a deletion that was killed has left", (results / run_listing.DELETED,), left
        )
    for run_id in store.run_ids(results):
        run = results / run_id
        mark = run / RunState.ABANDONED.value
        if not mark.exists() or references.name(run_id):
            continue
        if any(is_newer(run / name) for name in RUN_FILES):
            continue
        if before is None or is_before(mark, before):

            def delete(run_id: str = run_id) -> None:
                take_back_abandoned(spool, results)
                run_listing.delete_run(results, run_id)

            yield Old(f"abandoned run {run_id}", (run,), delete, run_id)
