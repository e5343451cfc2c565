"""``flink-boost serve``: Start the dashboard."""

from __future__ import annotations

import os

import click

from flink_boost.base.errors import UsageProblem
from flink_boost.cli.answers import json_option, print_json, told_aside
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
@json_option
@click.pass_obj
def command(settings: Settings, host: str, port: int, foreground: bool, as_json: bool) -> None:
    """Start the dashboard (Codespeed).

    On loopback it makes its own secret key and token under build/codespeed. Any other address
    needs FLINK_BOOST_SECRET_KEY, FLINK_BOOST_TOKEN and FLINK_BOOST_ALLOWED_HOSTS.

    \b
    Examples:
      flink-boost serve
      flink-boost serve --background --port 0           on a free port, until `flink-boost stop`
      FLINK_BOOST_ALLOWED_HOSTS=speed.example.org flink-boost serve --host 0.0.0.0
    """
    data = settings.build / "codespeed"
    address = serve.Address(host, port)
    with told_aside(as_json):
        if as_json and foreground:
            raise UsageProblem(
                "In the foreground it becomes the server, which gives no answer.",
                "Add --background.",
            )
        running = liveness.find_running(data)
        if running is not None:
            url = running.url
            click.echo(f"The dashboard is running already at {url}")
        elif foreground:
            serve.serve_in_foreground(data, address, environ=os.environ, tell=click.echo)
            return
        else:
            url = serve.ensure_running(data, address, tell=click.echo)
            click.echo(f"The dashboard is at {url} (`flink-boost stop` ends it)")
    if as_json:
        print_json(0, {"url": url, "started": running is None}, "It is running")
