"""Reads a comment: is it for us, and what does it ask? Pure.

::

    /benchmark-request [NAME…] [line=2.3.0] [pairs=5] [profile]
    /benchmark-request help | status | cancel

The first line of a comment counts, and lines below it that hold names and options only. They come
from strangers: they are compared with what we know and never become part of a command, a path or a
regular expression. People paste, so every blank is a blank, and what nobody sees is not there.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from flink_boost.base.text import alike
from flink_boost.measure.names import near
from flink_boost.service.requests.catalogue import Bounds, Offerings
from flink_boost.service.requests.command import (
    COMMAND,
    LONGEST_LINE,
    first_line,
    is_for_us,
    words_below,
    words_of,
)

EXAMPLE = f"{COMMAND} serializerHeavyString pairs=5"
_LONGEST_WORD = 150  # of a name
_LONGEST_SHOWN = 60
_VERBS = ("help", "status", "cancel")
_OPTIONS = ("line", "pairs")
_FLAG = "profile"
_WORD = re.compile(r"[A-Za-z0-9_.$*?,=\[\]-]+")
# What no prose has: capitals, signs or dots within a word.
_LIKE_A_NAME = re.compile(r"[a-z][A-Z]|[\w.][*?=\[]|[*?]\w|\w\.[A-Za-z]")
_DOT = "\N{MIDDLE DOT}"  # in the names of what JMH measures besides
_OPTION = re.compile(r"([A-Za-z][A-Za-z_-]*)=(.*)")
_NUMBER = re.compile(r"[0-9]{1,3}")


@dataclass(frozen=True)
class Asked:
    """A request: names of benchmarks, in the order of the catalogue.

    ``unread``: names may have been meant by lines below, among other words; ``below`` are those
    that are right.
    """

    names: tuple[str, ...]
    line: str
    pairs: int
    profile: bool = False
    unread: bool = False
    below: tuple[str, ...] = ()


@dataclass(frozen=True)
class Help:
    """What can be asked?"""


@dataclass(frozen=True)
class Status:
    """How far is it?"""


@dataclass(frozen=True)
class Cancel:
    """Stop it."""


@dataclass(frozen=True)
class Mistake:
    """For us, and not right. ``kind`` names the mistake, ``sentence`` tells it.

    ``example`` would have been right; ``near`` are names that may have been meant.
    """

    kind: str
    sentence: str
    example: str = EXAMPLE
    near: tuple[str, ...] = ()


Parsed = Asked | Help | Status | Cancel | Mistake


def parse(body: str, known: Offerings, bounds: Bounds) -> Parsed | None:
    """What a comment asks; None when it is not for us."""
    if not is_for_us(body):
        return None
    head, *words = words_of(body)
    if head != COMMAND:
        return _misspelt(head, words, known, bounds)
    if len(first_line(body)) > LONGEST_LINE:
        return Mistake("too-long", f"The first line is longer than {LONGEST_LINE} characters.")
    if odd := [char for word in words for char in word if not (" " <= char <= "~" or char == _DOT)]:
        return Mistake(
            "characters",
            f"The command holds the character U+{ord(odd[0]):04X}, which no benchmark has in its"
            " name. Letters that look alike count as others.",
        )
    if words and words[0].lower() in _VERBS:
        return _verb(words)
    below, is_all = words_below(body)
    right = [word for word in below if _is_right(word, known)]
    if is_all and right == below:
        return _request([*words, *below], known, bounds)
    asked = _request(words, known, bounds)
    meant = right or any(map(_LIKE_A_NAME.search, below)) or not _names_only(words, bounds)
    if below and isinstance(asked, Asked) and meant:
        return replace(asked, unread=True, below=_names_only(right, bounds))
    return asked


def _is_right(word: str, known: Offerings) -> bool:
    if option := _OPTION.fullmatch(word):
        return option[1] in _OPTIONS
    return word == _FLAG or (len(word) <= _LONGEST_WORD and bool(known.matching(word)))


def _names_only(words: list[str], bounds: Bounds) -> tuple[str, ...]:
    names = (word for word in words if word != _FLAG and not _OPTION.fullmatch(word))
    return tuple(dict.fromkeys(names))[: bounds.globs]


def read_words(words: list[str], known: Offerings, bounds: Bounds) -> Asked | Mistake:
    """The same from words of a command line."""
    return _request(words, known, bounds)


def shown(text: str) -> str:
    """Somebody's text in a code span: no mark-up, no mention, no invisible character survives."""
    plain = "".join(char if " " <= char <= "~" and char != "`" else "?" for char in text)
    cut = plain if len(plain) <= _LONGEST_SHOWN else f"{plain[: _LONGEST_SHOWN - 3]}..."
    return f"`{cut.strip() or '?'}`"


def _misspelt(head: str, words: list[str], known: Offerings, bounds: Bounds) -> Mistake:
    glued = head[len(COMMAND) :] if head.casefold().startswith(COMMAND) else ""
    meant = [word for word in (glued, *words) if _is_right(word, known)]
    right = meant and isinstance(_request(meant, known, bounds), Asked)
    return Mistake(
        "command",
        f"{shown(head)} is not quite the command: it is `{COMMAND}`, and then a space.",
        " ".join((COMMAND, *meant)) if right else EXAMPLE,
    )


def _verb(words: list[str]) -> Parsed:
    verb = words[0].lower()
    if len(words) > 1:
        return Mistake(
            "verb-alone", f"`{verb}` stands alone, without {shown(words[1])}.", f"{COMMAND} {verb}"
        )
    if verb == "help":
        return Help()
    return Status() if verb == "status" else Cancel()


def _request(words: list[str], known: Offerings, bounds: Bounds) -> Asked | Mistake:
    given: dict[str, str] = {}
    globs: list[str] = []
    for word in words:
        if problem := _problem_of(word, given, known):
            return problem
        option = _OPTION.fullmatch(word)
        if option:
            given[option[1]] = option[2]
        elif word == _FLAG:
            given[_FLAG] = ""
        elif word not in globs:
            globs.append(word)
    line = given.get("line", known.default_line)
    if line not in known.lines:
        return Mistake(
            "line",
            f"There is no line {shown(line)}; there are {', '.join(known.lines)}.",
            f"{COMMAND} line={known.default_line}",
        )
    pairs = _pairs(given.get("pairs"), bounds)
    if isinstance(pairs, Mistake):
        return pairs
    names = _names(globs, known, bounds)
    if isinstance(names, Mistake):
        return names
    minutes = known.seconds(names, pairs) / 60
    if minutes > bounds.minutes:
        return Mistake(
            "minutes",
            f"{len(names)} benchmarks with {pairs} pairs take about {minutes:.0f} minutes; at most"
            f" {bounds.minutes:.0f} are allowed. Ask for fewer benchmarks, or fewer pairs.",
        )
    return Asked(names, line, pairs, _FLAG in given)


def _problem_of(word: str, given: dict[str, str], known: Offerings) -> Mistake | None:
    if word.startswith("/"):
        return Mistake("one-command", "A comment has one command, in its first line.")
    if len(word) > _LONGEST_WORD:
        return Mistake("long-word", f"{shown(word)} is longer than {_LONGEST_WORD} characters.")
    if word.startswith("-"):
        return Mistake(
            "dashes", f"{shown(word)}: options are written without dashes, as `pairs=5`."
        )
    option = _OPTION.fullmatch(word)
    name = option[1] if option else word if word == _FLAG else ""
    if name in given:
        return Mistake("twice", f"`{name}` is there twice.")
    if option and name not in _OPTIONS:
        close = alike(name, (*_OPTIONS, _FLAG), 1)
        return Mistake(
            "option",
            f"There is no option {shown(name)}. A parameter of a benchmark is part of its name.",
            f"{COMMAND} line=LINE pairs=5 profile",
            close,
        )
    if word.lower() in _VERBS:
        return Mistake("verb-alone", f"`{word.lower()}` stands alone.", f"{COMMAND} {word.lower()}")
    # What JMH writes behind a name has characters of its own.
    if not option and not _WORD.fullmatch(word) and not known.matching(word):
        return Mistake(
            "glob",
            f"{shown(word)} has a character that no benchmark has in its name. `*` stands for any"
            " letters and `?` for one; regular expressions are not understood.",
        )
    return None


def _pairs(text: str | None, bounds: Bounds) -> int | Mistake:
    if text is None:
        return bounds.usual_pairs
    allowed = f"{bounds.least_pairs} to {bounds.pairs}"
    if not _NUMBER.fullmatch(text) or not bounds.least_pairs <= int(text) <= bounds.pairs:
        return Mistake(
            "pairs",
            f"`pairs` is a number from {allowed}, not {shown(text)}.",
            f"{COMMAND} pairs={bounds.usual_pairs}",
        )
    return int(text)


def _names(globs: list[str], known: Offerings, bounds: Bounds) -> tuple[str, ...] | Mistake:
    if len(globs) > bounds.globs:
        return Mistake("globs", f"At most {bounds.globs} patterns, not {len(globs)}.")
    chosen = set(known.usual) if not globs else set[str]()
    for glob in globs:
        found = known.matching(glob)
        if not found:
            close = near(glob, known.cells)
            example = close[0].partition("[")[0] if close else ""
            return Mistake(
                "unknown",
                f"No benchmark is called {shown(glob)}.",
                f"{COMMAND} {example}".strip(),
                close,
            )
        chosen.update(found)
    if len(chosen) > bounds.benchmarks:
        return Mistake(
            "benchmarks",
            f"That is {len(chosen)} benchmarks; at most {bounds.benchmarks} are allowed in one"
            " request. Name a method, or parameters.",
            f"{COMMAND} write[length=16,kind=ascii*",
            tuple(sorted(chosen)[:3]),
        )
    if not chosen:
        return Mistake("none", "Name at least one benchmark.")
    return tuple(name for name in known.by_name if name in chosen)
