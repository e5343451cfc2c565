"""Puts together what serves requests on this machine."""

from __future__ import annotations

import hashlib
import socket
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from flink_boost.base.errors import BenchmarkFailed, BuildFailed, RequestServing
from flink_boost.base.files import exclusive_lock
from flink_boost.measure.machine_lock import lock_file
from flink_boost.measure.machine_priority import REQUEST, require_turn
from flink_boost.measure.runner import Progress
from flink_boost.publish.spool import Spool
from flink_boost.publish.spool_runs import spool_new_runs
from flink_boost.service.builds.recipe import RECIPES, Recipe, isolated, load_recipe, public_name
from flink_boost.service.requests.catalogue import Offerings
from flink_boost.service.requests.commits import fetch_commits
from flink_boost.service.requests.comparing import FOLDER, compare
from flink_boost.service.requests.comparison_setup import known_here, means_of, proved_sandbox
from flink_boost.service.requests.desk import Desk
from flink_boost.service.requests.disk_space import GIB, Tidying
from flink_boost.service.requests.eta import BEFORE_A_BLOCK
from flink_boost.service.requests.hub.github import open_repository
from flink_boost.service.requests.hub.rate_limit import RateLimit
from flink_boost.service.requests.queue import RequestQueue
from flink_boost.service.requests.request import Measured, RequestOrder
from flink_boost.service.requests.request_states import Event
from flink_boost.service.requests.service_settings import ServedRepository, ServeSettings
from flink_boost.service.requests.serving import Serving, turn_of
from flink_boost.service.requests.worker import Worker
from flink_boost.service.retention.retention_settings import Retention, load_retention

_FOLDER = "requests"


def the_only_one(build: Path) -> AbstractContextManager[None]:
    """One ``request serve`` per build folder. Raises ``RequestServing`` for the second."""
    lock = build / _FOLDER / "serve.lock"
    return exclusive_lock(lock, "flink-boost request serve", RequestServing)


@dataclass(frozen=True)
class _Place:
    """Where things are on this machine."""

    results: Path
    build: Path
    spool: Path
    environ: Mapping[str, str]
    tell: Callable[[str], None]
    progress: Progress
    retention: Retention


def serving_of(
    settings: ServeSettings,
    folder: Path,
    results: Path,
    build: Path,
    spool: Path,
    environ: Mapping[str, str],
    tell: Callable[[str], None],
    progress: Progress,
) -> Serving:
    """All desks and workers. A recipe's path is relative to ``folder``, that of the settings.

    Raises ``NoIsolation`` where there is no sandbox, and ``UsageProblem`` without an account.
    """
    proved_sandbox(environ, build)
    known = known_here()
    retention = load_retention(environ)
    place = _Place(results, build, spool, environ, tell, progress, retention)
    desks, workers = [], []
    pace = RateLimit()
    queues = [RequestQueue(repository.name) for repository in settings.repositories]
    for number, (repository, queue) in enumerate(zip(settings.repositories, queues, strict=True)):
        name = _recipe_name(repository, folder)
        recipe = _recipe(name)
        hub = open_repository(repository.name, environ, pace)
        desk = Desk(
            hub=hub,
            queue=queue,
            known=known,
            bounds=settings.most.bounds(),
            recipe=public_name(name, recipe),
            now=_now,
            blocked=lambda: settings.blocked(_now()),
            others=[*queues[number + 1 :], *queues[:number]],
            tell=tell,
            keep=timedelta(days=retention.comments),
        )
        desks.append(desk)
        workers.append(
            Worker(
                name=_name(build),
                hub=hub,
                queue=queue,
                known=known,
                bounds=settings.most.bounds(),
                measure=_measuring(repository, recipe, known, place, settings),
                turn=_turn(settings, environ),
                now=_now,
                keep=_keeping(place),
                tell=tell,
            )
        )
    return Serving(desks, workers, settings.seconds, tell)


def _recipe_name(repository: ServedRepository, folder: Path) -> str:
    name = repository.recipe
    return str(folder / name) if name.endswith(".toml") else name


def _recipe(name: str) -> Recipe:
    """In a sandbox, whatever the recipe says: its commits are strangers'."""
    return isolated(load_recipe(name, RECIPES))


def _turn(
    settings: ServeSettings, environ: Mapping[str, str]
) -> Callable[[], AbstractContextManager[None]]:
    lock = lock_file(environ)
    return lambda: turn_of(
        lock, settings.order, lambda: settings.blocked(_now()), _now, BEFORE_A_BLOCK
    )


def _measuring(
    repository: ServedRepository,
    recipe: Recipe,
    known: Offerings,
    place: _Place,
    settings: ServeSettings,
) -> Callable[[RequestOrder, Callable[[Event], None]], Measured]:
    own = place.build / _FOLDER / "commits" / f"{repository.name.replace('/', '+')}.git"

    def measure(order: RequestOrder, notice: Callable[[Event], None]) -> Measured:
        means = means_of(
            recipe.model_copy(update={"repository": own}),
            place.results,
            place.build,
            place.environ,
            place.tell,
            place.progress,
        )
        lock = lock_file(place.environ)
        means = replace(means, require_turn=lambda: require_turn(lock, REQUEST, settings.order))
        tidying = Tidying(
            own,
            means.builder,
            place.results / FOLDER,
            timedelta(days=settings.keep_days or place.retention.logs),
            round(settings.least_free_gib * GIB),
            place.tell,
        )
        tidying.make_room(order, _now())
        fetch_commits(order, recipe.repository, own)
        try:
            return compare(order, known, means, notice)
        except (BuildFailed, BenchmarkFailed) as problem:
            tidying.require_room(problem)
            raise
        finally:
            tidying.after(order, _now())

    return measure


def _keeping(place: _Place) -> Callable[[Measured], Mapping[str, str]]:
    """Spools the runs: the nightly's upload, or ``flink-boost upload``, sends what waits."""

    def keep(measured: Measured) -> Mapping[str, str]:
        spool_new_runs(Spool(place.spool), place.results / FOLDER, None)
        url = place.environ.get("FLINK_BOOST_CODESPEED_URL", "").rstrip("/")
        if not url or measured.first is None:
            return {}
        return {"Requests": f"{url}/requests/"}

    return keep


def _name(build: Path) -> str:
    """Of this machine and build folder, which one process at a time serves from."""
    digest = hashlib.sha256(str(build.resolve()).encode()).hexdigest()[:8]
    return f"{socket.gethostname()[:80]}-{digest}"


def _now() -> datetime:
    return datetime.now(UTC).replace(microsecond=0)
