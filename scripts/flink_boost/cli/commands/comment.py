"""``flink-boost comment``: Keep one comment on a pull request up to date, for workflows."""

from __future__ import annotations

import os
import re
from pathlib import Path

import click

from flink_boost.base.errors import BrokenData, HubRefused
from flink_boost.cli.answers import json_option, print_json, say
from flink_boost.service.requests.hub.github import open_repository, require_repository
from flink_boost.service.requests.hub.workflow_comment import framed, keep, read_answer


@click.command(name="comment")
@click.argument("answer", type=click.Path(path_type=Path))
@click.option("--repository", metavar="OWNER/NAME", help="Where the pull request is.")
@click.option("--pull-request", "number", type=click.IntRange(1), help="Its number.")
@click.option(
    "--number-file",
    type=click.Path(path_type=Path),
    help="A file with the number, for what a workflow hands to another.",
)
@click.option(
    "--name", default="", metavar="NAME", help="Of the comment, where a pull request has several."
)
@click.option("--head", metavar="SHA", help="The commit that was measured.")
@click.option(
    "--from-stranger", is_flag=True, help="The answer was written where others' code ran."
)
@click.option("--print", "only_print", is_flag=True, help="Print the text, and post nothing.")
@click.option(
    "--if-allowed", is_flag=True, help="End well where the token may not write, and say so."
)
@json_option
def command(
    answer: Path,
    repository: str | None,
    number: int | None,
    number_file: Path | None,
    name: str,
    head: str | None,
    from_stranger: bool,
    only_print: bool,
    if_allowed: bool,
    as_json: bool,
) -> None:
    """Put ANSWER, a Markdown file of `request run --output`, into one comment.

    The comment is made once and edited afterwards. A pull request that was pushed to since keeps
    the comment that it has. Account and address come from the environment:
    FLINK_BOOST_GITHUB_TOKEN and what docs/requests-setup.md lists beside it.

    \b
    Examples:
      flink-boost comment answer.md --print
      flink-boost comment answer.md --repository apache/flink --pull-request 7 --head 0a1b2c…
    """
    body = framed(read_answer(answer), stranger=from_stranger)
    if only_print:
        say(body)
        return
    if number_file is not None:
        number = _number(number_file)
    if repository is None or number is None or head is None:
        raise click.UsageError("--repository, --pull-request and --head are needed to post.")
    require_repository(repository)
    try:
        kept = keep(open_repository(repository, os.environ), number, head, body, name)
    except HubRefused as refused:
        if not if_allowed:
            raise
        written, said = None, f"Nothing was posted: {refused}"
    else:
        written = kept.id
        said = f"Comment {kept.id} of {repository}#{number} says it."
        if kept.id is None:
            said = f"Nothing was posted: {repository}#{number} is about {kept.head} now."
    if as_json:
        print_json(0, {"said": said, "comment": written})
    else:
        say(said)


def _number(file: Path) -> int:
    text = read_answer(file, most=100).strip()
    if not re.fullmatch(r"[1-9][0-9]{0,9}", text):
        raise BrokenData(f"{file} holds no number.", "Look at the run that made it.")
    return int(text)
