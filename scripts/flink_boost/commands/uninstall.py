"""``flink-boost uninstall``: Take the drop-in jar out of a Flink installation."""

from __future__ import annotations

from dataclasses import asdict
from importlib.metadata import version as distribution_version
from pathlib import Path

import click

from flink_boost import install
from flink_boost.answers import failing_in_json, json_option, print_json, rolling_option
from flink_boost.carried import carried
from flink_boost.flinkhome import find_running, open_home
from flink_boost.install import Action
from flink_boost.lines import load_lines


@click.command(name="uninstall")
@click.argument("flink_home", type=click.Path(path_type=Path))
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
    with failing_in_json("uninstall", as_json):
        lines = load_lines()
        package = carried(distribution_version("flink-boost"))
        home = open_home(flink_home)
        known = package.dropins(lines.values())
        change = install.uninstall(home, known, find_running(home), rolling=rolling)
    if as_json:
        found = {"flink_home": home.folder, "flink_version": home.version, **asdict(change)}
        print_json("uninstall", 0, found)
    elif change.action is Action.UNCHANGED:
        click.echo(f"There is nothing of flink-boost in {home.lib}: nothing changed.")
    else:
        for file in change.removed:
            click.echo(f"Removed {file.name} from {file.parent}.")
        for process in change.running:
            click.echo(
                f"Restart {process.main_class} (pid {process.pid}): it still has our classes."
            )
