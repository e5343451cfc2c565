"""Options that several subcommands share."""

from __future__ import annotations

import click

environment_option = click.option(
    "--environment",
    envvar="FLINK_BOOST_ENVIRONMENT",
    default=None,
    show_default="the name of the box that a run was made on",
    help="Name of the box in Codespeed.",
)

jdk_option = click.option(
    "--jdk",
    type=click.IntRange(8, 99),
    help="JDK to run it on; default: the machine's own, if the line runs on it.",
)
