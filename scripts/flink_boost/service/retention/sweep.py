"""All kinds of things that a machine keeps, and what is deleted of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from pathlib import Path

from flink_boost.base.errors import FlinkBoostError, InUse, MachineBusy
from flink_boost.measure import packing, store
from flink_boost.measure.machine_lock import machine_lock
from flink_boost.measure.store import RunState
from flink_boost.publish.notify.outbox import Outbox
from flink_boost.publish.run_places import Places
from flink_boost.publish.spool import Spool
from flink_boost.service.detect.reruns.bench import FOLDER as RERUNS
from flink_boost.service.retention import folders, runs
from flink_boost.service.retention.kept_kinds import KeptKind, Old, delete_all, files_below
from flink_boost.service.retention.references import References, load_references
from flink_boost.service.retention.retention_settings import Retention

OUTBOX = "notifications"
_REQUESTS = "requests"


@dataclass(frozen=True)
class Swept:
    """What became of one kind: what went, and why something stayed, if it did.

    ``left`` counts what could not go; none where somebody works on all of them.
    """

    kind: str
    gone: tuple[Old, ...] = ()
    stays: str = ""
    left: int = 0

    @property
    def sentence(self) -> str:
        """What stayed, and the first reason; empty without one."""
        count = f"{self.left} " if self.left else ""
        return f"Of {self.kind}, {count or 'all '}stay: {self.stays}" if self.stays else ""


def kinds_of(places: Places, retention: Retention, machine: Path) -> tuple[KeptKind, ...]:
    """Every kind that has a number of days; each once per store, where there are several.

    ``machine`` is the lock of those who measure.
    """
    build, reports = places.build, places.build / "report"
    spool, outbox = Spool(places.spool), Outbox(build / OUTBOX)
    stores = (places.results, places.results / RERUNS, places.results / _REQUESTS)
    found = [one for results in stores for one in _of_runs(results, places, retention, machine)]
    return (
        *found,
        KeptKind(
            "logs",
            retention.logs,
            lambda: files_below(*(build / "nights").glob("*/logs")),
            lambda before, needed: folders.night_logs(build, before, needed),
        ),
        KeptKind(
            "logs",
            retention.logs,
            lambda: files_below(build / "alarms" / "profiles", reports / "alarms"),
            lambda before, needed: folders.alarm_profiles(build, before, needed),
        ),
        KeptKind(
            "sent",
            retention.sent,
            lambda: files_below(places.spool / "sent"),
            lambda before, _: folders.sent_results(places.spool, before),
            spool.sender_lock,
        ),
        KeptKind(
            "messages",
            retention.messages,
            lambda: files_below(outbox.folder),
            lambda before, needed: folders.messages(outbox, before, needed),
            outbox.lock,
        ),
        KeptKind(
            "reports",
            retention.reports,
            lambda: (one for one in files_below(reports) if reports / "alarms" not in one.parents),
            lambda before, needed: _reports(reports, before, needed),
        ),
    )


def _of_runs(
    results: Path, places: Places, retention: Retention, machine: Path
) -> Iterator[KeptKind]:
    spool, reports = Spool(places.spool), places.build / "report"
    lock = partial(store.lock, results)
    yield KeptKind(
        "abandoned",
        retention.abandoned,
        lambda: files_below(*_runs(results, given_up=True)),
        lambda before, needed: runs.abandoned(results, spool, before, needed),
        lock,
    )
    yield KeptKind(
        "logs",
        retention.logs,
        lambda: (one for one in _files(results) if not _is_result(one)),
        lambda before, needed: (
            # Those of requests go after a request, by the settings of who serves them.
            runs.old_logs(results, before, needed, reports)
            if results.name != _REQUESTS
            else iter(())
        ),
        lock,
    )
    yield KeptKind(
        "forks",
        retention.forks,
        lambda: (one for one in _files(results) if _is_result(one)),
        lambda before, _: runs.packable(results, before),
        partial(_alone, machine, results),
    )


@contextmanager
def _alone(machine: Path, results: Path) -> Iterator[None]:
    """While forks are packed, which takes a core, nobody measures."""
    with machine_lock(machine, "flink-boost packs old forks"), store.lock(results):
        yield


def _runs(results: Path, *, given_up: bool = False) -> Iterator[Path]:
    for run_id in store.run_ids(results):
        if (store.state(results, run_id) is RunState.ABANDONED) is given_up:
            yield results / run_id


def _files(results: Path) -> Iterator[Path]:
    """Of runs that were not given up: ``forks``, archives and profiles."""
    for run in _runs(results):
        yield from files_below(run)


def _is_result(path: Path) -> bool:
    return path.name == packing.FORKS or (
        path.suffix == ".json" and path.parent.parent.name != "profiles"
    )


def _reports(reports: Path, before: datetime, needed: References) -> Iterator[Old]:
    yield from folders.run_reports(reports, before, needed)
    yield from folders.reports_of_nights(reports, before, needed)


def sweep(
    places: Places,
    retention: Retention,
    now: datetime,
    machine: Path,
    *,
    most_packed: int | None = None,
) -> tuple[Swept, ...]:
    """Deletes what is too old, kind after kind; what cannot go, or is worked on, keeps no other.

    ``machine`` is the lock of those who measure; ``most_packed`` is of how many runs per store the
    forks are packed at most.

    Raises ``BrokenData`` when alarms cannot be read, and then deletes nothing.
    """
    references = load_references(places.build)
    return tuple(
        _swept(kind, now, references, most_packed if kind.name == "forks" else None)
        for kind in kinds_of(places, retention, machine)
    )


def _swept(kind: KeptKind, now: datetime, references: References, most: int | None) -> Swept:
    try:
        if not kind.has_old(now, references):
            return Swept(kind.name)  # and nobody is to wait for its lock
        with kind.lock():
            gone, stay = delete_all(kind.too_old(now, references), most)
    except (InUse, MachineBusy) as busy:
        return Swept(kind.name, stays=busy.message)
    except (FlinkBoostError, OSError) as problem:
        return Swept(kind.name, stays=str(problem))
    return Swept(kind.name, gone, str(stay[0]) if stay else "", len(stay))


def swept_text(swept: Iterable[Swept]) -> str:
    """How many of each kind went, in words, and what stayed with the first reason."""
    counts: dict[str, int] = {}
    stays: dict[str, None] = {}
    for one in swept:
        counts[one.kind] = counts.get(one.kind, 0) + len(one.gone)
        if one.sentence:
            stays[one.sentence] = None
    found = [f"{count} {name}" for name, count in counts.items() if count]
    return ". ".join(
        (f"too old: {', '.join(found) or 'nothing'}", *(one.rstrip(".") for one in stays))
    )
