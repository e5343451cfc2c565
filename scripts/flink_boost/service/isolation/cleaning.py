"""Text of strangers made harmless: for a log that a terminal shows, and for a comment.

A log keeps every line but no character that moves a cursor. A comment gets the last lines, in which
nothing is Markdown, HTML, a mention, a link or a character that turns the direction of text.
"""

from __future__ import annotations

import re
import unicodedata

SAID_LINES = 12
SAID_CHARACTERS = 1500
_LINE_CHARACTERS = 300

# What is left of an escape sequence once its first byte is gone would be noise: it goes first.
_ESCAPE = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[@-Z\\^_])")
_HIDDEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
_MOST_MARKS = 2  # combining marks on one letter; more climb over the lines above
# Characters with a meaning for GitHub, and others that look like them and have none.
_INERT = str.maketrans(
    {
        "`": "ˋ", "<": "‹", ">": "›", "@": "＠", "#": "＃", "|": "¦", "[": "［", "]": "］",
        "*": "∗", "~": "∼", "\\": "⧵", "&": "＆", "$": "＄",
    }
)  # fmt: skip
_LINK = re.compile(r"(?i)(?<=[a-z0-9])(?::/+)|www\.|\bGH-(?=\d)")
# What a terminal acts on, the second half of it in the eight bit world of old; and what turns the
# direction of text. Tab and newline stay.
_ACTING = (*range(9), *range(0x0B, 0x20), *range(0x7F, 0xA0), 0x200E, 0x200F)
_QUIET = dict.fromkeys((*_ACTING, *range(0x202A, 0x202F), *range(0x2066, 0x206A)), "?")


def quiet(text: str) -> str:
    """A piece of a log without characters that a terminal acts on."""
    return text.translate(_QUIET)


def said(text: str, lines: int = SAID_LINES, characters: int = SAID_CHARACTERS) -> str:
    """The last lines of a log for a comment: plain text, whatever it is put into.

    Empty lines are left out. At most ``characters`` long, the end of the log is what stays.
    """
    kept = [clean for line in text[-64 * characters :].split("\n") if (clean := _cleaned(line))]
    return "\n".join(kept[-lines:])[-characters:].lstrip("\n")


def as_block(text: str) -> str:
    """What ``said`` gave as a block of code in Markdown: nothing in it can end the block."""
    return f"```text\n{text}\n```"


def _cleaned(line: str) -> str:
    shown = []
    marks = 0
    for letter in _ESCAPE.sub("", line).replace("\t", " "):
        category = unicodedata.category(letter)
        marks = marks + 1 if category in ("Mn", "Me") else 0
        if category not in _HIDDEN and marks <= _MOST_MARKS:
            shown.append(letter)
    text = "".join(shown).translate(_INERT).strip()[:_LINE_CHARACTERS]
    return _LINK.sub(_unlinked, text)


def _unlinked(found: re.Match[str]) -> str:
    return found[0].replace("/", "⧸").replace(".", "․").replace("-", "‑")
