"""The answer of a request, in Markdown, from its rows alone. Pure."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from pathlib import PurePath

from flink_boost.publish.sheet import markdown_table
from flink_boost.service.requests.answer_sheet import (
    ORDER,
    by_weight,
    distance,
    marked_sheet,
    share_text,
)
from flink_boost.service.requests.grammar import shown
from flink_boost.service.requests.request import Measured
from flink_boost.service.requests.request_rows import failures_text
from flink_boost.service.requests.verdicts import (
    AnswerRow,
    Unjudged,
    level_of_second_look,
)
from flink_boost.service.requests.wording import fenced

MOST_SHOWN = 5
LONGEST = 60_000  # characters; GitHub takes 65,536, and a mark of ours comes behind
_OF_FAILED = (
    " *Forks failed* says nothing of speed: the pairs that are left may be the lucky ones, and a"
    " JVM that ends with an error is a finding of its own. The logs are on the machine that"
    " measured."
)
_NO_RECIPE = "The recipe is a file of the machine that measured: name yours with `--recipe`."


@dataclass(frozen=True)
class Circumstances:
    """What an answer says besides its rows. ``links`` are titles with addresses of ours.

    ``public``: it is read on other machines.
    """

    measured: Measured
    minutes: float = 0.0
    stale: bool = False
    links: Mapping[str, str] = field(default_factory=dict)
    public: bool = False


def answer(rows: Sequence[AnswerRow], about: Circumstances) -> str:
    """All of it: the first line is the verdict.

    For others it is as long as a comment may be: rows that matter least are left out, and told.
    """
    text = _answer(rows, about, _folded_rows(by_weight(rows)[MOST_SHOWN:]), _repeat(about))
    if len(text) <= LONGEST or not about.public:
        return text
    repeat = _repeat(about, named=False)
    room = LONGEST - len(_answer(rows, about, _folded_rows((), len(rows)), repeat))
    return _answer(rows, about, _folded_rows(*_fitting(by_weight(rows)[MOST_SHOWN:], room)), repeat)


def _fitting(rows: Sequence[AnswerRow], room: int) -> tuple[Sequence[AnswerRow], int]:
    """The first rows whose lines have so many characters together, and how many are left out."""
    _, _, *lines = markdown_table(marked_sheet(rows)).splitlines()
    lengths = accumulate(len(line) + 1 for line in lines)
    count = sum(length <= room for length in lengths)
    return rows[:count], len(rows) - count


def _folded_rows(rows: Sequence[AnswerRow], left_out: int = 0) -> str:
    """The rows behind the first, folded; empty without any."""
    if not rows and not left_out:
        return ""
    table = markdown_table(marked_sheet(rows))
    if left_out:
        table += (
            f"\n\n{left_out} rows are left out, those that matter least: a comment holds no more."
            " Ask for fewer benchmarks to read them."
        )
    return _folded(f"{len(rows) + left_out} more", table)


def _answer(rows: Sequence[AnswerRow], about: Circumstances, folded: str, repeat: str) -> str:
    parts = [verdict_line(rows, about.measured)]
    if about.stale:
        parts.append(
            "The pull request has been pushed to since: this is about"
            f" `{about.measured.order.head[:12]}`. Ask again for what is there now."
        )
    if not about.measured.same:
        parts += [
            markdown_table(marked_sheet(by_weight(rows)[:MOST_SHOWN])),
            *filter(None, (folded,)),
        ]
    parts += [_what(about), _folded("Repeat it", repeat), _reading(rows)]
    for name, lines in about.measured.profile_texts:
        parts.append(_folded(f"Where {name} spends its time", _as_code(lines)))
    if note := about.measured.profile_note:
        # It may quote what a fork of strangers has left.
        parts.append(f"No flame graphs:\n\n{fenced(note)}")
    links = {**dict(about.measured.profile_links), **about.links}
    if about.public:  # a page on our disk is none for others
        links = {title: url for title, url in links.items() if not url.startswith("file:")}
    if links:
        parts.append(" · ".join(f"[{title}]({url})" for title, url in links.items()))
    return "\n\n".join(parts) + "\n"


def _as_code(lines: Sequence[str]) -> str:
    text = "\n".join(lines).replace("`", "'")
    return f"```text\n{text}\n```"


def verdict_line(rows: Sequence[AnswerRow], measured: Measured) -> str:
    """The first line of an answer, which is also the verdict wherever else it is shown."""
    if measured.order.base == measured.order.head:
        return "**No change**: base and head are the same commit, so nothing was measured."
    if measured.same:
        return "**No change**: base and head build to the same bytes, so nothing was measured."
    return headline(rows)


def headline(rows: Sequence[AnswerRow]) -> str:
    """The verdict in one line, from rows that were measured."""
    by_kind = {kind: [row for row in rows if row.told == kind] for kind in ORDER}
    total = len(rows)
    said = []
    for kind in ("slower", "faster"):
        if found := sorted(by_kind[kind], key=distance, reverse=True):
            most = found[0]
            which = f"by {_percent(most)}" if len(found) == 1 else f"the most by {_percent(most)}"
            said.append(f"**{kind.capitalize()}**: {len(found)} of {total}, {which}")
    if failed := by_kind[Unjudged.NOT_MEASURED]:
        said.append(f"**Not measured**: {len(failed)} of {total}{_blame(failed)}")
    if shaken := [row for row in rows if row.failed and row.verdict is not Unjudged.NOT_MEASURED]:
        said.append(f"**Forks failed**: {len(shaken)} of {total}{_blame(shaken)}")
    unclear, unchanged = by_kind["undecided"], by_kind["same"]
    if unclear:
        largest = max(row.smallest or 0.0 for row in unclear)
        word = "undecided" if said else "**Undecided**"
        which = "changes under" if largest < 1 else "even changes of"
        missed = f"{which} {share_text(largest)} could have been missed"
        said.append(f"{word}: {len(unclear)} of {total}, {missed}")
    if unchanged:
        within = max(row.within or 0.0 for row in unchanged)
        word = "the same" if said else "**The same**"
        said.append(f"{word} within ±{within:.1%}: {len(unchanged)} of {total}")
    return ". ".join(said) + "."


def _blame(rows: Sequence[AnswerRow]) -> str:
    """Whose JVMs failed: how many, where it is one row."""
    sides = (
        *(("base",) if any(row.failed_base for row in rows) else ()),
        *(("head",) if any(row.failed_head for row in rows) else ()),
    )
    if not sides:
        return ""
    who = failures_text(rows[0]) if len(rows) == 1 else f"JVMs of {' and '.join(sides)}"
    return f", as {who} failed" if rows[0].verdict is Unjudged.NOT_MEASURED else f", {who}"


def _what(about: Circumstances) -> str:
    measured, order = about.measured, about.measured.order
    recipe = f"the recipe {shown(PurePath(order.recipe).stem)}" if order.recipe else "its recipe"
    built = (
        f"Base `{order.base}` is the commit at which head `{order.head}` left its branch; both were"
        f" built by {recipe} for Flink {order.line}"
    )
    if measured.same:
        return f"{built}."
    box = measured.box
    # What looking up took says nothing of how long the forks ran.
    minutes = "" if measured.stored or not about.minutes else f", in {about.minutes:.0f} min"
    return (
        f"{built} and measured in {order.pairs} pairs of fresh JVMs in turn (base, head, head, base"
        f" …){minutes}. Box:"
        f" {shown(box.label)}, {box.cores} cores of {shown(box.cpu)}, JDK {shown(box.jdk)}, kernel"
        f" {shown(box.kernel)}. {measured.quiet}"
    )


def _repeat(about: Circumstances, *, named: bool = True) -> str:
    """The same by hand, without the names where these are too many.

    What was shut in stays shut in, as it may be code of a stranger.
    """
    order = about.measured.order
    words = [
        *("flink-boost", "request", "run", "--base", order.base, "--head", order.head),
        *("--line", order.line, "--pairs", str(order.pairs)),
        *(("--recipe", order.recipe) if order.recipe else ()),
        *(("--isolated",) if order.isolated else ()),
        *(("--profile",) if order.profile else ()),
    ]
    command = shlex.join((*words, *order.names)) if named else f"{shlex.join(words)} NAME…"
    missing = (
        *(() if named else (f"NAME… are the {len(order.names)} names of the request.",)),
        *(() if order.recipe else (_NO_RECIPE,)),
    )
    return "\n\n".join((f"```\n{command}\n```", *missing))


def _reading(rows: Sequence[AnswerRow]) -> str:
    level = level_of_second_look(len(rows))
    return (
        "How to read it: *head ÷ base* is a ratio of speed with its 95 % interval, so above 1 is"
        " faster, whatever the unit. *Faster* and *slower* were measured twice and have to show in"
        f" fresh pairs again, at {level:.1%} among {len(rows)} benchmarks, so that at most 1 answer"
        " in 100 says so of a pull request that changes nothing. *The same within ±x* excludes"
        " larger changes; of what is *undecided*, or did not show again, more pairs would tell."
        + (_OF_FAILED if any(row.failed for row in rows) else "")
    )


def _folded(title: str, content: str) -> str:
    return f"<details><summary>{title}</summary>\n\n{content}\n\n</details>"


def _percent(row: AnswerRow) -> str:
    ratio = row.ratio or 1.0
    return f"{abs(ratio - 1):.1%} (`{row.name}`)"
