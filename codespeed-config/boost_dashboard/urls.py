"""Our own addresses first, then Codespeed's."""

from __future__ import annotations

from django.urls import include, path

from boost_dashboard import overview, pages, results

urlpatterns = [
    path("", overview.home, name="home"),
    path("overview.json", overview.as_json, name="overview-json"),
    path("healthz", pages.health, name="health"),
    path("changes/", pages.changes, name="changes"),
    path("timeline/", pages.timeline, name="timeline"),
    path("comparison/", pages.comparison, name="comparison"),
    path("makeimage/", pages.image, name="makeimage"),
    path("result/add/", results.add_result, name="add-result"),
    path("result/add/json/", results.add_json_results, name="add-json-results"),
    path("", include("codespeed.urls")),
]
