"""``flink-boost stop``: End the dashboard that runs in the background."""

from __future__ import annotations

import click

from flink_boost.cli.context import Settings
from flink_boost.publish import liveness


@click.command(name="stop")
@click.pass_obj
def command(settings: Settings) -> None:
    """End the dashboard that runs in the background."""
    stopped = liveness.stop(settings.build / "codespeed")
    click.echo("The dashboard has stopped." if stopped else "No dashboard is running.")
