"""Our own addresses first, then Codespeed's."""

from __future__ import annotations

from django.urls import include, path
from django.views.decorators.http import require_safe
from django.views.generic import TemplateView

from benchmark_requests import views as benchmark_requests
from boost_dashboard import alarm_intake, health, nights, overview, results
from boost_dashboard.views import (
    alarm_pages,
    changes,
    codespeed_addresses,
    comparison,
    night_pages,
    reports,
    timeline,
)

about = require_safe(TemplateView.as_view(template_name="about.html"))

urlpatterns = [
    path("", overview.home, name="home"),
    path("overview.json", overview.as_json, name="overview-json"),
    path("alarms/", alarm_pages.alarm_list, name="alarms"),
    path("alarms.json", alarm_pages.as_json, name="alarms-json"),
    path("alarms/add/", alarm_intake.add, name="add-alarms"),
    path("alarms/<str:key>/", alarm_pages.alarm, name="alarm"),
    path("nights/", night_pages.night_list, name="nights"),
    path("nights.json", night_pages.as_json, name="nights-json"),
    path("nights/add/", nights.add, name="add-nights"),
    path("nights/<str:key>/", night_pages.night, name="night"),
    path("requests/", benchmark_requests.request_list, name="requests"),
    path("requests/requests.json", benchmark_requests.as_json, name="requests-json"),
    path("healthz", health.health, name="health"),
    path("about/", about, name="about"),
    path("timeline/", timeline.timeline, name="timeline"),
    path("timeline/points/", timeline.points, name="timeline-points"),
    path("changes/", changes.changes, name="changes"),
    path("comparison/", comparison.comparison, name="comparison"),
    path("reports/", reports.reports, name="reports"),
    path("feeds/latest/", reports.LatestFeed(), name="latest-results"),
    path("feeds/latest_significant/", reports.SignificantFeed(), name="latest-significant-results"),
    # Codespeed's own addresses for programs, behind a check of what they are asked.
    path("timeline/json/", codespeed_addresses.timeline_json, name="gettimelinedata"),
    path("comparison/json/", codespeed_addresses.comparison_json, name="getcomparisondata"),
    path("changes/table/", codespeed_addresses.changes_table, name="getchangestable"),
    path("changes/logs/", codespeed_addresses.changes_logs, name="displaylogs"),
    path("makeimage/", codespeed_addresses.image, name="makeimage"),
    path("result/add/", results.add_result, name="add-result"),
    path("result/add/json/", results.add_json_results, name="add-json-results"),
    path("", include("codespeed.urls")),
]
