"""``flink-boost install``: Put the drop-in jar into a Flink installation."""

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
from flink_boost.flink.home import choose_line, open_home
from flink_boost.flink.lines import load_lines
from flink_boost.operate import install
from flink_boost.operate.carried import carried
from flink_boost.operate.flink_processes import find_running
from flink_boost.operate.install import Action, LibraryChange


@click.command(name="install")
@click.argument("flink_home", type=FlinkHomeArgument())
@rolling_option
@json_option
@terminated_like_interrupted()
def command(flink_home: Path, rolling: bool, as_json: bool) -> None:
    """Put the jar for this Flink's version into FLINK_HOME/lib.

    It appears whole or not at all, and takes the place of another flink-boost jar. Calling it again
    changes nothing. Nothing else in the installation is touched.

    \b
    Examples:
      flink-boost install /opt/flink
      flink-boost install /opt/flink --rolling   while a cluster runs from there
    """
    with failing_in_json("install", as_json):
        lines = load_lines()
        package = carried(distribution_version("flink-boost"))
        home = open_home(flink_home)
        line = choose_line(home, lines)
        known = package.dropins(lines.values())
        running = find_running(home)
        change = install.install(home, line, package, known, running, rolling=rolling)
    done = _done(change, home.version, home.folder)
    if as_json:
        found = {"flink_home": home.folder, "flink_version": home.version, **asdict(change)}
        print_json("install", 0, found, done)
    else:
        say(f"{done}.{_still_to_do(change, home.folder)}", done)


def _done(change: LibraryChange, version: str, folder: Path) -> str:
    lib = folder / "lib"
    name = change.jar.name if change.jar is not None else ""
    match change.action:
        case Action.UNCHANGED:
            return f"{name} is already in {lib}: nothing changed"
        case Action.REPLACED:
            old = ", ".join(jar.name for jar in change.removed) or "another file of that name"
            return f"Flink {version}: put {name} into {lib} in the place of {old}"
    return f"Flink {version}: put {name} into {lib}"


def _still_to_do(change: LibraryChange, folder: Path) -> str:
    if change.action is Action.UNCHANGED:
        return ""
    restart = "".join(
        f"\nRestart {process.main_class} (pid {process.pid}): it still has the old classes."
        for process in change.running
    )
    return "\n".join((restart, *change.notes, f"Next: flink-boost verify {folder}"))
