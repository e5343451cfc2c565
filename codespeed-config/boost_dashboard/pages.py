"""Codespeed's pages, as they are once there is something to show; and the health check."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps

from codespeed import views
from codespeed.models import Executable, Result, Revision
from django.conf import settings
from django.db import connection
from django.http import HttpRequest, HttpResponse, HttpResponseBadRequest, JsonResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

View = Callable[[HttpRequest], HttpResponse]

LARGEST_IMAGE = 2000  # pixels, either way

EMPTY = (
    "There are no results yet. Measure some with <code>flink-boost bench</code> and send them "
    "with <code>flink-boost upload</code>; <code>make run</code> does both."
)


@require_safe
@never_cache
def health(_request: HttpRequest) -> JsonResponse:
    """Says whose server this is, once the database answers."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")
    return JsonResponse({"service": "flink-boost", "instance": settings.CONFIGURATION.instance})


def _once_there_are_results(view: View) -> View:
    """Codespeed's pages would send a first visitor to an administration site that we do not run."""

    @wraps(view)
    def page(request: HttpRequest) -> HttpResponse:
        if Result.objects.exists():
            return view(request)
        return render(request, "codespeed/nodata.html", {"message": EMPTY})

    return page


def _timeline_without_baseline(request: HttpRequest) -> HttpResponse:
    """Chooses "None" as baseline; Codespeed chooses nothing when no run is tagged."""
    tagged = Revision.objects.exclude(tag="").exists()
    return views.timeline(request if tagged else _with_defaults(request, base="none"))


def _comparison_with_stock(request: HttpRequest) -> HttpResponse:
    """Opens with the default line, relative to stock.

    Nanoseconds of short and long strings do not fit on one axis, and neither do the names of the
    executables of all lines below it.
    """
    stock, patched = (
        Executable.objects.filter(name=f"{side} {settings.DEFAULT_LINE}").first()
        for side in ("stock", "patched")
    )
    if stock is None or patched is None:
        return views.comparison(request)
    branch = stock.project.default_branch
    newest = [f"{executable.id}+L+{branch}" for executable in (stock, patched)]  # Codespeed's keys
    return views.comparison(
        _with_defaults(request, exe=",".join(newest), bas=newest[0], hor="true")
    )


def _with_defaults(request: HttpRequest, **defaults: str) -> HttpRequest:
    """The request as if it had those parameters, where it has none of that name."""
    request.GET = request.GET.copy()
    for name, value in defaults.items():
        request.GET.setdefault(name, value)
    return request


timeline = _once_there_are_results(_timeline_without_baseline)
changes = _once_there_are_results(views.changes)
comparison = _once_there_are_results(_comparison_with_stock)


@require_safe
def image(request: HttpRequest) -> HttpResponse:
    """A plot as PNG. Codespeed would draw it in any size, with the memory that takes."""
    for side in ("width", "height"):
        size = request.GET.get(side, "")
        if size.isdecimal() and int(size) > LARGEST_IMAGE:
            return HttpResponseBadRequest(f"The {side} may be {LARGEST_IMAGE} pixels at most.\n")
    return views.makeimage(request)
