"""What several pages answer alike: nothing stored yet, or nothing of that name."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from boost_dashboard.reading.rows import Executable
from boost_dashboard.reading.scope import Missing, Scope, read_scope

COLOURS = 8  # of lines and bars, as in boost.css

Page = Callable[[HttpRequest, dict[str, Any], Scope], HttpResponse]


def with_scope(view: Page) -> Callable[[HttpRequest, dict[str, Any]], HttpResponse]:
    """Gives a view the box and branch that ``env`` and ``bran`` name.

    Without any results a page says how to get some; what does not exist is 404.
    """

    @wraps(view)
    def scoped(request: HttpRequest, query: dict[str, Any]) -> HttpResponse:
        try:
            scope = read_scope(query["env"], query["bran"])
            return no_results(request) if scope is None else view(request, query, scope)
        except Missing as missing:
            return not_found(request, missing)

    return scoped


def no_results(request: HttpRequest) -> HttpResponse:
    """There is nothing stored yet."""
    return render(request, "no_results.html")


def not_found(request: HttpRequest, missing: Missing) -> HttpResponse:
    """Names what there is not."""
    return render(request, "404.html", {"missing": f"There is no {missing}."}, status=404)


def chosen_executables(
    known: dict[int, Executable], numbers: tuple[int, ...], measured: set[int]
) -> tuple[Executable, ...]:
    """Those that the address names, else all that have results. Raises ``Missing``."""
    for number in numbers:
        if number not in known:
            raise Missing(f"executable {number}")
    wanted = set(numbers) or measured
    return tuple(each for each in known.values() if each.id in wanted)
