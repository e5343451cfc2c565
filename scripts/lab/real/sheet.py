"""The result of a proof as Markdown."""

from __future__ import annotations

from flink_boost.base.text import NOTHING, short_number
from lab.cases import ToldAlarm
from lab.real.model import ProofResult, RealOutcome

_DELAYS = (
    "| benchmark | delay put in | slower by | told | first night named | told as slower by"
    " | other alarms | pairs rerun |"
)
_EQUAL = (
    "| benchmark | nights of equal builds | noise of a night | of a pair | false alarms"
    " | pairs rerun per night |"
)


def proof_sheet(result: ProofResult) -> str:
    """Two tables: builds with a delay, and equal builds."""
    equal = [one for one in result.outcomes if not one.case.rounds]
    slower = [one for one in result.outcomes if one.case.rounds]
    slower.sort(key=lambda one: one.case.slowdown)
    order, box = result.order, result.box
    about = (
        f"Flink {order.line}, JDK {box.jdk}, {box.cpu}, {box.cores} cores; {order.pairs} pairs a"
        f" night; {order.nights} nights of equal builds, then {order.slow_nights} with the delay."
    )
    lines = [about]
    if slower:
        lines += ["", _DELAYS, "|" + "---|" * 8, *map(_delay_row, slower)]
    if equal:
        lines += ["", _EQUAL, "|" + "---|" * 6, *map(_equal_row, equal)]
    if result.open_cases:
        lines += ["", f"Not done yet: {', '.join(result.open_cases)}."]
    if not result.outcomes:
        lines += ["", "No case is done yet."]
    return "\n".join(lines)


def _delay_row(one: RealOutcome) -> str:
    cells = (
        one.case.cell.name,
        f"{short_number(one.case.delay)} of {short_number(one.case.time)} ns",
        f"{one.case.slowdown:.1f} %",
        _told(one.delay_nights),
        _named(one.named_off),
        _size(one.alarm),
        str(len(one.false_alarms)),
        str(one.pairs),
    )
    return f"| {' | '.join(cells)} |"


def _equal_row(one: RealOutcome) -> str:
    cells = (
        one.case.cell.name,
        str(one.nights),
        f"{100 * one.night_noise:.1f} %",
        f"{100 * one.pair_noise:.1f} %",
        str(len(one.false_alarms)),
        f"{one.pairs / one.nights:.1f}",
    )
    return f"| {' | '.join(cells)} |"


def _told(nights: int | None) -> str:
    if nights is None:
        return "not told"
    return ("the same night", "the next night")[nights] if nights < 2 else f"{nights} nights later"


def _named(off: int | None) -> str:
    if off is None:
        return NOTHING
    return "right" if off == 0 else f"{abs(off)} too {'early' if off < 0 else 'late'}"


def _size(alarm: ToldAlarm | None) -> str:
    """How much longer an operation takes, as told, with its interval."""
    if alarm is None:
        return NOTHING
    text = _slower(alarm.ratio)
    if alarm.low is None or alarm.high is None:
        return f"{text} %"
    return f"{text} % ({_slower(alarm.high)}–{_slower(alarm.low)})"


def _slower(ratio: float) -> str:
    return f"{100 * (1 / ratio - 1):.1f}"
