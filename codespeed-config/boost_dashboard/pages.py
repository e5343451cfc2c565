"""The pages without numbers: about, and the health check."""

from __future__ import annotations

from django.conf import settings
from django.db import connection
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe


@require_safe
@never_cache
def health(_request: HttpRequest) -> JsonResponse:
    """Says whose server this is, once the database answers."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")
    return JsonResponse({"service": "flink-boost", "instance": settings.CONFIGURATION.instance})


@require_safe
def about(request: HttpRequest) -> HttpResponse:
    """What the numbers are."""
    return render(request, "about.html")
