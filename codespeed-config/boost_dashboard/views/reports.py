"""What uploads brought: the newest reports as a page, and as feeds."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from codespeed import feeds
from codespeed.models import Report
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.feedgenerator import Rss201rev2Feed
from django.views.decorators.http import require_safe

from boost_dashboard.parameters import is_printable, page

_SHOWN = 20
_SIGNIFICANT = ("red", "green")


@require_safe
@page({})
def reports(request: HttpRequest, _query: dict[str, Any]) -> HttpResponse:
    """Reads only; a report is made by an upload."""
    newest = Report.objects.select_related(
        "revision__branch", "executable", "environment"
    ).order_by("-revision__date", "-id")
    return render(
        request,
        "reports.html",
        {
            "lists": (
                ("Latest Results", "latest-results", _rows(newest)),
                (
                    "Latest Significant Results",
                    "latest-significant-results",
                    _rows(newest.filter(colorcode__in=_SIGNIFICANT)),
                ),
            )
        },
    )


def _rows(reports: Any) -> list[dict[str, Any]]:
    return [{"report": report, "address": changes_address(report)} for report in reports[:_SHOWN]]


def changes_address(report: Report) -> str:
    """The changes of a report's run, whatever characters its names have."""
    query = {
        "env": report.environment_id,
        "bran": report.revision.branch.name,
        "exe": report.executable_id,
        "rev": report.revision.commitid,
    }
    return f"{reverse('changes')}?{urlencode(query, errors='replace')}"


class _PrintableFeed(Rss201rev2Feed):
    """Leaves out what XML cannot hold; a stored name may have it."""

    def add_item(self, title: str, link: str, description: str, **more: Any) -> None:
        super().add_item(_printable(title), link, _printable(description), **more)


def _printable(text: str) -> str:
    return "".join(
        character
        for character in text
        if character in "\n\t" or (is_printable(character) and character not in "\ufffe\uffff")
    )


class LatestFeed(feeds.LatestEntries):
    """Codespeed's feed of the newest reports."""

    feed_type = _PrintableFeed

    def item_link(self, item: Report) -> str:
        return changes_address(item)


class SignificantFeed(feeds.LatestSignificantEntries):
    """Codespeed's feed of those with significant changes."""

    feed_type = _PrintableFeed

    def item_link(self, item: Report) -> str:
        return changes_address(item)
