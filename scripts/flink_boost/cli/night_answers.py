"""What ``flink-boost nightly`` says at its end."""

from __future__ import annotations

import json

import click

from flink_boost.cli.answers import print_json
from flink_boost.service.nightly.night import Ended


def answer_night(ended: Ended | None, *, as_json: bool) -> None:
    """Says how a night ended, and raises the first of its problems."""
    if ended is None:
        if as_json:
            print_json("nightly", 0, {"night": None})
        else:
            click.echo("The night of this slot is done; `--resume` tries again what failed.")
        return
    night, problems = ended.night, ended.problems
    code = problems[0].exit_code if problems else 0
    if as_json:
        print_json("nightly", code, {"night": json.loads(night.model_dump_json())})
    else:
        reason = f": {night.reason}" if night.reason else ""
        click.echo(
            f"The night {night.night} is {night.state.value}{reason}."
            f" {night.measured} of {night.expected} benchmarks."
        )
    if problems:
        raise problems[0]
