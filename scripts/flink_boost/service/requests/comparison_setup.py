"""Puts together what a comparison is made with on this machine."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path

from flink_boost.flink.lines import default_line, load_lines
from flink_boost.measure.box_file import read_box_file
from flink_boost.measure.classpaths import stock_class_path
from flink_boost.measure.groups import load_groups
from flink_boost.measure.noise import probe
from flink_boost.measure.runner import Progress
from flink_boost.service.builds.build_launch import BuildLaunch
from flink_boost.service.builds.builder import RecipeBuilder
from flink_boost.service.builds.isolation.bubblewrap import Bubblewrap
from flink_boost.service.builds.isolation.building import IsolatedBuilds
from flink_boost.service.builds.isolation.choosing import choose_sandbox, prove
from flink_boost.service.builds.isolation.forks import IsolatedForks
from flink_boost.service.builds.isolation.isolated_profiles import IsolatedProfiles
from flink_boost.service.builds.recipe import Recipe
from flink_boost.service.requests.catalogue import Offerings, catalogue_of
from flink_boost.service.requests.comparing import Means

_WORKPLACES = "workplaces"


def known_here() -> Offerings:
    """What this source tree lets be asked for."""
    return catalogue_of(load_groups(), load_lines(), default_line())


def proved_sandbox(environ: Mapping[str, str], build: Path) -> tuple[Bubblewrap, Path]:
    """The sandbox of this machine and the folder of its workplaces. Raises ``NoIsolation``."""
    sandbox, folder = choose_sandbox(environ), build / _WORKPLACES
    prove(sandbox, folder)
    return sandbox, folder


def means_of(
    recipe: Recipe,
    results: Path,
    build: Path,
    environ: Mapping[str, str],
    tell: Callable[[str], None],
    progress: Progress,
) -> Means:
    """Builds and forks are in a sandbox where the recipe says ``isolated``.

    Raises ``NoIsolation`` where that cannot be had: nothing is run without it then.
    """

    launch: BuildLaunch | None = None
    forks: IsolatedForks | None = None
    record: IsolatedProfiles | None = None
    if recipe.isolated:
        sandbox, folder = proved_sandbox(environ, build)
        launch = IsolatedBuilds(sandbox, folder, mirrors=recipe.mirrors)
        forks = IsolatedForks(sandbox, folder)
        record = IsolatedProfiles(sandbox, folder)
    return Means(
        builder=RecipeBuilder(recipe, build, environ, tell, stock_class_path, launch),
        results=results,
        environ=environ,
        stock_of=stock_class_path,
        box=read_box_file(environ),
        look=probe,
        progress=progress,
        now=lambda: datetime.now(UTC).replace(microsecond=0),
        launch=forks,
        record=record,
    )
