"""The newest results of chosen executables side by side, relative to one of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from codespeed import models
from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from boost_dashboard.parameters import BadParameter, Field, Name, Number, Numbers, page
from boost_dashboard.reading.rows import Executable, Measured
from boost_dashboard.reading.scope import (
    Scope,
    read_executables,
    read_newest_runs,
    read_runs,
)
from boost_dashboard.reading.side_by_side import Group, read_groups
from boost_dashboard.views.answers import COLOURS, chosen_executables, no_results, with_scope

_LOOKED_BACK = 60  # runs in which an executable's newest one is looked for
_FULL_WIDTH = 100.0  # of a bar, in units of its drawing
_MOST_LINES = 4  # executables that are chosen without being asked for

_QUERY: dict[str, Field] = {
    "env": Name(),
    "bran": Name(32),
    "exe": Name(2000),
    "bas": Name(60),
    # What Codespeed's own page had; its links still work.
    "ben": Numbers(1000),
    "hor": Name(),
    "chart": Name(),
}


@dataclass(frozen=True)
class Drawn:
    """A bar with its lengths, in hundredths of the longest."""

    bar: Any
    place: int
    width: float | None
    low: float | None
    high: float | None

    @property
    def span(self) -> float | None:
        return None if self.low is None or self.high is None else self.high - self.low


@require_safe
@page(_QUERY)
@with_scope
def comparison(request: HttpRequest, query: dict[str, Any], scope: Scope) -> HttpResponse:
    """Horizontal bars, grouped; a longer bar is faster."""
    # Codespeed's page took several boxes; this one shows the first of them.
    runs = read_runs(scope.box, scope.branch, _LOOKED_BACK)
    if not runs and not models.Result.objects.exists():
        return no_results(request)
    newest = read_newest_runs(scope.box, runs)
    known = read_executables()
    numbers = tuple(_number("exe", key) for key in (query["exe"] or "").split(",") if key)
    chosen = chosen_executables(known, numbers, _usual(known, set(newest)))
    base = _base(query["bas"], known, chosen)
    groups = read_groups(scope.box, newest, chosen, base) if base is not None else ()
    longest = max((_end(bar.relative) for bar in _bars(groups)), default=1.0)
    places = {number: place % COLOURS for place, number in enumerate(known)}
    return render(
        request,
        "comparison.html",
        {
            "scope": scope,
            "executables": [
                {"item": each, "checked": each in chosen}
                for each in known.values()
                if each.id in newest or each in chosen
            ],
            "chosen": [
                {"item": each, "place": places[each.id], "run": newest.get(each.id)}
                for each in chosen
            ],
            "base": base,
            "one": _FULL_WIDTH / longest,
            "groups": [
                {
                    "name": group.name,
                    "rows": [
                        {
                            "benchmark": row.benchmark,
                            "bars": [_drawn(bar, places, longest) for bar in row.bars],
                        }
                        for row in group.rows
                    ],
                }
                for group in groups
            ],
            "count": sum(len(group.rows) for group in groups),
            "timeline": urlencode({"env": scope.box.id, "bran": scope.branch}),
        },
    )


def _usual(known: dict[int, Executable], measured: set[int]) -> set[int]:
    """The default line's executables, else the first few that have results."""
    line = settings.DEFAULT_LINE
    usual = [
        each.id
        for each in known.values()
        if each.id in measured and each.name in (f"stock {line}", f"patched {line}")
    ]
    return set(usual or [each for each in known if each in measured][:_MOST_LINES])


def _number(name: str, key: str) -> int:
    """An executable's number; Codespeed's keys, such as ``2+L+master``, begin with it."""
    try:
        return Number().read(key.replace(" ", "+").partition("+")[0])
    except ValueError as error:
        raise BadParameter(name, "has to be numbers of executables") from error


def _base(
    key: str | None, known: dict[int, Executable], chosen: Sequence[Executable]
) -> Executable | None:
    number = _number("bas", key) if key and key != "none" else None
    if number is not None and number in known:
        return known[number]
    stocks = [each for each in chosen if each.name.startswith("stock ")]
    return next(iter([*stocks, *chosen]), None)


def _bars(groups: Sequence[Group]) -> list[Any]:
    return [bar for group in groups for row in group.rows for bar in row.bars]


def _end(relative: Measured | None) -> float:
    if relative is None:
        return 1.0
    return max(relative.value, relative.high if relative.high is not None else relative.value)


def _drawn(bar: Any, places: dict[int, int], longest: float) -> Drawn:
    def length(value: float | None) -> float | None:
        return None if value is None else round(_FULL_WIDTH * max(value, 0.0) / longest, 2)

    relative = bar.relative
    if relative is None:
        return Drawn(bar, places[bar.executable.id], None, None, None)
    return Drawn(
        bar,
        places[bar.executable.id],
        length(relative.value),
        length(relative.low),
        length(relative.high),
    )
