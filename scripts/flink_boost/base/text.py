"""Numbers and times as people read them, and names as they mean them."""

from __future__ import annotations

import difflib
import math
import re
from collections.abc import Iterable

NOTHING = "–"
_LONGEST_VERSION = 64

# What a terminal takes for a command: colours and cursors, with one byte before them or two; titles
# and links, which end with a bell, a sequence or at the latest with their line; all others.
_SEQUENCE = re.compile(
    r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]"
    r"|(?:\x1b[\]PX^_]|[\x9d\x90\x98\x9e\x9f])[^\x07\x1b\x9c\n]*(?:\x07|\x1b\\|\x9c)?"
    r"|\x1b[ -/]*[0-~]"
)

_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]|\r(?!\n)")


def short_number(value: float) -> str:
    """At least three significant digits, without an exponent: 0.0123, 7.21, 19.3, 1640."""
    if value == 0 or not math.isfinite(value):
        return f"{value:g}"
    digits = max(0, 2 - math.floor(math.log10(abs(value))))
    return f"{value:.{digits}f}"


def interval_text(low: float, high: float, pairs: int) -> str:
    """``1.02–1.17``; a dash for a single pair, which has no interval."""
    if pairs < 2:
        return NOTHING
    return f"{low:.2f}–" + (f"{high:.2f}" if high < 1000 else ">1000")


def known_interval(low: float | None, high: float | None) -> str:
    """``1.021–1.172``; a dash where an end is not known."""
    return NOTHING if low is None or high is None else f"{low:.3f}–{high:.3f}"


def describe_left(seconds: float) -> str:
    """``about 4 min left``; nothing when nothing is left."""
    if seconds <= 0:
        return ""
    if seconds < 90:
        return f"about {max(1, round(seconds))} s left"
    if seconds < 5400:
        return f"about {round(seconds / 60)} min left"
    return f"about {seconds / 3600:.1f} h left"


def without_sequences(text: str) -> str:
    """The text without colours and whatever else a terminal would act on, in one pass."""
    return _SEQUENCE.sub("", text)


def size_text(size: int) -> str:
    """``4.2 MB``: bytes in the largest unit of which there is at least one, by thousands."""
    amount, unit = float(size), "B"
    for larger in ("kB", "MB", "GB", "TB"):
        if amount < 1000:
            break
        amount, unit = amount / 1000, larger
    return f"{amount:.0f} {unit}" if unit == "B" or amount >= 10 else f"{amount:.1f} {unit}"


def printable(text: str) -> str:
    """A line that another program wrote, without what a terminal would take for a command."""
    return "".join(character if character.isprintable() else "?" for character in text)


def one_line(text: str) -> str:
    """Somebody else's text as one line, with single spaces for whatever cannot be printed."""
    return " ".join("".join(char if char.isprintable() else " " for char in text).split())


def without_control(text: str) -> str:
    """Lines for a terminal, which others may have had a word in, without what it would act on."""
    return _CONTROL.sub("?", text)


def version_text(text: str) -> str:
    """A version as somebody else wrote it, safe in messages and as a part of a file's name."""
    return re.sub(r"[^\w.+~-]", "_", text.strip(), flags=re.ASCII)[:_LONGEST_VERSION]


def alike(word: str, names: Iterable[str], most: int = 3) -> tuple[str, ...]:
    """The names that somebody may have meant: those that hold the word, then those spelt alike.

    The order of the names decides between those that hold it; there may be none at all.
    """
    known = list(dict.fromkeys(names))
    holding = [name for name in known if word and word.lower() in name.lower()]
    spelt = difflib.get_close_matches(word, known, n=most, cutoff=0.7)
    return tuple(dict.fromkeys((*holding, *spelt)))[:most]
