"""``flink-boost install``: Put the drop-in jar into a Flink installation."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import cast

import click

from flink_boost.cli.answers import FlinkHomeArgument, json_option, rolling_option
from flink_boost.cli.library import Before, change_library
from flink_boost.cli.own_jar import official_line, outlook, own_jar
from flink_boost.flink.home import FlinkHome, choose_line
from flink_boost.flink.lines import Line
from flink_boost.flink.releases import load_releases, ranges_of
from flink_boost.operate import install
from flink_boost.operate.guard import Outlook
from flink_boost.operate.install import Action, LibraryChange


@click.command(name="install")
@click.argument("flink_home", type=FlinkHomeArgument())
@rolling_option
@click.option(
    "--weave",
    is_flag=True,
    help="Where no jar fits because the classes are of no official release: make one for them.",
)
@json_option
def command(flink_home: Path, rolling: bool, weave: bool, as_json: bool) -> None:
    """Put the jar for this Flink's classes into FLINK_HOME/lib.

    It appears whole or not at all, and takes the place of other flink-boost jars, as an upgrade of
    Flink leaves them there. Calling it again changes nothing. Nothing else in the installation is
    touched. For PyFlink name the folder in which pip put it.

    \b
    Examples:
      flink-boost install /opt/flink
      flink-boost install /opt/flink --rolling   while a cluster runs from there
      flink-boost install /opt/flink --weave     a build of your own: see `flink-boost weave`
      flink-boost install "$(python3 -c 'import pyflink; print(pyflink.__path__[0])')"
    """

    def put(now: Before) -> LibraryChange:
        line = official_line(now.home, now.lines) if weave else choose_line(now.home, now.lines)
        if line is not None:
            jar = now.package.dropin(line)
            return _put(now, line, jar, lambda: outlook(now.home, jar))
        # Refused before a minute is spent on it; what runs then is asked again under the lock.
        install.require_changeable(now.home, now.known, now.running, rolling=rolling)
        with own_jar(now.home, now.lines, now.package) as made:
            change = _put(now, made.line, cast("Path", made.path))
        notes = (*change.notes, *([made.without] if made.without else ()))
        return replace(change, woven_like=made.like, notes=notes)

    def _put(
        now: Before, line: Line, jar: Path, beforehand: Callable[[], Outlook] = Outlook
    ) -> LibraryChange:
        return install.install(
            now.home, line, jar, now.known, now.running, rolling=rolling, beforehand=beforehand
        )

    change_library(flink_home, put, _done, _verify, as_json=as_json)


def _verify(home: FlinkHome) -> str:
    return f"Next: flink-boost verify {home.quoted}"


def _done(change: LibraryChange, home: FlinkHome) -> str:
    name = change.jar.name if change.jar is not None else ""
    match change.action:
        case Action.UNCHANGED:
            return f"{name}{_fits(change, home)} is already in {home.lib}: nothing changed"
        case Action.REPLACED:
            old = " and ".join(jar.name for jar in change.removed) or "another file of that name"
            return f"{home.named}: put {name} into {home.lib} in the place of {old}" + (
                f", built for Flink {' and '.join(change.misfits)}" if change.misfits else ""
            )
    return f"{home.named}: put {name} into {home.lib}"


def _fits(change: LibraryChange, home: FlinkHome) -> str:
    """What an upgrade wants to know of a jar that was left as it is."""
    known = load_releases()
    release = known.releases.get(home.version)
    if release is None or release.classes != change.built_for:
        return ""
    ranges = ranges_of(release.classes, known)
    if ranges == [(home.version, home.version)]:
        return ""
    named = [first if first == last else f"{first} to {last}" for first, last in ranges]
    *front, end = named
    same = f"{', '.join(front)} and {end}" if front else end
    return f", which fits Flink {same} alike,"
