"""Text of strangers made harmless: for a log that a terminal shows, and for a comment.

A log keeps every line but no character that moves a cursor. A comment gets the last lines, in which
nothing is Markdown, HTML, a mention, a link or a character that turns the direction of text.
"""

from __future__ import annotations

import codecs
import re
import unicodedata

from flink_boost.base.text import without_sequences

SAID_LINES = 12
SAID_CHARACTERS = 1500
_LINE_CHARACTERS = 300

# A sequence that may go on in the next piece of a log, and how long it may be.
_BEGUN = re.compile(r"(?:\x1b[ -/]*|(?:\x1b\[|\x9b)[0-?]*[ -/]*|\x1b\][^\x07\x1b\n]*\x1b?)\Z")
_MOST_BEGUN = 1000
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
_QUIET[ord("\r")] = "\n"


class QuietLog:
    """A log that comes in pieces, as text on which no terminal acts.

    Colours are gone altogether: what is left of a sequence without its first byte would be noise.
    """

    def __init__(self) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._begun = ""

    def quiet(self, piece: bytes) -> str:
        """What there is to keep of the log so far and was not given yet."""
        text = self._begun + self._decoder.decode(piece)
        begun = _BEGUN.search(text)
        self._begun = begun[0] if begun and len(begun[0]) <= _MOST_BEGUN else ""
        whole = text[: len(text) - len(self._begun)].replace("\r\n", "\n")
        return without_sequences(whole).translate(_QUIET)


def said(text: str, lines: int = SAID_LINES, characters: int = SAID_CHARACTERS) -> str:
    """The last lines of a log for a comment: plain text, whatever it is put into.

    Empty lines are left out. At most ``characters`` long, the end of the log is what stays.
    """
    kept = [clean for line in text[-64 * characters :].split("\n") if (clean := _cleaned(line))]
    return "\n".join(kept[-lines:])[-characters:].lstrip("\n")


def _cleaned(line: str) -> str:
    shown = []
    marks = 0
    for letter in without_sequences(line).replace("\t", " "):
        category = unicodedata.category(letter)
        marks = marks + 1 if category in ("Mn", "Me") else 0
        if category not in _HIDDEN and marks <= _MOST_MARKS:
            shown.append(letter)
    text = "".join(shown).translate(_INERT).strip()[:_LINE_CHARACTERS]
    return _LINK.sub(_unlinked, text)


def _unlinked(found: re.Match[str]) -> str:
    return found[0].replace("/", "⧸").replace(".", "․").replace("-", "‑")
