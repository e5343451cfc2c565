"""``--help``: each command has examples that its own options allow, and answers programs, too."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator

import click
import pytest

from flink_boost.cli.main import cli, main

# What these print is for a program already, or they become the program that answers.
WITHOUT_JSON = {"detection-cases rerun": "prints a JSON document per line"}


def leaves(group: click.Group, context: click.Context) -> Iterator[tuple[str, click.Command]]:
    """Each command with its name in full, groups that do something themselves among them."""
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        inner = click.Context(command, info_name=name, parent=context)
        full = inner.command_path.removeprefix("flink-boost ")
        if isinstance(command, click.Group):
            yield from leaves(command, inner)
        yield full, command


ALL = dict(leaves(cli, click.Context(cli, info_name="flink-boost")))
DOING = [
    name
    for name, one in ALL.items()
    if not isinstance(one, click.Group) or one.invoke_without_command
]


def examples(command: click.Command) -> list[str]:
    """The lines below "Examples:", joined where one goes on in the next."""
    shown = (command.help or "").partition("Examples:\n")[2]
    rows = re.sub(r"(\|)\n\s+|\\\n\s+", r"\1 ", shown).splitlines()
    return [row.strip() for row in rows if row.strip()]


def call_of(example: str) -> list[str]:
    """The words of the call of flink-boost in an example, without what is said beside it."""
    call = re.split(r"\s{2,}", example)[0]
    words = shlex.split(call)
    start = words.index("flink-boost") + 1
    end = next(
        (at for at, word in enumerate(words) if word in ("|", ">", "&") and at > start), None
    )
    return words[start:end]


def resolved(words: list[str]) -> tuple[click.Command, list[str]]:
    """The command that the words call, and what is left for it."""
    name, command = "", None
    while words and f"{name} {words[0]}".strip() in ALL:
        name = f"{name} {words[0]}".strip()
        command, words = ALL[name], words[1:]
    assert command is not None, words
    return command, words


@pytest.mark.parametrize("name", ALL)
def test_every_command_has_an_example_of_itself(name: str) -> None:
    shown = examples(ALL[name])
    assert shown, f"`flink-boost {name} --help` shows no example"
    assert any(" ".join(call_of(example)).startswith(name) for example in shown)


@pytest.mark.parametrize("name", ALL)
def test_no_example_has_an_option_that_there_is_not(name: str) -> None:
    for example in examples(ALL[name]):
        command, words = resolved(call_of(example))
        known = {option for one in command.params for option in (*one.opts, *one.secondary_opts)}
        given = {word.partition("=")[0] for word in words if word.startswith("--")}
        assert given <= known, example


@pytest.mark.parametrize("name", DOING)
def test_every_command_that_answers_does_so_in_json(name: str) -> None:
    options = {option for one in ALL[name].params for option in one.opts}
    assert ("--json" in options) == (name not in WITHOUT_JSON)


@pytest.mark.parametrize("group", ["runs", "alarm", "box"])
def test_options_before_a_command_are_not_lost(
    group: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([group, "--json", "show", "x"]) == 2
    assert "Options stand behind the command." in capsys.readouterr().err


def test_the_help_of_all_can_be_shown(capsys: pytest.CaptureFixture[str]) -> None:
    for name in ALL:
        assert main([*name.split(), "--help"]) == 0
    assert capsys.readouterr().out.count("Examples:") >= len(ALL)
