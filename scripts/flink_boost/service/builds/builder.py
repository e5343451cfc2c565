"""Builds a commit by its recipe, once: afterwards the build comes from the cache."""

from __future__ import annotations

import hashlib
import os
import shutil
import time
import zipfile
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import Protocol

from flink_boost.base.errors import BrokenData, BuildFailed
from flink_boost.base.files import exclusive_lock, make_folder
from flink_boost.base.places import PROJECT_ROOT
from flink_boost.base.processes import (
    bare_environment,
    end_supervised,
    has_ended,
    start_supervised,
)
from flink_boost.flink.downloads import prepared_aside
from flink_boost.flink.dropin import read_dropin
from flink_boost.flink.lines import Line
from flink_boost.measure.build import Build
from flink_boost.measure.model import OURS, Built
from flink_boost.service.builds.cache import BuildCache
from flink_boost.service.builds.recipe import Recipe, filled
from flink_boost.service.builds.repository import check_out, resolve

_NAMED_LINES = 12  # of a log
_ASIDE = "building"
_BESIDE = ("-tests.jar", "-test-sources.jar", "-sources.jar", "-javadoc.jar")


class Builder(Protocol):
    """Makes builds of commits."""

    def build(self, commit: str, line: Line) -> Build:
        """The build of that commit. Raises ``BuildFailed``, and ``UsageProblem`` for no commit."""


class RecipeBuilder:
    """Builds by a recipe into ``<build>/builds``; says on ``tell`` what takes its time.

    ``release`` gives the class path of the benchmarks on stock, for recipes that name it.
    """

    def __init__(
        self,
        recipe: Recipe,
        build: Path,
        environ: Mapping[str, str],
        tell: Callable[[str], None],
        release: Callable[[Line], Sequence[Path]] = lambda _: (),
    ) -> None:
        self.recipe = recipe
        self.cache = BuildCache(build, recipe.project)
        self._environ = environ
        self._tell = tell
        self._release = release

    def build(self, commit: str, line: Line) -> Build:
        """The build of that commit on a line, from the cache where it is there."""
        full = resolve(self.recipe.repository, commit)
        recipe = self._digest(line)
        if found := self.cache.find(full, line.version, recipe):
            return found
        make_folder(self.cache.folder)
        with (
            exclusive_lock(self.cache.folder / ".lock", "build"),
            prepared_aside(self.cache.folder / _ASIDE) as aside,
        ):
            self._remove_left_over(aside)
            return self._made(full, line, recipe, aside)

    def prune(self, line: str, wanted: Collection[str] = ()) -> tuple[str, ...]:
        """Deletes builds that were not used lately, as the recipe says; returns their commits.

        Those of the ``wanted`` commits stay.
        """
        if not self.cache.folder.is_dir():
            return ()
        with exclusive_lock(self.cache.folder / ".lock", "build"):
            return self.cache.prune(line, self.recipe.keep, wanted)

    def _remove_left_over(self, own: Path) -> None:
        """Deletes what builds that were killed have left: we hold the lock, so they are dead."""
        for folder in self.cache.folder.glob(f".{_ASIDE}.*"):
            if folder != own:
                shutil.rmtree(folder, ignore_errors=True)

    def _made(self, commit: str, line: Line, recipe: str, aside: Path) -> Build:
        checkout, log = aside / "checkout", aside / "build.log"
        self._tell(f"Building {self.recipe.project} {commit[:12]} for Flink {line.version}")
        began = time.monotonic()
        check_out(self.recipe.repository, commit, checkout)
        for name in self.recipe.links:
            if (PROJECT_ROOT / name).exists() and not (checkout / name).exists():
                (checkout / name).symlink_to(PROJECT_ROOT / name, target_is_directory=True)
        try:
            self._run(commit, line, checkout, log)
            jars = tuple(
                _single_jar(checkout, self._filled(one, commit, line)) for one in self.recipe.jars
            )
            version = self._version_of(jars, line)
        except BuildFailed as error:
            kept = self.cache.keep_log(commit, line.version, log)
            raise BuildFailed(
                f"{self.recipe.project} {commit[:12]} could not be built for Flink"
                f" {line.version}: {error.message}",
                f"Read {kept}.",
                kept,
            ) from error
        built = Built(project=self.recipe.project, version=version, commit=commit)
        found = self.cache.keep(built, line.version, recipe, jars, log, aside)
        self._tell(f"Built {commit[:12]} in {time.monotonic() - began:.0f} s")
        return found

    def _run(self, commit: str, line: Line, checkout: Path, log: Path) -> None:
        command = [self._filled(word, commit, line) for word in self.recipe.command]
        environment = bare_environment(self._environ)
        for name in self.recipe.environment:
            if name in self._environ:
                environment[name] = self._environ[name]
        guard = start_supervised(command, log, environment, checkout)
        try:
            ended = has_ended(guard, 60 * self.recipe.minutes)
        finally:
            end_supervised(guard)
        if not ended:
            raise BuildFailed(f"it took more than {self.recipe.minutes:g} minutes.")
        if guard.returncode != 0:
            said = _last_lines(log)
            raise BuildFailed(f"{command[0]} ended with code {guard.returncode}: {said}")

    def _version_of(self, jars: Sequence[Path], line: Line) -> str:
        if self.recipe.kind != OURS:
            return self.recipe.version or "checkout"
        try:
            found = read_dropin(jars[0])
        except BrokenData as error:
            raise BuildFailed(error.message) from error
        if found is None or found.flink_version != line.version:
            raise BuildFailed(f"{jars[0].name} is no flink-boost jar for Flink {line.version}.")
        return found.boost_version

    def _filled(self, text: str, commit: str, line: Line) -> str:
        values = {"line": line.version, "commit": commit, "project": str(PROJECT_ROOT)}
        if "{release}" in text:
            values["release"] = os.pathsep.join(map(str, self._release(line)))
        return filled(text, values)

    def _digest(self, line: Line) -> str:
        """What a build depends on besides the commit: another recipe, another build."""
        words = self.recipe.model_dump_json(include={"kind", "version", "command", "jars", "links"})
        return hashlib.sha256(f"{words}\n{line.version}".encode()).hexdigest()


def _single_jar(checkout: Path, pattern: str) -> Path:
    """The one jar that a pattern names, tests and sources aside. Raises ``BuildFailed``."""
    found = [
        path
        for path in sorted(checkout.glob(pattern))
        if path.is_file() and not path.name.endswith(_BESIDE)
    ]
    if len(found) != 1:
        names = ", ".join(path.name for path in found) or "none"
        raise BuildFailed(f"{pattern} has to name one jar, and names: {names}.")
    if not found[0].resolve().is_relative_to(checkout.resolve()):
        raise BuildFailed(f"{found[0].name} leads out of the checkout.")
    if not zipfile.is_zipfile(found[0]):
        raise BuildFailed(f"{found[0].name} is no jar.")
    return found[0]


def _last_lines(log: Path) -> str:
    lines = log.read_text(encoding="utf-8", errors="replace").splitlines()
    return " / ".join(line.strip() for line in lines[-_NAMED_LINES:] if line.strip())[-1500:]
