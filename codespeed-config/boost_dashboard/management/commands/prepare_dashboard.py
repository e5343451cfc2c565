"""Makes the database ready to serve: tables, project, branch, executables. Safe to repeat."""

from __future__ import annotations

import tomllib
from typing import Any

from codespeed.models import Branch, Executable, Project
from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand
from django.db import transaction

PROJECT = "Flink"
DEFAULT_BRANCH = "master"
SIDES = {
    "stock": "Flink {line} as released",
    "patched": "Flink {line} with the drop-in jar of flink-boost",
}


class Command(BaseCommand):
    """``manage.py prepare_dashboard``"""

    help = __doc__
    requires_system_checks = ()  # they would load every view, which the server does anyway

    def handle(self, *_: Any, **options: Any) -> None:
        call_command(
            "migrate",
            interactive=False,
            skip_checks=True,
            verbosity=max(0, options["verbosity"] - 1),
        )
        with transaction.atomic():
            _create_entries()


def _create_entries() -> None:
    # Codespeed has no repository to ask for commits: results carry their own dates.
    project, _ = Project.objects.get_or_create(
        name=PROJECT,
        defaults={"repo_type": Project.NO_LOGS, "default_branch": DEFAULT_BRANCH},
    )
    if not project.default_branch:
        project.default_branch = DEFAULT_BRANCH
        project.save()
    Branch.objects.get_or_create(name=DEFAULT_BRANCH, project=project)
    for line in _measured_lines():
        for side, description in SIDES.items():
            Executable.objects.get_or_create(
                name=f"{side} {line}",
                project=project,
                defaults={"description": description.format(line=line)},
            )


def _measured_lines() -> list[str]:
    """Those with benchmarks: others have no results, and would only be in the way."""
    with settings.LINES_FILE.open("rb") as file:
        lines = tomllib.load(file)["lines"]
    return [
        version for version, line in lines.items() if line["enabled"] and line.get("measured", True)
    ]
