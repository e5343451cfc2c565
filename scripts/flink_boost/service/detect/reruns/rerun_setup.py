"""Puts together what rebuilds commits and reruns them on this machine."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from flink_boost.flink.jdks import ask_jdk, find_java
from flink_boost.measure.box import describe_box
from flink_boost.measure.box_file import read_box_file
from flink_boost.measure.classpaths import stock_class_path
from flink_boost.measure.runner import Progress
from flink_boost.service.builds.builder import RecipeBuilder
from flink_boost.service.builds.recipe import load_recipe
from flink_boost.service.detect.reruns.bench import ForkRerun


@dataclass(frozen=True)
class RerunMeans:
    """What rebuilds and reruns; ``box`` is what this machine is called."""

    builder: RecipeBuilder
    bench: ForkRerun
    box: str


def rerun_means(
    recipe: str,
    results: Path,
    build: Path,
    environ: Mapping[str, str],
    tell: Callable[[str], None],
    progress: Progress,
) -> RerunMeans:
    """By the recipe of that name. Raises what ``load_recipe`` and ``describe_box`` raise."""

    named = read_box_file(environ)
    here = describe_box(ask_jdk(find_java(None, dict(environ))), named)
    bench = ForkRerun(
        results,
        environ,
        stock_of=stock_class_path,
        box=named,
        progress=progress,
        now=lambda: datetime.now(UTC).replace(microsecond=0),
    )
    builder = RecipeBuilder(load_recipe(recipe), build, environ, tell, stock_class_path)
    return RerunMeans(builder, bench, here.label)
