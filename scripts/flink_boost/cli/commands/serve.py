"""``flink-boost serve``: Start the dashboard."""

from __future__ import annotations

import os

import click

from flink_boost.cli.context import Settings
from flink_boost.publish import liveness, serve


@click.command(name="serve")
@click.option(
    "--host", default=liveness.DEFAULT_HOST, show_default=True, help="Address to listen on."
)
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=serve.DEFAULT_PORT,
    show_default=True,
    help="Port to listen on; 0 takes a free one.",
)
@click.option(
    "--foreground/--background",
    default=True,
    show_default=True,
    help="Stay, as a service does, or leave the server running.",
)
@click.pass_obj
def command(settings: Settings, host: str, port: int, foreground: bool) -> None:
    """Start the dashboard (Codespeed).

    On loopback it makes its own secret key and token under build/codespeed. Any other address
    needs FLINK_BOOST_SECRET_KEY, FLINK_BOOST_TOKEN and FLINK_BOOST_ALLOWED_HOSTS.
    """
    data = settings.build / "codespeed"
    address = serve.Address(host, port)
    running = liveness.find_running(data)
    if running is not None:
        click.echo(f"The dashboard is running already at {running.url}")
    elif foreground:
        serve.serve_in_foreground(data, address, environ=os.environ, tell=click.echo)
    else:
        url = serve.ensure_running(data, address, tell=click.echo)
        click.echo(f"The dashboard is at {url} (`flink-boost stop` ends it)")
