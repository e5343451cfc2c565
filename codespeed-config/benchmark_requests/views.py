"""The page of benchmark requests, and the same for programs."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from benchmark_requests.reading import read_requests
from boost_dashboard.parameters import Choice, Field, for_programs, page

_COUNTS = ("60", "200", "1000")
_QUERY: dict[str, Field] = {"most": Choice(_COUNTS)}


@require_safe
@page(_QUERY)
def request_list(request: HttpRequest, query: dict[str, Any]) -> HttpResponse:
    """What waits, runs and has ended."""
    found = read_requests(int(query["most"] or _COUNTS[0]))
    return render(request, "requests.html", {"requests": found, "counts": _COUNTS})


@require_safe
@for_programs(_QUERY)
def as_json(_request: HttpRequest, query: dict[str, Any]) -> HttpResponse:
    """The same for programs."""
    return JsonResponse(read_requests(int(query["most"] or _COUNTS[0])).as_json())
