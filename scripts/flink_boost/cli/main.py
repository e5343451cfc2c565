"""The ``flink-boost`` command: global options, lazy subcommands, and one mapping of errors.

Subcommands are modules of ``flink_boost.cli.commands``; the one that is called is the only one that
is imported, so ``--help`` and ``--version`` stay fast and a heavy dependency (plots, Django) is
paid for by its own subcommand. Those of the lab stand beside the package, in the source tree only.
"""

from __future__ import annotations

import ast
import importlib
import os
import pkgutil
import sys
import traceback
from contextlib import suppress
from pathlib import Path
from typing import TextIO

import click

from flink_boost import __version__
from flink_boost.base.errors import AnswerLost, UsageProblem
from flink_boost.base.places import CARRIED, PROJECT_ROOT
from flink_boost.base.text import without_control
from flink_boost.cli import commands
from flink_boost.cli.answers import print_problem
from flink_boost.cli.context import Settings
from flink_boost.cli.problems import explain

# How --help lists the subcommands: in the order in which a user meets them.
SECTIONS = {
    "Measuring": ("run", "bench", "plan", "compare", "repeat", "history", "export", "runs"),
    "Nights": ("nightly", "detect", "alarm", "bisect", "notify", "box", "canary"),
    "Pull requests": ("request", "comment"),
    "Judging detection": ("evaluate-detection", "detection-cases"),
    "Publishing": ("report", "upload", "serve", "stop", "dashboard", "retention"),
    "Installations": ("install", "weave", "verify", "doctor", "flame", "uninstall", "dist"),
    "Other Flink releases": ("releases", "flink-tests", "soak", "line", "upstream-diff"),
}
# For a module that no section names, so that it is never hidden.
OTHERS = "Others"
ORDER = tuple(name for names in SECTIONS.values() for name in names)

_SCRIPTS = PROJECT_ROOT / "scripts"
_LAB = _SCRIPTS / "lab" / "commands"

# What a wheel can do without the source tree, and how it says so.
CARRIED_COMMANDS = frozenset(
    {"install", "weave", "verify", "uninstall", "doctor", "flame", "releases"}
)
CARRIED_HELP = """Put faster strings into installations of Apache Flink, check them, take them out.

\b
Examples:
  flink-boost install /opt/flink       one jar into lib/
  flink-boost verify /opt/flink --job  a million strings and a job, compared with stock
  flink-boost doctor /opt/flink        what is not as it should be
"""


class LazyCommands(click.Group):
    """A group whose subcommands are imported when they are called."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 Click's signature
        """Names of the modules that exist, in the order of use, unknown ones last."""
        names = self._modules()
        if CARRIED.is_dir():
            names &= CARRIED_COMMANDS
        return sorted(names, key=lambda name: (ORDER.index(name) if name in ORDER else 99, name))

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of that name, or None when no module is called so.

        Raises ``UsageProblem`` for one that needs the source tree, which a wheel has not.
        """
        if cmd_name not in self.list_commands(ctx):
            if cmd_name in self._modules():
                raise UsageProblem(
                    f"`flink-boost {cmd_name}` works in the source tree only.",
                    "Clone it and run `make setup build` there.",
                )
            return None
        package = commands.__name__
        if (_LAB / f"{_module_name(cmd_name)}.py").is_file():
            package = "lab.commands"
            if str(_SCRIPTS) not in sys.path:
                sys.path.append(str(_SCRIPTS))
        module = importlib.import_module(f"{package}.{_module_name(cmd_name)}")
        command = module.command
        if not isinstance(command, click.Command):
            raise TypeError(f"{module.__name__}.command is not a Click command")
        return command

    @staticmethod
    def _modules() -> set[str]:
        modules = pkgutil.iter_modules(_folders())
        return {module.name.replace("_", "-") for module in modules}

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The sections in ``--help``: first lines of modules, which are not imported for it."""
        names = self.list_commands(ctx)
        widest = max(map(len, names))
        listed = {**SECTIONS, OTHERS: tuple(name for name in names if name not in ORDER)}
        for title, members in listed.items():
            rows = [(name.ljust(widest), _summary(name)) for name in members if name in names]
            if rows:
                with formatter.section(title):
                    formatter.write_dl(rows)


@click.group(
    cls=LazyCommands,
    help=CARRIED_HELP if CARRIED.is_dir() else None,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Each command has its own help: flink-boost verify --help",
)
@click.version_option(__version__, prog_name="flink-boost")
@click.option(
    "--build",
    type=click.Path(path_type=Path),
    envvar="FLINK_BOOST_BUILD",
    default=PROJECT_ROOT / "build",
    show_default="build/",
    help="Folder for what is built and for the server's data.",
)
@click.option(
    "--results",
    type=click.Path(path_type=Path),
    envvar="FLINK_BOOST_RESULTS",
    show_default="BUILD/results",
    help="Folder of the results store.",
)
@click.option(
    "--spool",
    type=click.Path(path_type=Path),
    envvar="FLINK_BOOST_SPOOL",
    show_default="BUILD/spool",
    help="Folder of results that wait for their upload.",
)
@click.option("--debug", is_flag=True, help="Print the traceback of an error.")
@click.pass_context
def cli(
    ctx: click.Context, build: Path, results: Path | None, spool: Path | None, debug: bool
) -> None:
    """Measure a patched Apache Flink against the stock release, and put it into installations.

    \b
    Examples:
      flink-boost bench --group quick      stock and patched forks in turn
      flink-boost compare latest           ratio, interval and verdict per benchmark
      flink-boost install /opt/flink       the jar into an installation, then verify it
      flink-boost --debug compare latest   the same, with a traceback if it fails
    """
    build = build.absolute()
    ctx.obj = Settings(
        results=(results or build / "results").absolute(),
        spool=(spool or build / "spool").absolute(),
        build=build,
        debug=debug,
    )


def main(arguments: list[str] | None = None) -> int:
    """Run the command line and return its exit code; the only place that reports errors."""
    try:
        return _run(sys.argv[1:] if arguments is None else arguments)
    finally:
        for stream in filter(None, (sys.stdout, sys.stderr)):
            _let_go(stream)


def _let_go(stream: TextIO) -> None:
    """Python tries once more to write what could not be written, and ends with 120 for it."""
    try:
        stream.flush()
    except OSError:
        with suppress(OSError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def _run(arguments: list[str]) -> int:
    try:
        result = cli.main(args=arguments, prog_name="flink-boost", standalone_mode=False)
    except click.exceptions.Exit as exit_:
        return exit_.exit_code
    except click.ClickException as error:
        # Raised while the call is read, so that no command can have answered.
        if "--json" in arguments:
            with suppress(AnswerLost):
                print_problem(_called(error), explain(error))
        with suppress(OSError):
            error.show()
        return error.exit_code
    except (KeyboardInterrupt, Exception) as error:
        problem = explain(error)
        # If nothing can be written, the exit code has to do.
        with suppress(OSError):
            if "--debug" in arguments:
                traceback.print_exc()
            click.echo(without_control(f"flink-boost: {problem}"), err=True)
        return problem.exit_code
    # A command may return its own exit code; `--help` and `--version` give 0 the same way.
    return result if isinstance(result, int) else 0


def _called(error: click.ClickException) -> str:
    """The name of the command whose call was wrong."""
    context = getattr(error, "ctx", None)
    return str(context.info_name) if context is not None else "flink-boost"


def _folders() -> tuple[str, ...]:
    return (*commands.__path__, str(_LAB))


def _module_name(command: str) -> str:
    return command.replace("-", "_")


def _summary(name: str) -> str:
    """What a command module's first line says after the name, read without importing it."""
    paths = (Path(folder) / f"{_module_name(name)}.py" for folder in _folders())
    path = next(path for path in paths if path.is_file())
    docstring = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    first_line = docstring.partition("\n")[0]
    return first_line.removeprefix(f"``flink-boost {name}``: ").rstrip(".")
