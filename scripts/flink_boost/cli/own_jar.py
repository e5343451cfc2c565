"""Makes a jar for somebody's own build of Flink, with what a person is told meanwhile."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from flink_boost.base.errors import EnvironmentProblem, UnsupportedFlink, VendorFlink
from flink_boost.base.processes import foreign_environment
from flink_boost.base.scratch import scratch_folder
from flink_boost.flink.home import FlinkHome, choose_line
from flink_boost.flink.launch import Launch, ask_scripts
from flink_boost.flink.lines import Line
from flink_boost.operate import verify
from flink_boost.operate.carried import Carried
from flink_boost.operate.classpath import require_own_jars
from flink_boost.operate.guard import Outlook, require_start
from flink_boost.operate.own_build import (
    Fit,
    compare,
    prove,
    require_fitting,
    without_ours,
)
from flink_boost.operate.verify import Check


@dataclass(frozen=True)
class OwnJar:
    """A jar that was woven and has passed; ``path`` is gone when the context that made it ends.

    ``like`` is the line whose patches it has, and ``without`` says in a sentence why it is without
    some of them; empty where it has all. After a mere comparison there is no jar, so that
    ``path`` is None and ``checks`` are empty.
    """

    line: Line
    like: str
    path: Path | None
    checks: tuple[Check, ...] = ()
    without: str = ""


@contextmanager
def own_jar(
    home: FlinkHome, lines: Mapping[str, Line], package: Carried, *, only_compare: bool = False
) -> Iterator[OwnJar]:
    """Compares, weaves and verifies; nothing in the installation is changed.

    Raises what ``compare``, ``require_fitting`` and ``prove`` raise.
    """
    environment = foreign_environment(os.environ)
    launch = _stock_launch(home, environment)
    with scratch_folder(launch.user) as folder:
        _tell(f"Comparing the classes of {home.dist.name} with those of each line")
        aside = folder / "woven.jar"
        fit = compare(
            home, lines, package, launch, environment, folder, None if only_compare else aside
        )
        line = require_fitting(home, fit)
        if only_compare:
            yield OwnJar(line, fit.like, None, (), _without(fit, lines[fit.like]))
            return
        jar = aside.rename(folder / line.dropin_name(package.version))
        _tell(f"Woven as for Flink {fit.like}; comparing {verify.STRINGS:,} strings with stock")
        checks = prove(home, line, lines[fit.like], jar, launch, package, environment)
        yield OwnJar(line, fit.like, jar, tuple(checks), _without(fit, lines[fit.like]))


def _without(fit: Fit, like: Line) -> str:
    if fit.line is None or not fit.differences:
        return ""
    families = {*like.family_of.values()} - {*fit.line.family_of.values()}
    return f"Without {' and '.join(sorted(families))}: {fit.differences[0]}."


def official_line(home: FlinkHome, lines: dict[str, Line]) -> Line | None:
    """The line whose jar fits already; None for classes that are of no release with a jar.

    Raises ``ReplacedClasses`` and ``BrokenData``.
    """
    try:
        return choose_line(home, lines)
    except (VendorFlink, UnsupportedFlink):
        return None


def outlook(home: FlinkHome, jar: Path) -> Outlook:
    """What processes would make of a jar that fits by its classes.

    Raises ``VerificationFailed`` when they would not, because of the classes around these.
    """
    environment = foreign_environment(os.environ)
    try:
        launch = _stock_launch(home, environment)
    except EnvironmentProblem as error:
        return Outlook((f"Whether Flink will start with it is not known: {error}",))
    return require_start(home, jar, launch, environment)


def _stock_launch(home: FlinkHome, environment: Mapping[str, str]) -> Launch:
    launch = ask_scripts(home, environment)
    require_own_jars(home, launch, environment)
    return without_ours(launch)


def _tell(what: str) -> None:
    sys.stderr.write(f"{what} …\n")
    sys.stderr.flush()
