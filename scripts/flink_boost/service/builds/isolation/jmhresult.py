"""JMH's result of a fork that ran code of strangers: read as if they had written it by hand.

What is not exactly what was asked for is refused; what we do not compute with is left out. The text
that is kept is written anew from what was checked. That the numbers are *true* nobody can check:
whoever runs in a JVM can move its clock.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from typing import Any

from flink_boost.base.errors import RefusedResult
from flink_boost.measure.jmh import (
    ALLOCATION_METRIC,
    CPU_METRIC,
    GC_COUNT_METRIC,
    GC_TIME_METRIC,
    OPERATIONS_METRIC,
    UNCOUNTED_THREADS_METRIC,
)
from flink_boost.measure.model import Cell, Mode
from flink_boost.service.builds.isolation.fetching import MOST_RESULT, NEXT_STEP

_MOST_DEPTH = 12
_MOST_VALUES = 100_000
_LARGEST = 1e18  # of a score; a year in nanoseconds is 3e16
_SMALLEST = 1e-18  # of what is divided by; smaller ones become 0 in ratios and have no logarithm
_MOST_PARAMETERS = 32
_MOST_LETTERS = 1000
# The last quote may be missing: so no quote is tried in vain, and one pass is enough for any text.
_STRING = re.compile(r'"(?:[^"\\]|\\.)*+"?', re.DOTALL)
_BRACKET = re.compile(r"[\[{\]}]")
_UNIT = re.compile(r"[A-Za-z]{1,12}/[A-Za-z]{1,12}")
_MODES = frozenset(mode.value for mode in Mode)
_KEPT = {
    ALLOCATION_METRIC: "B/op",
    CPU_METRIC: "ns/op",
    GC_COUNT_METRIC: "counts",
    GC_TIME_METRIC: "ms",
    OPERATIONS_METRIC: "ops",
    UNCOUNTED_THREADS_METRIC: "threads",
}


def checked_result(content: bytes, cell: Cell, *, threads: int, iterations: int) -> bytes:
    """The result as our own words: one fork of that cell, as many iterations as asked for.

    Raises ``RefusedResult`` for everything else: another benchmark, number of threads or
    iterations, a number that is none, not finite, negative or beyond measure, names given twice,
    and anything too large or too deep.
    """
    document = _parsed(content)
    if not isinstance(document, list) or len(document) != 1:
        raise _refused("it does not hold one result")
    result = _object(document[0], "the result")
    if result.get("benchmark") != cell.benchmark:
        raise _refused(f"it is of {_shown(result.get('benchmark'))}, not of {cell.benchmark}")
    if str(result.get("mode")) not in _MODES:
        raise _refused(f"it has the mode {_shown(result.get('mode'))}")
    for name, asked in (("forks", 1), ("threads", threads), ("measurementIterations", iterations)):
        if type(result.get(name)) is not int or result[name] != asked:
            raise _refused(f"{name} is {_shown(result.get(name))}, not {asked}")
    primary = _object(result.get("primaryMetric"), "primaryMetric")
    raw = primary.get("rawData")
    if not (isinstance(raw, list) and len(raw) == 1 and isinstance(raw[0], list)):
        raise _refused("rawData is not of one fork")
    if len(raw[0]) != iterations:
        raise _refused(f"it has {len(raw[0])} iterations, not {iterations}")
    kept = {
        "benchmark": cell.benchmark,
        "mode": result["mode"],
        "threads": threads,
        "forks": 1,
        "measurementIterations": iterations,
        "params": _parameters(result.get("params", {}), cell),
        "primaryMetric": {
            "score": _number(primary.get("score"), "score", above_zero=True),
            "scoreUnit": _unit(primary.get("scoreUnit")),
            "rawData": [[_number(one, "rawData", above_zero=True) for one in raw[0]]],
        },
        "secondaryMetrics": _secondary(result.get("secondaryMetrics", {})),
    }
    return (json.dumps([kept], indent=1, allow_nan=False) + "\n").encode()


def _parsed(content: bytes) -> Any:
    if len(content) > MOST_RESULT:
        raise _refused("it is too large")
    try:
        text = content.decode("utf-8")
        _require_shallow(text)
        return json.loads(text, object_pairs_hook=_once, parse_constant=_no_constant)
    except (UnicodeDecodeError, json.JSONDecodeError) as error:
        raise _refused("it is not JSON") from error
    except (ValueError, RecursionError) as error:  # a number with thousands of digits
        raise _refused("it is not JSON that JMH writes") from error


def _require_shallow(text: str) -> None:
    """Before it is parsed: depth and number of values, as brackets and commas tell them."""
    bare = _STRING.sub("", text)
    depth = deepest = 0
    for bracket in _BRACKET.findall(bare):
        depth += 1 if bracket in "[{" else -1
        deepest = max(deepest, depth)
    if deepest > _MOST_DEPTH or bare.count(",") > _MOST_VALUES:
        raise _refused("it is deeper or has more values than anything that JMH writes")


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise _refused("it gives a name twice")
    return found


def _no_constant(name: str) -> float:
    raise _refused(f"it holds the number {name}")


def _object(value: Any, name: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise _refused(f"{name} is no object")
    return value


def _number(value: Any, name: str, *, above_zero: bool = False) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise _refused(f"{name} is {_shown(value)}, no number")
    # Compared before it is turned into a float: an int of any size compares, but need not fit.
    least = _SMALLEST if above_zero else 0
    if not (least <= value <= _LARGEST) or not math.isfinite(value):
        raise _refused(f"{name} is {_shown(value)}, which cannot be")
    return float(value)


def _unit(value: Any) -> str:
    if not isinstance(value, str) or not _UNIT.fullmatch(value):
        raise _refused(f"scoreUnit is {_shown(value)}")
    return value


def _parameters(value: Any, cell: Cell) -> dict[str, str]:
    """JMH also lists parameters that were left at their only value: those must be plain text."""
    found = _object(value, "params")
    asked = dict(cell.params)
    if len(found) > _MOST_PARAMETERS or any(
        found.get(name) != text for name, text in asked.items()
    ):
        raise _refused("its parameters are not those that were asked for")
    for name, text in found.items():
        if not (isinstance(text, str) and len(name) + len(text) <= _MOST_LETTERS):
            raise _refused(f"the parameter {_shown(name)} is no text")
        if name not in asked and not f"{name}{text}".isprintable():
            raise _refused(f"the parameter {_shown(name)} holds characters that are not printed")
    return dict(found)


def _secondary(value: Any) -> Mapping[str, Mapping[str, Any]]:
    """The metrics that we compute with, each with the one unit that it has."""
    kept = {}
    for name, metric in _object(value, "secondaryMetrics").items():
        known = name.removeprefix("·")
        if known not in _KEPT:
            continue
        found = _object(metric, known)
        if known in kept or found.get("scoreUnit") != _KEPT[known]:
            raise _refused(f"{known} is given twice, or in {_shown(found.get('scoreUnit'))}")
        if found.get("score") == "NaN":  # as JMH says that it does not know
            continue
        kept[known] = {"score": _number(found.get("score"), known), "scoreUnit": _KEPT[known]}
    return kept


def _refused(why: str) -> RefusedResult:
    return RefusedResult(f"The result of a fork is not what was asked for: {why}.", NEXT_STEP)


def _shown(value: Any) -> str:
    """A value of strangers in our own message: short, in ASCII."""
    try:
        return ascii(value)[:80] if not isinstance(value, dict | list) else "a list or an object"
    except ValueError:  # an int too long to be printed
        return "a number beyond measure"
