"""How the commands that look after installations answer: for people, or as one JSON object.

Every object has ``command``, ``ok`` and ``exit_code``. One that could not do what it was called for
has ``error`` and ``next_step`` too; the sentence goes to the error output all the same.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, nullcontext, redirect_stdout, suppress
from functools import wraps
from pathlib import Path
from typing import Any, TypeVar, cast

import click

from flink_boost.base.errors import AnswerLost, UsageProblem
from flink_boost.base.text import without_control
from flink_boost.cli.problems import Problem, explain

_Command = TypeVar("_Command", bound=Callable[..., Any])
_ANSWERED = f"{__name__}.answered"  # in Click's context


def json_option(command: _Command) -> _Command:
    """``--json``; with it an error of the command becomes an object, too."""

    @wraps(command)
    def answered(*given: Any, as_json: bool = False, **options: Any) -> Any:
        with failing_in_json(as_json):
            return command(*given, as_json=as_json, **options)

    option = click.option("--json", "as_json", is_flag=True, help="Answer with one JSON object.")
    return option(cast("_Command", answered))


def rolling_option(command: _Command) -> _Command:
    """``--rolling``."""
    return click.option(
        "--rolling",
        is_flag=True,
        help="Change the jar although Flink runs from there; restart its processes afterwards.",
    )(command)


def say(text: str, done: str = "") -> None:
    """Prints an answer for people.

    Raises ``AnswerLost`` when it cannot be written, as on a full disk; ``done`` is what the call
    has done by then, a sentence without its full stop.
    """
    try:
        click.echo(without_control(text))
    except OSError as error:
        lost = f"{done}, but the answer" if done else "The answer"
        raise AnswerLost(
            f"{lost} could not be written ({error.strerror}).",
            "Run the same command again to have it; what was done stays done.",
        ) from error


def print_json(exit_code: int, content: Mapping[str, Any], done: str = "") -> None:
    """Prints the answer of a call that came to its end. Raises ``AnswerLost`` as ``say`` does."""
    context = click.get_current_context()
    context.meta[_ANSWERED] = True
    _print(_name_of(context), exit_code, content, done)


def print_problem(command: str, problem: Problem) -> None:
    """Prints the answer of a call that did not come to its end. Raises ``AnswerLost``."""
    content = {"error": problem.message, "next_step": problem.next_step}
    _print(command, problem.exit_code, content)


def _print(command: str, exit_code: int, content: Mapping[str, Any], done: str = "") -> None:
    answer = {"command": command, "ok": exit_code == 0, "exit_code": exit_code, **content}
    say(json.dumps(answer, indent=2, default=_plain), done)


def _name_of(context: click.Context) -> str:
    name = context.command_path.removeprefix("flink-boost ")
    return "request" if name == "request run" else name


@contextmanager
def failing_in_json(as_json: bool) -> Iterator[None]:
    """Prints an error as JSON too, if it can, on its way to the one place that reports errors.

    Not that of a command which has answered, nor a wrong call, which that place prints.
    """
    try:
        yield
    except click.ClickException:
        raise
    except (KeyboardInterrupt, Exception) as error:
        context = click.get_current_context()
        if as_json and _ANSWERED not in context.meta:
            with suppress(AnswerLost):
                print_problem(_name_of(context), explain(error))
        raise


@contextmanager
def told_aside(as_json: bool) -> Iterator[None]:
    """What is printed for people meanwhile goes to the error output, if the answer is JSON."""
    with redirect_stdout(sys.stderr) if as_json else nullcontext():
        yield


def refuse_options_before(ctx: click.Context, given: bool) -> None:
    """Options of a group are for a call without a command; raises ``UsageProblem`` otherwise."""
    if given:
        raise UsageProblem(
            "Options stand behind the command.",
            f"Write `{ctx.command_path} {ctx.invoked_subcommand} --help` to see its own.",
        )


class FlinkHomeArgument(click.Path):
    """The folder of an installation. An empty word is what an unset variable leaves: no folder."""

    def __init__(self) -> None:
        super().__init__(path_type=Path)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Refuses an empty word, which as a path would mean the current folder."""
        if value == "":
            self.fail("the folder's name is empty: name the installation", param, ctx)
        return super().convert(value, param, ctx)


def _plain(value: object) -> Any:
    if isinstance(value, Path):
        return str(value)
    if hasattr(value, "model_dump_json"):
        return json.loads(value.model_dump_json())
    raise TypeError(f"{value!r} does not belong in an answer")
