"""The rows of a request's answer as a table, for the terminal and for a comment. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from flink_boost.base.text import NOTHING, short_number
from flink_boost.judge.verdict import Verdict, judge
from flink_boost.publish.sheet import Column, Entry, Sheet, Tone
from flink_boost.service.requests.request_rows import failures_text
from flink_boost.service.requests.verdicts import AnswerRow, Unjudged

ORDER = (
    "slower",
    Unjudged.NOT_MEASURED,
    Unjudged.FORKS_FAILED,
    "faster",
    "undecided",
    "same",
)
_MARKS = {
    "slower": "🔻 **{}**",
    "faster": "🔺 **{}**",
    Unjudged.FORKS_FAILED: "⚠️ **{}**",
    Unjudged.NOT_MEASURED: "⚠️ {}",
}
_TONES = {"slower": Tone.BAD, "faster": Tone.GOOD, "same": Tone.PLAIN}
_COLUMNS = (
    Column("benchmark"),
    Column("base", numeric=True),
    Column("head", numeric=True),
    Column("head ÷ base"),
    Column("B/op"),
    Column(""),
)


def answer_sheet(rows: Sequence[AnswerRow]) -> Sheet:
    """One row per benchmark in plain text, what matters first."""
    return Sheet("", _COLUMNS, tuple(_entries(row) for row in by_weight(rows)))


def marked_sheet(rows: Sequence[AnswerRow]) -> Sheet:
    """The same with Markdown's marks: names are code, and what counts stands out."""
    return Sheet("", _COLUMNS, tuple(_marked(row) for row in by_weight(rows)))


def _entries(row: AnswerRow) -> tuple[Entry, ...]:
    texts = [NOTHING] * 4
    if row.ratio is not None and row.base is not None and row.head is not None:
        texts = [
            f"{short_number(row.base)} {row.unit}",
            f"{short_number(row.head)} {row.unit}",
            f"{row.ratio:.3f} ({row.low:.3f}–{row.high:.3f})",
            " → ".join(_allocations(row)) or NOTHING,
        ]
    verdict = Entry(verdict_text(row), _TONES.get(row.told, Tone.OPEN))
    return (Entry(row.name), *map(Entry, texts), verdict)


def _marked(row: AnswerRow) -> tuple[Entry, ...]:
    name, *numbers, allocation, verdict = _entries(row)
    if len(both := _allocations(row)) == 2 and allocation.text != NOTHING:
        allocation = Entry(f"{both[0]} → **{both[1]}**")
    word = row.verdict.value
    if mark := _MARKS.get(row.told):
        verdict = Entry(mark.format(word) + verdict.text.removeprefix(word))
    return (Entry(f"`{name.text}`"), *numbers, allocation, verdict)


def _allocations(row: AnswerRow) -> tuple[str, ...]:
    """Bytes of base and of head; one number where they differ by a thousandth or half a byte."""
    if row.base_alloc is None or row.head_alloc is None:
        return ()
    larger = max(abs(row.base_alloc), abs(row.head_alloc))
    head = short_number(row.head_alloc)
    # Half a byte: what JMH itself allocates is shared out among operations.
    if abs(row.base_alloc - row.head_alloc) < max(0.5, larger / 1000):
        return (head,)
    return (short_number(row.base_alloc), head)


def by_weight(rows: Sequence[AnswerRow]) -> tuple[AnswerRow, ...]:
    """What matters first; among equals the largest difference."""
    return tuple(sorted(rows, key=lambda row: (ORDER.index(row.told), -distance(row))))


def verdict_text(row: AnswerRow) -> str:
    """What is said of a row, as plain text."""
    if row.verdict is Verdict.SAME:
        return f"the same within ±{row.within or 0.0:.1%}"
    if row.verdict is Verdict.UNDECIDED:
        seen = f"smallest effect that could have been seen: {share_text(row.smallest or 0.0)}"
        once = judge(row.low, row.high)
        if once.is_slower or once.is_faster:
            return (
                f"undecided: {once.direction} in all pairs, not surely in the fresh ones ({seen})"
            )
        return f"undecided ({seen})"
    if row.verdict is Unjudged.NOT_MEASURED:
        return f"not measured: {row.reason}"
    if row.verdict is Unjudged.FORKS_FAILED:
        return f"forks failed: {row.reason}; the numbers are of {row.pairs} whole pairs"
    failed = f"; {failures_text(row)} failed" if row.failed else ""
    return f"{row.verdict.value}{failed}"


def share_text(share: float) -> str:
    """``4.2%``; beyond a doubling the number says no more."""
    return f"{share:.1%}" if share < 1 else "more than 100%"


def distance(row: AnswerRow) -> float:
    """How far from equally fast, as a factor; 0 without a ratio."""
    if row.ratio is None:
        return 0.0
    return max(row.ratio, 1 / row.ratio)
