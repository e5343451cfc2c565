"""What rules of detection did on cases whose truth is known: a table and a plot."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from lab.reverts import RevertScore
from lab.scoring import Score

STEPS = {"step-1": 1, "step-2": 2, "step-3": 3, "step-5": 5, "step-10": 10, "step-20": 20}

_CASES = (
    "| case | changes | the same night | within 3 nights | told | median delay"
    " | first night right ±1 | kind right | of its size | false alarms per benchmark-year |"
)
_RULES = (
    "| rule | changes told within 3 nights | told at all | first night right ±1"
    " | false alarms per benchmark-year | pairs of reruns per benchmark and night |"
)


@dataclass(frozen=True)
class RuleScores:
    """A rule's scores by kind of case; ``pairs``: those of reruns per benchmark and night."""

    rule: str
    scores: tuple[Score, ...]
    pairs: float
    reverts: tuple[RevertScore, ...] = ()

    @property
    def false_per_year(self) -> float:
        """False alarms per benchmark and year over all kinds of cases."""
        years = sum(one.years for one in self.scores)
        return sum(one.false_alarms for one in self.scores) / years


def sheet(rules: Sequence[RuleScores]) -> str:
    """Markdown: our rule by kind of case, then all rules side by side, then our reverts."""
    ours = rules[0]
    lines = [
        _CASES,
        "|---|---|---|---|---|---|---|---|---|---|",
        *(_row(one) for one in ours.scores),
        "",
        _RULES,
        "|---|---|---|---|---|---|",
        *(_summary(one) for one in rules),
        *_reverts(ours.reverts),
    ]
    return "\n".join(lines) + "\n"


def draw(rules: Sequence[RuleScores]) -> bytes:
    """SVG: the share of steps that each rule tells within three nights, by size."""
    # Slow to load, and needed here only.
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7, 4), layout="constrained")
    axes = figure.subplots()
    for rule, marker in zip(rules, "osD^v<>", strict=False):
        found = {one.kind: one for one in rule.scores}
        chosen = [(size, found[kind]) for kind, size in STEPS.items() if kind in found]
        axes.plot(
            range(len(chosen)),
            [100 * one.within_three / one.changes for _, one in chosen],
            marker=marker,
            label=f"{rule.rule} ({rule.false_per_year:.2f} false alarms per benchmark-year)",
        )
        axes.set_xticks(range(len(chosen)), [f"{size} %" for size, _ in chosen])
    axes.set_xlabel("size of the step")
    axes.set_ylabel("told within three nights (%)")
    axes.set_ylim(-4, 104)
    axes.grid(visible=True, alpha=0.3)
    figure.legend(loc="outside lower center", fontsize="small")
    drawn = io.BytesIO()
    figure.savefig(drawn, format="svg", metadata={"Date": None})
    return drawn.getvalue()


def _row(one: Score) -> str:
    changes = max(one.changes, 1)
    told = max(one.told, 1)

    def share(count: int, of: int) -> str:
        return f"{100 * count / of:.0f} %" if one.changes else "–"

    cells = [
        one.kind,
        str(one.changes),
        share(one.same_night, changes),
        share(one.within_three, changes),
        share(one.told, changes),
        "–" if one.delay is None else f"{one.delay:g}",
        share(one.named_right, told),
        share(one.kind_right, told),
        "–" if one.size is None else f"{100 * one.size:.0f} %",
        f"{one.false_per_year:.2f}",
    ]
    return f"| {' | '.join(cells)} |"


def _reverts(found: Sequence[RevertScore]) -> Iterator[str]:
    """Told as a recovery of the right night, by size and by nights until the revert."""
    if not found:
        return
    nights = sorted({one.nights for one in found})
    cells = {(one.size, one.nights): f"{one.right} of {one.cases}" for one in found}
    yield ""
    yield f"| taken back after nights | {' | '.join(map(str, nights))} |"
    yield f"|{'---|' * (len(nights) + 1)}"
    for size in sorted({one.size for one in found}):
        row = " | ".join(cells.get((size, night), "–") for night in nights)
        yield f"| {100 * size:.0f} % slower | {row} |"


def _summary(rule: RuleScores) -> str:
    changes = sum(one.changes for one in rule.scores)
    told = sum(one.told for one in rule.scores)
    cells = [
        rule.rule,
        f"{100 * sum(one.within_three for one in rule.scores) / max(changes, 1):.0f} %",
        f"{100 * told / max(changes, 1):.0f} %",
        f"{100 * sum(one.named_right for one in rule.scores) / max(told, 1):.0f} %",
        f"{rule.false_per_year:.2f}",
        f"{rule.pairs:.1f}" if rule.pairs else "none",
    ]
    return f"| {' | '.join(cells)} |"
