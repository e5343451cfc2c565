"""One comment on a pull request that is kept up to date: the answer of a workflow.

A text that code of a stranger could have written is tamed first: it may look like anything, but
calls nobody, loads nothing and hides nothing.
"""

from __future__ import annotations

import os
import re
import stat
from dataclasses import dataclass
from pathlib import Path

from flink_boost.base.errors import BrokenData, PullRequestRefused, UsageProblem
from flink_boost.service.requests.hub.hub_model import Hub

MARKER = "<!-- flink-boost workflow -->"
_NAME = re.compile(r"[A-Za-z0-9._-]{0,40}")
LARGEST = 60_000  # characters; GitHub takes 65,536

HOSTED = (
    "Measured on a shared machine of a workflow, whose speed changes by itself: **only large"
    " changes count here**. Measure on a box of your own before you believe a small one."
)
STRANGER = (
    "This text comes from the workflow of the pull request, which its author can change: look at"
    " the run before you believe it."
)
_CUT = "\n\n… cut here: the whole answer is in the summary of the run."
# What our own answers fold long tables with.
_TAGS = re.compile(r"<(?!/?(?:details|summary)>)")
_FOLDS = re.compile(r"<(/?)(details|summary)>")


@dataclass(frozen=True)
class Kept:
    """The comment that was written; ``id`` None: the pull request has moved on, and nothing was."""

    id: int | None
    head: str


def framed(answer: str, *, stranger: bool) -> str:
    """The answer with what one has to know to read it, short enough for a comment. Pure."""
    text = tamed(answer) if stranger else answer
    notes = f"{STRANGER}\n\n{HOSTED}" if stranger else HOSTED
    room = LARGEST - len(notes) - len(_CUT)
    if len(text) > room:
        text = text[:room] + _CUT
        open_folds = sum(
            1 if not end else -1 for end, tag in _FOLDS.findall(text) if tag == "details"
        )
        text += "\n\n</details>" * max(open_folds, 0)
    if stranger:  # in front: no line of theirs can fold away what is said of it
        return f"{notes}\n\n{text}"
    first, _, rest = text.partition("\n")
    return f"{first}\n\n{notes}\n{rest}"


def tamed(text: str) -> str:
    """Markdown of a stranger that names, embeds and hides nothing. Pure."""
    printable = "".join(c for c in text if c.isprintable() or c in "\n\t")
    # What is written as an entity or behind a backslash would only become an address later.
    harmless = printable.replace("&", "&amp;").replace("\\", "\\\\")
    harmless = _TAGS.sub("&lt;", harmless).replace("![", "!\\[")
    # Addresses stay to be read, but are not followed, also behind "_" or a digit, which for GitHub
    # are no part of them; nobody is called by name.
    harmless = re.sub(r"(?i)(https?|ftp|mailto|javascript|data):", "\\1\u200b:", harmless)
    harmless = re.sub(r"(?i)www\.", "www\u200b.", harmless)
    # Behind a bracket stands where a link leads, there or in a line of its own.
    return re.sub(r"\](?=[(\[:])", "]\u200b", harmless.replace("@", "@\u200b"))


def marker_of(name: str) -> str:
    """What finds the comment of that name again; ``UsageProblem`` for what is none. Pure."""
    if not _NAME.fullmatch(name):
        raise UsageProblem(
            f"{name[:60]!a} is no name for a comment.",
            "Take at most 40 letters, digits, dots, dashes and underscores.",
        )
    return MARKER.replace(" -->", f" {name} -->") if name else MARKER


def keep(hub: Hub, number: int, head: str, body: str, name: str = "") -> Kept:
    """Makes the comment of that name say that, whether it is there already or not.

    Nothing is written when ``head`` is no longer what the pull request is about, or never was: so
    a run can only speak about its own pull request. Raises what the hub raises, and
    ``PullRequestRefused`` when there is no such pull request.
    """
    marker = marker_of(name)
    found = hub.pull_request(number)
    if found is None:
        raise PullRequestRefused(f"There is no pull request {number}.", "Name another.")
    if found.head_sha != head:
        return Kept(None, found.head_sha)
    whole = f"{body.rstrip()}\n\n{marker}\n"
    comment = hub.post(number, whole, marker)
    there = hub.comment(comment)
    if there is None or (there.body != whole and not hub.edit(comment, whole)):
        comment = hub.post(number, whole, marker)  # somebody deleted it meanwhile
    return Kept(comment, head)


def read_answer(path: Path, most: int = 4 * LARGEST) -> str:
    """The text of a file that a stranger may have made: a plain one, in UTF-8, not endless.

    Raises ``BrokenData``.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        with os.fdopen(descriptor, "rb") as file:
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                raise BrokenData(f"{path} is no plain file.", "Look at the run that made it.")
            content = file.read(most + 1)
    except OSError as error:
        raise BrokenData(
            f"{path} cannot be read ({error.strerror}).", "Look at the run that made it."
        ) from error
    text = content[:most].decode("utf-8", "replace")
    if not text.strip():
        raise BrokenData(f"{path} is empty.", "Look at the run that made it.")
    return text
