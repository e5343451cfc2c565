"""What benchmarks are called, and which of them a name stands for. Pure.

One benchmark has several names, and people copy whichever they see::

    StringSerializationBenchmark.write[length=16,kind=ascii]       tables, answers, reports
    org.apache.flink.benchmark.StringSerializationBenchmark.write  JMH, run.json, CSV
    write.ascii.16                                                 the dashboard, mails
    StringSerializationBenchmark.write_length=16_kind=ascii-5e1f…  names of files

Case never matters. Parameters in brackets may have any order.
"""

from __future__ import annotations

import difflib
import fnmatch
import hashlib
import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property, lru_cache

from flink_boost.base.errors import UsageProblem
from flink_boost.measure.model import Cell

RATIO = ".ratio"  # behind a name on the dashboard: of the ratio, not of a score
_MOST = 3  # that are near
_LONGEST_THERE = 100  # characters of a name on the dashboard
_LONGEST_COMPARED = 100  # letters of a word, as many as a name has; likeness takes time for each
# What stands behind a name and is no part of it: the dashboard's words for the run, and JMH's for
# what else it measured (`write:gc.alloc.rate`).
_BEHIND = re.compile(r"(?:\.ratio|\.[0-9]+threads|\.heap[0-9]+[kmg]?)+$|:\u00b7?[a-z0-9_.%]+$")

_CHECKSUM = re.compile(r"-[0-9a-f]{8}$")


def dashboard_name(cell: Cell, *of_the_run: str) -> str:
    """The method, the values of its parameters by their names, and what the run has to add.

    This is how the upstream suite names its results in Codespeed: ``write.ascii.16``.
    """
    name = ".".join((cell.method, *(value for _, value in sorted(cell.params)), *of_the_run))
    longest = _LONGEST_THERE - len(RATIO)
    if len(name) <= longest:
        return name
    digest = hashlib.sha256(name.encode()).hexdigest()[:8]
    return f"{name[: longest - 9]}-{digest}"


def named(word: str, cells: Iterable[Cell]) -> tuple[Cell, ...]:
    """The cells that a word is a name of; ``*`` stands for any characters and ``?`` for one.

    A class, a method, or a name without its parameters stands for all cells of it. Takes time in
    proportion to the length of the word, whatever it holds.
    """
    wanted = _Word(word.strip().lower())
    return tuple(cell for cell in cells if wanted.is_of(_names(cell)))


def matching(pattern: str, cells: Iterable[Cell]) -> tuple[Cell, ...]:
    """The cells of that name; else those that it is a part of, or whose name it matches.

    Then it is looked for with ``*`` and ``?`` in all their names, and as a regular expression in
    those that tables show.
    """
    known = tuple(cells)
    if found := named(pattern, known):
        return found
    pieces = (".*" if one == "*" else "." if one == "?" else re.escape(one) for one in pattern)
    part = re.compile("".join(pieces), re.IGNORECASE)
    try:
        expression = re.compile(pattern, re.IGNORECASE)
    except re.error:
        expression = part
    return tuple(
        cell
        for cell in known
        if expression.search(cell.name) or any(map(part.search, _names(cell).searched(pattern)))
    )


def matching_any(patterns: Iterable[str], cells: Iterable[Cell], where: str) -> set[Cell]:
    """The cells that any of the patterns stands for; ``where`` says which cells these are.

    Raises ``UsageProblem`` for a pattern that stands for none, with the names that are near.
    """
    known, chosen = tuple(cells), set[Cell]()
    for pattern in patterns:
        found = matching(pattern, known)
        if not found:
            close = near(pattern, known)
            raise UsageProblem(
                f"No benchmark {where} is called {pattern!r}.",
                f"Near are: {'; '.join(close)}."
                if close
                else "There is none yet; `flink-boost nightly` makes them.",
            )
        chosen.update(found)
    return chosen


def near(word: str, cells: Iterable[Cell]) -> tuple[str, ...]:
    """The names most like a word, best first: of whole methods, or of cells where these are nearer.

    Only the first letters of the word count, so its length costs no time.
    """
    matcher = difflib.SequenceMatcher(autojunk=False)
    matcher.set_seq2(_letters(word[: 2 * _LONGEST_COMPARED])[:_LONGEST_COMPARED])
    spellings = dict.fromkeys(pair for cell in cells for pair in _names(cell).compared)
    best: dict[str, float] = {}
    for letters, shown in spellings:
        matcher.set_seq1(letters)
        least = sorted(best.values(), reverse=True)[_MOST - 1] if len(best) >= _MOST else -1.0
        if matcher.real_quick_ratio() > least and matcher.quick_ratio() > least:
            best[shown] = max(best.get(shown, 0.0), matcher.ratio())
    return tuple(sorted(best, key=lambda shown: best[shown], reverse=True)[:_MOST])


@dataclass(frozen=True)
class _Names:
    """All names of a cell, in small letters."""

    cell: Cell

    @cached_property
    def segments(self) -> list[str]:
        """Package, class and method."""
        return self.cell.benchmark.lower().split(".")

    @cached_property
    def params(self) -> Counter[str]:
        """As ``length=16``."""
        return Counter(f"{name}={value}".lower() for name, value in self.cell.params)

    @cached_property
    def values(self) -> Counter[str]:
        """Of the parameters."""
        return Counter(value.lower() for _, value in self.cell.params)

    def searched(self, part: str) -> tuple[str, ...]:
        """The names that are looked through for a part of one.

        Without the checksum at the end of some, which holds any short number by chance; and without
        the package, which all have, where the part has no dot.
        """
        name, full, *others = self.all
        short = [_CHECKSUM.sub("", other) for other in others]
        return (name, *([full] if "." in part else []), *short)

    @cached_property
    def all(self) -> tuple[str, ...]:
        """Its names: as tables show it, with its package, on the dashboard, and of its files."""
        package = self.cell.benchmark.rpartition(".")[0].rpartition(".")[0]
        whole = (self.cell.name, f"{package}.{self.cell.name}", dashboard_name(self.cell))
        return (*(name.lower() for name in whole), self.cell.slug.lower())

    @cached_property
    def globbed(self) -> tuple[str, ...]:
        """The names that a word with ``*`` or ``?`` may be of."""
        name, full, _, _ = self.all
        plain = name.partition("[")[0]
        own = (name, name.partition(".")[2], plain, *plain.split("."))
        return (*own, full, full.partition("[")[0])

    @cached_property
    def compared(self) -> tuple[tuple[str, str], ...]:
        """Letters that a word is compared with, each with the name that is shown for it."""
        name, plain = self.cell.name, self.cell.name.partition("[")[0]
        of_cell = () if name == plain else (name, name.partition(".")[2], dashboard_name(self.cell))
        return (
            *((_letters(one), plain) for one in (plain, self.cell.method, self.cell.benchmark)),
            *((_letters(one), name) for one in of_cell),
        )


@lru_cache(maxsize=4096)
def _names(cell: Cell) -> _Names:
    return _Names(cell)


@dataclass(frozen=True)
class _Word:
    """What somebody wrote for a benchmark, in small letters."""

    text: str

    @cached_property
    def glob(self) -> re.Pattern[str] | None:
        """Where it has ``*`` or ``?``. Brackets are part of names."""
        if not re.search("[*?]", self.text):
            return None
        # The translation of `*` does not go back and forth over the text.
        return re.compile(fnmatch.translate(self.text.replace("[", "[[]")))

    @cached_property
    def own(self) -> str:
        """Without what stands behind a name."""
        return _BEHIND.sub("", self.text)

    @cached_property
    def plain(self) -> tuple[list[str], Counter[str] | None]:
        """Package, class and method as far as given, and the parameters in brackets."""
        head, bracket, rest = self.own.partition("[")
        if not bracket:
            return head.split("."), None
        if not rest.endswith("]"):
            return [""], None  # of no benchmark
        return head.split("."), Counter(re.split(r",\s*(?=\w+=)", rest[:-1]))

    def is_of(self, names: _Names) -> bool:
        """Whether it is a name of that cell, in any of the ways."""
        if self.glob is not None:
            return any(self.glob.fullmatch(name) for name in names.globbed)
        given, params = self.plain
        # A word is looked for among thousands of cells, most of which this tells apart.
        if given[-1] in names.segments[-2:]:
            is_there = _ends(names.segments, given) or _ends(names.segments[:-1], given)
            if is_there and params in (None, names.params):
                return True
        if params is not None:
            return False
        of_values = given[0] == names.segments[-1] and Counter(given[1:]) <= names.values
        return of_values or self.own in names.all


def _ends(segments: list[str], given: list[str]) -> bool:
    """Whether a class or method is called so; its package may be cut short, as JMH does."""
    if not 0 < len(given) <= len(segments):
        return False
    own = segments[-len(given) :]
    return own[-2:] == given[-2:] and all(
        mine in (one, one[:1]) for one, mine in zip(own[:-2], given[:-2], strict=True)
    )


def _letters(text: str) -> str:
    return re.sub(r"[^a-z0-9]+", "", text.lower())
