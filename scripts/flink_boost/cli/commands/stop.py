"""``flink-boost stop``: End the dashboard that runs in the background."""

from __future__ import annotations

import click

from flink_boost.cli.answers import json_option, print_json
from flink_boost.cli.context import Settings
from flink_boost.publish import liveness


@click.command(name="stop")
@json_option
@click.pass_obj
def command(settings: Settings, as_json: bool) -> None:
    """End the dashboard that runs in the background.

    \b
    Examples:
      flink-boost stop
      flink-boost stop --json
    """
    stopped = liveness.stop(settings.build / "codespeed")
    if as_json:
        print_json(0, {"stopped": stopped})
        return
    click.echo("The dashboard has stopped." if stopped else "No dashboard is running.")
