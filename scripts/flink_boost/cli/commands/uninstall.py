"""``flink-boost uninstall``: Take the drop-in jar out of a Flink installation."""

from __future__ import annotations

from pathlib import Path

import click

from flink_boost.cli.answers import FlinkHomeArgument, json_option, rolling_option
from flink_boost.cli.library import Before, change_library
from flink_boost.flink.home import FlinkHome
from flink_boost.operate import install
from flink_boost.operate.install import Action, LibraryChange


@click.command(name="uninstall")
@click.argument("flink_home", type=FlinkHomeArgument())
@rolling_option
@json_option
def command(flink_home: Path, rolling: bool, as_json: bool) -> None:
    """Take every flink-boost jar out of FLINK_HOME/lib, and what a cut-off installation left.

    Jars are recognised by what is in them. Works on any Flink version. Calling it again changes
    nothing.

    \b
    Examples:
      flink-boost uninstall /opt/flink
      flink-boost uninstall /opt/flink --rolling   while a cluster runs from there
    """

    def take_out(now: Before) -> LibraryChange:
        return install.uninstall(now.home, now.known, now.running, rolling=rolling)

    change_library(flink_home, take_out, _done, as_json=as_json)


def _done(change: LibraryChange, home: FlinkHome) -> str:
    if change.action is Action.UNCHANGED:
        return f"There is nothing of flink-boost in {home.lib}: nothing changed"
    return "\n".join(f"Removed {file.name} from {file.parent}." for file in change.removed)[:-1]
