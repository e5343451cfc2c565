"""``flink-boost install``: Put the drop-in jar into a Flink installation."""

from __future__ import annotations

from pathlib import Path

import click

from flink_boost.cli.answers import FlinkHomeArgument, json_option, rolling_option
from flink_boost.cli.library import Before, change_library
from flink_boost.flink.home import FlinkHome, choose_line
from flink_boost.flink.releases import load_releases
from flink_boost.operate import install
from flink_boost.operate.install import Action, LibraryChange


@click.command(name="install")
@click.argument("flink_home", type=FlinkHomeArgument())
@rolling_option
@json_option
def command(flink_home: Path, rolling: bool, as_json: bool) -> None:
    """Put the jar for this Flink's version into FLINK_HOME/lib.

    It appears whole or not at all, and takes the place of other flink-boost jars, as an upgrade of
    Flink leaves them there. Calling it again changes nothing. Nothing else in the installation is
    touched. For PyFlink name the folder in which pip put it.

    \b
    Examples:
      flink-boost install /opt/flink
      flink-boost install /opt/flink --rolling   while a cluster runs from there
      flink-boost install "$(python3 -c 'import pyflink; print(pyflink.__path__[0])')"
    """

    def put(now: Before) -> LibraryChange:
        line = choose_line(now.home, now.lines)
        return install.install(now.home, line, now.package, now.known, now.running, rolling=rolling)

    change_library("install", flink_home, put, _done, _verify, as_json=as_json)


def _verify(home: FlinkHome) -> str:
    return f"Next: flink-boost verify {home.quoted}"


def _done(change: LibraryChange, home: FlinkHome) -> str:
    name = change.jar.name if change.jar is not None else ""
    match change.action:
        case Action.UNCHANGED:
            return f"{name}{_fits(change, home)} is already in {home.lib}: nothing changed"
        case Action.REPLACED:
            old = " and ".join(jar.name for jar in change.removed) or "another file of that name"
            return f"Flink {home.version}: put {name} into {home.lib} in the place of {old}" + (
                f", built for Flink {' and '.join(change.misfits)}" if change.misfits else ""
            )
    return f"Flink {home.version}: put {name} into {home.lib}"


def _fits(change: LibraryChange, home: FlinkHome) -> str:
    """What an upgrade wants to know of a jar that was left as it is."""
    releases = load_releases().releases.values()
    same = [release.version for release in releases if release.classes == change.built_for]
    if len(same) < 2 or home.version not in same:
        return ""
    return f", which fits Flink {same[0]} to {same[-1]} alike,"
