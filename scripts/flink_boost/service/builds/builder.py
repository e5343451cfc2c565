"""Builds a commit by its recipe, once: afterwards the build comes from the cache."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import time
import zipfile
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path

from flink_boost.base.errors import BrokenData, BuildFailed, NoIsolation
from flink_boost.base.files import exclusive_lock, make_folder
from flink_boost.base.places import PROJECT_ROOT
from flink_boost.base.processes import bare_environment
from flink_boost.flink.downloads import prepared_aside
from flink_boost.flink.dropin import read_dropin
from flink_boost.flink.lines import Line
from flink_boost.measure.commit_jars import Build
from flink_boost.measure.model import OURS, Built
from flink_boost.service.builds.build_launch import BuildLaunch, BuildOrder, BuildsHere
from flink_boost.service.builds.cache import BuildCache
from flink_boost.service.builds.recipe import Recipe, filled
from flink_boost.service.builds.repository import check_out, resolve

_ASIDE = "building"
_VERSION = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+-]{0,60}")


class RecipeBuilder:
    """Builds by a recipe into ``<build>/builds``; says on ``tell`` what takes its time.

    ``release`` gives the class path of the benchmarks on stock, for recipes that name it.
    ``launch`` runs the command, by default as a process of ours. Raises ``NoIsolation`` for a
    recipe that asks for a sandbox when ``launch`` is none.
    """

    def __init__(
        self,
        recipe: Recipe,
        build: Path,
        environ: Mapping[str, str],
        tell: Callable[[str], None],
        release: Callable[[Line], Sequence[Path]] = lambda _: (),
        launch: BuildLaunch | None = None,
    ) -> None:
        self.recipe = recipe
        self._launch = launch or BuildsHere()
        if recipe.isolated and not self._launch.isolated:
            raise NoIsolation(
                f"The recipe of {recipe.project} asks for a sandbox, and this command has none.",
                "Build it with `flink-boost request`, or take `isolated` out of the recipe.",
            )
        # Apart: a build in a sandbox is a stranger's, and no night may measure it outside.
        self.cache = BuildCache(
            build / "isolated" if self._launch.isolated else build, recipe.project
        )
        self._environ = environ
        self._tell = tell
        self._release = release

    def build(self, commit: str, line: Line) -> Build:
        """The build of that commit on a line, from the cache where it is there.

        Raises ``BuildFailed``, and ``UsageProblem`` for no commit.
        """
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

    def prune(
        self, line: str, wanted: Collection[str] = (), keep: int | None = None
    ) -> tuple[str, ...]:
        """Deletes builds that were not used lately; returns their commits.

        As many as ``keep`` says, by default as the recipe does, and those of the ``wanted`` commits
        stay. Raises ``EnvironmentProblem`` while somebody builds.
        """
        if not self.cache.folder.is_dir():
            return ()
        with exclusive_lock(self.cache.folder / ".lock", "build"):
            kept = self.recipe.keep if keep is None else keep
            return self.cache.prune(line, kept, wanted)

    def _remove_left_over(self, own: Path) -> None:
        """Deletes what builds that were killed have left: we hold the lock, so they are dead."""
        for folder in self.cache.folder.glob(f".{_ASIDE}.*"):
            if folder != own:
                shutil.rmtree(folder, ignore_errors=True)

    def _made(self, commit: str, line: Line, recipe: str, aside: Path) -> Build:
        log = aside / "build.log"
        self._tell(f"Building {self.recipe.project} {commit[:12]} for Flink {line.version}")
        began = time.monotonic()
        try:
            with self._launch.place(aside) as place:
                checkout = place / "checkout"
                most = self._launch.most_bytes
                check_out(self.recipe.repository, commit, checkout, most=most)
                self._launch.run(self._order(commit, line, checkout, log))
                patterns = [self._filled(one, commit, line) for one in self.recipe.jars]
                jars = self._launch.jars(checkout, patterns, aside)
                return self._kept(commit, line, recipe, jars, log, aside, began)
        except BuildFailed as error:
            kept = self.cache.keep_log(commit, line.version, log)
            raise BuildFailed(
                f"{self.recipe.project} {commit[:12]} could not be built for Flink"
                f" {line.version}: {error.message}",
                f"Read {kept}.",
                kept,
            ) from error

    def _kept(
        self,
        commit: str,
        line: Line,
        recipe: str,
        jars: tuple[Path, ...],
        log: Path,
        aside: Path,
        began: float,
    ) -> Build:
        version = self._version_of(jars, line)
        built = Built(project=self.recipe.project, version=version, commit=commit)
        found = self.cache.keep(built, line.version, recipe, jars, log, aside)
        self._tell(f"Built {commit[:12]} in {time.monotonic() - began:.0f} s")
        return found

    def _order(self, commit: str, line: Line, checkout: Path, log: Path) -> BuildOrder:
        named = {
            name: self._environ[name] for name in self.recipe.environment if name in self._environ
        }
        return BuildOrder(
            tuple(self._filled(word, commit, line) for word in self.recipe.command),
            checkout,
            self.recipe.links,
            {**bare_environment(self._environ), **named},
            named,
            60 * self.recipe.minutes,
            log,
        )

    def _version_of(self, jars: Sequence[Path], line: Line) -> str:
        if self.recipe.kind != OURS:
            return self.recipe.version or "checkout"
        try:
            found = read_dropin(jars[0])
        except BrokenData as error:
            raise BuildFailed(error.message) from error
        except (zipfile.BadZipFile, OSError, ValueError) as error:
            raise BuildFailed(f"{jars[0].name} is damaged.") from error
        if found is None or found.flink_version != line.version:
            raise BuildFailed(f"{jars[0].name} is no flink-boost jar for Flink {line.version}.")
        if not _VERSION.fullmatch(found.boost_version):
            raise BuildFailed(f"{found.boost_version[:40]!a} is no version.")
        return found.boost_version

    def _filled(self, text: str, commit: str, line: Line) -> str:
        values = {"line": line.version, "commit": commit, "project": str(PROJECT_ROOT)}
        if "{release}" in text:
            values["release"] = os.pathsep.join(map(str, self._release(line)))
        return filled(text, values)

    def _digest(self, line: Line) -> str:
        """What a build depends on besides the commit: another recipe or JDK, another build."""
        words = self.recipe.model_dump_json(include={"kind", "version", "command", "jars", "links"})
        told = sorted((name, self._environ.get(name, "")) for name in self.recipe.environment)
        whole = f"{words}\n{line.version}\n{told}\n{_jdk(dict(told).get('JAVA_HOME', ''))}"
        return hashlib.sha256(whole.encode("utf-8", "surrogateescape")).hexdigest()


def _jdk(home: str) -> str:
    """What a JDK says of itself: one that is updated stays at its place."""
    if not home:
        return ""
    try:
        return (Path(home) / "release").read_text(encoding="utf-8", errors="replace")
    except (OSError, ValueError):
        return ""
