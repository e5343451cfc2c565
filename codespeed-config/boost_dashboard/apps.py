"""Registers the project as a Django application, for its templates, files and command."""

from __future__ import annotations

from django.apps import AppConfig

from boost_dashboard.compatibility import (
    allow_branch_querysets,
    read_changes_at_once,
    show_whole_commit_ids,
)


class DashboardConfig(AppConfig):
    """Runs once all models are loaded."""

    name = "boost_dashboard"

    def ready(self) -> None:
        allow_branch_querysets()
        show_whole_commit_ids()
        read_changes_at_once()
