"""How the commands that look after installations answer: for people, or as one JSON object.

Every object has ``command``, ``ok`` and ``exit_code``. One that could not do what it was called for
has ``error`` and ``next_step`` too; the sentence goes to the error output all the same.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import click

from flink_boost.errors import FlinkBoostError

_Command = TypeVar("_Command", bound=Callable[..., Any])


def json_option(command: _Command) -> _Command:
    """``--json``."""
    return click.option("--json", "as_json", is_flag=True, help="Answer with one JSON object.")(
        command
    )


def rolling_option(command: _Command) -> _Command:
    """``--rolling``."""
    return click.option(
        "--rolling",
        is_flag=True,
        help="Change the jar although Flink runs from there; restart its processes afterwards.",
    )(command)


def print_json(command: str, exit_code: int, content: Mapping[str, Any]) -> None:
    """Prints the answer of a call that came to its end."""
    answer = {"command": command, "ok": exit_code == 0, "exit_code": exit_code, **content}
    click.echo(json.dumps(answer, indent=2, default=_plain))


@contextmanager
def failing_in_json(command: str, as_json: bool) -> Iterator[None]:
    """Prints an error as JSON too, on its way to the one place that reports errors."""
    try:
        yield
    except FlinkBoostError as error:
        if as_json:
            content = {"error": error.message, "next_step": error.next_step}
            print_json(command, error.exit_code, content)
        raise


def _plain(value: object) -> str:
    if isinstance(value, Path):
        return str(value)
    raise TypeError(f"{value!r} does not belong in an answer")
