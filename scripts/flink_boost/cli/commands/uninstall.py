"""``flink-boost uninstall``: Take the drop-in jar out of a Flink installation."""

from __future__ import annotations

from dataclasses import asdict
from importlib.metadata import version as distribution_version
from pathlib import Path

import click

from flink_boost.base.processes import terminated_like_interrupted
from flink_boost.cli.answers import (
    FlinkHomeArgument,
    failing_in_json,
    json_option,
    print_json,
    rolling_option,
    say,
)
from flink_boost.flink.home import open_home
from flink_boost.flink.lines import load_lines
from flink_boost.operate import install
from flink_boost.operate.carried import carried
from flink_boost.operate.flink_processes import find_running
from flink_boost.operate.install import Action, LibraryChange


@click.command(name="uninstall")
@click.argument("flink_home", type=FlinkHomeArgument())
@rolling_option
@json_option
@terminated_like_interrupted()
def command(flink_home: Path, rolling: bool, as_json: bool) -> None:
    """Take every flink-boost jar out of FLINK_HOME/lib, and what a cut-off installation left.

    Jars are recognised by what is in them. Works on any Flink version. Calling it again changes
    nothing.

    \b
    Examples:
      flink-boost uninstall /opt/flink
      flink-boost uninstall /opt/flink --rolling   while a cluster runs from there
    """
    with failing_in_json("uninstall", as_json):
        lines = load_lines()
        package = carried(distribution_version("flink-boost"))
        home = open_home(flink_home)
        known = package.dropins(lines.values())
        change = install.uninstall(home, known, find_running(home), rolling=rolling)
    done = _done(change, home.lib)
    if as_json:
        found = {"flink_home": home.folder, "flink_version": home.version, **asdict(change)}
        print_json("uninstall", 0, found, done)
    else:
        say("\n".join((f"{done}.", *_still_to_do(change))), done)


def _done(change: LibraryChange, lib: Path) -> str:
    if change.action is Action.UNCHANGED:
        return f"There is nothing of flink-boost in {lib}: nothing changed"
    return "\n".join(f"Removed {file.name} from {file.parent}." for file in change.removed)[:-1]


def _still_to_do(change: LibraryChange) -> list[str]:
    if change.action is Action.UNCHANGED:
        return []
    restart = [
        f"Restart {process.main_class} (pid {process.pid}): it still has our classes."
        for process in change.running
    ]
    return [*restart, *change.notes]
