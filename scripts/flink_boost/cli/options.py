"""Options that several subcommands share."""

from __future__ import annotations

import getpass
import re
from collections.abc import Callable
from typing import Any, TypeVar

import click

from flink_boost.base.errors import UsageProblem
from flink_boost.publish.target import URL_VARIABLE

_Command = TypeVar("_Command", bound=Callable[..., Any])
_LONGEST_NAME = 100
_NOT_IN_NAMES = "<>&\"'`\\"  # the dashboard takes none with these
_HEAP_SIZE = re.compile(r"[1-9]\d*[kKmMgG]")

line_option = click.option("--line", help="Flink release; default: the one that lines.toml names.")

java_option = click.option(
    "--java", help="The java to run; default: JAVA_HOME's, else the one on the PATH."
)

pairs_option = click.option("--pairs", type=click.IntRange(1, 999), help="Default: the group's.")

recipe_option = click.option(
    "--recipe",
    default="flink-boost",
    show_default=True,
    help="How a commit is built: a name in recipes/, or a TOML file.",
)

url_option = click.option(
    "--url", help=f"Address of Codespeed; default: {URL_VARIABLE}, else the embedded one."
)

measured_as_option = click.option(
    "--environment",
    metavar="NAME",
    help="Measure as a box of this name, for a machine that is not as box.toml recorded it; a run"
    " that goes on needs it again.",
)


def by_option(help_text: str) -> Callable[[_Command], _Command]:
    """``--by``: a name that every page and the dashboard can show."""

    def shown(context: click.Context, option: click.Parameter, name: str) -> str:
        words = " ".join(name.split())
        if (
            not words.isprintable()
            or not 1 <= len(words) <= _LONGEST_NAME
            or {*words} & {*_NOT_IN_NAMES}
        ):
            raise click.BadParameter(
                f"a name has 1 to {_LONGEST_NAME} characters, none of them {_NOT_IN_NAMES}",
                context,
                option,
            )
        return words

    return click.option(
        "--by", help=f"{help_text}; default: you.", default=getpass.getuser, callback=shown
    )


def group_option(default: str) -> Callable[[_Command], _Command]:
    """``--group``."""
    return click.option("--group", default=default, show_default=True, help="From groups.toml.")


def rerun_pairs_option(default: int) -> Callable[[_Command], _Command]:
    """``--rerun-pairs``."""
    return click.option(
        "--rerun-pairs",
        type=click.IntRange(0, 100_000),
        default=default,
        show_default=True,
        help="Pairs of reruns for the whole night, most suspicious first; what is left over is"
        " rerun the next night.",
    )


def wait_option(default: float, most: float | None = None) -> Callable[[_Command], _Command]:
    """``--wait``, of ``most`` minutes."""
    return click.option(
        "--wait",
        type=click.FloatRange(0, most),
        default=default,
        show_default=True,
        help="Minutes to wait for whoever else measures on this machine.",
    )


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


def _checked_heap(_context: click.Context, _option: click.Parameter, value: str) -> str:
    if value and not _HEAP_SIZE.fullmatch(value):
        raise UsageProblem(f"{value!r} is not a heap size.", "Write it as in 64m or 1g.")
    return value.lower()


heap_option = click.option(
    "--heap",
    metavar="SIZE",
    # Said here, too: `flink-boost run` calls the command with defaults and without callbacks.
    default="",
    callback=_checked_heap,
    help="Heap of the measured JVMs, as 64m; default: each benchmark's own.",
)
