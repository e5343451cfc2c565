"""Finds the command in a comment: its words, as people see them. Pure, and takes next to no time.

People paste: every blank is a blank, and what shows nowhere is not there. What quotes, fences or
indents the command is none.
"""

from __future__ import annotations

import difflib
import re
import unicodedata

COMMAND = "/benchmark-request"
LONGEST_LINE = 1000
_LONGEST_BELOW = 1000  # characters of the lines below that are looked at, and how many words
_MOST_BELOW = 30
_BULLETS = ("", "*", "+")
_NEAR = 0.8  # likeness from which a word is our command, misspelt


def is_for_us(body: str) -> bool:
    """Whether a comment is meant as a command, right or wrong."""
    head = words_of(body)[:2]
    return bool(head) and (head[0] == COMMAND or _is_nearly(head))


def first_line(body: str) -> str:
    """Of a comment; of one that is too long as much as shows that."""
    return re.split(r"\r\n|\r|\n", body[: LONGEST_LINE + 2], maxsplit=1)[0]


def words_of(body: str) -> list[str]:
    """The words of the first line; none where it is quoted, indented or fenced.

    Four spaces or a tab make a code block, ``>`` a quote, a backtick code. Format characters, such
    as a byte-order mark or a zero-width space, show nowhere, and blanks are of many kinds.
    """
    line = first_line(body).lstrip("\ufeff")
    indent = line[: len(line) - len(line.lstrip(" \t"))]
    if len(indent.expandtabs(4)) > 3:
        return []
    words = _plain(line).split()
    return words if words and words[0].startswith("/") else []


def _plain(text: str) -> str:
    """Without format characters, and with hyphens for those at which no line breaks."""
    seen = (char for char in text if unicodedata.category(char) != "Cf")
    return "".join(seen).replace("\N{NON-BREAKING HYPHEN}", "-")


def words_below(body: str) -> tuple[list[str], bool]:
    """The first words of the lines below, and whether these are all.

    Without what lists and code put around them.
    """
    rest = body[len(first_line(body)) :]
    words = (one.strip("`,;").lstrip("-") for one in _plain(rest[:_LONGEST_BELOW]).split())
    found = [word for word in words if word not in _BULLETS]
    return found[:_MOST_BELOW], len(rest) <= _LONGEST_BELOW and len(found) <= _MOST_BELOW


def _is_nearly(head: list[str]) -> bool:
    """Whether it is our command misspelt, cut in two, or with something glued to it."""
    word = head[0][: 2 * len(COMMAND)].casefold()
    if word.startswith(COMMAND) or "-".join(head).casefold() == COMMAND:
        return True
    return word[:6] == COMMAND[:6] and any(
        difflib.SequenceMatcher(None, one, COMMAND).ratio() >= _NEAR
        for one in (word, word[: len(COMMAND)])
    )
