"""Each call of flink-boost that a page shows is one that the command takes."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator

import click
import pytest
from pages import pages

from flink_boost.cli.main import cli

_CALL = re.compile(r"(?:^|/bin/|\$ )flink-boost (?P<rest>(?:[a-z]|--)[^`\n]*)")
_SHELL = re.compile(r"\s(?:#|&&|\|\|?|>>?|2>|;|\\$|…|\s{2,})")


def calls(text: str) -> Iterator[str]:
    """What stands behind ``flink-boost`` in code: inline, or in blocks, up to the shell's signs."""
    for block in re.findall(r"^```[a-z]*\n(.*?)^```", text, re.MULTILINE | re.DOTALL):
        for line in re.sub(r"\\\n\s*", "", block).splitlines():
            for match in _CALL.finditer(line):
                if re.match(r"[^#]*$", line[: match.start()]):
                    yield _SHELL.split(match["rest"])[0]
    prose = re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL)
    for inline in re.findall(r"`([^`\n]+)`", prose):
        if match := re.match(r"(?:\S*/)?flink-boost ([a-z-].*)", inline):
            yield match[1]


def problem(call: str) -> str:
    """What is wrong with it; empty when nothing is. Values are not looked at."""
    words = iter(shlex.split(re.sub(r"[\[\]…]", " ", call)))
    command: click.Command = cli
    context = click.Context(cli)
    for word in words:
        if word.startswith("-") and len(word) > 1:
            name, _, value = word.partition("=")
            if name in {"--help", "-h", "--"}:
                continue
            taken = [one for one in command.params if name in (*one.opts, *one.secondary_opts)]
            if not taken:
                return f"{command.name} has no option {name}"
            if not value and isinstance(taken[0], click.Option) and not taken[0].is_flag:
                next(words, None)
        elif isinstance(command, click.Group):
            found = command.get_command(context, word.split("|")[0])
            if found is not None:
                command = found
            elif command is cli:
                return f"there is no command {word}"
    return ""


def test_every_call_on_every_page_is_one_that_works() -> None:
    looked_at = 0
    wrong = []
    for page, text in pages().items():
        for call in calls(text):
            looked_at += 1
            if said := problem(call):
                wrong.append(f"{page}: `flink-boost {call}`: {said}")
    assert wrong == []
    assert looked_at > 100


@pytest.mark.parametrize(
    ("call", "said"),
    [
        ("box record --names box-1", "record has no option --names"),
        ("nosuch --line 2.3.0", "there is no command nosuch"),
        ("bench --group quick --lines 2.3.0", "bench has no option --lines"),
        ("box record --name redbox", ""),
        ("alarm accept ID --reason 'known'", ""),
    ],
)
def test_a_wrong_call_is_found(call: str, said: str) -> None:
    assert problem(call) == said
